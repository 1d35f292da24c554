use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use alloy_primitives::{Address, B256, U256};
use atr_bindings::IToolRegistry;
use atr_registry::{
    Error, EventBatch, EventCheckpoint, LogStreamOptions, Poll, Registry, StartBlock, ToolEvent,
    ToolEventStream,
};
use serde_json::{Value, json};

use crate::{
    chain::{Chain, HASH, URI, account},
    transport::{Action, Request},
};

const FROM_0: StartBlock = StartBlock::Number(0);

async fn stream(registry: &Registry, start: StartBlock) -> ToolEventStream {
    let stream = registry.events(start, LogStreamOptions::default());
    stream.await.unwrap()
}

async fn next_batch(stream: &mut ToolEventStream) -> EventBatch {
    match stream.poll().await.unwrap() {
        Poll::Batch(batch) => *batch,
        other => panic!("{other:?}"),
    }
}

/// The changes until all events are read: `+id` and `-id`.
async fn changes(stream: &mut ToolEventStream) -> Vec<String> {
    let mut changes = Vec::new();
    loop {
        let batch = match stream.poll().await.unwrap() {
            Poll::Batch(batch) => *batch,
            Poll::CaughtUp => return changes,
            Poll::Behind { .. } => continue,
        };
        let undone = batch.undone.iter().map(|logged| ('-', logged));
        let added = batch.added.iter().map(|logged| ('+', logged));
        let lines = undone.chain(added);
        changes.extend(lines.map(|(sign, logged)| format!("{sign}{}", logged.event.tool_id())));
        stream.commit(batch);
    }
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
    let mut stream = stream(&chain.registry, FROM_0).await;
    let batch = next_batch(&mut stream).await;
    let events: Vec<_> = batch.added.iter().map(|logged| &logged.event).collect();
    assert_eq!(
        events,
        [
            &ToolEvent::Registered {
                tool_id: id,
                creator: account(0),
                access_predicate: Some(predicate),
                metadata_uri: URI.to_owned(),
                manifest_hash: HASH,
            },
            &ToolEvent::MetadataUpdated {
                tool_id: id,
                metadata_uri: "https://b.example".to_owned(),
                manifest_hash: B256::repeat_byte(9),
            },
            &ToolEvent::PredicateUpdated {
                tool_id: id,
                access_predicate: None
            },
            &ToolEvent::Deregistered { tool_id: id },
        ]
    );
    let last = batch.added.last().unwrap();
    assert_eq!((last.block, last.block_hash), (head, batch.tip().hash));
    assert!(batch.undone.is_empty() && batch.rewind().is_none());
    assert_eq!(batch.progress().position, head);
    stream.commit(batch);
    assert!(matches!(stream.poll().await.unwrap(), Poll::CaughtUp));
}

#[tokio::test]
async fn undoes_events_and_continues_with_the_right_ids() {
    let chain = Chain::start().await;
    for _ in 0..3 {
        chain.register(Address::ZERO).await;
    }
    let mut stream = stream(&chain.registry, FROM_0).await;
    assert_eq!(changes(&mut stream).await, ["+1", "+2", "+3"]);
    let checkpoint = serde_json::to_string(&stream.checkpoint()).unwrap();
    chain.anvil.request("anvil_reorg", json!([2, []]));
    chain.register(Address::ZERO).await;
    assert_eq!(changes(&mut stream).await, ["-3", "-2", "+2"]);
    // A program that did not run during the reorg has the undone events in its own storage.
    let checkpoint: EventCheckpoint = serde_json::from_str(&checkpoint).unwrap();
    assert_eq!(checkpoint.last_id, Some(U256::from(3)));
    let mut resumed = chain
        .registry
        .events_after(checkpoint, LogStreamOptions::default());
    let batch = next_batch(&mut resumed).await;
    let rewind = batch.rewind().unwrap();
    let undone: Vec<_> = rewind.undone.iter().map(|undone| undone.block).collect();
    assert_eq!(undone.len(), 2);
    assert_eq!(rewind.to.unwrap().number + 1, undone.last().unwrap().number);
    assert_eq!(batch.checkpoint().last_id, Some(U256::from(2)));
    resumed.commit(batch);
    assert_eq!(changes(&mut resumed).await, [""; 0]);
    chain.register(Address::ZERO).await;
    assert_eq!(changes(&mut resumed).await, ["+3"]);
}

#[tokio::test]
async fn a_registry_that_does_not_exist_yet_has_no_tools() {
    let mut chain = Chain::start().await;
    chain.register(Address::ZERO).await;
    let mut stream = stream(&chain.registry, StartBlock::Next).await;
    chain.register(Address::ZERO).await;
    assert_eq!(changes(&mut stream).await, ["+2"]);
    chain.anvil.restart(&["--timestamp", "1000000000"]);
    assert_eq!(changes(&mut stream).await, ["-2"]);
    // At the same address as before.
    let address = chain.deploy(atr_bindings::TOOL_REGISTRY.creation());
    assert_eq!(address, chain.registry.address());
    chain.register(Address::ZERO).await;
    assert_eq!(changes(&mut stream).await, ["+1"]);
}

/// Removes the registration of a tool from logs.
fn hide(chain: &Chain, request: &Request, id: u64) -> Action {
    if request.method != "eth_getLogs" {
        return Action::Forward;
    }
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": request.method, "params": request.params });
    let response = chain.transport.post(&body);
    let mut logs = response["result"].as_array().unwrap().clone();
    let topic = json!(B256::from(U256::from(id)));
    logs.retain(|log| log["topics"][1] != topic);
    Action::Return(Value::Array(logs))
}

/// The chain through a node that hides the registration of a tool, as long as the flag is set.
async fn with_hidden_tool(chain: &Arc<Chain>, id: u64) -> (Registry, Arc<AtomicBool>) {
    let hides = Arc::new(AtomicBool::new(true));
    let (shared, flag) = (chain.clone(), hides.clone());
    let (_, registry) = chain
        .with_rule(move |request| {
            if flag.load(Ordering::Relaxed) {
                hide(&shared, request, id)
            } else {
                Action::Forward
            }
        })
        .await;
    (registry, hides)
}

/// The error of a stream whose node hides events.
async fn missing(stream: &mut ToolEventStream) -> Error {
    let before = stream.checkpoint();
    for _ in 0..20 {
        match stream.poll().await {
            // The bloom filter and the ids say that something is missing: read again.
            Ok(Poll::Behind { .. }) => {}
            Ok(Poll::Batch(batch)) => stream.commit(*batch),
            Ok(Poll::CaughtUp) => panic!("missing events were not detected since {before:?}"),
            Err(error) => return error,
        }
    }
    panic!("no error");
}

#[tokio::test]
async fn a_gap_in_the_ids_is_an_error() {
    let chain = Arc::new(Chain::start().await);
    for _ in 0..3 {
        chain.register(Address::ZERO).await;
    }
    let (registry, hides) = with_hidden_tool(&chain, 2).await;
    let mut stream = stream(&registry, FROM_0).await;
    let error = missing(&mut stream).await;
    assert!(!error.is_retryable());
    match error {
        Error::EventGap {
            expected, found, ..
        } => assert_eq!((expected, found), (U256::from(2), U256::from(3))),
        other => panic!("{other}"),
    }
    // Nothing was skipped: when the node returns the logs, the stream continues.
    hides.store(false, Ordering::Relaxed);
    assert_eq!(changes(&mut stream).await, ["+2", "+3"]);
}

#[tokio::test]
async fn a_count_other_than_that_of_the_events_is_an_error() {
    let chain = Arc::new(Chain::start().await);
    for _ in 0..3 {
        chain.register(Address::ZERO).await;
    }
    let head = chain.registry.block().await.unwrap();
    // The last registration is hidden, so the ids have no gap.
    let (registry, _) = with_hidden_tool(&chain, 3).await;
    let error = missing(&mut stream(&registry, FROM_0).await).await;
    match error {
        Error::EventsMissing {
            block,
            count,
            registered,
        } => assert_eq!(
            (block, count, registered),
            (head, U256::from(3), U256::from(2))
        ),
        other => panic!("{other}"),
    }
    // Also if the stream starts later: the count before its first block is known.
    let error = missing(&mut stream(&registry, StartBlock::Number(head)).await).await;
    assert!(matches!(error, Error::EventsMissing { .. }), "{error}");
}

#[tokio::test]
async fn without_old_state_the_first_event_sets_the_id() {
    let chain = Chain::start().await;
    for _ in 0..2 {
        chain.register(Address::ZERO).await;
    }
    let head = chain.registry.block().await.unwrap();
    let (_, registry) = chain
        .with_rule(|request| match request.method.as_str() {
            "eth_call" => Action::Fail(-32000, "missing trie node"),
            _ => Action::Forward,
        })
        .await;
    let mut stream = stream(&registry, StartBlock::Number(head)).await;
    assert_eq!(changes(&mut stream).await, ["+2"]);
    assert_eq!(stream.checkpoint().last_id, Some(U256::from(2)));
}

#[tokio::test]
async fn the_count_is_compared_as_soon_as_the_node_has_the_state() {
    let chain = Arc::new(Chain::start().await);
    chain.register(Address::ZERO).await;
    let has_state = Arc::new(AtomicBool::new(false));
    let (shared, flag) = (chain.clone(), has_state.clone());
    let (_, registry) = chain
        .with_rule(move |request| match request.method.as_str() {
            "eth_call" if !flag.load(Ordering::Relaxed) => Action::Fail(-32000, "unknown block"),
            _ => hide(&shared, request, 2),
        })
        .await;
    let mut stream = stream(&registry, FROM_0).await;
    assert_eq!(changes(&mut stream).await, ["+1"]);
    chain.register(Address::ZERO).await;
    // The bloom filter delays the block, but cannot prove that logs are missing.
    assert_eq!(changes(&mut stream).await, [""; 0]);
    has_state.store(true, Ordering::Relaxed);
    let error = stream.poll().await.unwrap_err();
    assert!(matches!(error, Error::EventsMissing { .. }), "{error}");
}

/// Number of blocks of an `eth_getLogs` request.
fn range(request: &Request) -> u64 {
    let number = |key: &str| {
        let text = request.params[0][key].as_str().unwrap();
        u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
    };
    number("toBlock") - number("fromBlock") + 1
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
