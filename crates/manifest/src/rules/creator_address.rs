//! `creatorAddress`: a lower-case address, not zero.

use atr_ids::parse_address;

use super::{
    context::{RuleContext, display},
    hex_case::lowercase,
    member::Member,
};
use crate::{Code, Kind, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(value) = context.required_member(Member::CreatorAddress, Kind::String) else {
        return;
    };
    // The case is checked by `hex_case`.
    let text = lowercase(value.as_str().unwrap_or_default());
    let (code, fix) = match parse_address(&text) {
        Ok(address) if !address.is_zero() => return,
        Ok(_) => (
            Code::ZeroCreatorAddress,
            "use the address that will call registerTool",
        ),
        Err(_) => (
            Code::BadCreatorAddress,
            "use the address that will call registerTool: 0x followed by 40 hex digits",
        ),
    };
    context.reject(Violation {
        code,
        pointer: value.pointer(),
        found: display(value),
        allowed: "0x followed by 40 lower-case hex digits, not all zero".into(),
        fix: fix.into(),
    });
}
