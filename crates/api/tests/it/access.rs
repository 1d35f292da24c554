//! Tools that an account may call, by the registry.

use std::collections::HashMap;

use alloy_primitives::Address;
use atr_store::index::RegistryKey;
use serde_json::json;

use crate::{
    chain::{Chain, account},
    world::{CHAIN, Spec, World, names, unlimited},
};

#[tokio::test(flavor = "multi_thread")]
async fn finds_what_an_account_may_call_now() {
    let chain = Chain::start();
    let settable = chain.deploy_mock("SettablePredicate");
    let reverting = chain.deploy_mock("RevertingPredicate");
    for predicate in [Address::ZERO, settable, reverting] {
        chain.register(predicate);
    }
    let registry = RegistryKey {
        chain_id: CHAIN,
        address: chain.registry,
    };
    let nodes = HashMap::from([(CHAIN, chain.node())]);
    let mut world = World::with(registry, nodes, &unlimited()).await;
    let gated = |name: &str, predicate| Spec {
        predicate: Some(predicate),
        ..Spec::new(name)
    };
    world
        .add(&[
            Spec::new("open tool"),
            gated("gated tool", settable),
            gated("failing tool", reverting),
        ])
        .await;
    let path = format!(
        "/api/v2/tools/search?query=tool&sort_by=newest&callable_by={}",
        account(1)
    );
    let page = world.json(&path).await;
    assert_eq!(names(&page), ["open tool"]);
    // Unknown is not callable, and is reported.
    let unknown = format!("eip155:8453/erc8257:{:#x}/3", chain.registry);
    assert_eq!(page["access_unknown"], json!([unknown]));
    chain.set_granted(settable, true);
    // The answer belongs to the head: a newer block is seen as soon as the head is read again.
    for attempt in 0.. {
        let page = world.json(&path).await;
        if names(&page) == ["gated tool", "open tool"] {
            break;
        }
        assert!(attempt < 200, "{page}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    // Without a node, the outcome is unknown.
    let mut offline = World::new().await;
    offline.add(&[gated("gated tool", settable)]).await;
    let page = offline.json(&path).await;
    assert_eq!(
        (
            names(&page).len(),
            page["access_unknown"].as_array().unwrap().len()
        ),
        (0, 1)
    );
}
