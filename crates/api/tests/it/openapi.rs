//! The OpenAPI document: reviewed as a snapshot, and true of real responses.

use alloy_primitives::Address;
use atr_store::index::{AccessType, PredicateFacts};
use serde_json::{Value, json};

use crate::world::{Spec, World};

#[test]
fn the_document_is_reviewed() {
    let mut document: Value = serde_json::from_str(atr_api::rest::openapi_document()).unwrap();
    document["info"]["version"] = json!("[version]");
    // As text: insta prints numbers as objects if a dependency enables `arbitrary_precision` of serde_json.
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&document).unwrap());
}

/// Validates a value against a schema of the document. Unknown members are errors.
fn validate(document: &Value, name: &str, value: &Value) {
    let mut schema = document.clone();
    schema["$ref"] = json!(format!("#/components/schemas/{name}"));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?}\n{value:#}");
    for member in value.as_object().unwrap().keys() {
        assert!(
            has_member(document, &schema["components"]["schemas"][name], member),
            "{name}.{member} is not documented"
        );
    }
}

fn has_member(document: &Value, schema: &Value, member: &str) -> bool {
    let parts = schema["allOf"].as_array();
    let reference = schema["$ref"]
        .as_str()
        .and_then(|reference| reference.rsplit('/').next());
    schema["properties"].get(member).is_some()
        || parts.is_some_and(|parts| parts.iter().any(|part| has_member(document, part, member)))
        || reference.is_some_and(|name| {
            has_member(document, &document["components"]["schemas"][name], member)
        })
}

#[tokio::test]
async fn real_responses_match_the_document() {
    let mut world = World::new().await;
    let predicate = Address::repeat_byte(9);
    world
        .add(&[
            Spec {
                price: Some((1, Address::repeat_byte(7))),
                tags: vec!["t".to_owned()],
                ..Spec::new("one")
            },
            Spec {
                predicate: Some(predicate),
                ..Spec::new("two")
            },
            Spec::failed("three", 2),
            Spec::new("gone"),
        ])
        .await;
    let requirements = json!({ "status": "known", "logic": "AND", "requirements": [
        { "kind": "0xbdf8c428", "data": "0x", "label": "", "decoded": { "type": "erc721", "collection": "0x05" } },
    ] });
    world
        .set_access(
            2,
            predicate,
            AccessType::NftGated,
            requirements,
            PredicateFacts::default(),
        )
        .await;
    world.deregister(4).await;
    let document = world.json("/api/openapi.json").await;
    assert_eq!(document["openapi"], "3.1.0");
    for (path, schema) in [
        (
            "/api/v2/tools?include_deregistered=true".to_owned(),
            "ToolPage",
        ),
        (
            "/api/v2/tools/search?include_unverified=true".to_owned(),
            "SearchPage",
        ),
        (world.path(1), "Tool"),
        (world.path(2), "Tool"),
        (world.path(3), "Tool"),
        (
            format!("{}/verification", world.path(3)),
            "VerificationReport",
        ),
        (format!("{}/activity", world.path(1)), "Activity"),
        ("/api/v2/tools/changes".to_owned(), "ChangePage"),
        ("/api/v2/status".to_owned(), "Status"),
    ] {
        validate(&document, schema, &world.json(&path).await);
    }
    for (path, status) in [
        (world.path(4), 410),
        (world.path(5), 404),
        ("/api/v2/tools?limit=0".to_owned(), 400),
    ] {
        let answer = world.get(&path).await;
        assert_eq!(answer.status.as_u16(), status);
        validate(&document, "Problem", &answer.json());
    }
    let request = world
        .post(&format!("{}/verification", world.path(1)), &json!({}))
        .await;
    validate(&document, "VerificationRequest", &request.json());
    // Every path of the document exists.
    for path in document["paths"].as_object().unwrap().keys() {
        let path = path
            .replace("{registry_chain}", "1")
            .replace("{registry_addr}", &format!("{predicate}"))
            .replace("{tool_id}", "1");
        let answer = if path.ends_with("/events") {
            continue;
        } else {
            world.get(&path).await
        };
        let is_unknown_path =
            answer.status == 404 && answer.json()["type"] == "urn:atr:path-not-found";
        assert!(!is_unknown_path, "{path}");
    }
}
