//! `verifiability.attestation`: a protocol's name, and where and what to check.

use super::{
    member::Member,
    requirement::bad_hex,
    scope::{Scope, shown},
};
use crate::{Code, Kind, Value, Violation, seconds};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(claims) = verifiability(scope) else {
        return;
    };
    let Some(attestation) = scope.optional(claims, "attestation", Kind::Object) else {
        return;
    };
    scope.required(attestation, "type", Kind::String);
    for name in ["endpoint", "transparencyLogURI"] {
        if let Some(url) = scope.optional(attestation, name, Kind::String) {
            scope.https_url(url);
        }
    }
    check_measurement(scope, attestation, "enclaveHash");
    if let Some(age) = scope.optional(attestation, "maxAge", Kind::Number)
        && seconds::of(age).is_none()
    {
        scope.refuse(Violation {
            code: Code::BadAttestationMaxAge,
            pointer: age.pointer(),
            found: shown(age),
            allowed: "a whole number of seconds, 0 or more".into(),
            fix: "write seconds, such as 3600 for an hour".into(),
        });
    }
}

pub(super) fn verifiability<'a>(scope: &Scope<'a>) -> Option<Value<'a>> {
    scope
        .member(Member::Verifiability)
        .filter(|claims| claims.kind() == Kind::Object)
}

/// A hash of code, of any length but none.
pub(super) fn check_measurement<'a>(scope: &mut Scope<'a>, object: Value<'a>, name: &'static str) {
    let Some(value) = scope.optional(object, name, Kind::String) else {
        return;
    };
    let is_measurement = |text: &str| {
        text.len() > 2 && text.len().is_multiple_of(2) && atr_ids::is_lowercase_hex(text)
    };
    if !is_measurement(value.as_str().unwrap_or_default()) {
        let allowed = "0x and at least one pair of lower-case hex digits";
        scope.refuse(bad_hex(
            value,
            Code::BadMeasurement,
            allowed,
            is_measurement,
        ));
    }
}
