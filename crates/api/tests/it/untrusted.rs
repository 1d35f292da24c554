//! Text of manifests is data.

use alloy_primitives::Address;
use atr_store::index::{AccessType, PredicateFacts};
use serde_json::{Value, json};

use crate::world::{Spec, World};

#[tokio::test]
async fn text_is_bounded_and_neutralized() {
    let mut world = World::new().await;
    world
        .add(&[Spec {
            description: format!("line\nbreak \u{1b}[31m\u{202e}{}", "x".repeat(100_000)),
            tags: (0..100)
                .map(|number| format!("tag\u{2066}{number}{}", "y".repeat(200)))
                .collect(),
            ..Spec::new(&format!(
                "<script>alert(1)</script>\u{0}\u{202e}{}",
                "z".repeat(5_000)
            ))
        }])
        .await;
    for path in [world.path(1), "/api/v2/tools/search".to_owned()] {
        let answer = world.get(&path).await;
        let text = String::from_utf8(answer.body.clone()).unwrap();
        assert!(text.len() < 60_000, "{}", text.len());
        for character in ["\u{202e}", "\u{2066}", "\\u001b", "\\u0000", "\u{1b}"] {
            assert!(!text.contains(character), "{path} {character:?}");
        }
        let json = answer.json();
        let tool = json.get("results").map_or(&json, |results| &results[0]);
        // Not HTML: markup is text like any other, in JSON that is never rendered.
        assert!(
            tool["name"]
                .as_str()
                .unwrap()
                .starts_with("<script>alert(1)</script>\u{fffd}\u{fffd}zz")
        );
        assert_eq!(tool["name"].as_str().unwrap().chars().count(), 200);
        assert!(
            tool["description"]
                .as_str()
                .unwrap()
                .starts_with("line\nbreak \u{fffd}[31m\u{fffd}xx")
        );
        assert_eq!(tool["tags"].as_array().unwrap().len(), 32);
        assert_eq!(answer.headers["content-type"], "application/json");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
}

#[tokio::test]
async fn requirements_do_not_make_results_large() {
    let mut world = World::new().await;
    let predicate = Address::repeat_byte(0x77);
    let data = format!("0x{}", "ab".repeat(4096));
    let entry = json!({ "kind": "0x12345678", "data": data, "label": "x".repeat(256), "decoded": { "type": "other" } });
    let nested = json!({ "kind": "0x12345678", "data": data, "label": "",
        "decoded": { "type": "nested", "logic": "OR", "requirements": vec![entry.clone(); 64] } });
    let mut list = vec![entry; 5];
    list.push(nested);
    for number in 1..=20 {
        let spec = Spec {
            predicate: Some(predicate),
            ..Spec::new(&format!("tool {number}"))
        };
        world.add(&[spec]).await;
        let requirements = json!({ "status": "known", "logic": "AND", "requirements": list });
        let facts = PredicateFacts {
            has_code: true,
            name: None,
            proxy_indicators: "[]".to_owned(),
            is_proxy: false,
            advertises_interface: None,
            upgraded_at: None,
            checked_at: 1,
        };
        let access_type = AccessType::Gated;
        world
            .set_access(number, predicate, access_type, requirements, facts)
            .await;
    }
    let answer = world.get("/api/v2/tools/search?limit=200").await;
    assert!(answer.body.len() < 20 * 10_000, "{}", answer.body.len());
    let json = answer.json();
    assert_eq!(json["results"].as_array().unwrap().len(), 20);
    let access = &json["results"][0]["access"];
    assert_eq!(access["truncated"], true);
    let (first, nested) = (&access["requirements"][0], &access["requirements"][5]);
    assert!(first["label"].is_string() && first.get("data").is_none());
    // Ten with the nested ones.
    assert_eq!(nested["requirements"].as_array().unwrap().len(), 4);
    // The tool has all of them.
    let tool = world.json(&world.path(1)).await;
    assert_eq!(tool["access"]["requirements"][0]["data"], data);
    assert!(tool["access"].get("truncated").is_none());
}

#[tokio::test]
async fn schemas_are_those_of_the_hashed_manifest() {
    // `serde_json` with `raw_value` would replace the object by the JSON within the text.
    let mut world = World::new().await;
    let magic = "$serde_json::private::RawValue";
    let hidden = r#"{"type":"object","properties":{"not_in_the_manifest":{"type":"string"}}}"#;
    let schema = json!({ magic: hidden });
    world
        .add(&[Spec {
            manifest: Some(json!({ "name": "a", "inputs": schema, "outputs": schema })),
            ..Spec::new("magic")
        }])
        .await;
    // As text: the parser of this test has the same private names.
    let body = String::from_utf8(world.get(&world.path(1)).await.body).unwrap();
    let member = format!("{{\"{magic}\":{}}}", Value::from(hidden));
    assert_eq!(body.matches(&member).count(), 2, "{body}");
    let page = String::from_utf8(world.get(&crate::web::tool(&world, 1)).await.body).unwrap();
    assert!(!page.contains("not_in_the_manifest</code>"), "{page}");
    assert!(page.contains("$serde_json::private::RawValue"), "{page}");
}
