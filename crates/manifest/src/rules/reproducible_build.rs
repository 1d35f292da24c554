//! `verifiability.reproducibleBuild`: where the source is, and what it builds to.

use super::{
    attestation::{check_measurement, verifiability},
    scope::Scope,
};
use crate::Kind;

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(claims) = verifiability(scope) else {
        return;
    };
    let Some(build) = scope.optional(claims, "reproducibleBuild", Kind::Object) else {
        return;
    };
    if let Some(uri) = scope.required(build, "sourceCodeURI", Kind::String) {
        scope.https_url(uri);
    }
    scope.optional(build, "buildInstructions", Kind::String);
    check_measurement(scope, build, "buildHash");
}
