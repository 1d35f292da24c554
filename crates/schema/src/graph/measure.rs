//! What a schema object takes by itself. The schemas in it are measured on their own.

use serde_json::{Map, Value};

use super::keyword::{DECLARED, DOWN, IN_PLACE};

/// Up to fifteen elements are compared each with each, and more are hashed.
const READS_TO_BE_UNIQUE: u64 = 8;

/// What a value takes in memory, its text aside.
const BYTES_TO_A_VALUE: u64 = 32;

/// A step for the schema, one for each keyword, and one for each entry of a keyword's list or map.
pub(super) fn steps(schema: &Map<String, Value>) -> u64 {
    let entries = schema.values().map(|value| match value {
        Value::Array(list) => list.len() as u64 + 1,
        Value::Object(map) => map.len() as u64 + 1,
        _ => 1,
    });
    1 + entries.sum::<u64>()
}

/// How often everything below a place is read: to compare it, or to name what was not evaluated.
pub(super) fn reads(schema: &Map<String, Value>) -> u64 {
    let is_unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
    let listed = schema.get("enum").and_then(Value::as_array);
    let compared = schema
        .get("const")
        .into_iter()
        .chain(listed.into_iter().flatten());
    let compared = compared.filter(|value| value.is_array() || value.is_object());
    let named = schema.contains_key("unevaluatedItems");
    u64::from(is_unique) * READS_TO_BE_UNIQUE + compared.count() as u64 + u64::from(named)
}

/// What the validator makes of a schema, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compiled {
    /// Keywords and entries. Each keeps the pointer to where it stands.
    pub(crate) places: u64,
    /// Bytes that are copied, these pointers aside.
    pub(crate) bytes: u64,
}

/// A schema when it is compiled.
pub(super) fn compiled(schema: &Map<String, Value>) -> Compiled {
    let mut compiled = Compiled {
        places: 1,
        bytes: BYTES_TO_A_VALUE,
    };
    for (keyword, value) in schema {
        compiled.places += 1;
        compiled.bytes += keyword.len() as u64;
        if DECLARED.iter().any(|(declared, _)| declared == keyword) {
            continue;
        }
        let holds_schemas = DOWN.contains(&keyword.as_str())
            || IN_PLACE.iter().any(|(in_place, ..)| in_place == keyword);
        match value {
            Value::Array(list) if holds_schemas => {
                compiled.places += list.len() as u64;
                compiled.bytes += list.iter().map(unless_schema).sum::<u64>();
            }
            Value::Object(map) if is_map(keyword) => {
                compiled.places += map.len() as u64;
                let entries = map.iter();
                let bytes = entries.map(|(name, value)| name.len() as u64 + unless_schema(value));
                compiled.bytes += bytes.sum::<u64>();
            }
            other if holds_schemas => compiled.bytes += unless_schema(other),
            data => compiled.bytes += bytes(data),
        }
    }
    compiled
}

fn is_map(keyword: &str) -> bool {
    matches!(
        keyword,
        "properties"
            | "patternProperties"
            | "dependentSchemas"
            | "dependencies"
            | "dependentRequired"
    )
}

fn unless_schema(value: &Value) -> u64 {
    if value.is_object() { 0 } else { bytes(value) }
}

/// A schema has at most 128 levels, which bounds the calls.
fn bytes(value: &Value) -> u64 {
    BYTES_TO_A_VALUE
        + match value {
            Value::String(text) => text.len() as u64,
            Value::Array(elements) => elements.iter().map(bytes).sum(),
            Value::Object(members) => members
                .iter()
                .map(|(name, member)| name.len() as u64 + bytes(member))
                .sum(),
            _ => 0,
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of<T>(schema: &Value, measure: fn(&Map<String, Value>) -> T) -> T {
        measure(schema.as_object().unwrap())
    }

    #[test]
    fn only_what_is_compared_as_a_whole_is_read_as_a_whole() {
        assert_eq!(
            of(&json!({"enum": [1, "a", [], {}], "const": [1]}), reads),
            3
        );
        assert_eq!(
            of(
                &json!({"uniqueItems": true, "unevaluatedItems": false}),
                reads
            ),
            9
        );
        assert_eq!(
            of(
                &json!({"uniqueItems": false, "const": 1, "items": {}}),
                reads
            ),
            0
        );
    }

    #[test]
    fn every_entry_has_a_place_and_data_its_bytes() {
        let schema = json!({"prefixItems": [true, {}], "properties": {"ab": true, "c": {"x": 1}}});
        let names = "prefixItems".len() + "properties".len() + "abc".len();
        let expected = Compiled {
            places: 1 + 3 + 3,
            bytes: 3 * BYTES_TO_A_VALUE + names as u64,
        };
        assert_eq!(of(&schema, compiled), expected);
        let data = of(&json!({"x": {"y": ["zz", 1]}}), compiled);
        assert_eq!(data.bytes, 5 * BYTES_TO_A_VALUE + 4);
        assert_eq!(of(&json!({"enum": [1, 2]}), compiled).places, 2);
        let held = of(&json!({"not": {"x": 1}, "if": true}), compiled);
        assert_eq!(held.bytes, 2 * BYTES_TO_A_VALUE + 5);
    }
}
