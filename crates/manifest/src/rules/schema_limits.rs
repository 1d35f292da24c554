//! Schemas are at most 16 levels deep and have at most 1,024 nodes together (T-30).

use super::{schemas::SCHEMAS, scope::Scope};
use crate::{
    Code, Kind, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, Violation,
    schema::{self, SchemaSize},
};

pub(super) fn check(scope: &mut Scope<'_>) {
    let mut nodes = 0;
    for member in SCHEMAS {
        let Some(value) = scope
            .member(member)
            .filter(|value| value.kind() == Kind::Object)
        else {
            continue;
        };
        let SchemaSize { depth, nodes: own } = schema::size(value);
        nodes += own;
        if depth > MAX_SCHEMA_DEPTH {
            scope.refuse(Violation {
                code: Code::SchemaTooDeep,
                pointer: value.pointer(),
                found: format!("{depth} levels"),
                allowed: format!("at most {MAX_SCHEMA_DEPTH} levels").into(),
                fix: "move inner schemas to $defs and refer to them with a local $ref".into(),
            });
        }
        // Told once, at the schema that went over.
        if nodes > MAX_SCHEMA_NODES && nodes - own <= MAX_SCHEMA_NODES {
            scope.refuse(Violation {
                code: Code::SchemaTooLarge,
                pointer: value.pointer(),
                found: format!("{nodes} nodes up to here"),
                allowed: format!("at most {MAX_SCHEMA_NODES} nodes in inputs and outputs together")
                    .into(),
                fix: "drop subschemas, or share them through $defs and a local $ref".into(),
            });
        }
    }
}
