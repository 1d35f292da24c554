use atr_schema::{Budget, Error, Exhausted, MAX_FAILURE_BYTES, MAX_FAILURES, Outcome, Schema};

use crate::support::{assert_valid, compile, document, failures, validate};

const TRANSFER: &str = r#"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://tools.example.com/transfer",
    "type": "object",
    "properties": {
        "to": {"type": "string", "pattern": "^0x[0-9a-f]{40}$"},
        "amount": {"type": "integer", "minimum": 1, "maximum": 9007199254740993},
        "note": {"type": "string", "maxLength": 5}
    },
    "required": ["to", "amount"],
    "additionalProperties": false
}"#;

#[test]
fn accepts_a_valid_instance() {
    assert_valid(
        TRANSFER,
        r#"{"to":"0xabcdefabcdef1234567890abcdefabcdef123456","amount":1,"note":"ééééé"}"#,
    );
}

#[test]
fn reports_every_failure_with_its_locations() {
    assert_eq!(
        failures(TRANSFER, r#"{"to":"0xAB","amount":0.5,"extra":1}"#),
        [
            "/to /properties/to/pattern",
            "/amount /properties/amount/type",
            "/amount /properties/amount/minimum",
            "/extra /additionalProperties"
        ]
    );
    assert_eq!(failures(TRANSFER, "{}"), [" /required", " /required"]);
    assert_eq!(failures(TRANSFER, "[]"), [" /type"]);
}

/// Schema | instance | location of the instance | location of the keyword | message.
const FAILURES: &str = r##"
false | 0 | | | no value is allowed here
{"type":["null","integer"]} | 1.5 | | /type | does not satisfy "type": null or integer
{"enum":[1,[2]]} | 2 | | /enum | does not satisfy "enum"
{"const":{"a":1}} | {"a":2} | | /const | does not satisfy "const"
{"minimum":1.50} | 1.49 | | /minimum | does not satisfy "minimum": 1.50
{"maximum":1} | 2 | | /maximum | does not satisfy "maximum": 1
{"exclusiveMinimum":1} | 1 | | /exclusiveMinimum | does not satisfy "exclusiveMinimum": 1
{"exclusiveMaximum":1} | 1 | | /exclusiveMaximum | does not satisfy "exclusiveMaximum": 1
{"multipleOf":0.01} | 0.015 | | /multipleOf | does not satisfy "multipleOf": 0.01
{"minLength":2} | "é" | | /minLength | does not satisfy "minLength": 2
{"maxLength":1} | "ab" | | /maxLength | does not satisfy "maxLength": 1
{"pattern":"^a"} | "b" | | /pattern | does not satisfy "pattern": ^a
{"minItems":1} | [] | | /minItems | does not satisfy "minItems": 1
{"maxItems":0} | [1] | | /maxItems | does not satisfy "maxItems": 0
{"uniqueItems":true} | [1,2,1.0] | | /uniqueItems | does not satisfy "uniqueItems"
{"minProperties":1} | {} | | /minProperties | does not satisfy "minProperties": 1
{"maxProperties":0} | {"a":1} | | /maxProperties | does not satisfy "maxProperties": 0
{"required":["a","b"]} | {"a":1} | | /required | must have the property "b"
{"dependentRequired":{"a":["b"],"c":["d"]}} | {"a":1} | | /dependentRequired | must have the property "b"
{"allOf":[true,{"type":"null"}]} | 1 | | /allOf/1/type | does not satisfy "type": null
{"allOf":[false]} | 1 | | /allOf | no value is allowed here
{"anyOf":[{"type":"null"},false]} | 1 | | /anyOf | does not satisfy "anyOf"
{"oneOf":[true,true,true]} | 1 | | /oneOf | does not satisfy "oneOf"
{"oneOf":[false]} | 1 | | /oneOf | does not satisfy "oneOf"
{"not":{}} | 1 | | /not | does not satisfy "not"
{"if":{"type":"number"},"then":{"minimum":2}} | 1 | | /then/minimum | does not satisfy "minimum": 2
{"if":false,"else":false} | 1 | | /else | no value is allowed here
{"dependentSchemas":{"a":{"minProperties":2}}} | {"a":1} | | /dependentSchemas/a/minProperties | does not satisfy "minProperties": 2
{"propertyNames":{"maxLength":1}} | {"a":1,"bc":2} | /bc | /propertyNames/maxLength | does not satisfy "maxLength": 1
{"properties":{"a/b":{"type":"null"}}} | {"a/b":1} | /a~1b | /properties/a~1b/type | does not satisfy "type": null
{"patternProperties":{"^a":false}} | {"ab":1} | /ab | /patternProperties | no value is allowed here
{"prefixItems":[{},{"type":"null"}]} | [1,2] | /1 | /prefixItems/1/type | does not satisfy "type": null
{"items":{"type":"null"}} | [null,2] | /1 | /items/type | does not satisfy "type": null
{"contains":{"const":1}} | [2] | | /contains | does not satisfy "contains"
{"contains":{},"minContains":2} | [2] | | /contains | does not satisfy "contains"
{"contains":{},"maxContains":1} | [2,3] | | /contains | does not satisfy "contains"
{"properties":{"a":true},"unevaluatedProperties":false} | {"a":1,"b":2} | /b | /unevaluatedProperties | no value is allowed here
{"prefixItems":[true],"unevaluatedItems":{"type":"null"}} | [1,null,2] | /2 | /unevaluatedItems/type | does not satisfy "type": null
"##;

#[test]
fn every_keyword_reports_its_location_and_its_requirement() {
    for row in FAILURES.trim().lines() {
        let columns: Vec<_> = row.split('|').map(str::trim).collect();
        let [schema, instance, location, keyword, message] = columns[..] else {
            panic!("{row}");
        };
        let outcome = validate(schema, instance);
        let [failure] = outcome.failures() else {
            panic!("{row}: {outcome:?}");
        };
        assert!(!outcome.is_valid());
        assert_eq!(failure.instance_location.as_str(), location, "{row}");
        assert_eq!(failure.keyword_location.as_str(), keyword, "{row}");
        assert_eq!(failure.message, message, "{row}");
    }
}

#[test]
fn keywords_ignore_other_types() {
    for (schema, instances) in [
        (
            r#"{"minimum":5,"multipleOf":5,"maximum":5}"#,
            &["\"a\"", "[]", "{}", "null"][..],
        ),
        (
            r#"{"minLength":5,"pattern":"x","maxLength":5}"#,
            &["1", "[]", "{}", "null"],
        ),
        (
            r#"{"minItems":1,"uniqueItems":true,"items":false,"contains":false}"#,
            &["1", "\"a\"", "{}"],
        ),
        (
            r#"{"unevaluatedItems":false,"prefixItems":[false]}"#,
            &["1", "\"a\"", r#"{"a":1}"#],
        ),
        (
            r#"{"minProperties":1,"required":["a"],"properties":{"a":false},"propertyNames":false}"#,
            &["1", "[1]", "\"a\""],
        ),
        (
            r#"{"unevaluatedProperties":false,"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":false}}"#,
            &["1", "[1]", "\"a\""],
        ),
    ] {
        for instance in instances {
            assert_valid(schema, instance);
        }
    }
}

#[test]
fn numbers_are_exact() {
    let call = |amount: &str| {
        format!(r#"{{"to":"0xabcdefabcdef1234567890abcdefabcdef123456","amount":{amount}}}"#)
    };
    assert_valid(TRANSFER, &call("9007199254740993"));
    assert_valid(TRANSFER, &call("2.0"));
    assert_eq!(failures(TRANSFER, &call("9007199254740994")).len(), 1);
    assert_valid(r#"{"const":1.0}"#, "1");
    assert_valid(r#"{"enum":[100]}"#, "1e2");
    assert_valid(
        r#"{"const":123456789012345678901234567890}"#,
        "123456789012345678901234567890",
    );
    failures(
        r#"{"const":123456789012345678901234567890}"#,
        "123456789012345678901234567891",
    );
    failures(r#"{"maximum":1e300}"#, "1e301");
    assert_valid(
        r#"{"uniqueItems":true}"#,
        "[9007199254740993,9007199254740992]",
    );
    assert_valid(r#"{"multipleOf":0.1}"#, "0.3");
}

#[test]
fn boolean_schemas_and_the_empty_schema() {
    assert_valid("{}", "[1,null]");
    assert_valid("true", "0");
    assert_eq!(failures("false", "0"), [" "]);
    for schema in ["1", "[]", "null", "\"x\""] {
        assert!(matches!(compile(schema), Err(Error::Invalid { .. })));
    }
}

#[test]
fn rejects_invalid_keywords_with_their_location() {
    for (schema, location) in [
        (
            r#"{"properties":{"a":{"type":"strnig"}}}"#,
            "/properties/a/type",
        ),
        (r#"{"type":[]}"#, "/type"),
        (r#"{"type":["null",1]}"#, "/type"),
        (r#"{"items":[{}]}"#, "/items"),
        (r#"{"allOf":[]}"#, "/allOf"),
        (r#"{"anyOf":{}}"#, "/anyOf"),
        (r#"{"allOf":[{},3]}"#, "/allOf/1"),
        (r#"{"properties":[]}"#, "/properties"),
        (r#"{"minLength":-1}"#, "/minLength"),
        (r#"{"minLength":0.5}"#, "/minLength"),
        (r#"{"minItems":"1"}"#, "/minItems"),
        (r#"{"minimum":"1"}"#, "/minimum"),
        (r#"{"exclusiveMinimum":true}"#, "/exclusiveMinimum"),
        (r#"{"multipleOf":0}"#, "/multipleOf"),
        (r#"{"multipleOf":-1}"#, "/multipleOf"),
        (r#"{"uniqueItems":1}"#, "/uniqueItems"),
        (r#"{"required":"a"}"#, "/required"),
        (r#"{"required":["a",1]}"#, "/required"),
        (r#"{"dependentRequired":{"a":1}}"#, "/dependentRequired"),
        (r#"{"enum":1}"#, "/enum"),
        (r#"{"pattern":1}"#, "/pattern"),
        (r#"{"$ref":1}"#, "/$ref"),
        (r#"{"not":{"$id":1}}"#, "/not/$id"),
        (r#"{"not":{"$anchor":1}}"#, "/not/$anchor"),
        (r#"{"$id":"https://example.com/#a"}"#, "/$id"),
        (r#"{"allOf":[{"$id":"a"},{"$id":"a"}]}"#, "/allOf/1/$id"),
        (
            r#"{"allOf":[{"$anchor":"a"},{"$anchor":"a"}]}"#,
            "/allOf/1/$anchor",
        ),
    ] {
        match compile(schema) {
            Err(Error::Invalid {
                location: found, ..
            }) => assert_eq!(found.as_str(), location, "{schema}"),
            other => panic!("{schema}: {other:?}"),
        }
    }
}

#[test]
fn rejects_unsupported_keywords_and_dialects_by_name() {
    for (schema, name) in [
        (r##"{"$recursiveRef":"#"}"##, "$recursiveRef"),
        (r#"{"not":{"divisibleBy":2}}"#, "divisibleBy"),
        (r#"{"disallow":"string"}"#, "disallow"),
        (r#"{"extends":{}}"#, "extends"),
        (r#"{"multipleOf":1.8446744073709551617}"#, "multipleOf"),
        (
            r#"{"$schema":"https://json-schema.org/draft/2019-09/schema"}"#,
            "2019-09",
        ),
        (
            r#"{"$schema":"http://169.254.169.254/draft"}"#,
            "169.254.169.254",
        ),
    ] {
        match compile(schema) {
            Err(Error::Unsupported { feature, .. }) => {
                assert!(feature.contains(name), "{schema}: {feature}")
            }
            other => panic!("{schema}: {other:?}"),
        }
    }
}

#[test]
fn unknown_keywords_and_formats_are_annotations() {
    for schema in [
        r#"{"title":1,"description":"d","default":0,"examples":[],"deprecated":true,"readOnly":true,"$comment":"c"}"#,
        r#"{"x-order":1,"nullable":false,"discriminator":{"propertyName":"a"},"unknown":{"type":"null"}}"#,
        r#"{"format":"email","contentEncoding":"base64","contentMediaType":"application/json","contentSchema":false}"#,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","format":"email","prefixItems":[false]}"#,
        r#"{"then":false,"else":false,"minContains":5,"maxContains":0,"uniqueItems":false}"#,
    ] {
        assert_valid(schema, "\"nobody\"");
        assert_valid(schema, "[1,1]");
    }
}

#[test]
fn draft_07_differs_where_its_specification_does() {
    let draft = r#""$schema":"http://json-schema.org/draft-07/schema#""#;
    let tuple =
        format!(r#"{{{draft},"items":[{{"type":"string"}}],"additionalItems":{{"type":"null"}}}}"#);
    assert_eq!(failures(&tuple, "[1]"), ["/0 /items/0/type"]);
    assert_eq!(failures(&tuple, r#"["a",1]"#), ["/1 /additionalItems/type"]);
    let list = format!(r#"{{{draft},"items":{{"type":"string"}},"additionalItems":false}}"#);
    assert_valid(&list, r#"["a","b"]"#);
    let dependencies =
        format!(r#"{{{draft},"dependencies":{{"a":["b"],"c":{{"maxProperties":1}}}}}}"#);
    assert_eq!(
        failures(&dependencies, r#"{"a":1,"c":1}"#),
        [" /dependencies", " /dependencies/c/maxProperties"]
    );
    let siblings = format!(
        r##"{{{draft},"$ref":"#/definitions/a","type":"null","definitions":{{"a":{{}}}}}}"##
    );
    assert_valid(&siblings, "1");
    let anchor =
        format!(r##"{{{draft},"$ref":"#a","definitions":{{"a":{{"$id":"#a","type":"null"}}}}}}"##);
    assert_eq!(failures(&anchor, "1"), [" /definitions/a/type"]);
}

#[test]
fn names_that_are_special_to_serde_are_ordinary_names() {
    for name in [
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
    ] {
        let schema =
            format!(r#"{{"properties":{{"{name}":{{"type":"string"}}}},"type":"object"}}"#);
        assert_valid(&schema, &format!(r#"{{"{name}":"1"}}"#));
        assert_eq!(
            failures(&schema, &format!(r#"{{"{name}":1}}"#)),
            [format!("/{name} /properties/{name}/type")]
        );
    }
}

#[test]
fn failures_are_limited_and_do_not_repeat_the_instance() {
    let secrets = format!("[{}]", vec!["\"secret\""; 500].join(","));
    let outcome = validate(r#"{"items":{"type":"integer"}}"#, &secrets);
    assert_eq!(outcome.failures().len(), MAX_FAILURES);
    assert!(
        outcome
            .failures()
            .iter()
            .all(|failure| !failure.message.contains("secret"))
    );

    // Pointers are never shortened; fewer failures are reported instead.
    let name = "x".repeat(MAX_FAILURE_BYTES);
    let instance = format!(r#"{{"{name}":["a","b"]}}"#);
    let outcome = validate(
        r#"{"additionalProperties":{"items":{"type":"integer"}}}"#,
        &instance,
    );
    let [failure] = outcome.failures() else {
        panic!()
    };
    assert_eq!(failure.instance_location.as_str(), format!("/{name}/0"));

    let outcome = validate(&format!(r#"{{"required":["{name}"]}}"#), "{}");
    assert!(outcome.failures()[0].message.len() < 200);
}

#[test]
fn a_used_up_budget_is_unknown_unless_a_failure_is_certain() {
    let schema = compile(r#"{"items":{"type":"integer"}}"#).unwrap();
    let budget = Budget {
        fuel: 100,
        bytes: 0,
    };
    let valid = document(format!("[{}0]", "0,".repeat(100)));
    let (outcome, left) = schema.validate_within(valid.root(), budget);
    assert_eq!(outcome, Outcome::Unknown(Exhausted::Fuel));
    assert!(left.fuel < 10);
    let invalid = document(format!("[\"a\",{}0]", "0,".repeat(100)));
    let (outcome, _) = schema.validate_within(invalid.root(), budget);
    assert_eq!(outcome.failures().len(), 1);
    // The same budget again: validation is deterministic.
    let (_, again) = schema.validate_within(valid.root(), budget);
    assert_eq!(again, left);

    let schema = compile(r#"{"uniqueItems":true}"#).unwrap();
    let budget = Budget {
        fuel: 1_000,
        bytes: 100,
    };
    let (outcome, _) = schema.validate_within(valid.root(), budget);
    assert_eq!(outcome, Outcome::Unknown(Exhausted::Memory));
}

#[test]
fn memory_is_given_back() {
    let schema = r#"{"items":{"uniqueItems":true,"enum":[[1,2],[{"a":[],"b":1}]],
        "anyOf":[{"prefixItems":[true]}],"contains":true,"unevaluatedItems":{"type":"integer"}}}"#;
    let schema = compile(schema).unwrap();
    let instance = document(r#"[[1,2],[{"a":[],"b":1}],[1,2]]"#);
    let (outcome, left) = schema.validate_within(instance.root(), Budget::default());
    assert_eq!(outcome, Outcome::Valid);
    assert_eq!(left.bytes, Budget::default().bytes);
}

#[test]
fn a_schema_is_shared_between_threads() {
    fn assert_shared<T: Send + Sync + std::fmt::Debug>() {}
    assert_shared::<Schema>();
    let manifest = document(r#"{"inputs":{"type":"object"}}"#);
    let schema = Schema::compile(manifest.root().get("inputs").unwrap()).unwrap();
    assert!(schema.validate(&document("{}")).is_valid());
}

#[test]
fn evaluated_properties_and_items_follow_the_branches_that_accept() {
    let properties = r#"{
        "anyOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"b": true}, "required": ["b"]}],
        "if": {"properties": {"c": {"const": 1}}, "required": ["c"]}, "then": {"properties": {"d": true}},
        "not": {"properties": {"e": {"const": 0}}, "required": ["e"]},
        "unevaluatedProperties": false
    }"#;
    assert_valid(properties, r#"{"a":1}"#);
    assert_valid(properties, r#"{"a":1,"b":1}"#);
    assert_valid(properties, r#"{"b":1,"c":1,"d":1}"#);
    assert_eq!(
        failures(properties, r#"{"a":"x","b":1}"#),
        ["/a /unevaluatedProperties"]
    );
    assert_eq!(
        failures(properties, r#"{"b":1,"c":2,"d":1}"#),
        ["/c /unevaluatedProperties", "/d /unevaluatedProperties"]
    );
    assert_eq!(
        failures(properties, r#"{"b":1,"e":1}"#),
        ["/e /unevaluatedProperties"]
    );
    let items = r#"{"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false}"#;
    assert_valid(items, r#"[1,"a","b"]"#);
    assert_eq!(
        failures(items, r#"["x",1,"a",2]"#),
        ["/1 /unevaluatedItems", "/3 /unevaluatedItems"]
    );
    let nested = r##"{"$ref":"#/$defs/a","unevaluatedItems":false,"$defs":{"a":{"allOf":[{"items":true}]}}}"##;
    assert_valid(nested, "[1,2]");
    let inner =
        r#"{"allOf":[{"prefixItems":[true],"unevaluatedItems":true}],"unevaluatedItems":false}"#;
    assert_valid(inner, "[1,2,3]");
}
