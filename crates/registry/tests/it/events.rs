use std::sync::atomic::{AtomicUsize, Ordering};

use alloy_primitives::{Address, B256, U256};
use atr_bindings::IToolRegistry;
use atr_registry::ToolEvent;
use serde_json::json;

use crate::{
    chain::{Chain, HASH, URI, account},
    line::{Action, Asked},
};

fn range(asked: &Asked) -> u64 {
    let number = |key: &str| {
        let text = asked.params[0][key].as_str().unwrap();
        u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
    };
    number("toBlock") - number("fromBlock") + 1
}

#[tokio::test]
async fn a_tools_life_is_told_in_order() {
    let chain = Chain::start().await;
    let registry = chain.registry.address();
    let predicate = Address::repeat_byte(0xaa);
    let id = chain.register(predicate).await;
    chain.send(
        0,
        registry,
        &IToolRegistry::updateToolMetadataCall {
            toolId: id,
            newURI: "https://b.example".to_owned(),
            newHash: B256::repeat_byte(9),
        },
    );
    let open = IToolRegistry::setAccessPredicateCall {
        toolId: id,
        newPredicate: Address::ZERO,
    };
    chain.send(0, registry, &open);
    chain.send(
        0,
        registry,
        &IToolRegistry::deregisterToolCall { toolId: id },
    );
    let head = chain.registry.block().await.unwrap();
    let logged = chain.registry.events(0, head).await.unwrap();
    let events: Vec<_> = logged.iter().map(|one| one.event.clone()).collect();
    assert_eq!(
        events,
        [
            ToolEvent::Registered {
                tool_id: id,
                creator: account(0),
                access_predicate: Some(predicate),
                metadata_uri: URI.to_owned(),
                manifest_hash: HASH,
            },
            ToolEvent::MetadataUpdated {
                tool_id: id,
                metadata_uri: "https://b.example".to_owned(),
                manifest_hash: B256::repeat_byte(9),
            },
            ToolEvent::PredicateUpdated {
                tool_id: id,
                access_predicate: None
            },
            ToolEvent::Deregistered { tool_id: id },
        ]
    );
    assert_eq!(logged.last().unwrap().block, head);
    assert!(events.iter().all(|event| event.tool_id() == U256::ONE));
    let some = chain.registry.events(head, head).await.unwrap();
    assert_eq!(some[..], logged[3..]);
}

#[tokio::test]
async fn a_range_the_node_refuses_is_halved_until_it_fits() {
    let chain = Chain::start().await;
    for _ in 0..3 {
        chain.register(Address::ZERO).await;
        chain.anvil.request("anvil_mine", json!(["0x14"]));
    }
    let head = chain.registry.block().await.unwrap();
    let all = chain.registry.events(0, head).await.unwrap();
    assert_eq!(all.len(), 3);
    let (line, registry) = chain
        .behind(|asked| match asked.method.as_str() {
            "eth_getLogs" if range(asked) > 7 => Action::Refuse(-32602, "range too large"),
            _ => Action::Pass,
        })
        .await;
    assert_eq!(registry.events(0, head).await.unwrap(), all);
    let asked = line.take();
    let ranges = asked
        .iter()
        .filter(|one| one.method == "eth_getLogs")
        .map(range);
    assert!(ranges.clone().any(|range| range > 7) && ranges.clone().any(|range| range > 1));
}

#[tokio::test]
async fn a_node_that_refuses_every_range_or_is_gone_ends_the_search() {
    let chain = Chain::start().await;
    let count = AtomicUsize::new(0);
    let (line, registry) = chain
        .behind(move |asked| match asked.method.as_str() {
            "eth_getLogs" if count.fetch_add(1, Ordering::Relaxed) < 100 => {
                Action::Refuse(-32000, "no logs here")
            }
            _ => Action::Pass,
        })
        .await;
    assert!(
        registry
            .events(0, 1_000_000)
            .await
            .unwrap_err()
            .is_retryable()
    );
    assert!(line.take().len() < 20);
    let (line, registry) = chain
        .behind(|asked| match asked.method.as_str() {
            "eth_getLogs" => Action::Break,
            _ => Action::Pass,
        })
        .await;
    line.take();
    assert!(registry.events(0, 1_000_000).await.is_err());
    assert_eq!(line.packets(), 1);
}
