//! Lists, tools and verification reports.

use alloy_primitives::Address;
use atr_store::index::{
    AccessType, PredicateFacts, RegistryStatus, Verification, VerificationResult,
    VerificationStatus,
};
use http::StatusCode;
use serde_json::{Value, json};

use crate::world::{CREATOR, NOW, REGISTRY, Spec, World};

fn ids(page: &Value) -> Vec<&str> {
    let tools = page["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["tool_id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn lists_by_time_in_pages() {
    // O-01: sorting and limit.
    let mut world = World::new().await;
    world
        .add(
            &(0..5)
                .map(|number| Spec::new(&format!("tool {number}")))
                .collect::<Vec<_>>(),
        )
        .await;
    assert_eq!(
        ids(&world.json("/api/v2/tools").await),
        ["5", "4", "3", "2", "1"]
    );
    assert_eq!(
        ids(&world.json("/api/v2/tools?sort_by=oldest&limit=2").await),
        ["1", "2"]
    );
    let mut path = "/api/v2/tools?limit=2".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = world.json(&path).await;
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        path = format!("/api/v2/tools?limit=2&cursor={next}");
    }
    assert_eq!(seen, ["5", "4", "3", "2", "1"]);
    let item = &world.json("/api/v2/tools?limit=1").await["tools"][0];
    for member in [
        "tool_id",
        "registry_chain",
        "registry_addr",
        "creator",
        "metadata_uri",
        "manifest_hash",
        "endpoint_url",
        "endpoint_domain",
        "manifest_hash_verified",
        "is_active",
        "created_at",
        "updated_at",
        "tool_ref",
        "verified",
        "verification",
        "retired",
        "duplicates_of",
        "access_type",
    ] {
        assert!(!item[member].is_null(), "{member}: {item}");
    }
    assert_eq!(item["registry_chain"], "8453");
    assert_eq!(
        item["tool_ref"],
        format!("eip155:8453/erc8257:{:#x}/5", world.registry.address)
    );
}

#[tokio::test]
async fn cursors_cannot_be_changed_or_used_with_other_filters() {
    let mut world = World::new().await;
    world
        .add(
            &(0..4)
                .map(|number| Spec::new(&format!("tool {number}")))
                .collect::<Vec<_>>(),
        )
        .await;
    for (path, other) in [
        (
            "/api/v2/tools?limit=1",
            "/api/v2/tools?limit=1&sort_by=oldest",
        ),
        (
            "/api/v2/tools/search?query=tool&limit=1",
            "/api/v2/tools/search?query=does&limit=1",
        ),
    ] {
        let next = world.json(path).await["next"].as_str().unwrap().to_owned();
        world.json(&format!("{path}&cursor={next}")).await;
        let changed = format!(
            "{}{}",
            &next[..next.len() - 1],
            if next.ends_with('A') { 'B' } else { 'A' }
        );
        for path in [
            format!("{path}&cursor={changed}"),
            format!("{other}&cursor={next}"),
            format!("{path}&cursor=xyz"),
        ] {
            let answer = world.get(&path).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
            assert_eq!(answer.json()["parameter"], "cursor");
        }
    }
}

/// A tool for each failing check, inconclusive and pending ones, and a verified one.
async fn world_with_one_verified_tool() -> World {
    let mut world = World::new().await;
    let mut specs: Vec<_> = (1..=4)
        .map(|check| Spec::failed(&format!("fails {check}"), check))
        .collect();
    specs.push(Spec {
        status: VerificationStatus::Unknown,
        failing_check: Some(1),
        ..Spec::new("unreachable")
    });
    specs.push(Spec {
        status: VerificationStatus::Pending,
        ..Spec::new("new")
    });
    specs.push(Spec::new("good"));
    world.add(&specs).await;
    world
}

#[tokio::test]
async fn agents_get_verified_tools_only() {
    let world = world_with_one_verified_tool().await;
    // O-06: agents get verified tools only; a person can ask for all.
    assert_eq!(ids(&world.json("/api/v2/tools").await), ["7"]);
    assert_eq!(world.search("").await, ["good"]);
    assert_eq!(
        ids(&world.json("/api/v2/tools?include_unverified=true").await).len(),
        7
    );
    assert_eq!(world.search("include_unverified=true").await.len(), 7);
    // K-09: failing tools are last, whatever their words.
    let all = world
        .search("query=fails+good&include_unverified=true")
        .await;
    assert_eq!(all[0], "good");
}

#[tokio::test]
async fn only_four_passed_checks_make_a_tool_verified() {
    // K-01: one failing check at a time, and inconclusive or missing ones.
    let world = world_with_one_verified_tool().await;
    for (id, status, check) in [
        (1, "failed", json!("fetch")),
        (2, "failed", json!("origin")),
        (3, "failed", json!("hash")),
        // K-11: a creator mismatch has its name.
        (4, "failed", json!("creator")),
        (5, "unknown", json!("fetch")),
        (6, "unknown", Value::Null),
        (7, "verified", Value::Null),
    ] {
        let tool = world.json(&world.path(id)).await;
        assert_eq!(tool["verified"], status == "verified", "{id}");
        assert_eq!(tool["verification"]["status"], status, "{id}");
        assert_eq!(tool["verification"]["failing_check"], check, "{id}");
        // The hash was found equal only if the checks up to the third passed.
        assert_eq!(tool["manifest_hash_verified"], [4, 7].contains(&id), "{id}");
        // K-10: no derived statement about activity or health.
        assert_eq!(
            (&tool["is_active"], &tool["health_status"]),
            (&json!(true), &json!("unknown"))
        );
    }
    // T-54: none of them is retired, however old.
    let list = world.json("/api/v2/tools?include_unverified=true").await;
    assert!(
        list["tools"]
            .as_array()
            .unwrap()
            .iter()
            .all(|tool| tool["retired"] == false)
    );
}

#[tokio::test]
async fn gets_a_tool_by_chain_registry_and_id() {
    let mut world = World::new().await;
    let recipient = Address::repeat_byte(0x77);
    world
        .add(&[
            Spec {
                tags: vec!["nft".to_owned()],
                price: Some((10_000, recipient)),
                ..Spec::new("oracle")
            },
            Spec::new("gone"),
        ])
        .await;
    world.deregister(2).await;
    // O-03: hit, unknown, removed.
    let tool = world.json(&world.path(1)).await;
    assert_eq!(
        (tool["name"].as_str(), tool["display_name"].as_str()),
        (Some("oracle"), Some("oracle"))
    );
    assert_eq!(tool["inputs"]["properties"]["query"]["type"], "string");
    assert_eq!(tool["creator_address"], format!("{CREATOR:#x}"));
    let price = &tool["pricing_recipients"][0];
    assert_eq!(price["amount_per_call"], "10000");
    assert_eq!(
        (&price["asset_symbol"], &price["amount_per_call_usd"]),
        (&json!("USDC"), &json!("0.01"))
    );
    assert_eq!(
        (&price["payment_chain"], &price["recipient"]),
        (&json!("8453"), &json!(format!("{recipient:#x}")))
    );
    assert_eq!(tool["access"]["open_access"], true);
    // Addresses in any case.
    let upper = world
        .path(1)
        .replace("0x", "0X")
        .to_uppercase()
        .replace("/API/V2/TOOLS", "/api/v2/tools")
        .replace("0X", "0x");
    assert_eq!(world.json(&upper).await["name"], "oracle");

    let answer = world.get(&world.path(9)).await;
    assert_eq!(
        (
            answer.status,
            answer.headers["content-type"].to_str().unwrap()
        ),
        (StatusCode::NOT_FOUND, "application/problem+json")
    );
    let gone = world.get(&world.path(2)).await;
    assert_eq!(gone.status, StatusCode::GONE);
    assert_eq!(
        gone.json()["tool_ref"],
        format!("eip155:8453/erc8257:{:#x}/2", world.registry.address)
    );
    let removed = &world.json("/api/v2/tools?include_deregistered=true").await["tools"][0];
    // K-08 in the API: deregistered is retired.
    assert_eq!(
        (
            &removed["tool_id"],
            &removed["retired"],
            &removed["is_active"],
            &removed["verified"]
        ),
        (&json!("2"), &json!(true), &json!(false), &json!(false))
    );
    assert_eq!(
        world.search("query=gone&include_unverified=true").await,
        Vec::<String>::new()
    );
    for (path, parameter) in [
        (world.path(1).replace("8453", "base"), "registry_chain"),
        (world.path(1).replace("0x", ""), "registry_addr"),
        (format!("{}x", world.path(1)), "tool_id"),
        (format!("{}{}", world.path(1), "9".repeat(100)), "tool_id"),
    ] {
        let answer = world.get(&path).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
        assert_eq!(answer.json()["parameter"], parameter, "{path}");
    }
}

#[tokio::test]
async fn gated_tools_come_with_decoded_requirements() {
    let mut world = World::new().await;
    let predicate = Address::repeat_byte(0x99);
    let gated = Spec {
        predicate: Some(predicate),
        ..Spec::new("gated")
    };
    world
        .add(&[
            gated.clone(),
            gated.clone(),
            gated.clone(),
            gated.clone(),
            gated,
        ])
        .await;
    let facts = PredicateFacts {
        has_code: true,
        proxy_indicators: "[]".to_owned(),
        is_proxy: true,
        advertises_interface: Some(false),
        ..PredicateFacts::default()
    };
    let collection = format!("{}", Address::repeat_byte(5));
    let requirement = |kind: &str, decoded: Value| json!({ "kind": kind, "data": "0x", "label": "Hold\u{202e} one", "decoded": decoded });
    let known = |requirements: Vec<Value>| json!({ "status": "known", "logic": "OR", "requirements": requirements });
    // O-04: each known kind, an unknown kind.
    let list = known(vec![
        requirement(
            "0xbdf8c428",
            json!({ "type": "erc721", "collection": collection }),
        ),
        requirement(
            "0xcb429230",
            json!({ "type": "erc1155", "collection": collection, "tokenId": "7" }),
        ),
        requirement(
            "0x44387cc2",
            json!({ "type": "subscription", "collection": collection, "minTier": 2 }),
        ),
        requirement(
            "0x812b02ee",
            json!({ "type": "erc20-balance", "token": collection, "minBalance": "100" }),
        ),
        requirement("0x12345678", json!({ "type": "other" })),
        requirement(
            "0x00000001",
            json!({ "type": "nested", "logic": "AND", "requirements": [requirement("0xbdf8c428", json!({ "type": "erc721", "collection": collection }))] }),
        ),
    ]);
    world
        .set_access(1, predicate, AccessType::NftGated, list, facts.clone())
        .await;
    let tool = world.json(&world.path(1)).await;
    let access = &tool["access"];
    assert_eq!(
        (&access["open_access"], &access["logic"], &access["status"]),
        (&json!(false), &json!("OR"), &json!("known"))
    );
    let requirements = access["requirements"].as_array().unwrap();
    assert_eq!(
        (
            &requirements[0]["type"],
            &requirements[0]["collection_address"]
        ),
        (&json!("erc721"), &json!(collection))
    );
    assert_eq!(requirements[1]["token_id"], "7");
    assert_eq!(requirements[2]["min_tier"], 2);
    assert_eq!(
        (
            &requirements[3]["token_address"],
            &requirements[3]["min_balance"]
        ),
        (&json!(collection), &json!("100"))
    );
    assert_eq!(
        (&requirements[4]["type"], &requirements[4]["kind"]),
        (&json!("other"), &json!("0x12345678"))
    );
    assert_eq!(requirements[5]["requirements"][0]["type"], "erc721");
    assert_eq!(requirements[0]["label"], "Hold\u{fffd} one");
    assert_eq!(
        (
            &tool["predicate_is_proxy"],
            &tool["predicate_advertises_interface"],
            &tool["access_type"]
        ),
        (&json!(true), &json!(false), &json!("nft_gated"))
    );
    // The same without `data` in search results, and nothing with include_details=false.
    let mut brief = access.clone();
    for requirement in brief["requirements"].as_array_mut().unwrap() {
        requirement.as_object_mut().unwrap().remove("data");
    }
    brief["requirements"][5]["requirements"][0]
        .as_object_mut()
        .unwrap()
        .remove("data");
    let page = world
        .json("/api/v2/tools/search?access_type=nft_gated")
        .await;
    assert_eq!(page["results"][0]["access"], brief);
    let page = world
        .json("/api/v2/tools/search?access_type=nft_gated&include_details=false")
        .await;
    assert!(page["results"][0].get("access").is_none());
    // Requirements that could not be read are not an open tool.
    let failed = json!({ "status": "failed", "reason": "out of gas" });
    world
        .set_access(2, predicate, AccessType::Gated, failed, facts.clone())
        .await;
    let no_code = PredicateFacts {
        has_code: false,
        ..facts
    };
    world
        .set_access(
            3,
            predicate,
            AccessType::Gated,
            json!({ "status": "no-code" }),
            no_code,
        )
        .await;
    for (id, status) in [(2, "failed"), (3, "no-code"), (4, "pending")] {
        let access = &world.json(&world.path(id)).await["access"];
        assert_eq!(
            (&access["open_access"], &access["status"]),
            (&json!(false), &json!(status)),
            "{id}"
        );
    }
    assert_eq!(
        world.json(&world.path(3)).await["predicate_has_code"],
        false
    );
    assert_eq!(ids(&world.json("/api/v2/tools?type=gated").await).len(), 5);
    assert_eq!(ids(&world.json("/api/v2/tools?type=open").await).len(), 0);
}

#[tokio::test]
async fn duplicates_of_a_manifest_are_shown_with_their_references() {
    // K-21, T-53: one URI many times; every registration stays, none is picked.
    let mut world = World::new().await;
    let uri = Some("https://tools.example.com/.well-known/ai-tool/same.json".to_owned());
    let same = Spec {
        uri,
        ..Spec::new("twin")
    };
    world
        .add(&[same.clone(), same.clone(), same, Spec::new("single")])
        .await;
    let reference = |id: u64| {
        json!(format!(
            "eip155:8453/erc8257:{:#x}/{id}",
            world.registry.address
        ))
    };
    let tool = world.json(&world.path(2)).await;
    assert_eq!(
        (&tool["duplicates"], &tool["duplicates_of"]),
        (&json!(2), &json!([reference(1), reference(3)]))
    );
    assert_eq!(world.json(&world.path(4)).await["duplicates_of"], json!([]));
    let found = world.json("/api/v2/tools/search?query=twin").await;
    assert_eq!(found["results"].as_array().unwrap().len(), 3);
    assert!(
        found["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|result| result["duplicates"] == 2)
    );
}

#[tokio::test]
async fn says_why_a_tool_is_not_listed() {
    let mut world = World::new().await;
    world
        .add(&[
            Spec::failed("squatter", 4),
            Spec {
                status: VerificationStatus::Pending,
                ..Spec::new("new")
            },
            Spec::new("gone"),
        ])
        .await;
    world.deregister(3).await;
    let report = world.json(&format!("{}/verification", world.path(1))).await;
    assert_eq!(
        (&report["status"], &report["failing_check"]),
        (&json!("failed"), &json!("creator"))
    );
    let checks = report["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 4);
    assert_eq!(
        (&checks[3]["outcome"], &checks[3]["fix"]),
        (&json!("failed"), &json!("serve the registered manifest"))
    );
    // Due now: nobody claimed the job.
    assert!(report["checked_at"].is_string() && report.get("next_attempt_at").is_none());
    let pending = world.json(&format!("{}/verification", world.path(2))).await;
    assert_eq!(
        (&pending["status"], &pending["checks"]),
        (&json!("unknown"), &json!([]))
    );
    // A re-check is accepted once a minute.
    let path = format!("{}/verification", world.path(1));
    let answer = world.post(&path, &json!({})).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert!(
        answer.json()["report"]
            .as_str()
            .unwrap()
            .ends_with("/1/verification")
    );
    let again = world.post(&path, &json!({})).await;
    assert_eq!(again.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(again.headers.contains_key("retry-after"));
    // Another tool is not affected; one that does not exist is not queued.
    assert_eq!(
        world
            .post(&format!("{}/verification", world.path(2)), &json!({}))
            .await
            .status,
        StatusCode::ACCEPTED
    );
    assert_eq!(
        world
            .post(&format!("{}/verification", world.path(3)), &json!({}))
            .await
            .status,
        StatusCode::GONE
    );
    assert_eq!(
        world
            .post(&format!("{}/verification", world.path(8)), &json!({}))
            .await
            .status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn filters_lists() {
    let mut world = World::new().await;
    let other = Address::repeat_byte(0xdd);
    world
        .add(&[
            Spec {
                tags: vec!["a".to_owned()],
                ..Spec::new("one")
            },
            Spec {
                creator: other,
                ..Spec::new("two")
            },
        ])
        .await;
    for (query, expected) in [
        ("tag=a", vec!["1"]),
        ("registry_chain=8453", vec!["2", "1"]),
        ("registry_chain=1", vec![]),
        ("source=onchain", vec!["2", "1"]),
        ("source=x402_bazaar", vec![]),
        ("unknown=parameter", vec!["2", "1"]),
    ] {
        assert_eq!(
            ids(&world.json(&format!("/api/v2/tools?{query}")).await),
            expected,
            "{query}"
        );
    }
    assert_eq!(
        ids(&world.json(&format!("/api/v2/tools?creator={other}")).await),
        ["2"]
    );
}

#[tokio::test]
async fn a_verdict_that_does_not_count_is_shown_nowhere() {
    // H-10, O-06, K-04: the search index still says "verified".
    let mut world = World::new().await;
    world.add(&[Spec::new("Tides")]).await;
    let shown = async || {
        let tool = world.json(&world.path(1)).await;
        let report = world.json(&format!("{}/verification", world.path(1))).await;
        let list = world.json("/api/v2/tools").await;
        let found = world.search("query=tides").await;
        let badge = format!(
            "/tools/{}/{}/1/badge.svg",
            REGISTRY.chain_id, REGISTRY.address
        );
        let badge = world.get(&badge).await;
        [
            tool["verified"] == true,
            report["verified"] == true,
            !ids(&list).is_empty(),
            !found.is_empty(),
            String::from_utf8(badge.body).unwrap().contains("verified<"),
        ]
    };
    assert_eq!(shown().await, [true; 5]);
    let stored = world.store.detail(world.key(1)).await.unwrap().unwrap();
    let verification = stored.verification.unwrap();
    let store = async |fresh_until| {
        let result = VerificationResult {
            key: world.key(1),
            verification: Verification {
                fresh_until,
                ..verification.clone()
            },
            manifest: None,
        };
        world.store.store_verification(&result).await.unwrap();
    };
    store(NOW - 1).await;
    assert_eq!(shown().await, [false; 5]);
    store(NOW).await;
    assert_eq!(shown().await, [true; 5]);
    let status = RegistryStatus::CodeChanged;
    let set = world.store.set_status(REGISTRY, status, None, None, NOW);
    set.await.unwrap();
    assert_eq!(shown().await, [false; 5]);
}
