//! The schemas of inputs and outputs, as far as their size and their references go. Nothing here knows what keywords mean, so
//! nothing can hide under one that is unknown. A document has at most 128 levels, which bounds the calls below.

use crate::{Kind, Value};

/// Keywords whose value is no schema but a map to schemas.
const MAPS: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];

/// How large a schema is (T-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaSize {
    /// Nodes on the longest way from the root, the root included.
    pub depth: usize,
    /// Objects in it, the root included, but for maps right under the keywords that hold maps.
    pub nodes: usize,
}

/// Measures a schema.
#[must_use]
pub fn size(schema: Value<'_>) -> SchemaSize {
    let mut size = SchemaSize { depth: 0, nodes: 0 };
    visit(schema, false, 0, &mut |_, depth| {
        size.nodes += 1;
        size.depth = size.depth.max(depth);
    });
    size
}

/// The `$ref`s that lead out of the schema. They are told, never followed.
#[must_use]
pub fn remote_refs(schema: Value<'_>) -> Vec<Value<'_>> {
    let mut found = Vec::new();
    visit(schema, false, 0, &mut |node, _| {
        let reference = node.get("$ref");
        let is_remote = |reference: &Value<'_>| {
            reference
                .as_str()
                .is_some_and(|target| !target.is_empty() && !target.starts_with('#'))
        };
        found.extend(reference.filter(is_remote));
    });
    found
}

/// Calls `see` with every node and its depth.
fn visit<'a>(value: Value<'a>, is_map: bool, depth: usize, see: &mut impl FnMut(Value<'a>, usize)) {
    match value.kind() {
        Kind::Object => {
            let depth = if is_map { depth } else { depth + 1 };
            if !is_map {
                see(value, depth);
            }
            for (name, member) in value.members() {
                let is_map = !is_map && MAPS.contains(&name) && member.kind() == Kind::Object;
                visit(member, is_map, depth, see);
            }
        }
        Kind::Array => {
            for element in value.elements() {
                visit(element, false, depth, see);
            }
        }
        _ => {}
    }
}
