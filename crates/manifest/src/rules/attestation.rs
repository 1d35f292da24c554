//! `verifiability.attestation`: the protocol, and where and how to check the report.

use atr_ids::is_lowercase_hex;

use super::{
    context::{RuleContext, display},
    hex_case::lowercase,
    member::Member,
    requirement::invalid_hex,
};
use crate::{Code, Kind, Value, Violation, seconds};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(claims) = verifiability(context) else {
        return;
    };
    let Some(attestation) = context.optional(claims, "attestation", Kind::Object) else {
        return;
    };
    context.required(attestation, "type", Kind::String);
    for name in ["endpoint", "transparencyLogURI"] {
        if let Some(url) = context.optional(attestation, name, Kind::String) {
            context.https_url(url);
        }
    }
    check_measurement(context, attestation, "enclaveHash");
    if let Some(age) = context.optional(attestation, "maxAge", Kind::Number)
        && seconds::from_value(age).is_none()
    {
        context.reject(Violation {
            code: Code::BadAttestationMaxAge,
            pointer: age.pointer(),
            found: display(age),
            allowed: "a whole number of seconds, 0 or more".into(),
            fix: "use a number of seconds, such as 3600 for one hour".into(),
        });
    }
}

pub(super) fn verifiability<'a>(context: &RuleContext<'a>) -> Option<Value<'a>> {
    context
        .member(Member::Verifiability)
        .filter(|claims| claims.kind() == Kind::Object)
}

/// A code measurement: hex of any length except zero.
pub(super) fn check_measurement<'a>(
    context: &mut RuleContext<'a>,
    object: Value<'a>,
    name: &'static str,
) {
    let Some(value) = context.optional(object, name, Kind::String) else {
        return;
    };
    let text = lowercase(value.as_str().unwrap_or_default());
    if text.len() <= 2 || !text.len().is_multiple_of(2) || !is_lowercase_hex(&text) {
        let allowed = "0x followed by one or more pairs of lower-case hex digits";
        context.reject(invalid_hex(value, Code::BadMeasurement, allowed));
    }
}
