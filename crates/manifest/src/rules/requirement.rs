//! Entries of `access.requirements`: kind and data in lower-case hex, a label of at most 256 bytes.

use atr_ids::is_lowercase_hex;

use super::{
    access::requirements,
    context::{RuleContext, display},
    hex_case::lowercase,
};
use crate::{Code, Kind, MAX_LABEL_BYTES, MAX_REQUIREMENT_DATA_BYTES, Value, Violation};

const KIND_CHARACTERS: usize = "0x00000000".len();

pub(super) fn check(context: &mut RuleContext<'_>) {
    for entry in requirements(context) {
        if context.is_full() {
            return;
        }
        let Some(entry) = context.expect_kind(entry, Kind::Object) else {
            continue;
        };
        if let Some(kind) = context.required(entry, "kind", Kind::String) {
            check_kind(context, kind);
        }
        if let Some(data) = context.required(entry, "data", Kind::String) {
            check_data(context, data);
        }
        if let Some(label) = context.required(entry, "label", Kind::String) {
            check_label(context, label);
        }
    }
}

fn check_kind(context: &mut RuleContext<'_>, value: Value<'_>) {
    let text = lowercase(value.as_str().unwrap_or_default());
    if text.len() != KIND_CHARACTERS || !is_lowercase_hex(&text) {
        let allowed = "0x followed by 8 lower-case hex digits";
        context.reject(invalid_hex(value, Code::BadKind, allowed));
    }
}

fn check_data(context: &mut RuleContext<'_>, value: Value<'_>) {
    let text = lowercase(value.as_str().unwrap_or_default());
    if !text.len().is_multiple_of(2) || !is_lowercase_hex(&text) {
        let allowed = "0x followed by pairs of lower-case hex digits";
        context.reject(invalid_hex(value, Code::BadData, allowed));
        return;
    }
    // The limit applies to the decoded bytes, as on chain.
    let bytes = text.len() / 2 - 1;
    if bytes > MAX_REQUIREMENT_DATA_BYTES {
        context.reject(Violation {
            code: Code::DataTooLong,
            pointer: value.pointer(),
            found: format!("{bytes} bytes"),
            allowed: format!("at most {MAX_REQUIREMENT_DATA_BYTES} bytes").into(),
            fix: "replace long data by a commitment such as a Merkle root".into(),
        });
    }
}

fn check_label(context: &mut RuleContext<'_>, value: Value<'_>) {
    let bytes = value.as_str().unwrap_or_default().len();
    if bytes > MAX_LABEL_BYTES {
        context.reject(Violation {
            code: Code::LabelTooLong,
            pointer: value.pointer(),
            found: format!("{bytes} bytes"),
            allowed: format!("at most {MAX_LABEL_BYTES} bytes of UTF-8").into(),
            fix: format!("shorten it by {} bytes", bytes - MAX_LABEL_BYTES).into(),
        });
    }
}

/// The violation of an invalid hex string. The case is checked by `hex_case`.
pub(super) fn invalid_hex(value: Value<'_>, code: Code, allowed: &'static str) -> Violation {
    Violation {
        code,
        pointer: value.pointer(),
        found: display(value),
        allowed: allowed.into(),
        fix: format!("use {allowed}").into(),
    }
}
