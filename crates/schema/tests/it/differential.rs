//! `jsonschema` as a second opinion on random schemas and values.

use atr_schema::Outcome;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{compile, document};

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-4..5).prop_map(Value::from),
        prop::sample::select(vec![
            json!(0.5),
            json!(1.5),
            json!(1.0),
            json!(-2.0),
            json!(10),
            json!(100.0)
        ]),
        text().prop_map(Value::from),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let texts = [
        "",
        "a",
        "b",
        "ab",
        "aab",
        "é",
        "a b",
        "0",
        "12",
        "-",
        "a\n",
        "\u{1f600}",
    ];
    prop::sample::select(texts.map(str::to_owned).to_vec())
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(["a", "b", "c", "ab"].map(str::to_owned).to_vec())
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn keyword(
    keyword: &'static str,
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = (String, Value)> {
    value.prop_map(move |value| (keyword.to_owned(), value))
}

/// An assertion.
fn assertion() -> BoxedStrategy<(String, Value)> {
    let types = [
        "null", "boolean", "number", "integer", "string", "array", "object",
    ];
    let patterns = [
        "a",
        "^a",
        "b$",
        "^a*b?$",
        r"\d",
        r"^\w+$",
        r"\s",
        "[^a]",
        "(a|é){2}",
        "^.$",
        "^$",
    ];
    let bound = || {
        prop_oneof![
            (-3..4).prop_map(Value::from),
            Just(json!(0.5)),
            Just(json!(1.0))
        ]
    };
    let count = || (0..4).prop_map(Value::from);
    let names = || prop::collection::btree_set(name(), 0..3).prop_map(|names| json!(names));
    prop_oneof![
        keyword(
            "type",
            prop::sample::select(types.to_vec()).prop_map(Value::from)
        ),
        keyword(
            "type",
            prop::collection::btree_set(prop::sample::select(types.to_vec()), 1..4)
                .prop_map(|types| json!(types))
        ),
        keyword("const", value()),
        keyword(
            "enum",
            prop::collection::vec(value(), 1..4).prop_map(Value::from)
        ),
        keyword("minimum", bound()),
        keyword("maximum", bound()),
        keyword("exclusiveMinimum", bound()),
        keyword("exclusiveMaximum", bound()),
        keyword(
            "multipleOf",
            prop::sample::select(vec![json!(1), json!(2), json!(0.5), json!(3)])
        ),
        keyword("minLength", count()),
        keyword("maxLength", count()),
        keyword(
            "pattern",
            prop::sample::select(patterns.to_vec()).prop_map(Value::from)
        ),
        keyword("minItems", count()),
        keyword("maxItems", count()),
        keyword("uniqueItems", any::<bool>().prop_map(Value::from)),
        keyword("minProperties", count()),
        keyword("maxProperties", count()),
        keyword("required", names()),
        keyword("minContains", count()),
        keyword("maxContains", count()),
        keyword(
            "dependentRequired",
            prop::collection::btree_map(name(), names(), 0..3).prop_map(|lists| json!(lists))
        ),
        keyword(
            "$ref",
            prop::sample::select(vec!["#/$defs/a", "#/$defs/b", "#b"]).prop_map(Value::from)
        ),
    ]
    .boxed()
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![1 => any::<bool>().prop_map(Value::from), 4 => object(assertion(), 1..3)];
    leaf.prop_recursive(3, 20, 4, |inner| {
        let inner = || inner.clone();
        let list = || prop::collection::vec(inner(), 1..4).prop_map(Value::from);
        let map = || {
            prop::collection::btree_map(name(), inner(), 0..4).prop_map(|schemas| json!(schemas))
        };
        let patterns =
            prop::collection::btree_map(prop::sample::select(vec!["a", "^b", "c$"]), inner(), 1..3);
        let applicator = prop_oneof![
            keyword("allOf", list()),
            keyword("anyOf", list()),
            keyword("oneOf", list()),
            keyword("not", inner()),
            keyword("if", inner()),
            keyword("then", inner()),
            keyword("else", inner()),
            keyword("properties", map()),
            keyword(
                "patternProperties",
                patterns.prop_map(|schemas| json!(schemas))
            ),
            keyword("additionalProperties", inner()),
            keyword("propertyNames", inner()),
            keyword("dependentSchemas", map()),
            keyword("prefixItems", list()),
            keyword("items", inner()),
            keyword("contains", inner()),
            keyword("unevaluatedProperties", inner()),
            keyword("unevaluatedItems", inner()),
        ];
        object(
            prop_oneof![1 => assertion(), 2 => applicator.boxed()].boxed(),
            1..5,
        )
    })
}

fn object(
    keyword: BoxedStrategy<(String, Value)>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Value> {
    prop::collection::vec(keyword, count)
        .prop_map(|keywords| Value::Object(keywords.into_iter().collect()))
}

/// A schema with definitions. They contain no references, so that none is endless.
fn root() -> impl Strategy<Value = Value> {
    let definition = || {
        object(
            assertion()
                .prop_filter("no reference", |(name, _)| name != "$ref")
                .boxed(),
            1..3,
        )
    };
    (schema(), definition(), definition()).prop_map(|(root, a, mut b)| {
        b["$anchor"] = "b".into();
        json!({"allOf": [root], "$defs": {"a": a, "b": b}})
    })
}

proptest! {
    #[test]
    fn agrees_with_jsonschema(schema in root(), instances in prop::collection::vec(value(), 1..8)) {
        let ours = compile(schema.to_string()).unwrap();
        let theirs = jsonschema::options().build(&schema).unwrap();
        for instance in instances {
            let outcome = ours.validate(&document(instance.to_string()));
            let expected = theirs.is_valid(&instance);
            match outcome {
                Outcome::Valid => prop_assert!(expected, "{instance}"),
                Outcome::Invalid(failures) => {
                    prop_assert!(!expected, "{instance}: {failures:?}");
                    prop_assert!(!failures.is_empty());
                    for failure in failures {
                        let location = failure.instance_location.as_str();
                        prop_assert!(instance.pointer(location).is_some(), "{location}");
                        // Draft-07 keywords aside, the keyword is where the failure says.
                        let keyword = failure.keyword_location.as_str();
                        prop_assert!(schema.pointer(keyword).is_some(), "{keyword}");
                    }
                }
                Outcome::Unknown(exhausted) => prop_assert!(false, "{exhausted}"),
            }
        }
    }

    #[test]
    fn any_document_is_a_schema_or_rejected(schema in value(), instance in value()) {
        if let Ok(schema) = compile(schema.to_string()) {
            let _ = schema.validate(&document(instance.to_string()));
        }
    }
}
