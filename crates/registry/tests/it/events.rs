use std::sync::atomic::{AtomicUsize, Ordering};

use alloy_primitives::{Address, B256, U256};
use atr_bindings::IToolRegistry;
use atr_registry::{Registry, ToolEvent};
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

#[tokio::test]
async fn finds_the_predicate_before_the_current_one() {
    let chain = Chain::start().await;
    let set = |id, predicate: Address| {
        let call = IToolRegistry::setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate,
        };
        chain.send(0, chain.registry.address(), &call);
        chain.anvil.request("anvil_mine", json!(["0x14"]));
    };
    let [first, second, deny] = [1, 2, 3].map(Address::repeat_byte);
    let id = chain.register(first).await;
    let previous = |registry: Registry, id, current| async move {
        let event = registry
            .previous_predicate(id, Some(current))
            .await
            .unwrap();
        event.map(|event| event.event.access_predicate().unwrap())
    };
    assert_eq!(previous(chain.registry.clone(), id, first).await, None);
    set(id, second);
    set(id, deny);
    // Events of other tools do not count.
    let other = chain.register(Address::ZERO).await;
    set(other, deny);
    let (transport, limited) = chain
        .with_rule(|request| match request.method.as_str() {
            "eth_getLogs" if range(request) > 7 => Action::Fail(-32602, "range too large"),
            _ => Action::Forward,
        })
        .await;
    for registry in [chain.registry.clone(), limited.clone()] {
        assert_eq!(
            previous(registry.clone(), id, deny).await,
            Some(Some(second))
        );
        assert_eq!(previous(registry.clone(), other, deny).await, Some(None));
        assert_eq!(previous(registry, id, second).await, Some(Some(deny)));
    }
    // Before the first event nothing is found, and the search ends.
    let nothing = previous(limited, U256::from(9), deny).await;
    assert_eq!(nothing, None);
    assert!(transport.take_requests().len() < 100);
}
