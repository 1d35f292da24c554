//! An entry of `access.requirements`: kind and data in lower-case hex, a label of at most 256 bytes.

use atr_ids::is_lowercase_hex;

use super::{
    access::requirements,
    scope::{Scope, shown},
};
use crate::{Code, Kind, MAX_LABEL_BYTES, MAX_REQUIREMENT_DATA_BYTES, Value, Violation};

const KIND_CHARACTERS: usize = "0x00000000".len();

pub(super) fn check(scope: &mut Scope<'_>) {
    for entry in requirements(scope) {
        if scope.is_full() {
            return;
        }
        let Some(entry) = scope.of_kind(entry, Kind::Object) else {
            continue;
        };
        if let Some(kind) = scope.required(entry, "kind", Kind::String) {
            check_kind(scope, kind);
        }
        if let Some(data) = scope.required(entry, "data", Kind::String) {
            check_data(scope, data);
        }
        if let Some(label) = scope.required(entry, "label", Kind::String) {
            check_label(scope, label);
        }
    }
}

fn check_kind(scope: &mut Scope<'_>, value: Value<'_>) {
    let is_kind = |text: &str| text.len() == KIND_CHARACTERS && is_lowercase_hex(text);
    if !is_kind(value.as_str().unwrap_or_default()) {
        let allowed = "0x and 8 lower-case hex digits";
        scope.refuse(bad_hex(value, Code::BadKind, allowed, is_kind));
    }
}

fn check_data(scope: &mut Scope<'_>, value: Value<'_>) {
    let text = value.as_str().unwrap_or_default();
    let is_data = |text: &str| text.len().is_multiple_of(2) && is_lowercase_hex(text);
    if !is_data(text) {
        let allowed = "0x and pairs of lower-case hex digits";
        scope.refuse(bad_hex(value, Code::BadData, allowed, is_data));
        return;
    }
    // The cap is on what the digits stand for, as on chain.
    let bytes = text.len() / 2 - 1;
    if bytes > MAX_REQUIREMENT_DATA_BYTES {
        scope.refuse(Violation {
            code: Code::DataTooLong,
            pointer: value.pointer(),
            found: format!("{bytes} bytes"),
            allowed: format!("at most {MAX_REQUIREMENT_DATA_BYTES} bytes").into(),
            fix: "commit to what is long by a hash, as a Merkle root does".into(),
        });
    }
}

fn check_label(scope: &mut Scope<'_>, value: Value<'_>) {
    let bytes = value.as_str().unwrap_or_default().len();
    if bytes > MAX_LABEL_BYTES {
        scope.refuse(Violation {
            code: Code::LabelTooLong,
            pointer: value.pointer(),
            found: format!("{bytes} bytes"),
            allowed: format!("at most {MAX_LABEL_BYTES} bytes of UTF-8").into(),
            fix: format!("shorten it by {} bytes", bytes - MAX_LABEL_BYTES).into(),
        });
    }
}

/// Hex that breaks its grammar; only its case is wrong if `is_good` likes it in lower case.
pub(super) fn bad_hex(
    value: Value<'_>,
    code: Code,
    allowed: &'static str,
    is_good: impl Fn(&str) -> bool,
) -> Violation {
    let lowercase = value.as_str().unwrap_or_default().to_ascii_lowercase();
    let only_case = is_good(&lowercase);
    Violation {
        code: if only_case { Code::HexCase } else { code },
        pointer: value.pointer(),
        found: shown(value),
        allowed: allowed.into(),
        fix: if only_case {
            "write the digits in lower case".into()
        } else {
            format!("write {allowed}").into()
        },
    }
}
