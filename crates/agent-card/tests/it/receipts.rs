use std::fs;

use atr_agent_card::receipt::{Expected, ReceiptOutcome, SchemaError, SchemaSet, check};
use atr_manifest::Document;
use serde_json::{Value, json};

use crate::support::{data, document, json_files};

const RECEIPT: &str = "https://schemas.example/v1/summarize.receipt.json";

/// A receipt schema in three documents, as the published ones are.
fn schemas() -> SchemaSet {
    let mut set = SchemaSet::default();
    for schema in [
        json!({
            "$id": RECEIPT,
            "allOf": [
                {"$ref": "https://schemas.example/v1/base.json"},
                {"properties": {"x402": {"properties": {"verb": {"const": "summarize"}}}}}
            ]
        }),
        json!({
            "$id": "https://schemas.example/v1/base.json",
            "type": "object",
            "properties": {
                "x402": {"$ref": "shared/x402.json"},
                "status": {"enum": ["success", "error"]}
            },
            "required": ["x402", "status"]
        }),
        json!({
            "$id": "https://schemas.example/v1/shared/x402.json",
            "type": "object",
            "required": ["verb"],
            "properties": {"request_id": {"type": "string"}}
        }),
        json!({"$id": "https://schemas.example/v1/unused.json", "$ref": "missing.json"}),
    ] {
        set.insert(schema.to_string()).unwrap();
    }
    set
}

fn codes(outcome: &ReceiptOutcome) -> Vec<&str> {
    match outcome {
        ReceiptOutcome::Invalid { findings } => {
            findings.iter().map(|finding| finding.code).collect()
        }
        _ => Vec::new(),
    }
}

fn run(receipt: Value) -> ReceiptOutcome {
    let schema = schemas().compile(RECEIPT).unwrap();
    let request = document(&json!({"x402": {"verb": "summarize", "request_id": "r-1"}}));
    let expected = Expected {
        verb: Some("summarize"),
        request: Some(&request),
    };
    check(Ok(&schema), expected, &document(&receipt))
}

#[test]
fn a_receipt_follows_its_schema_and_answers_the_request() {
    let x402 = json!({"verb": "summarize", "request_id": "r-1"});
    assert_eq!(
        run(json!({"x402": x402, "status": "success", "result": {}})),
        ReceiptOutcome::Valid
    );
    assert_eq!(
        run(json!({"x402": x402, "status": "error", "error": {}})),
        ReceiptOutcome::Valid
    );
    for (receipt, expected) in [
        (
            json!({"x402": x402, "status": "done", "result": {}}),
            vec!["schema"],
        ),
        (
            json!({"x402": {"verb": "summarize", "request_id": "r-2"}, "status": "success", "result": {}}),
            vec!["request-id"],
        ),
        (
            json!({"x402": {"verb": "summarize"}, "status": "success", "result": {}}),
            vec!["request-id"],
        ),
        (
            json!({"x402": {"verb": "parse", "request_id": "r-1"}, "status": "success", "result": {}}),
            vec!["schema", "verb"],
        ),
        (
            json!({"x402": x402, "status": "success", "result": {}, "error": {}}),
            vec!["result-and-error"],
        ),
        (
            json!({"x402": x402, "status": "error", "result": {}}),
            vec!["no-error"],
        ),
        (
            json!({"x402": x402, "status": "success"}),
            vec!["no-result"],
        ),
        (json!([]), vec!["schema", "request-id"]),
    ] {
        let outcome = run(receipt.clone());
        assert_eq!(codes(&outcome), expected, "{receipt} {outcome:?}");
    }
}

#[test]
fn a_schema_that_is_missing_leaves_the_outcome_unknown() {
    let receipt =
        document(&json!({"x402": {"verb": "summarize"}, "status": "success", "result": {}}));
    let set = schemas();
    let missing = set
        .compile("https://schemas.example/v1/unused.json")
        .unwrap_err();
    assert_eq!(
        missing,
        SchemaError::Missing {
            id: "https://schemas.example/v1/missing.json".to_owned()
        }
    );
    let outcome = check(Err(&missing), Expected::default(), &receipt);
    assert!(matches!(outcome, ReceiptOutcome::Unknown { .. }));
    // What is certain without a schema is still reported.
    let both = document(&json!({"result": 1, "error": 1}));
    assert_eq!(
        codes(&check(Err(&missing), Expected::default(), &both)),
        ["result-and-error"]
    );
    assert!(matches!(
        set.compile("https://other.example/x"),
        Err(SchemaError::Missing { .. })
    ));
}

#[test]
fn schemas_need_unique_absolute_ids() {
    let mut set = SchemaSet::default();
    assert_eq!(set.insert("{}"), Err(SchemaError::NoId));
    assert_eq!(set.insert(r#"{"$id":"a.json"}"#), Err(SchemaError::NoId));
    assert!(matches!(set.insert("{"), Err(SchemaError::Document(_))));
    set.insert(r#"{"$id":"https://a.example/x"}"#).unwrap();
    assert!(matches!(
        set.insert(r#"{"$id":"https://a.example/x"}"#),
        Err(SchemaError::SameId { .. })
    ));
}

#[test]
fn published_receipts_get_the_verdict_of_their_folder() {
    let mut compared = 0;
    for protocol in ["commons", "commercial"] {
        let Some(root) = data(&format!("commandlayer/protocol-{protocol}")) else {
            return;
        };
        let mut set = SchemaSet::default();
        for path in json_files(&root.join("schemas")) {
            // An index is not a schema.
            if !path.ends_with("index.json") {
                set.insert(fs::read(&path).unwrap()).unwrap();
            }
        }
        for path in json_files(&root.join("examples")) {
            let name = path.to_string_lossy().replace('\\', "/");
            let Some(at) = name.find("/examples/") else {
                continue;
            };
            let parts: Vec<_> = name[at + "/examples/".len()..].split('/').collect();
            let [version, class, verb, folder, file] = parts[..] else {
                continue;
            };
            if !file.contains(".receipt.") {
                continue;
            }
            let middle = if version == "v1.0.0" { "receipts/" } else { "" };
            let id = format!(
                "https://commandlayer.org/schemas/{version}/{class}/{verb}/{middle}{verb}.receipt.schema.json"
            );
            let schema = set.compile(&id).unwrap();
            let receipt = Document::parse(fs::read(&path).unwrap()).unwrap();
            let outcome = schema.validate(&receipt);
            assert_eq!(outcome.is_valid(), folder == "valid", "{name} {outcome:?}");
            if folder == "valid" {
                let expected = Expected {
                    verb: Some(verb),
                    request: None,
                };
                assert_eq!(
                    check(Ok(&schema), expected, &receipt),
                    ReceiptOutcome::Valid,
                    "{name}"
                );
            }
            compared += 1;
        }
    }
    println!("{compared} published receipts");
    assert!(compared >= 40, "{compared}");
}
