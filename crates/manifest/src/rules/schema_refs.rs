//! A `$ref` out of the document is never followed, so it says nothing to anybody (ERC-8257, Remote `$ref`).

use super::{
    schemas::SCHEMAS,
    scope::{Scope, shown},
};
use crate::{Code, Violation, schema};

pub(super) fn check(scope: &mut Scope<'_>) {
    for member in SCHEMAS {
        let Some(value) = scope.member(member) else {
            continue;
        };
        for reference in schema::remote_refs(value) {
            let is_kept = scope.warn(Violation {
                code: Code::RemoteRef,
                pointer: reference.pointer(),
                found: shown(reference),
                allowed: "references within the schema, such as \"#/$defs/item\"".into(),
                fix: "copy the schema to $defs and refer to it there: consumers fetch nothing"
                    .into(),
            });
            if !is_kept {
                return;
            }
        }
    }
}
