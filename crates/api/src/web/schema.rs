//! JSON Schemas as tables, and an example of a call.

use serde_json::{Map, Value};

use crate::text;

/// Rows of a table.
const MAX_ROWS: usize = 40;

/// Deepest member that has a row of its own.
const MAX_DEPTH: usize = 3;

/// A member of an input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// With the names of its parents, such as `filter.chain`.
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) description: String,
    /// Values, range and default.
    pub(super) rules: String,
}

/// A schema as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    /// Whether members were left out.
    pub(super) is_truncated: bool,
}

/// The members of a schema; empty if it has no `properties`.
pub(super) fn table(schema: Option<&Value>) -> Table {
    let mut table = Table::default();
    if let Some(schema) = schema {
        add(&mut table, "", schema, 0);
    }
    table
}

fn add(table: &mut Table, parent: &str, schema: &Value, depth: usize) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, member) in properties {
        if table.rows.len() == MAX_ROWS || depth == MAX_DEPTH {
            table.is_truncated = true;
            return;
        }
        let path = text::line(&format!("{parent}{name}"), 128);
        table.rows.push(Row {
            kind: kind(member),
            required: required.is_some_and(|names| names.iter().any(|known| known == name)),
            description: string(member, "description", 300),
            rules: rules(member),
            name: path.clone(),
        });
        let (child, mark) = match member.get("items") {
            Some(items) => (items, "[]."),
            None => (member, "."),
        };
        add(table, &format!("{path}{mark}"), child, depth + 1);
    }
}

fn kind(schema: &Value) -> String {
    let name = match schema.get("type") {
        Some(Value::String(name)) => text::line(name, 32),
        Some(Value::Array(names)) => {
            let names = names.iter().take(8).filter_map(Value::as_str);
            text::line(&names.collect::<Vec<_>>().join(" or "), 64)
        }
        _ if schema.get("enum").is_some() => "one of a list".to_owned(),
        _ => "any".to_owned(),
    };
    match schema.get("items") {
        Some(items) if name == "array" => {
            format!("array of {}", text::line(&kind_of_item(items), 32))
        }
        _ => name,
    }
}

fn kind_of_item(items: &Value) -> String {
    let name = items.get("type").and_then(Value::as_str);
    name.unwrap_or("any").to_owned()
}

fn rules(schema: &Value) -> String {
    let mut rules = Vec::new();
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<_> = values.iter().take(12).map(short).collect();
        rules.push(values.join(" | "));
    }
    for (name, words) in [
        ("const", "always"),
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("minLength", "characters: at least"),
        ("maxLength", "characters: at most"),
        ("maxItems", "entries: at most"),
        ("format", "format"),
        ("pattern", "pattern"),
        ("default", "default"),
    ] {
        if let Some(value) = schema.get(name) {
            rules.push(format!("{words} {}", short(value)));
        }
    }
    text::line(&rules.join("; "), 300)
}

fn short(value: &Value) -> String {
    match value {
        Value::String(value) => text::line(value, 64),
        other => text::line(&other.to_string(), 64),
    }
}

fn string(value: &Value, name: &str, max: usize) -> String {
    let value = value.get(name).and_then(Value::as_str);
    text::line(value.unwrap_or_default(), max)
}

/// Arguments that fit the schema's types: examples and defaults where it has them.
pub(super) fn example(schema: Option<&Value>) -> Value {
    schema.map_or_else(|| Value::Object(Map::new()), |schema| example_of(schema, 0))
}

fn example_of(schema: &Value, depth: usize) -> Value {
    let stated = ["default", "const"]
        .iter()
        .find_map(|name| schema.get(name));
    let first = |name: &str| schema.get(name).and_then(Value::as_array)?.first();
    if let Some(value) = first("examples").or(stated).or_else(|| first("enum")) {
        return bounded(value);
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        other => other.and_then(Value::as_str),
    };
    match kind {
        Some("string") => Value::from("…"),
        Some("integer" | "number") => schema
            .get("minimum")
            .map_or_else(|| Value::from(1), bounded),
        Some("boolean") => Value::from(true),
        Some("array") => Value::Array(Vec::new()),
        Some("null") => Value::Null,
        _ if depth < MAX_DEPTH => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let required = schema.get("required").and_then(Value::as_array);
            let is_needed =
                |name: &str| required.is_none_or(|names| names.iter().any(|known| known == name));
            let members = properties.into_iter().flatten();
            let members = members.filter(|(name, _)| is_needed(name)).take(8);
            members
                .map(|(name, member)| (text::line(name, 64), example_of(member, depth + 1)))
                .collect()
        }
        _ => Value::Object(Map::new()),
    }
}

/// A value of the manifest, if it is short.
fn bounded(value: &Value) -> Value {
    match value {
        Value::String(value) => Value::from(text::line(value, 128)),
        other if other.to_string().len() <= 128 => other.clone(),
        _ => Value::from("…"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_become_rows_and_an_example() {
        let schema = json!({
            "type": "object",
            "required": ["city"],
            "properties": {
                "city": { "type": "string", "description": "Name of a city", "maxLength": 80, "examples": ["Bern"] },
                "days": { "type": "integer", "minimum": 1, "maximum": 7, "default": 3 },
                "areas": { "type": "array", "items": { "type": "object", "properties": { "id": { "type": "string" } } } },
            },
        });
        let table = table(Some(&schema));
        let rows: Vec<_> = table
            .rows
            .iter()
            .map(|row| (row.name.as_str(), row.kind.as_str(), row.required))
            .collect();
        assert_eq!(
            rows,
            [
                ("areas", "array of object", false),
                ("areas[].id", "string", false),
                ("city", "string", true),
                ("days", "integer", false)
            ]
        );
        assert_eq!(table.rows[3].rules, "at least 1; at most 7; default 3");
        assert_eq!(example(Some(&schema)), json!({ "city": "Bern" }));
        assert_eq!(example(None), json!({}));
    }

    #[test]
    fn a_hostile_schema_is_bounded() {
        let mut deep = json!({ "type": "string" });
        for _ in 0..50 {
            deep = json!({ "type": "object", "properties": { "a": deep, "b": {} } });
        }
        assert!(table(Some(&deep)).is_truncated);
        assert!(example(Some(&deep)).to_string().len() < 1_000);
        let wide: Map<_, _> = (0..1_000)
            .map(|n| (n.to_string(), json!({ "enum": ["x".repeat(9_000)] })))
            .collect();
        let wide = json!({ "properties": wide });
        assert_eq!(table(Some(&wide)).rows.len(), MAX_ROWS);
        assert!(example(Some(&wide)).to_string().len() < 2_000);
        assert_eq!(table(Some(&json!([1]))), Table::default());
    }
}
