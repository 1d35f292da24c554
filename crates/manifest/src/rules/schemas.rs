//! `inputs` and `outputs`: objects. `{}` accepts any value.

use super::{context::RuleContext, member::Member};
use crate::Kind;

/// Members that contain a schema.
pub(super) const SCHEMAS: [Member; 2] = [Member::Inputs, Member::Outputs];

pub(super) fn check(context: &mut RuleContext<'_>) {
    for member in SCHEMAS {
        context.required_member(member, Kind::Object);
    }
}
