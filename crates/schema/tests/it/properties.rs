use proptest::prelude::*;

use crate::support::{compile, document, in_time};

/// Texts that mean something to a schema, and some that do not.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "",
        "#",
        "#/$defs/a",
        "#/$defs/b",
        "#/properties/a",
        "#a",
        "#/allOf/0",
        "object",
        "array",
        "string",
        "^a",
        "(a+)+$",
        "[",
        "https://example.com/s",
        "http://json-schema.org/draft-07/schema#",
        "base64",
        "application/json",
        "1e5",
    ])
    .prop_map(|word| format!("{word:?}"))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|truth| truth.to_string()),
        prop::sample::select(vec![
            "0",
            "-1",
            "1.5",
            "1e300",
            "1e-300",
            "18446744073709551616",
            "3"
        ])
        .prop_map(str::to_owned),
        word(),
    ]
}

fn object(members: Vec<(String, String)>) -> String {
    let mut names = std::collections::BTreeMap::new();
    names.extend(members);
    let members: Vec<_> = names
        .iter()
        .map(|(name, value)| format!("{name:?}:{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn list(elements: Vec<String>) -> String {
    format!("[{}]", elements.join(","))
}

fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        let member = (
            prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned),
            inner.clone(),
        );
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(list),
            prop::collection::vec(member, 0..4).prop_map(object),
        ]
    })
}

const SCHEMA: [&str; 12] = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const SCHEMAS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAPS: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "dependentSchemas",
    "definitions",
    "dependencies",
];
const WORDS: [&str; 15] = [
    "$ref",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$anchor",
    "$dynamicAnchor",
    "$id",
    "id",
    "$schema",
    "type",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "$comment",
];
const VALUES: [&str; 12] = [
    "const",
    "enum",
    "required",
    "maximum",
    "minLength",
    "multipleOf",
    "uniqueItems",
    "minContains",
    "dependentRequired",
    "maxItems",
    "$recursiveAnchor",
    "$vocabulary",
];

/// Keywords with values that suit them.
fn fitting() -> impl Strategy<Value = (String, String)> {
    let member = prop::sample::select(vec![
        ("$ref", r##""#/$defs/a""##),
        ("$ref", r##""#/$defs/b""##),
        ("$ref", r##""#""##),
        ("$dynamicRef", r##""#/$defs/b""##),
        ("type", r#""object""#),
        ("type", r#"["array","string"]"#),
        ("pattern", r#""(a+)+$""#),
        ("enum", r#"[1,"a",[],{"a":null}]"#),
        ("const", "3"),
        ("required", r#"["a"]"#),
        ("multipleOf", "1e-300"),
        ("uniqueItems", "true"),
        ("minContains", "2"),
        ("maxProperties", "1"),
        ("unevaluatedItems", "false"),
        ("unevaluatedProperties", "false"),
    ]);
    member.prop_map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn keyword(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(names).prop_map(str::to_owned)
}

fn schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("{}".to_owned())
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let name = prop::sample::select(vec!["a", "b", "^a"]).prop_map(str::to_owned);
        let map = prop::collection::vec((name, inner.clone()), 0..4).prop_map(object);
        let member = prop_oneof![
            20 => (keyword(&SCHEMA), inner.clone()),
            20 => (keyword(&SCHEMAS), prop::collection::vec(inner, 1..4).prop_map(list)),
            20 => (keyword(&MAPS), map),
            20 => fitting(),
            1 => (keyword(&WORDS), word()),
            1 => (keyword(&VALUES), value()),
        ];
        prop::collection::vec(member, 0..5).prop_map(object)
    })
}

/// A value at the end of a long way through members and elements.
fn deep() -> impl Strategy<Value = String> {
    let step = prop::sample::select(vec![("[", "]"), (r#"{"a":"#, "}"), (r#"{"b":"#, "}")]);
    let way = prop::collection::vec(step, 1..4);
    (way, 1..120_usize, scalar()).prop_map(|(way, levels, end)| {
        let steps: Vec<_> = way.iter().cycle().take(levels).collect();
        let open: String = steps.iter().map(|(open, _)| *open).collect();
        let close: String = steps.iter().rev().map(|(_, close)| *close).collect();
        open + &end + &close
    })
}

/// A schema with two definitions, so that references find something.
fn with_definitions() -> impl Strategy<Value = String> {
    (schema(), schema(), schema()).prop_map(|(root, a, b)| {
        let definitions = format!(r#""$defs":{{"a":{a},"b":{b}}}"#);
        format!(r#"{{"allOf":[{root}],{definitions}}}"#)
    })
}

proptest! {
    #[test]
    fn no_schema_and_no_call_brings_us_down(
        schema in prop_oneof![schema(), with_definitions()],
        calls in prop::collection::vec(prop_oneof![value(), deep()], 1..4)) {
        in_time(move || {
            let Ok(schema) = compile(schema) else { return };
            for call in calls {
                if let Err(found) = schema.check(&document(call)) {
                    assert!(!found.is_empty());
                }
            }
        });
    }

    #[test]
    fn any_json_may_come_as_a_schema(schema in value(), call in value()) {
        if let Ok(schema) = compile(schema) {
            let _ = schema.check(&document(call));
        }
    }
}
