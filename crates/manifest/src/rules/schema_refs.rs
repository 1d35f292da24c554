//! Consumers never follow a `$ref` to another document (ERC-8257, Remote `$ref`).

use super::{
    context::{RuleContext, display},
    schemas::SCHEMAS,
};
use crate::{Code, Violation, schema};

pub(super) fn check(context: &mut RuleContext<'_>) {
    for member in SCHEMAS {
        let Some(value) = context.member(member) else {
            continue;
        };
        for reference in schema::remote_refs(value) {
            let is_recorded = context.warn(Violation {
                code: Code::RemoteRef,
                pointer: reference.pointer(),
                found: display(reference),
                allowed: "local references such as \"#/$defs/item\"".into(),
                fix:
                    "copy the schema to $defs and use a local $ref; consumers do not fetch schemas"
                        .into(),
            });
            if !is_recorded {
                return;
            }
        }
    }
}
