//! `inputs` and `outputs`: objects; `{}` means no schema.

use super::{member::Member, scope::Scope};
use crate::Kind;

/// The two schemas of a manifest.
pub(super) const SCHEMAS: [Member; 2] = [Member::Inputs, Member::Outputs];

pub(super) fn check(scope: &mut Scope<'_>) {
    for member in SCHEMAS {
        scope.required_member(member, Kind::Object);
    }
}
