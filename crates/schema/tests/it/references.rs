use std::io::ErrorKind;

use atr_schema::Error;

use crate::support::{assert_valid, compile, failures};

#[test]
fn follows_local_references() {
    // J-08
    let schema = r##"{
        "properties": {"a": {"$ref": "#/$defs/amount"}, "b": {"$ref": "#amount"}, "c": {"$ref": "#/$defs/a~1b%25"}},
        "$defs": {"amount": {"$anchor": "amount", "type": "integer"}, "a/b%": {"type": "null"}}
    }"##;
    assert_valid(schema, r#"{"a":1,"b":2,"c":null}"#);
    assert_eq!(
        failures(schema, r#"{"a":"1","b":"2","c":3}"#),
        [
            "/a /$defs/amount/type",
            "/b /$defs/amount/type",
            "/c /$defs/a~1b%/type"
        ]
    );
}

#[test]
fn rejects_remote_references_without_a_request() {
    // J-08
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let file = format!("file://{}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    for uri in [
        format!("http://{address}/schema"),
        file,
        "item.json".into(),
        "//x#/a".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
        "http://169.254.169.254/#meta".into(),
        "x".repeat(5_000),
    ] {
        for (schema, expected) in [
            (format!(r#"{{"items":{{"$ref":"{uri}"}}}}"#), "/items/$ref"),
            (
                format!(r#"{{"$defs":{{"x":{{"$ref":"{uri}"}}}}}}"#),
                "/$defs/x/$ref",
            ),
            (format!(r#"{{"$dynamicRef":"{uri}"}}"#), "/$dynamicRef"),
            (
                format!(r#"{{"$id":"https://example.com/s","not":{{"$ref":"{uri}"}}}}"#),
                "/not/$ref",
            ),
        ] {
            let Err(Error::RemoteReference { location, target }) = compile(schema) else {
                panic!("{uri} is not rejected");
            };
            assert_eq!(location.as_str(), expected);
            assert!(uri.starts_with(target.trim_end_matches('…')), "{target}");
        }
    }
    let accepted = listener.accept().map(|_| ()).map_err(|error| error.kind());
    assert_eq!(accepted, Err(ErrorKind::WouldBlock));
}

#[test]
fn an_id_makes_its_own_schema_local_and_no_other() {
    // J-08
    let own = r#"{"$id":"https://example.com/s","type":"object","properties":{"a":{"$ref":"https://example.com/s"}}}"#;
    assert_valid(own, r#"{"a":{"a":{}}}"#);
    assert_eq!(failures(own, r#"{"a":1}"#).len(), 1);
    let embedded = r##"{"$ref":"inner","$defs":{"a":{"$id":"inner","$ref":"#/$defs/b","$defs":{"b":{"type":"null"}}},"b":false}}"##;
    assert_valid(embedded, "null");
    let outside = r##"{"$defs":{"a":{"$id":"http://169.254.169.254/","$ref":"#/b"}},"b":{}}"##;
    assert!(matches!(
        compile(outside),
        Err(Error::UnresolvedReference { .. })
    ));
    let other =
        r#"{"$id":"https://example.com/s","properties":{"a":{"$ref":"https://example.com/t"}}}"#;
    assert!(matches!(compile(other), Err(Error::RemoteReference { .. })));
}

#[test]
fn rejects_references_to_nothing() {
    for reference in [
        "#/$defs/b",
        "#b",
        "#/$defs/a/0",
        "#/allOf/1",
        "#/allOf/00",
        "#/allOf/-1",
        "#%FF",
        "#/title",
    ] {
        let schema = format!(
            r##"{{"$ref":"{reference}","title":"t","allOf":[{{}}],"$defs":{{"a":{{}}}}}}"##
        );
        match compile(schema) {
            Err(Error::UnresolvedReference { location, target }) => {
                assert_eq!((location.as_str(), target.as_str()), ("/$ref", reference));
            }
            other => panic!("{reference}: {other:?}"),
        }
    }
}

#[test]
fn references_may_lead_to_any_schema_of_the_document() {
    for (reference, schema) in [
        ("#/allOf/1", r#""allOf":[true,{"type":"null"}]"#),
        ("#/x-schemas/a", r#""x-schemas":{"a":{"type":"null"}}"#),
        (
            "#/x-schemas/a/properties/b",
            r#""x-schemas":{"a":{"properties":{"b":{"type":"null"}}}}"#,
        ),
        ("#/const/a", r#""const":{"a":{"type":"null"}}"#),
    ] {
        let schema = format!(r##"{{"properties":{{"p":{{"$ref":"{reference}"}}}},{schema}}}"##);
        let found = failures(&schema, r#"{"p":1}"#);
        let expected = format!("/p {}/type", reference.trim_start_matches('#'));
        assert!(found.contains(&expected), "{schema}: {found:?}");
    }
    assert_valid(r##"{"$ref":"#/x","x":true}"##, "1");
    assert_eq!(failures(r##"{"$ref":"#/x","x":false}"##, "1"), [" /$ref"]);
}

#[test]
fn a_dynamic_reference_is_resolved_by_the_outermost_schema() {
    let schema = r##"{
        "$id": "https://example.com/strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false,
        "$defs": {"tree": {
            "$id": "tree", "$dynamicAnchor": "node", "type": "object",
            "properties": {"value": true, "children": {"items": {"$dynamicRef": "#node"}}}
        }}
    }"##;
    assert_valid(schema, r#"{"children":[{"value":1}]}"#);
    assert_eq!(
        failures(schema, r#"{"children":[{"valeu":1}]}"#),
        ["/children/0/valeu /unevaluatedProperties"]
    );
    let fixed = schema.replace("$dynamicRef", "$ref");
    assert_valid(&fixed, r#"{"children":[{"valeu":1}]}"#);
}

#[test]
fn recursive_schemas_reach_any_depth() {
    let tree = r##"{
        "type": "object",
        "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["value"], "additionalProperties": false
    }"##;
    let instance = |leaf: &str| r#"{"value":1,"children":["#.repeat(60) + leaf + &"]}".repeat(60);
    assert_valid(tree, &instance(r#"{"value":2}"#));
    let found = failures(tree, &instance(r#"{"value":"2"}"#));
    let location = "/children/0".repeat(60) + "/value";
    assert_eq!(found, [location + " /properties/value/type"]);
}
