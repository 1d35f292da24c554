use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use alloy_primitives::{Address, B256, Bytes, U256};
use atr_bindings::{ALWAYS_DENY_PREDICATE, IToolRegistry};
use atr_gate::access::{
    AccessChecker, AccessConfig, AccessOutcome, AccessQuery, AccessResult, AccessUnknown,
    DELEGATE_REGISTRY, HeadPolicy,
};
use atr_ids::ToolRef;
use atr_loopback::{Action, RpcProxy, RpcRequest};
use atr_registry::Introspection;
use serde_json::{Value, json};

use crate::chain::{CHAIN_ID, Chain, account, delegateAllCall, node, node_with_timeout};

/// Every check requests the head, so a test sees a new block at once.
const EVERY_CHECK: HeadPolicy = HeadPolicy {
    poll_interval: Duration::ZERO,
    max_age: None,
    max_lag: 3,
};

/// The head is requested once per test.
const ONCE: HeadPolicy = HeadPolicy {
    poll_interval: Duration::from_secs(3600),
    ..EVERY_CHECK
};

fn config(url: &str) -> AccessConfig {
    AccessConfig {
        head: EVERY_CHECK,
        ..AccessConfig::new(CHAIN_ID, node(url))
    }
}

/// A checker behind a proxy that counts requests.
fn counted(
    chain: &Chain,
    rule: impl Fn(&RpcRequest) -> Action + Send + Sync + 'static,
) -> (RpcProxy, AccessChecker) {
    let proxy = RpcProxy::start(&chain.anvil.url, rule);
    let checker = AccessChecker::new(config(&proxy.url));
    (proxy, checker)
}

fn question(tool: ToolRef, account: Address) -> AccessQuery {
    AccessQuery {
        tool,
        account,
        agent: None,
        data: Bytes::new(),
    }
}

async fn check(checker: &AccessChecker, question: &AccessQuery) -> AccessOutcome {
    checker.check(question, 0).await.outcome
}

const fn unknown(reason: AccessUnknown) -> AccessOutcome {
    AccessOutcome::Unknown(reason)
}

/// HTTP requests that contain an `eth_call`.
fn call_rounds(proxy: &RpcProxy) -> usize {
    let requests = proxy.requests().into_iter();
    let calls = requests.filter(|request| request.method == "eth_call");
    let mut rounds: Vec<_> = calls.map(|request| request.round).collect();
    rounds.dedup();
    rounds.len()
}

#[tokio::test]
async fn a_revocation_takes_effect_with_the_next_block() {
    let chain = Chain::start();
    let (tool, predicate) = chain.register_settable();
    chain.set_granted(predicate, true);
    let (proxy, checker) = counted(&chain, |_| Action::Forward);
    let question = question(tool, account(1));
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
    chain.set_granted(predicate, false);
    let denied = AccessOutcome::Denied {
        predicate: Some(predicate),
    };
    assert_eq!(check(&checker, &question).await, denied);
    assert_eq!(check(&checker, &question).await, denied);
    // One round per block, although the third check asked for the head again.
    assert_eq!(call_rounds(&proxy), 2);
}

#[tokio::test]
async fn a_change_is_not_seen_before_the_gate_sees_a_new_block() {
    let chain = Chain::start();
    let (tool, predicate) = chain.register_settable();
    let (proxy, checker) = counted(&chain, |_| Action::Forward);
    let question = question(tool, account(1));
    let before = checker.check(&question, 0).await;
    // State changes without a block: the answer of the block stands.
    let slot = B256::ZERO;
    let params = json!([predicate, slot, B256::with_last_byte(1)]);
    chain.anvil.request("anvil_setStorageAt", params);
    assert_eq!(checker.check(&question, 0).await, before);
    assert_eq!(call_rounds(&proxy), 1);
    chain.mine();
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
}

#[tokio::test]
async fn concurrent_checks_share_one_request() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let (proxy, checker) = counted(&chain, |_| Action::Forward);
    let question = Arc::new(question(tool, account(1)));
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            let (checker, question) = (checker.clone(), question.clone());
            tokio::spawn(async move { check(&checker, &question).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), AccessOutcome::Granted);
    }
    assert_eq!(call_rounds(&proxy), 1);
    // Checks that arrive while the head is requested share the next request for it.
    assert!(proxy.counts()["eth_getBlockByNumber"] <= 3);
    assert_eq!(checker.rounds(), 1);
}

#[tokio::test]
async fn different_keys_share_a_batch() {
    let chain = Chain::start();
    let (tool, predicate) = chain.register_settable();
    chain.set_granted(predicate, true);
    let proxy = RpcProxy::start(&chain.anvil.url, |_| Action::Forward);
    // The head is known, so that all checks reach the batch at once.
    let checker = AccessChecker::new(AccessConfig {
        head: ONCE,
        batch_window: Duration::from_millis(100),
        ..config(&proxy.url)
    });
    checker.head(0).await.unwrap();
    let tasks: Vec<_> = (1..=30_u8)
        .map(|index| {
            let question = question(tool, Address::repeat_byte(index));
            let checker = checker.clone();
            tokio::spawn(async move { check(&checker, &question).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), AccessOutcome::Granted);
    }
    assert_eq!(call_rounds(&proxy), 1);
    // 30 keys and the tool.
    assert_eq!(proxy.counts()["eth_call"], 31);
}

#[tokio::test]
async fn a_cancelled_check_does_not_disturb_others() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let (_proxy, checker) = counted(&chain, |_| Action::Forward);
    checker.head(0).await.unwrap();
    let question = question(tool, account(1));
    let (first, asked) = (checker.clone(), question.clone());
    let task = tokio::spawn(async move { check(&first, &asked).await });
    tokio::task::yield_now().await;
    task.abort();
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
}

#[tokio::test]
async fn every_call_names_the_block_hash() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let (proxy, checker) = counted(&chain, |_| Action::Forward);
    let answer = checker.check(&question(tool, account(1)), 0).await;
    let block = answer.block.unwrap();
    let calls = proxy.requests().into_iter();
    let calls = calls.filter(|request| request.method == "eth_call");
    let blocks: Vec<_> = calls.map(|request| request.params[1].clone()).collect();
    let expected = json!({ "blockHash": block.hash, "requireCanonical": true });
    assert_eq!(blocks, [expected.clone(), expected]);
}

#[tokio::test]
async fn a_node_without_block_hashes_is_asked_by_number() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let (proxy, checker) = counted(&chain, |request| {
        if request.params[1].is_object() {
            return Action::FailWithCode(-32602, "invalid block parameter");
        }
        Action::Forward
    });
    let question = question(tool, account(1));
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
    chain.mine();
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
    let calls = proxy.requests().into_iter();
    let by_hash = calls.filter(|request| request.params[1].is_object());
    assert_eq!(by_hash.count(), 2, "only the first batch");
}

/// Two blocks of the same height: anvil's snapshots take the chain back.
#[tokio::test]
async fn after_a_reorg_the_answer_is_that_of_the_new_block() {
    let chain = Chain::start();
    let (tool, predicate) = chain.register_settable();
    let snapshot = chain.anvil.request("evm_snapshot", json!([]));
    chain.set_granted(predicate, true);
    let (_proxy, checker) = counted(&chain, |_| Action::Forward);
    let question = question(tool, account(1));
    let first = checker.check(&question, 0).await;
    assert_eq!(first.outcome, AccessOutcome::Granted);
    chain.anvil.request("evm_revert", json!([snapshot]));
    chain.mine();
    let second = checker.check(&question, 0).await;
    assert!(matches!(second.outcome, AccessOutcome::Denied { .. }));
    let [first, second] = [first, second].map(|answer| answer.block.unwrap());
    assert_eq!(first.number, second.number);
    assert_ne!(first.hash, second.hash);
}

/// The head is known and the block is removed before the call.
#[tokio::test]
async fn a_block_that_is_gone_is_replaced_by_the_current_head() {
    let chain = Chain::start();
    let (tool, predicate) = chain.register_settable();
    let snapshot = chain.anvil.request("evm_snapshot", json!([]));
    chain.set_granted(predicate, true);
    let checker = AccessChecker::new(AccessConfig {
        head: ONCE,
        ..config(&chain.anvil.url)
    });
    let removed = checker.head(0).await.unwrap();
    chain.anvil.request("evm_revert", json!([snapshot]));
    chain.mine();
    let answer = checker.check(&question(tool, account(1)), 0).await;
    assert!(matches!(answer.outcome, AccessOutcome::Denied { .. }));
    assert_ne!(answer.block.unwrap().hash, removed.hash);
}

#[tokio::test]
async fn a_head_that_is_too_old_makes_the_answer_unknown() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let checker = AccessChecker::new(AccessConfig {
        head: HeadPolicy {
            max_age: Some(Duration::from_secs(60)),
            ..EVERY_CHECK
        },
        ..config(&chain.anvil.url)
    });
    let (question, time) = (question(tool, account(1)), chain.time());
    let at = async |now| checker.check(&question, now).await.outcome;
    assert_eq!(at(time + 60).await, AccessOutcome::Granted);
    assert_eq!(
        at(time + 61).await,
        unknown(AccessUnknown::HeadTooOld { age: 61, limit: 60 })
    );
    let next = json!([time + 61]);
    chain.anvil.request("evm_setNextBlockTimestamp", next);
    chain.mine();
    assert_eq!(at(time + 61).await, AccessOutcome::Granted);
}

#[tokio::test]
async fn a_node_behind_another_makes_the_answer_unknown() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let ahead = RpcProxy::start(&chain.anvil.url, |request| match request.method.as_str() {
        "eth_getBlockByNumber" => Action::Change(|block| {
            let number: U256 = block["number"].as_str().unwrap().parse().unwrap();
            block["number"] = json!(number + U256::from(4));
        }),
        _ => Action::Forward,
    });
    let with_second = |url: &str| {
        AccessChecker::new(AccessConfig {
            second_node: Some(node_with_timeout(url, Duration::from_secs(1))),
            ..config(&chain.anvil.url)
        })
    };
    let question = question(tool, account(1));
    assert_eq!(
        check(&with_second(&ahead.url), &question).await,
        unknown(AccessUnknown::NodeBehind { blocks: 4 })
    );
    // An equal head, and a second node that does not answer, change nothing.
    for url in [chain.anvil.url.as_str(), "http://127.0.0.1:1"] {
        let outcome = check(&with_second(url), &question).await;
        assert_eq!(outcome, AccessOutcome::Granted, "{url}");
    }
}

#[tokio::test]
async fn a_dead_node_makes_the_answer_unknown() {
    // L-23
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let question = question(tool, account(1));
    let dead = AccessChecker::new(config("http://127.0.0.1:1"));
    let unavailable = unknown(AccessUnknown::NodeUnavailable);
    assert_eq!(check(&dead, &question).await, unavailable);
    // The head is known, then the node fails.
    let is_dead = Arc::new(AtomicBool::new(false));
    let flag = is_dead.clone();
    let proxy = RpcProxy::start(&chain.anvil.url, move |request| {
        match (flag.load(Ordering::SeqCst), request.method.as_str()) {
            (true, "eth_call") => Action::Disconnect,
            _ => Action::Forward,
        }
    });
    let checker = AccessChecker::new(AccessConfig {
        node: node_with_timeout(&proxy.url, Duration::from_millis(200)),
        ..config(&proxy.url)
    });
    is_dead.store(true, Ordering::SeqCst);
    assert_eq!(check(&checker, &question).await, unavailable);
    // A failure is not cached: the same block is answered as soon as the node responds.
    is_dead.store(false, Ordering::SeqCst);
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
}

#[tokio::test]
async fn a_silent_node_makes_the_answer_unknown() {
    // L-23
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    for held in ["eth_getBlockByNumber", "eth_call"] {
        let proxy = RpcProxy::start(&chain.anvil.url, move |request| {
            if request.method == held {
                return Action::Hold;
            }
            Action::Forward
        });
        let checker = AccessChecker::new(AccessConfig {
            timeout: Duration::from_millis(50),
            ..config(&proxy.url)
        });
        let outcome = check(&checker, &question(tool, account(1))).await;
        assert_eq!(outcome, unknown(AccessUnknown::NodeUnavailable), "{held}");
    }
}

#[tokio::test]
async fn a_node_that_fails_repeatedly_is_not_asked_for_a_while() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let (proxy, checker) = counted(&chain, |request| match request.method.as_str() {
        "eth_call" => Action::HttpStatus(400),
        _ => Action::Forward,
    });
    let question = question(tool, account(1));
    for _ in 0..20 {
        let outcome = check(&checker, &question).await;
        assert!(matches!(outcome, AccessOutcome::Unknown(_)), "{outcome:?}");
    }
    // The batch and the two single calls that replace it, three times; perhaps one more after the cooldown.
    let rounds = call_rounds(&proxy);
    assert!((9..=12).contains(&rounds), "{rounds} rounds");
}

#[tokio::test]
async fn a_node_of_another_chain_makes_the_answer_unknown() {
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let is_wrong = Arc::new(AtomicBool::new(false));
    let flag = is_wrong.clone();
    let (_proxy, checker) = counted(&chain, move |request| {
        match (flag.load(Ordering::SeqCst), request.method.as_str()) {
            (true, "eth_chainId") => Action::Return(json!("0x1")),
            _ => Action::Forward,
        }
    });
    let question = question(tool, account(1));
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
    is_wrong.store(true, Ordering::SeqCst);
    assert_eq!(
        check(&checker, &question).await,
        unknown(AccessUnknown::WrongChain {
            expected: CHAIN_ID,
            found: 1
        })
    );
}

#[tokio::test]
async fn tells_a_denial_from_a_failure_and_from_a_missing_tool() {
    // C-17, T-43
    let chain = Chain::start();
    let checker = AccessChecker::new(config(&chain.anvil.url));
    let denying = chain.deploy_mock("DenyingPredicate");
    let missing = ToolRef::try_new(CHAIN_ID, chain.registry, U256::from(99)).unwrap();
    let elsewhere = ToolRef::try_new(CHAIN_ID, Address::repeat_byte(9), U256::ONE).unwrap();
    let deregistered = chain.register(Address::ZERO);
    let call = IToolRegistry::deregisterToolCall {
        toolId: deregistered.id(),
    };
    chain.send(account(0), chain.registry, &call);
    let reverting = chain.deploy_mock("RevertingPredicate");
    for (tool, expected) in [
        (
            chain.register(denying),
            AccessOutcome::Denied {
                predicate: Some(denying),
            },
        ),
        (
            chain.register(reverting),
            unknown(AccessUnknown::PredicateFailed),
        ),
        (
            chain.register(Address::repeat_byte(0xaa)),
            unknown(AccessUnknown::PredicateFailed),
        ),
        (missing, unknown(AccessUnknown::ToolNotFound)),
        (deregistered, unknown(AccessUnknown::ToolDeregistered)),
        (elsewhere, unknown(AccessUnknown::NotARegistry)),
    ] {
        let outcome = check(&checker, &question(tool, account(1))).await;
        assert_eq!(outcome, expected, "{tool}");
    }
}

/// A tool for the holders of a collection, and a holder (account 1) who may delegate to an agent (account 2).
fn delegation_world(chain: &Chain) -> AccessQuery {
    chain.place_mock("StandInDelegateRegistry", DELEGATE_REGISTRY);
    let tool = chain.register(Address::ZERO);
    AccessQuery {
        agent: Some(account(2)),
        ..question(tool, account(1))
    }
}

fn delegate(chain: &Chain, enable: bool) {
    let call = delegateAllCall {
        to: account(2),
        rights: B256::ZERO,
        enable,
    };
    chain.send(account(1), DELEGATE_REGISTRY, &call);
}

#[tokio::test]
async fn an_agent_needs_a_delegation_in_the_same_block() {
    // L-14, L-16, T-47
    let chain = Chain::start();
    let question = delegation_world(&chain);
    let (proxy, checker) = counted(&chain, |_| Action::Forward);
    assert_eq!(
        check(&checker, &question).await,
        AccessOutcome::NotDelegated
    );
    delegate(&chain, true);
    assert_eq!(check(&checker, &question).await, AccessOutcome::Granted);
    // The other direction is not delegated.
    let reverse = AccessQuery {
        account: account(2),
        agent: Some(account(1)),
        ..question.clone()
    };
    assert_eq!(check(&checker, &reverse).await, AccessOutcome::NotDelegated);
    delegate(&chain, false);
    assert_eq!(
        check(&checker, &question).await,
        AccessOutcome::NotDelegated
    );
    // Delegation and predicate in one request, at the same block.
    assert_eq!(call_rounds(&proxy), 4);
    for round in proxy.requests().chunk_by(|a, b| a.round == b.round) {
        let blocks: Vec<&Value> = round.iter().map(|request| &request.params[1]).collect();
        let calls = round.iter().filter(|request| request.method == "eth_call");
        assert!(calls.count() == 0 || blocks.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[tokio::test]
async fn a_delegation_registry_that_fails_makes_the_answer_unknown() {
    // L-14
    let chain = Chain::start();
    let tool = chain.register(Address::ZERO);
    let question = AccessQuery {
        agent: Some(account(2)),
        ..question(tool, account(1))
    };
    let failed = unknown(AccessUnknown::DelegationFailed);
    // No contract at the address.
    let checker = AccessChecker::new(config(&chain.anvil.url));
    assert_eq!(check(&checker, &question).await, failed);
    let checker = AccessChecker::new(AccessConfig {
        delegate_registry: chain.deploy_mock("RevertingPredicate"),
        ..config(&chain.anvil.url)
    });
    assert_eq!(check(&checker, &question).await, failed);
}

#[tokio::test]
async fn reads_the_requirements_once_per_block() {
    let chain = Chain::start();
    let predicate = chain.deploy(ALWAYS_DENY_PREDICATE.creation());
    let tool = chain.register(predicate);
    let (proxy, checker) = counted(&chain, |_| Action::Forward);
    let AccessResult { block, .. } = checker.check(&question(tool, account(1)), 0).await;
    let before = proxy.rounds();
    for _ in 0..3 {
        let found = checker.requirements(tool, predicate, block.unwrap()).await;
        assert!(matches!(
            found.as_deref(),
            Some(Introspection::Known { .. })
        ));
    }
    assert_eq!(proxy.rounds(), before + 1);
}
