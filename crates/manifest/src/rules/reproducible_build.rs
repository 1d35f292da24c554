//! `verifiability.reproducibleBuild`: source code and expected build hash.

use super::{
    attestation::{check_measurement, verifiability},
    context::RuleContext,
};
use crate::Kind;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(claims) = verifiability(context) else {
        return;
    };
    let Some(build) = context.optional(claims, "reproducibleBuild", Kind::Object) else {
        return;
    };
    if let Some(uri) = context.required(build, "sourceCodeURI", Kind::String) {
        context.https_url(uri);
    }
    context.optional(build, "buildInstructions", Kind::String);
    check_measurement(context, build, "buildHash");
}
