use std::{sync::Mutex, time::Duration};

use atr_loopback::{Action, RpcRequest};
use atr_rpc::{Error, Event, WaitPolicy};
use serde_json::{Value, json};

use crate::fixture::{
    Fixture, GWEI, SHORT_TIMEOUT, SHORT_WAIT, call, forward, hide_pending_nonces,
    lose_first_transaction, on_send,
};

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
    assert!(error.is_rejection() && !error.is_retryable());
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
        .send_at_any_price(1, |event| match event {
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
async fn a_foreign_transaction_needs_as_many_confirmations_as_ours() {
    let policy = WaitPolicy {
        confirmations: 2,
        timeout: SHORT_TIMEOUT,
        ..SHORT_WAIT
    };
    let fixture = Fixture::new(lose_first_transaction).with_wait_policy(policy);
    let plan = fixture.plan(1).await;
    let sent = fixture
        .send_plan(&plan, plan.max_cost, |event| {
            if let Event::Signed { nonce: 0, .. } = event {
                fixture.transfer(None, 5 * GWEI);
            }
        })
        .await;
    assert!(matches!(sent.error(), Error::StillPending(_)));
    assert_eq!(sent.count("NonceLost"), 0, "{:?}", sent.events);
    fixture.mine();
    let fixture = fixture.with_wait_policy(WaitPolicy {
        timeout: SHORT_WAIT.timeout,
        ..policy
    });
    let sent = fixture
        .send_plan(&plan, plan.max_cost, |event| {
            if let Event::Sent { .. } = event {
                fixture.mine();
            }
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 1, "{:?}", sent.events);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_of_another_account_or_nonce_is_not_taken_for_the_one_that_used_the_nonce() {
    // The block has, before the transaction that used nonce 1, one of another account with nonce 1 and the one with nonce 0.
    let fixture = Fixture::manual_mining(lose_first_transaction);
    fixture.transfer(Some(0), 5 * GWEI);
    let others = atr_loopback::ACCOUNTS[1];
    for nonce in ["0x0", "0x1"] {
        let transfer = json!({ "from": others, "to": others, "nonce": nonce, "gas": "0x5208",
            "maxFeePerGas": format!("{:#x}", 50 * GWEI), "maxPriorityFeePerGas": format!("{:#x}", 50 * GWEI) });
        fixture
            .anvil
            .request("eth_sendTransaction", json!([transfer]));
    }
    let foreign = Mutex::new(Value::Null);
    let sent = fixture
        .send_at_any_price(1, |event| match event {
            Event::Signed { nonce: 1, .. } => {
                *foreign.lock().unwrap() = fixture.transfer(Some(1), 5 * GWEI);
                fixture.mine();
            }
            Event::NonceLost { used_by, .. } => {
                assert_eq!(json!(used_by), *foreign.lock().unwrap());
            }
            Event::Sent { .. } => fixture.mine(),
            _ => {}
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 1, "{:?}", sent.events);
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_the_transaction_that_used_the_nonce_in_any_block() {
    const HEAD: usize = 20;
    for block in [1, 2, 7, 12, 19, 20] {
        // The nonce was used before ours is signed; the node hid it.
        let fixture = Fixture::manual_mining(hide_pending_nonces);
        fixture.mine_blocks(block - 1);
        let foreign = fixture.transfer(None, 5 * GWEI);
        fixture.mine_blocks(HEAD + 1 - block);
        let sent = fixture
            .send_at_any_price(1, |event| match event {
                Event::NonceLost { used_by, .. } => assert_eq!(json!(used_by), foreign),
                Event::Sent { .. } => fixture.mine(),
                _ => {}
            })
            .await;
        sent.mined();
        assert_eq!(sent.count("NonceLost"), 1, "{block}: {:?}", sent.events);
        // It is used while we wait.
        let fixture = Fixture::manual_mining(lose_first_transaction);
        let foreign = Mutex::new(Value::Null);
        let sent = fixture
            .send_at_any_price(1, |event| match event {
                Event::Signed { nonce: 0, .. } => {
                    fixture.mine_blocks(block - 1);
                    *foreign.lock().unwrap() = fixture.transfer(None, 5 * GWEI);
                    fixture.mine_blocks(HEAD + 1 - block);
                }
                Event::NonceLost { used_by, .. } => {
                    assert_eq!(json!(used_by), *foreign.lock().unwrap());
                }
                Event::Sent { .. } => fixture.mine(),
                _ => {}
            })
            .await;
        sent.mined();
        assert_eq!(sent.count("NonceLost"), 1, "{block}: {:?}", sent.events);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_transaction_whose_nonce_is_used_is_signed_again() {
    let fixture = Fixture::new(|request| match (request.method.as_str(), request.nth) {
        ("eth_sendRawTransaction", 1) => Action::Fail("already known"),
        _ => Action::Forward,
    });
    let sent = fixture
        .send_at_any_price(1, |event| {
            if let Event::Signed { nonce: 0, .. } = event {
                fixture.transfer(None, 5 * GWEI);
            }
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("NonceLost"), 1, "{:?}", sent.events);
    assert_eq!(fixture.nonce(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_nonce_leaves_the_maximum_cost_as_it_was() {
    // That the nonce is lost is the node's word: it can still include what was signed.
    let fixture = Fixture::new(lose_first_transaction);
    let plan = fixture.plan(1).await;
    let take_nonce = |event: &Event<'_>| {
        if let Event::Signed { nonce: 0, .. } = event {
            fixture.transfer(None, 5 * GWEI);
        }
    };
    let max_cost = plan.max_cost;
    let sent = fixture.send_plan(&plan, max_cost, take_nonce).await;
    let error = sent.error();
    assert!(
        matches!(error, Error::CostLimit { needed, available, .. } if available < needed),
        "{error}"
    );
    assert_eq!((sent.count("Signed"), sent.count("NonceLost")), (1, 1));
    assert_eq!(fixture.signed().len(), 1);
    // The next run has a maximum of its own.
    fixture.send_plan(&plan, max_cost, |_| {}).await.mined();
    assert_eq!((fixture.signed().len(), fixture.nonce()), (2, 2));
}
