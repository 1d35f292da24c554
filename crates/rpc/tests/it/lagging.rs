use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use alloy_primitives::{Address, U256};
use atr_loopback::{Action, Anvil};
use atr_rpc::{Error, Event, Goal, SendOutcome, Transaction, WaitPolicy, Wei};
use serde_json::{Value, json};

use crate::fixture::{
    Fixture, GWEI, REVERT, SHORT_TIMEOUT, SHORT_WAIT, call, forward, hide_pending_nonces, on_send,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_used_nonce_without_a_known_transaction_is_not_signed_again() {
    // The node counts a transaction that none of its blocks has: our own, on a node that is ahead.
    let fixture = Fixture::manual_mining(|request| match request.method.as_str() {
        "eth_getTransactionCount" if request.params[1] == "latest" => Action::Return(json!("0xff")),
        _ => Action::Forward,
    })
    .with_timeout(SHORT_TIMEOUT);
    let sent = fixture.send(1).await;
    let error = sent.error();
    assert!(matches!(error, Error::StillPending(_)), "{error}");
    assert_eq!(sent.count("Signed"), 1, "{:?}", sent.events);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_that_lags_is_waited_for() {
    // More looks than any fixed number; the nonce is used from the start.
    let fixture = Fixture::new(|request| match (request.method.as_str(), request.nth) {
        ("eth_getTransactionReceipt", ..60) => Action::Return(json!(null)),
        _ => Action::Forward,
    });
    let sent = fixture.send(1).await;
    sent.mined();
    assert_eq!(sent.count("Signed"), 1, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_of_another_fork_does_not_count() {
    let fixture = Fixture::new(|request| match (request.method.as_str(), request.nth) {
        ("eth_getTransactionReceipt", 1) => Action::Change(|receipt| {
            if receipt.is_object() {
                receipt["blockHash"] = json!(alloy_primitives::B256::repeat_byte(1));
            }
        }),
        _ => Action::Forward,
    });
    fixture.send(1).await.mined();
    assert!(fixture.proxy.counts()["eth_getTransactionReceipt"] > 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_nonce_is_not_used_twice_in_a_run() {
    // The node reports the nonce before the run forever.
    let fixture = Fixture::new(hide_pending_nonces);
    let plans = [fixture.plan(1).await, fixture.plan(2).await];
    let total = Wei(plans[0].max_cost.0 * U256::from(2));
    fixture
        .run(total, &|_| {}, async |run| {
            for plan in &plans {
                run.send(&Transaction::from(plan)).await.unwrap();
                run.finish(&plan.call).unwrap();
            }
        })
        .await;
    assert_eq!(fixture.signed().len(), 2);
    // The next run signs the used nonce once, sees it in a block, and takes the next.
    let sent = fixture.send_at_any_price(3, |_| {}).await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 1, "{:?}", sent.events);
    assert_eq!((fixture.signed().len(), fixture.nonce()), (4, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follow_up_is_planned_on_a_node_that_has_the_block() {
    // The node does not have the block of the transaction at first.
    let fixture = Fixture::new(|request| {
        let is_at_block = request.params[1] != "latest";
        match (request.method.as_str(), request.nth) {
            ("eth_call", ..4) if is_at_block => Action::Fail("header not found"),
            _ => Action::Forward,
        }
    });
    let block = fixture.send(1).await.mined().block;
    let from = fixture.signer.address();
    let plan = fixture.sender.plan_after(call(2), from, block);
    plan.await.unwrap();
    // A revert at the block is final.
    fixture.set_contract(REVERT);
    let error = fixture.sender.plan_after(call(2), from, block);
    let error = error.await.unwrap_err();
    assert!(matches!(error, Error::WouldRevert { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_removed_by_a_reorg_is_sent_again() {
    let fixture = Fixture::new(forward).with_wait_policy(WaitPolicy {
        confirmations: 2,
        ..SHORT_WAIT
    });
    let snapshot = fixture.anvil.request("evm_snapshot", json!([]));
    let reverted = AtomicBool::new(false);
    let sent = fixture
        .send_with(1, |event| match event {
            Event::Mined { .. } if !reverted.swap(true, Ordering::SeqCst) => {
                fixture.anvil.request("evm_revert", json!([snapshot]));
            }
            Event::Mined { .. } => fixture.mine(),
            _ => {}
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("Signed"), 1, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_ahead_does_not_reject_our_transaction() {
    // The nonce is used on one node, but not on the one that is read.
    let fixture =
        Fixture::manual_mining(on_send(Action::Fail("nonce too low"))).with_timeout(SHORT_TIMEOUT);
    let sent = fixture.send(1).await;
    let error = sent.error();
    assert!(matches!(error, Error::StillPending(_)), "{error}");
    assert_eq!(fixture.journal().entries().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_count_after_a_lost_nonce_is_not_used() {
    let is_lost = Arc::new(AtomicBool::new(false));
    let lost = is_lost.clone();
    let fixture = Fixture::new(
        move |request| match (request.method.as_str(), request.nth) {
            ("eth_sendRawTransaction", 1) => Action::Return(Value::Null),
            // Another node answers, which does not have the foreign transaction. It is asked before signing again.
            ("eth_getTransactionCount", _) if lost.load(Ordering::SeqCst) => {
                lost.store(request.params[1] != "pending", Ordering::SeqCst);
                Action::Return(json!("0x0"))
            }
            _ => Action::Forward,
        },
    );
    let sent = fixture
        .send_at_any_price(1, |event| match event {
            Event::Signed { nonce: 0, .. } => {
                fixture.transfer(None, 5 * GWEI);
            }
            Event::NonceLost { .. } => is_lost.store(true, Ordering::SeqCst),
            _ => {}
        })
        .await;
    sent.mined();
    assert_eq!((sent.count("NonceLost"), sent.count("Signed")), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn state_that_the_node_pruned_is_not_an_error() {
    let is_at_block = |value: &Value| value != "latest" && value != "pending";
    for (action, is_error) in [
        (Action::Fail("missing trie node"), false),
        (Action::HttpStatus(401), true),
    ] {
        let fixture = Fixture::manual_mining(move |request| match request.method.as_str() {
            "eth_getTransactionCount" if is_at_block(&request.params[1]) => action.clone(),
            // Another transaction used the nonce.
            "eth_getTransactionCount" if request.params[1] == "latest" => {
                Action::Return(json!("0x1"))
            }
            _ => Action::Forward,
        })
        .with_timeout(SHORT_TIMEOUT);
        let sent = fixture.send(1).await;
        let error = sent.error();
        assert_eq!(matches!(error, Error::Node { .. }), is_error, "{error}");
        assert_eq!(
            matches!(error, Error::StillPending(_)),
            !is_error,
            "{error}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_genesis_hash_is_optional() {
    let fixture = Fixture::new(forward);
    let block = fixture
        .anvil
        .request("eth_getBlockByNumber", json!(["0x0", false]));
    let genesis = fixture.sender.genesis().await.unwrap();
    assert_eq!(json!(genesis), block["hash"]);
    let pruned = Fixture::new(|_| Action::Fail("pruned history unavailable"));
    assert_eq!(pruned.sender.genesis().await.unwrap(), None);
    let broken = Fixture::new(|_| Action::HttpStatus(401));
    broken.sender.genesis().await.unwrap_err();
}

/// Sends a call whose goal is reached when the transaction is included. `on_receipt` handles the requests for receipts.
async fn send_with_goal(
    timeout: Duration,
    on_receipt: impl Fn(&str, usize) -> Action + Send + Sync + 'static,
) -> Result<SendOutcome, Error> {
    let anvil = Anvil::start_with(&["--no-mining"]);
    let url = anvil.url.clone();
    let fixture = Fixture::with_anvil(anvil, move |request| match request.method.as_str() {
        "eth_getTransactionReceipt" => on_receipt(&url, request.nth),
        _ => Action::Forward,
    })
    .with_timeout(timeout);
    fixture.mine_blocks(4);
    let plan = fixture.plan(1).await;
    let target = Address::repeat_byte(0xd0);
    let transaction = Transaction {
        goal: Some(Goal::Code(target)),
        ..Transaction::from(&plan)
    };
    fixture
        .run(plan.max_cost, &|_| {}, async |run| {
            run.submit(&transaction).await?;
            fixture.mine();
            fixture.set_code(&target.to_string(), "0x00");
            run.confirm(&transaction).await
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_shows_the_result_if_the_receipt_is_missing() {
    let mined = |outcome: Result<SendOutcome, Error>| match outcome.unwrap() {
        SendOutcome::Mined(mined) => mined,
        SendOutcome::Superseded => panic!("the transaction is included"),
    };
    // On a chain without new blocks, after some time.
    let outcome = send_with_goal(SHORT_WAIT.timeout, |_, _| Action::Return(Value::Null)).await;
    let without = mined(outcome);
    assert_eq!((without.block, without.fee), (5, None));
    // A receipt that lags is preferred.
    let outcome = send_with_goal(SHORT_WAIT.timeout, |_, nth| match nth {
        ..8 => Action::Return(Value::Null),
        _ => Action::Forward,
    });
    assert!(mined(outcome.await).fee.is_some());
    // After more blocks than a node may lag, before that time.
    assert_eq!(SHORT_WAIT.lag_blocks, 2);
    for (blocks, is_late) in [(2, false), (3, true)] {
        let outcome = send_with_goal(Duration::from_secs(1), move |url, nth| {
            // After the first look.
            if nth == 3 {
                let mine = json!({ "jsonrpc": "2.0", "id": 1, "method": "anvil_mine", "params": [blocks] });
                let _ = atr_loopback::post(url, mine.to_string().as_bytes());
            }
            Action::Return(Value::Null)
        });
        let outcome = outcome.await;
        assert_eq!(outcome.is_ok(), is_late, "{blocks}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_receipt_is_waited_for_if_the_goal_is_not_reached() {
    let fixture = Fixture::new(|request| match request.method.as_str() {
        "eth_getTransactionReceipt" => Action::Return(Value::Null),
        _ => Action::Forward,
    })
    .with_timeout(Duration::from_secs(3));
    let goal = Goal::Code(Address::repeat_byte(0xd0));
    let error = fixture.send_with_goal(1, goal).await.unwrap_err();
    assert!(matches!(error, Error::StillPending(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follow_up_waits_for_its_block_as_long_as_a_node_may_lag() {
    // The node never has the state of the block.
    let fixture = Fixture::new(|request| match request.method.as_str() {
        "eth_call" if request.params[1] != "latest" => Action::Fail("unknown block"),
        _ => Action::Forward,
    })
    .with_timeout(SHORT_TIMEOUT);
    let from = fixture.signer.address();
    let looks = async |block| {
        let is_at_block = |request: &&atr_loopback::RpcRequest| {
            request.method == "eth_call" && request.params[1] != "latest"
        };
        let count = || fixture.proxy.requests().iter().filter(is_at_block).count();
        let before = count();
        let plan = fixture.sender.plan_after(call(2), from, block);
        plan.await.unwrap();
        count() - before
    };
    fixture.mine_blocks(6);
    assert_eq!(SHORT_WAIT.lag_blocks, 2);
    assert_eq!(looks(3).await, 1);
    assert!(looks(4).await > 1);
    let broken = Fixture::new(|request| match request.method.as_str() {
        "eth_call" if request.params[1] != "latest" => Action::HttpStatus(401),
        _ => Action::Forward,
    });
    let plan = broken.sender.plan_after(call(2), from, 0);
    let error = plan.await.unwrap_err();
    assert!(matches!(error, Error::Node { .. }), "{error}");
}
