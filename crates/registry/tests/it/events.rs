use std::sync::atomic::{AtomicUsize, Ordering};

use alloy_primitives::{Address, B256, U256};
use atr_bindings::IToolRegistry;
use atr_registry::ToolEvent;
use serde_json::json;

use crate::{
    chain::{Chain, HASH, URI, account},
    transport::{Action, Request},
};

fn range(request: &Request) -> u64 {
    let number = |key: &str| {
        let text = request.params[0][key].as_str().unwrap();
        u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
    };
    number("toBlock") - number("fromBlock") + 1
}

#[tokio::test]
async fn returns_all_events_of_a_tool_in_order() {
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
    let events: Vec<_> = logged.iter().map(|logged| logged.event.clone()).collect();
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
    let last = chain.registry.events(head, head).await.unwrap();
    assert_eq!(last[..], logged[3..]);
}

#[tokio::test]
async fn halves_a_range_that_the_node_rejects() {
    let chain = Chain::start().await;
    for _ in 0..3 {
        chain.register(Address::ZERO).await;
        chain.anvil.request("anvil_mine", json!(["0x14"]));
    }
    let head = chain.registry.block().await.unwrap();
    let all = chain.registry.events(0, head).await.unwrap();
    assert_eq!(all.len(), 3);
    let (transport, registry) = chain
        .with_rule(|request| match request.method.as_str() {
            "eth_getLogs" if range(request) > 7 => Action::Fail(-32602, "range too large"),
            _ => Action::Forward,
        })
        .await;
    assert_eq!(registry.events(0, head).await.unwrap(), all);
    let requests = transport.take_requests();
    let ranges = requests
        .iter()
        .filter(|request| request.method == "eth_getLogs")
        .map(range);
    assert!(ranges.clone().any(|range| range > 7) && ranges.clone().any(|range| range > 1));
}

#[tokio::test]
async fn stops_if_every_range_fails_or_the_node_disconnects() {
    let chain = Chain::start().await;
    let count = AtomicUsize::new(0);
    let (transport, registry) = chain
        .with_rule(move |request| match request.method.as_str() {
            "eth_getLogs" if count.fetch_add(1, Ordering::Relaxed) < 100 => {
                Action::Fail(-32000, "logs are not available")
            }
            _ => Action::Forward,
        })
        .await;
    assert!(
        registry
            .events(0, 1_000_000)
            .await
            .unwrap_err()
            .is_retryable()
    );
    assert!(transport.take_requests().len() < 20);
    let (transport, registry) = chain
        .with_rule(|request| match request.method.as_str() {
            "eth_getLogs" => Action::Disconnect,
            _ => Action::Forward,
        })
        .await;
    transport.take_requests();
    assert!(registry.events(0, 1_000_000).await.is_err());
    assert_eq!(transport.packets(), 1);
}
