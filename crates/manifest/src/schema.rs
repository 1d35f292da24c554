//! Size and references of the schemas in `inputs` and `outputs`. Every object is counted, whatever keyword it is under, so unknown
//! keywords cannot hide schemas. Recursion is bounded by the document's 128 levels.

use crate::{Kind, Value};

/// Keywords whose value is a map of schemas, not a schema.
const MAP_KEYWORDS: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];

/// Size of a schema (T-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaSize {
    /// Nodes on the longest path from the root, including the root.
    pub depth: usize,
    /// Number of objects including the root, except maps of schemas.
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

/// The `$ref` values that point to another document. They are reported, never followed.
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

/// Calls `visitor` with every node and its depth.
fn visit<'a>(
    value: Value<'a>,
    is_map: bool,
    depth: usize,
    visitor: &mut impl FnMut(Value<'a>, usize),
) {
    match value.kind() {
        Kind::Object => {
            let depth = if is_map { depth } else { depth + 1 };
            if !is_map {
                visitor(value, depth);
            }
            for (name, member) in value.members() {
                let is_map =
                    !is_map && MAP_KEYWORDS.contains(&name) && member.kind() == Kind::Object;
                visit(member, is_map, depth, visitor);
            }
        }
        Kind::Array => {
            for element in value.elements() {
                visit(element, false, depth, visitor);
            }
        }
        _ => {}
    }
}
