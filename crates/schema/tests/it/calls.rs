use atr_schema::{CallSchema, Error, MAX_MESSAGE_CHARACTERS, MAX_MISMATCHES, MAX_RULE_CHARACTERS};

use crate::support::{check, compile, document, places};

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
fn a_call_that_matches_passes() {
    let call = r#"{"to":"0xabcdefabcdef1234567890abcdefabcdef123456","amount":1,"note":"ééééé"}"#;
    assert_eq!(check(TRANSFER, call), Ok(()));
}

#[test]
fn every_mismatch_is_told_with_its_place_and_its_rule() {
    let found = check(TRANSFER, r#"{"to":"0xAB","amount":0.5,"extra":1}"#).unwrap_err();
    let mut places = places(&found);
    places.sort_unstable();
    assert_eq!(
        places,
        [
            ("", "/additionalProperties"),
            ("/amount", "/properties/amount/minimum"),
            ("/amount", "/properties/amount/type"),
            ("/to", "/properties/to/pattern"),
        ]
    );
}

#[test]
fn integers_of_64_bits_are_compared_exactly() {
    let call = |amount: &str| {
        format!(r#"{{"to":"0xabcdefabcdef1234567890abcdefabcdef123456","amount":{amount}}}"#)
    };
    assert_eq!(check(TRANSFER, &call("9007199254740993")), Ok(()));
    assert!(check(TRANSFER, &call("9007199254740994")).is_err());
    assert_eq!(check(TRANSFER, &call("2.0")), Ok(()));
    assert_eq!(check(r#"{"const":1.0}"#, "1"), Ok(()));
    assert_eq!(check(r#"{"enum":[100]}"#, "1e2"), Ok(()));
    assert!(check(r#"{"maximum":1e300}"#, "1e301").is_err());
}

#[test]
fn an_empty_schema_and_the_boolean_ones() {
    assert_eq!(check("{}", "[1,null]"), Ok(()));
    assert_eq!(check("true", "0"), Ok(()));
    assert_eq!(check("false", "0").unwrap_err().len(), 1);
    for schema in ["1", "[]", "null", "\"x\""] {
        assert!(matches!(compile(schema), Err(Error::NotASchema { .. })));
    }
}

#[test]
fn what_is_no_schema_is_told_with_its_place() {
    let Err(Error::NotASchema { pointer, .. }) =
        compile(r#"{"properties":{"a":{"type":"strnig"}}}"#)
    else {
        panic!("a type that does not exist was taken");
    };
    assert_eq!(pointer.as_str(), "/properties/a/type");
}

#[test]
fn a_draft_that_is_known_is_kept_and_others_are_read_as_2020_12() {
    let tuple = r#""items":[{"type":"string"}],"additionalItems":false"#;
    let old = format!(r#"{{"$schema":"http://json-schema.org/draft-07/schema#",{tuple}}}"#);
    assert!(check(&old, "[1]").is_err());
    assert!(check(&old, r#"["a",1]"#).is_err());
    let unknown = r#"{"$schema":"http://169.254.169.254/draft","prefixItems":[{"type":"string"}]}"#;
    assert!(check(unknown, "[1]").is_err());
}

#[test]
fn formats_are_annotations_in_every_draft() {
    for draft in [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let schema = format!(r#"{{"$schema":"{draft}","format":"email"}}"#);
        assert_eq!(check(&schema, "\"nobody\""), Ok(()));
    }
}

#[test]
fn names_that_mean_something_to_serde_are_names_like_others() {
    for name in [
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
    ] {
        let schema =
            format!(r#"{{"properties":{{"{name}":{{"type":"string"}}}},"type":"object"}}"#);
        assert_eq!(check(&schema, &format!(r#"{{"{name}":"1"}}"#)), Ok(()));
        let found = check(&schema, &format!(r#"{{"{name}":1}}"#)).unwrap_err();
        assert_eq!(found[0].pointer.as_str(), format!("/{name}"));
    }
}

#[test]
fn reports_are_bounded_and_do_not_repeat_the_call() {
    let call = format!("[{}]", vec!["\"secret\""; 500].join(","));
    let found = check(r#"{"items":{"type":"integer"}}"#, &call).unwrap_err();
    assert_eq!(found.len(), MAX_MISMATCHES);
    assert!(found.iter().all(|found| !found.message.contains("secret")));
    let name = "x".repeat(10_000);
    let found = check(
        r#"{"additionalProperties":false}"#,
        &format!(r#"{{"{name}":1}}"#),
    );
    assert!(found.unwrap_err()[0].message.chars().count() <= MAX_MESSAGE_CHARACTERS + 1);
}

#[test]
fn the_rule_is_cut_where_its_names_are_long() {
    let name = "x".repeat(10_000);
    let schema = format!(r#"{{"properties":{{"{name}":{{"type":"null"}}}}}}"#);
    let found = check(&schema, &format!(r#"{{"{name}":1}}"#)).unwrap_err();
    assert_eq!(found[0].rule.chars().count(), MAX_RULE_CHARACTERS + 1);
    assert_eq!(found[0].pointer.as_str(), format!("/{name}"));
}

#[test]
fn a_schema_may_be_shared_between_threads() {
    fn is_shared<T: Send + Sync + std::fmt::Debug>() {}
    is_shared::<CallSchema>();
    let manifest = document(r#"{"inputs":{"type":"object"}}"#);
    let inputs = manifest.root().get("inputs").unwrap();
    let schema = CallSchema::try_new(inputs).unwrap();
    assert_eq!(schema.check(&document("{}")), Ok(()));
}

#[test]
fn a_call_that_looks_too_dear_to_report_on_is_looked_at_place_by_place() {
    // Level by level, each element of `plain` counts as if it stood under the dear schema.
    let dear = vec!["{}"; 200].join(",");
    let schema = format!(
        r#"{{"properties":{{"dear":{{"items":{{"allOf":[{dear}]}}}},"plain":{{"items":{{"type":"integer"}}}}}}}}"#
    );
    let numbers = "0,".repeat(5_000);
    let call = format!(r#"{{"plain":[{numbers}"x"]}}"#);
    let found = check(&schema, &call).unwrap_err();
    assert_eq!(
        places(&found),
        [("/plain/5000", "/properties/plain/items/type")]
    );
    // Under the dear one they do cost as much, and where they fail is not told.
    let schema = schema.replace(r#""allOf""#, r#""type":"integer","allOf""#);
    let call = format!(r#"{{"dear":[{numbers}"x"]}}"#);
    let found = check(&schema, &call).unwrap_err();
    assert_eq!(places(&found), [("", "")]);
}
