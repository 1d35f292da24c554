//! `creatorAddress`: the account that may register the tool, in lower case, not zero.

use atr_ids::parse_address;

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Kind, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(value) = scope.required_member(Member::CreatorAddress, Kind::String) else {
        return;
    };
    let text = value.as_str().unwrap_or_default();
    let (code, fix) = match parse_address(text) {
        Ok(address) if !address.is_zero() => return,
        Ok(_) => (
            Code::ZeroCreatorAddress,
            "write the address that will call registerTool".into(),
        ),
        Err(_) => {
            let lowercase = text.to_ascii_lowercase();
            if parse_address(&lowercase).is_ok() {
                (Code::HexCase, format!("write \"{lowercase}\"").into())
            } else {
                (
                    Code::BadCreatorAddress,
                    "write the address that will call registerTool: 0x and 40 hex digits".into(),
                )
            }
        }
    };
    scope.refuse(Violation {
        code,
        pointer: value.pointer(),
        found: shown(value),
        allowed: "0x and 40 lower-case hex digits, not all zero".into(),
        fix,
    });
}
