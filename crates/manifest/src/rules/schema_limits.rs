//! Schemas have at most 16 levels each and at most 1,024 nodes together (T-30).

use super::{context::RuleContext, schemas::SCHEMAS};
use crate::{
    Code, Kind, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, Violation,
    schema::{self, SchemaSize},
};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let mut nodes = 0;
    for member in SCHEMAS {
        let Some(value) = context
            .member(member)
            .filter(|value| value.kind() == Kind::Object)
        else {
            continue;
        };
        let SchemaSize { depth, nodes: own } = schema::size(value);
        nodes += own;
        if depth > MAX_SCHEMA_DEPTH {
            context.reject(Violation {
                code: Code::SchemaTooDeep,
                pointer: value.pointer(),
                found: format!("{depth} levels"),
                allowed: format!("at most {MAX_SCHEMA_DEPTH} levels").into(),
                fix: "move inner schemas to $defs and use a local $ref".into(),
            });
        }
        // Reported once, for the schema that exceeds the limit.
        if nodes > MAX_SCHEMA_NODES && nodes - own <= MAX_SCHEMA_NODES {
            context.reject(Violation {
                code: Code::SchemaTooLarge,
                pointer: value.pointer(),
                found: format!("{nodes} nodes"),
                allowed: format!("at most {MAX_SCHEMA_NODES} nodes in inputs and outputs together")
                    .into(),
                fix: "remove subschemas, or share them with $defs and a local $ref".into(),
            });
        }
    }
}
