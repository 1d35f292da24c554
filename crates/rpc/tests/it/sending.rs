use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use alloy_primitives::U256;
use atr_loopback::{Action, Anvil, RpcRequest};
use atr_rpc::{Error, Event, FeeLimits, Transaction, WaitPolicy, Wei};
use serde_json::{Value, json};

use crate::fixture::{
    Fixture, GWEI, SHORT_WAIT, call, hide_pending_nonces, lose_first_transaction, on_send, signer,
};

/// Reverts without data.
const REVERT: &str = "0x5f5ffd";

const SHORT_TIMEOUT: Duration = Duration::from_millis(400);

fn forward(_: &RpcRequest) -> Action {
    Action::Forward
}

#[tokio::test(flavor = "multi_thread")]
async fn replaces_a_transaction_below_the_base_fee() {
    let fixture = Fixture::manual_mining(forward);
    let sent = fixture
        .send_at_any_price(1, |event| match event {
            Event::Sent { .. } => {
                fixture.set_next_base_fee(if fixture.signed().len() > 1 { 40 } else { 50 } * GWEI);
                fixture.mine();
            }
            Event::Replaced {
                max_fee_per_gas, ..
            } => assert!(*max_fee_per_gas >= 40 * GWEI),
            _ => {}
        })
        .await;
    sent.mined();
    assert!(sent.count("Replaced") >= 1, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fee_is_raised_only_after_blocks_without_the_transaction() {
    let fixture = Fixture::manual_mining(forward).with_timeout(SHORT_TIMEOUT);
    // No block: no raise, however long it takes.
    let sent = fixture.send_at_any_price(1, |_| {}).await;
    let error = sent.error();
    assert!(matches!(error, Error::StillPending(_)), "{error}");
    assert!(error.is_retryable() && !error.is_rejection());
    assert_eq!(sent.count("Replaced"), 0, "{:?}", sent.events);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_attempt_that_is_included_is_recognized() {
    // Only the first attempt reaches the chain, after it was replaced.
    let fixture = Fixture::manual_mining(|request| match (request.method.as_str(), request.nth) {
        ("eth_sendRawTransaction", 1) => Action::Return(json!(null)),
        ("eth_sendRawTransaction", _) => Action::Fail("already known"),
        // Only the receipt shows the transaction.
        ("eth_getBlockByNumber", _) if request.params[1] == true => Action::Return(json!(null)),
        _ => Action::Forward,
    });
    let sent = fixture
        .send_at_any_price(1, |event| match event {
            Event::Sent { .. } => fixture.mine(),
            Event::Replaced { .. } => {
                let first = fixture.signed()[0].clone();
                fixture
                    .anvil
                    .request("eth_sendRawTransaction", json!([first]));
                fixture.mine();
            }
            _ => {}
        })
        .await;
    let mined = sent.mined();
    assert_eq!((sent.count("Replaced"), sent.count("Signed")), (1, 1));
    assert_eq!(fixture.nonce(), 1);
    let receipt = fixture
        .anvil
        .request("eth_getTransactionReceipt", json!([mined.transaction]));
    assert_eq!(receipt["status"], "0x1");
}

#[tokio::test(flavor = "multi_thread")]
async fn raises_the_fee_until_the_node_accepts_it() {
    // Rejects the first two attempts, like a node with a minimum fee.
    let fixture = Fixture::new(|request| match (request.method.as_str(), request.nth) {
        ("eth_sendRawTransaction", 1 | 2) => Action::Fail("transaction underpriced"),
        _ => Action::Forward,
    });
    let sent = fixture.send(1).await;
    sent.mined();
    assert_eq!(sent.count("Replaced"), 2, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fee_limit_stops_the_raises_and_the_next_run_continues() {
    let fixture = Fixture::manual_mining(forward)
        .with_timeout(Duration::from_secs(2))
        .with_fee_limits(FeeLimits {
            max_fee_per_gas: Some(3 * GWEI),
            max_priority_fee_per_gas: None,
        });
    let raise_base_fee = |fixture: &Fixture, event: &Event<'_>| {
        if let Event::Sent { .. } = event {
            fixture.mine_above_all_fees();
        }
    };
    let sent = fixture
        .send_at_any_price(1, |event| raise_base_fee(&fixture, event))
        .await;
    let Error::StillPending(pending) = sent.error() else {
        panic!("{:?}", sent.events);
    };
    assert!(matches!(pending.fee_limit, Some(Error::FeeLimit(_))));
    assert_eq!(sent.count("FeeLimited"), 1, "{:?}", sent.events);

    let fixture = fixture
        .with_fee_limits(FeeLimits::default())
        .with_timeout(SHORT_WAIT.timeout);
    let sent = fixture
        .send_at_any_price(1, |event| raise_base_fee(&fixture, event))
        .await;
    sent.mined();
    assert_eq!(sent.events[0], "Resumed", "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pending_transaction_of_the_user_is_not_replaced() {
    // The node does not report the transaction of the user's wallet.
    let fixture = Fixture::manual_mining(|request| match request.method.as_str() {
        "eth_getTransactionCount" => Action::Return(json!("0x0")),
        _ => Action::Forward,
    })
    .with_timeout(SHORT_TIMEOUT);
    let foreign = fixture.transfer(Some(0), 50 * GWEI);
    let sent = fixture.send(1).await;
    let error = sent.error();
    assert!(
        matches!(error, Error::NonceOccupied { nonce: 0, .. }),
        "{error}"
    );
    assert!(error.is_rejection());
    assert_eq!(sent.count("Replaced"), 0, "{:?}", sent.events);
    assert_eq!(fixture.signed().len(), 1);
    fixture.mine();
    assert_eq!(fixture.anvil.receipt(&foreign)["status"], "0x1");
}

/// Sends a call while a wallet sends a transaction with its nonce, in this run or before the next one. A block includes neither of
/// them, so the fee would be raised. Then the transaction of the wallet is included, and the call is sent with the next nonce.
async fn assert_wallet_is_not_outbid(
    rule: fn(&RpcRequest) -> Action,
    wallet_fee_percent: u128,
    in_next_run: bool,
) {
    let fixture = Fixture::manual_mining(rule).with_timeout(Duration::from_secs(1));
    let first_fee = fixture.plan(1).await.fees.max_fee_per_gas;
    let wallet_fee = first_fee * wallet_fee_percent / 100;
    let wallet = Mutex::new(None);
    let replace = || {
        let mut wallet = wallet.lock().unwrap();
        let hash = wallet.get_or_insert_with(|| {
            if wallet_fee < first_fee {
                fixture
                    .anvil
                    .request("anvil_dropAllTransactions", json!([]));
            }
            let hash = fixture.transfer(Some(0), wallet_fee);
            fixture.mine_empty_block();
            hash
        });
        hash.clone()
    };
    let on_event = |event: &Event<'_>| {
        if let (Event::Sent { .. }, false) = (event, in_next_run) {
            replace();
        }
    };
    let mut sent = fixture.send_at_any_price(1, on_event).await;
    if in_next_run {
        sent.error();
        replace();
        sent = fixture.send_at_any_price(1, on_event).await;
    }
    assert!(matches!(sent.error(), Error::StillPending(_)));
    assert_eq!(sent.count("NonceOccupied"), 1, "{:?}", sent.events);
    let wallet = replace();
    fixture.mine();
    assert_eq!(fixture.anvil.receipt(&wallet)["status"], "0x1");
    let sent = fixture
        .send_at_any_price(1, |event| {
            if let Event::Sent { .. } = event {
                fixture.mine();
            }
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 1, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_a_wallet_replaced_does_not_outbid_the_wallet() {
    // More than the first attempt, less than its replacement.
    for in_next_run in [false, true] {
        assert_wallet_is_not_outbid(forward, 110, in_next_run).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_hides_pending_transactions_shows_the_wallet_by_its_rejection() {
    assert_wallet_is_not_outbid(hide_pending_nonces, 110, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_transaction_is_not_sent_again_if_a_wallet_took_its_nonce() {
    // Ours has the higher fee, so it would replace the one of the wallet.
    for in_next_run in [false, true] {
        assert_wallet_is_not_outbid(forward, 80, in_next_run).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_transaction_stays_within_the_consent() {
    let fixture = Fixture::manual_mining(forward).with_timeout(SHORT_TIMEOUT);
    let plan = fixture.plan(1).await;
    let first = fixture.send_plan(&plan, plan.max_cost, |_| {}).await;
    first.error();
    let signed = fixture.journal().entries()[0].max_cost;
    let requests = fixture.signed().len();
    // The earlier run may spend more than the user allows now.
    let low = Wei(signed.0 - U256::ONE);
    let sent = fixture.send_plan(&plan, low, |_| {}).await;
    let Error::CostLimit {
        needed, available, ..
    } = sent.error()
    else {
        panic!("{:?}", sent.error());
    };
    assert_eq!((*needed, *available), (signed, low));
    assert_eq!((sent.events.len(), fixture.signed().len()), (0, requests));
    // It is included anyway, and the result is reported.
    fixture.mine();
    fixture.send_plan(&plan, low, |_| {}).await.mined();
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn already_known_is_an_error_unless_the_transaction_is_ours() {
    let fixture = Fixture::new(on_send(Action::Fail("already known"))).with_timeout(SHORT_TIMEOUT);
    let sent = fixture.send(1).await;
    let error = sent.error();
    assert!(matches!(error, Error::NonceOccupied { .. }), "{error}");
    // The response to the first request was lost.
    let fixture = Fixture::new(on_send(Action::ForwardAndFail("already known")));
    fixture.send(1).await.mined();
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn signs_again_only_after_the_foreign_transaction_is_seen_in_a_block() {
    // Our first transaction is lost, and another one uses the nonce.
    let fixture = Fixture::new(lose_first_transaction);
    let foreign = Mutex::new(json!(null));
    let sent = fixture
        .send_with(1, |event| match event {
            Event::Signed { nonce: 0, .. } => {
                *foreign.lock().unwrap() = fixture.transfer(None, 5 * GWEI);
            }
            Event::NonceLost { used_by, .. } => {
                assert_eq!(json!(used_by), *foreign.lock().unwrap());
            }
            _ => {}
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 1, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 2);
}

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
    let sent = fixture.send(3).await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 1, "{:?}", sent.events);
    assert_eq!((fixture.signed().len(), fixture.nonce()), (4, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_call_from_a_wallet_is_not_repeated() {
    let fixture = Fixture::new(lose_first_transaction);
    let sent = fixture
        .send_with(1, |event| {
            if let Event::Signed { .. } = event {
                let (from, call) = (fixture.signer.address(), call(1));
                let call = json!({ "from": from, "to": call.to, "data": call.data });
                fixture.anvil.request("eth_sendTransaction", json!([call]));
            }
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 0, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn rebroadcasts_a_transaction_that_the_node_dropped() {
    let fixture = Fixture::new(lose_first_transaction);
    let sent = fixture.send(1).await;
    sent.mined();
    assert_eq!((sent.count("Signed"), sent.count("Sent")), (1, 2));
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_if_the_account_can_have_only_one_pending_transaction() {
    static ACCEPTED: AtomicU64 = AtomicU64::new(0);
    let anvil = Anvil::start_with(&["--no-mining"]);
    let url = anvil.url.clone();
    // Rejects a transaction while another one is pending.
    let fixture = Fixture::with_anvil(anvil, move |request| {
        if request.method != "eth_sendRawTransaction" {
            return Action::Forward;
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "txpool_status", "params": [] });
        let status = atr_loopback::post(&url, body.to_string().as_bytes());
        let status: Value = serde_json::from_slice(&status).unwrap();
        if status["result"]["pending"] == "0x0" {
            ACCEPTED.fetch_add(1, Ordering::SeqCst);
            Action::Forward
        } else {
            Action::Fail("in-flight transaction limit reached for delegated accounts")
        }
    })
    .with_wait_policy(WaitPolicy {
        rebroadcast_interval: Duration::from_secs(600),
        raise_blocks: 100,
        ..SHORT_WAIT
    });
    let plans = [fixture.plan(1).await, fixture.plan(2).await];
    let total = Wei(plans[0].max_cost.0 * U256::from(2));
    let first_is_mined = AtomicBool::new(false);
    let observer = |event: Event<'_>| {
        if let Event::Sent { .. } = event
            && first_is_mined.load(Ordering::SeqCst)
        {
            fixture.mine();
        }
    };
    let tasks = plans.each_ref().map(Transaction::from);
    fixture
        .run(total, &observer, async |run| {
            for task in &tasks {
                run.submit(task).await.unwrap();
            }
            assert_eq!(ACCEPTED.load(Ordering::SeqCst), 1);
            fixture.mine();
            first_is_mined.store(true, Ordering::SeqCst);
            for task in &tasks {
                run.confirm(task).await.unwrap();
            }
        })
        .await;
    assert_eq!(ACCEPTED.load(Ordering::SeqCst), 2);
    assert_eq!(fixture.nonce(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_run_continues_after_a_timeout() {
    let fixture = Fixture::manual_mining(forward).with_timeout(SHORT_TIMEOUT);
    let plan = fixture.plan(1).await;
    let sent = fixture.send_plan(&plan, plan.max_cost, |_| {}).await;
    let error = sent.error();
    assert!(matches!(error, Error::StillPending(_)), "{error}");
    fixture.mine();
    let sent = fixture.send_plan(&plan, plan.max_cost, |_| {}).await;
    sent.mined();
    assert_eq!(sent.count("Signed"), 0, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_call_does_not_take_the_nonce_of_a_pending_transaction() {
    // The node forgets pending transactions: only the journal knows the nonce.
    let fixture = Fixture::manual_mining(hide_pending_nonces).with_timeout(SHORT_TIMEOUT);
    fixture.send(1).await.error();
    fixture.send(2).await.error();
    let journal = fixture.journal();
    let nonces: Vec<_> = journal.entries().iter().map(|entry| entry.nonce).collect();
    assert_eq!(nonces, [0, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_another_account_are_not_touched() {
    let fixture = Fixture::manual_mining(forward).with_timeout(SHORT_TIMEOUT);
    fixture.send(1).await.error();
    let entries = fixture.journal().entries().to_vec();
    let other = Fixture {
        signer: signer(1),
        ..fixture
    };
    other.send(1).await.error();
    let own = crate::fixture::open(other.folder.path(), &signer(0));
    assert_eq!(own.entries(), entries);
    assert_eq!(other.journal().entries().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn finished_transactions_of_earlier_runs_are_forgotten_unless_they_must_not_be_repeated() {
    let fixture = Fixture::new(forward);
    let plans = [fixture.plan(1).await, fixture.plan(2).await];
    let total = Wei(plans[0].max_cost.0 * U256::from(2));
    fixture
        .run(total, &|_| {}, async |run| {
            for (plan, once) in plans.iter().zip([true, false]) {
                let transaction = Transaction {
                    once,
                    ..Transaction::from(plan)
                };
                run.send(&transaction).await.unwrap();
            }
            assert_eq!(run.settle(&[]).await.unwrap(), []);
            assert!(run.entry(&call(1)).is_some() && run.entry(&call(2)).is_none());
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_included_transaction_is_not_reported_as_rejected() {
    for message in [
        "nonce too low",
        "already known",
        "internal error",
        "insufficient funds for gas * price + value",
    ] {
        let fixture = Fixture::new(on_send(Action::ForwardAndFail(message)));
        fixture.send(1).await.mined();
        assert_eq!(fixture.nonce(), 1, "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_transaction_is_reported_with_the_message_and_forgotten() {
    let message = "transaction type not supported \u{1b}[31m";
    let fixture = Fixture::new(on_send(Action::Fail(message))).with_timeout(SHORT_TIMEOUT);
    let sent = fixture.send(1).await;
    let error = sent.error();
    assert!(matches!(error, Error::Rejected { .. }), "{error}");
    assert!(!error.to_string().contains('\u{1b}'), "{error}");
    assert_eq!(fixture.journal().entries(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reverted_transaction_is_an_error_with_its_fee() {
    let fixture = Fixture::manual_mining(forward);
    let before = fixture.balance();
    let sent = fixture
        .send_with(1, |event| match event {
            // The contract changes after the simulation.
            Event::Signed { .. } => fixture.set_contract(REVERT),
            Event::Sent { .. } => fixture.mine(),
            _ => {}
        })
        .await;
    let Error::Reverted { fee, .. } = sent.error() else {
        panic!("the transaction reverts");
    };
    assert_eq!(*fee, Wei(before - fixture.balance()));
    assert_eq!(fixture.journal().entries(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_for_confirmations() {
    let fixture = Fixture::new(forward).with_wait_policy(WaitPolicy {
        confirmations: 3,
        ..SHORT_WAIT
    });
    let seen = Mutex::new(Vec::new());
    let sent = fixture
        .send_with(1, |event| {
            if let Event::Mined { confirmations, .. } = event {
                seen.lock().unwrap().push(*confirmations);
                fixture.mine();
            }
        })
        .await;
    sent.mined();
    assert_eq!(seen.into_inner().unwrap(), [1, 2, 3]);
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
async fn a_transaction_of_an_earlier_run_that_no_node_has_is_reported() {
    for is_lost in [true, false] {
        let action = if is_lost {
            Action::Return(json!(null))
        } else {
            Action::Forward
        };
        let fixture =
            Fixture::manual_mining(on_send(action)).with_timeout(Duration::from_millis(100));
        fixture.send(1).await.error();
        // A later call would wait for the nonce.
        let sent = fixture.send(2).await;
        let error = sent.error();
        let is_reported = matches!(error, Error::EarlierTransaction { nonce: 0, .. });
        assert_eq!(is_reported, is_lost, "{error}");
        assert_eq!(fixture.journal().entry(call(2).id()).is_some(), !is_lost);
        // The command of the earlier run continues.
        let sent = fixture.send(1).await;
        assert!(matches!(sent.error(), Error::StillPending(_)));
        assert_eq!(sent.events[0], "Resumed");
    }
}
