use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::*;

fn cost(schema: &Value) -> Result<Vec<u64>, Error> {
    let graph = Graph::try_new(schema, Draft::Draft202012).unwrap();
    Cost::try_of(graph).map(|cost| cost.steps)
}

/// `count` definitions that each hold the next in the way `link` says, and the last.
fn chain(count: usize, link: impl Fn(Value) -> Value, last: Value) -> Value {
    let mut definitions = Map::new();
    for index in 0..count {
        let next = json!({"$ref": format!("#/$defs/{}", index + 1)});
        definitions.insert(index.to_string(), link(next));
    }
    definitions.insert(count.to_string(), last);
    json!({"$ref": "#/$defs/0", "$defs": definitions})
}

#[test]
fn each_keyword_and_each_entry_is_a_step_where_it_applies() {
    // The root: itself, `type`, `properties` with two entries, `required` with one.
    let schema = json!({
        "type": "object",
        "properties": {"a": {"enum": [1, 2, 3]}, "b": {"items": {"type": "string"}}},
        "required": ["a"]
    });
    assert_eq!(cost(&schema).unwrap(), [1 + 1 + 3 + 2, 1 + 4, 1 + 1]);
    assert_eq!(cost(&json!({})).unwrap(), [1]);
    assert_eq!(cost(&json!(false)).unwrap(), [0; 0]);
}

#[test]
fn ordinary_recursion_costs_the_same_on_every_level() {
    let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
    let levels = cost(&tree).unwrap();
    assert_eq!(levels.len(), MAX_DEPTH + 1);
    assert!(levels[1..].iter().all(|steps| *steps == levels[1]));
}

#[test]
fn branches_that_recurse_through_different_members_do_not_multiply() {
    let list = json!({"items": {"$ref": "#"}});
    let filter = json!({"anyOf": [
        {"properties": {"and": list}},
        {"properties": {"or": list}},
        {"properties": {"not": {"$ref": "#"}}},
        {"type": "string"}
    ]});
    assert!(cost(&filter).is_ok());
    let json_itself = json!({"anyOf": [
        {"items": {"$ref": "#"}},
        {"patternProperties": {"^x-": {"$ref": "#"}}, "additionalProperties": {"$ref": "#"}},
    ]});
    assert!(cost(&json_itself).is_ok());
    let closed = json!({
        "properties": {"next": {"$ref": "#"}},
        "unevaluatedProperties": false
    });
    assert!(cost(&closed).is_ok());
}

#[test]
fn two_ways_to_one_place_on_a_circle_multiply() {
    let back = json!({"$ref": "#"});
    for schema in [
        json!({"properties": {"a": back}, "patternProperties": {"a": back}}),
        json!({"patternProperties": {"a": back, "b": back}}),
        json!({"items": back, "contains": back}),
        json!({"contains": back, "unevaluatedItems": false}),
        json!({"unevaluatedItems": back}),
        json!({"anyOf": [true], "unevaluatedProperties": back}),
        json!({"anyOf": [{"items": back}, {"items": back}]}),
        json!({"prefixItems": [back], "contains": back}),
        json!({"additionalProperties": back, "propertyNames": back}),
        json!({"allOf": [{"properties": {"a": back}}], "unevaluatedProperties": false}),
        json!({"if": {"items": back}, "then": {"items": back}}),
        json!({"dependentSchemas": {"a": {"additionalProperties": back}}, "additionalProperties": back}),
        json!({"not": {"items": back}, "items": back}),
    ] {
        let error = cost(&schema).unwrap_err();
        assert!(matches!(error, Error::TooCostly { .. }), "{schema}");
    }
}

#[test]
fn growth_that_is_only_polynomial_is_counted_as_well() {
    // Every circle also feeds the next: at depth d the last is applied about d^k / k! times.
    let mut definitions = Map::new();
    for index in 0..6 {
        let next = json!({"$ref": format!("#/$defs/{}", index + 1)});
        let own = json!({"$ref": format!("#/$defs/{index}")});
        definitions.insert(index.to_string(), json!({"items": own, "contains": next}));
    }
    definitions.insert("6".into(), json!({}));
    let schema = json!({"$ref": "#/$defs/0", "$defs": definitions});
    assert!(matches!(cost(&schema), Err(Error::TooCostly { .. })));
}

#[test]
fn chains_that_double_are_refused_and_chains_that_do_not_are_not() {
    let doubled = chain(300, |next| json!({"allOf": [next, next]}), json!({}));
    let error = cost(&doubled).unwrap_err();
    assert!(matches!(error, Error::TooCostly { .. }), "{error}");
    let asked = |next| json!({"anyOf": [next], "unevaluatedProperties": false});
    assert!(matches!(
        cost(&chain(60, asked, json!({}))),
        Err(Error::TooCostly { .. })
    ));
    assert!(cost(&chain(300, |next| next, json!({}))).is_ok());
}

#[test]
fn schemas_do_not_pile_up_beyond_the_stack() {
    let back = json!({"items": {"$ref": "#/$defs/0"}});
    let piled = chain(10, |next| next, back.clone());
    assert!(matches!(cost(&piled), Err(Error::TooNested { .. })));
    assert!(cost(&chain(4, |next| next, back)).is_ok());
}

#[test]
fn circles_in_place_are_named() {
    let schema = json!({
        "$ref": "#/$defs/a",
        "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}
    });
    let Err(Error::EndlessRef { pointer }) = cost(&schema) else {
        panic!("the circle was not seen");
    };
    assert!(pointer.as_str().starts_with("/$defs/"), "{pointer}");
    // Who merely stands beside the circle is not on it.
    let Err(Error::EndlessRef { pointer }) = cost(&json!({"allOf": [{}, {"$ref": "#"}]})) else {
        panic!("the circle was not seen");
    };
    assert_ne!(pointer.as_str(), "/allOf/0");
}

/// What a call takes level by level, and place by place.
fn bills(schema: &Value, call: &str) -> (Bill, Bill) {
    let graph = Graph::try_new(schema, Draft::Draft202012).unwrap();
    let cost = Cost::try_of(graph).unwrap();
    let document = atr_manifest::Document::parse(call).unwrap();
    let (tree, shape) = crate::tree::of_call(document.root());
    (
        cost.estimate(&shape),
        Walk::bill(&cost, &tree, |_| true).unwrap(),
    )
}

#[test]
fn patterns_weigh_what_they_are_compiled_to_and_once_for_each_use() {
    // I-13
    let schema = json!({
        "items": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]},
        "$defs": {"a": {"pattern": "^[a-f]$"}}
    });
    let (estimate, exact) = bills(&schema, r#"["abc",1]"#);
    assert_eq!(estimate.matching, 2 * 4 * 3);
    assert_eq!(exact.matching, 2 * 4 * 3);
}

#[test]
fn place_by_place_a_long_text_counts_only_where_it_stands() {
    let schema = json!({"properties": {
        "name": {"pattern": r"^\p{L}{1,64}$"},
        "text": {"type": "string"}
    }});
    let call = format!(r#"{{"name":"Zoë","text":"{}"}}"#, "x".repeat(100_000));
    let (estimate, exact) = bills(&schema, &call);
    assert!(!estimate.is_payable());
    assert_eq!(exact.matching, 4_096 * 4);
    assert!(exact.is_payable());
}

#[test]
fn place_by_place_nothing_costs_more_than_level_by_level() {
    let back = json!({"$ref": "#"});
    let call = r#"{"a":[[1,{"a":"x"}],"yy",{}],"b":{"a":{"a":[]}},"c":0}"#;
    for schema in [
        json!({"properties": {"a": back, "b": {"additionalProperties": back}}, "items": back}),
        json!({"unevaluatedProperties": back, "allOf": [{"required": ["a"]}], "unevaluatedItems": {"type": "string"}}),
        json!({"patternProperties": {"a": {}, "b": back}, "minProperties": 1}),
        json!({"prefixItems": [{}, back], "contains": {"type": "string"}, "propertyNames": {"maxLength": 3}}),
        json!({"if": {"required": ["a"]}, "then": {"properties": {"a": {"items": back}}}, "unevaluatedProperties": {}}),
        json!(true),
    ] {
        let (estimate, exact) = bills(&schema, call);
        assert!(
            exact.steps <= estimate.steps,
            "{schema}: {exact:?} {estimate:?}"
        );
        assert!(
            exact.matching <= estimate.matching,
            "{schema}: {exact:?} {estimate:?}"
        );
    }
}

#[test]
fn what_is_just_within_the_bounds_is_taken() {
    assert!(refuse(0, MAX_STEPS_PER_PLACE, MAX_NESTED_SCHEMAS).is_ok());
    assert!(matches!(
        refuse(1, MAX_STEPS_PER_PLACE + 1, 0),
        Err(Error::TooCostly { levels: 1, .. })
    ));
    assert!(matches!(
        refuse(2, 0, MAX_NESTED_SCHEMAS + 1),
        Err(Error::TooNested { levels: 2, .. })
    ));
}

/// A schema for each way in which places are shared, a call, and its bill level by level and place by place: steps, kilobytes of
/// patterns times bytes, steps with pointers.
#[test]
fn what_each_keyword_adds_to_a_bill() {
    let name = "n".repeat(63);
    let long = "x".repeat(200);
    for (schema, call, level_by_level, place_by_place) in [
        (json!({}), "0".to_owned(), [1, 0, 1], [1, 0, 1]),
        // Itself and `type`; a text of 200 bytes weighs four.
        (
            json!({"type": "string"}),
            format!("\"{long}\""),
            [8, 0, 2],
            [8, 0, 2],
        ),
        // Itself, `properties` and its entry; the member as above; its pointer has 64 bytes and weighs two.
        (
            json!({"properties": {(name.as_str()): {"type": "string"}}}),
            format!(r#"{{"{name}":"{long}"}}"#),
            [13, 0, 9],
            [11, 0, 7],
        ),
        // Which names and which places of a list have schemas of their own.
        (
            json!({"properties": {"a": {}, "b": {"enum": [1, 2]}}}),
            r#"{"a":0,"b":0,"c":0}"#.to_owned(),
            [28, 0, 28],
            [9, 0, 9],
        ),
        (
            json!({"prefixItems": [{}, {"enum": [1, 2]}]}),
            "[0,0,0]".to_owned(),
            [16, 0, 16],
            [9, 0, 9],
        ),
        // Itself, the keyword, what it holds, all twice for the 64 bytes of names; each name.
        (
            json!({"propertyNames": {"type": "string"}}),
            format!(r#"{{"{name}":0,"b":0}}"#),
            [11, 0, 13],
            [10, 0, 9],
        ),
        (
            json!({
                "properties": {"a": {}},
                "patternProperties": {"b": {"type": "null"}},
                "additionalProperties": {"enum": [1, 2]}
            }),
            r#"{"a":0,"c":0}"#.to_owned(),
            [23, 8, 23],
            [16, 8, 16],
        ),
        (
            json!({
                "prefixItems": [{"enum": [1, 2, 3]}],
                "items": {"type": "null"},
                "contains": {"enum": [1]}
            }),
            "[0,0,0]".to_owned(),
            [31, 0, 31],
            [27, 0, 27],
        ),
        (
            json!({
                "allOf": [{"type": "null"}, {"enum": [1]}],
                "not": {"type": "null"},
                "if": {},
                "then": {"enum": [1, 2]}
            }),
            "0".to_owned(),
            [21, 0, 21],
            [21, 0, 21],
        ),
        // Whoever asks what was evaluated looks again.
        (
            json!({"allOf": [{"title": ""}], "unevaluatedProperties": false}),
            r#"{"a":0}"#.to_owned(),
            [20, 0, 20],
            [17, 0, 17],
        ),
        (
            json!({
                "anyOf": [{"properties": {"a": {"enum": [1]}}}],
                "unevaluatedProperties": {"enum": [1, 2, 3]}
            }),
            r#"{"a":0,"b":0}"#.to_owned(),
            [91, 0, 91],
            [49, 0, 49],
        ),
        (
            json!({
                "allOf": [{"prefixItems": [{"enum": [1]}]}],
                "unevaluatedItems": {"enum": [1, 2, 3]}
            }),
            "[0,0]".to_owned(),
            [59, 0, 55],
            [53, 0, 49],
        ),
        // Whether a member counts as evaluated may depend on who asks further in.
        (
            json!({
                "allOf": [{"properties": {"a": {}}, "unevaluatedProperties": {"type": "null"}}],
                "unevaluatedProperties": {"enum": [1, 2, 3]}
            }),
            r#"{"a":0,"b":0}"#.to_owned(),
            [123, 0, 123],
            [77, 0, 77],
        ),
        // What is compared as a whole is read with all in it.
        (
            json!({"uniqueItems": true, "items": {}}),
            format!(r#"["{long}",{{"a":[0]}}]"#),
            [72, 0, 5],
            [72, 0, 5],
        ),
        // The root, and eight times the way back and where it leads. An index counts as eight bytes: the last pointer weighs two.
        (
            json!({"items": {"$ref": "#"}}),
            "[[[[[[[[0]]]]]]]]".to_owned(),
            [3 + 8 * 5, 0, 3 + 9 * 5],
            [3 + 8 * 5, 0, 3 + 9 * 5],
        ),
        // Four kilobytes of pattern.
        (
            json!({"pattern": "^a+$", "minLength": 1}),
            format!("\"{long}\""),
            [12, 4 * 200, 3],
            [12, 4 * 200, 3],
        ),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}),
            "0".to_owned(),
            [6, 0, 6],
            [6, 0, 6],
        ),
    ] {
        let numbers = |bill: Bill| [bill.steps, bill.matching, bill.reporting];
        let (estimate, exact) = bills(&schema, &call);
        let found = (numbers(estimate), numbers(exact));
        assert_eq!(found, (level_by_level, place_by_place), "{schema}");
    }
}
