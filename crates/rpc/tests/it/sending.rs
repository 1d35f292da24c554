use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use alloy_primitives::U256;
use atr_loopback::{Action, Anvil};
use atr_rpc::{Call, Error, Event, FeeLimits, Goal, SendOutcome, Transaction, WaitPolicy, Wei};
use serde_json::{Value, json};

use crate::fixture::{
    CONTRACT, Fixture, GWEI, REVERT, SHORT_TIMEOUT, SHORT_WAIT, call, forward,
    lose_first_transaction, on_send, signer,
};

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
    assert_eq!(sent.count("NonceOccupied"), 0, "{:?}", sent.events);
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
async fn an_rpc_error_during_a_raise_is_an_error() {
    let fixture = Fixture::manual_mining(|request| match (request.method.as_str(), request.nth) {
        ("eth_feeHistory", 2..) => Action::Fail("unknown block"),
        _ => Action::Forward,
    });
    let sent = fixture
        .send_at_any_price(1, |event| {
            if let Event::Sent { .. } = event {
                fixture.mine_empty_block();
            }
        })
        .await;
    let error = sent.error();
    let is_fees = matches!(error, Error::Node { method, .. } if *method == "eth_feeHistory");
    assert!(is_fees, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_for_lack_of_funds_names_the_balance() {
    let fixture = Fixture::new(on_send(Action::Fail(
        "insufficient funds for gas * price + value",
    )))
    .with_timeout(SHORT_TIMEOUT);
    let sent = fixture.send(1).await;
    let Error::InsufficientFunds { balance, .. } = sent.error() else {
        panic!("{}", sent.error());
    };
    assert_eq!(*balance, Wei(fixture.balance()));
    assert_eq!(fixture.journal().entries(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_transaction_is_looked_for_before_it_is_given_up() {
    // The node accepts it, reports an error, and shows it after some requests.
    let fixture = Fixture::manual_mining(|request| match (request.method.as_str(), request.nth) {
        ("eth_sendRawTransaction", _) => Action::ForwardAndFail("internal error"),
        ("eth_getTransactionByHash", ..4) => Action::Return(Value::Null),
        _ => Action::Forward,
    });
    let sent = fixture
        .send_with(1, |event| {
            if let Event::Sent { .. } = event {
                fixture.mine();
            }
        })
        .await;
    sent.mined();
    assert_eq!(sent.count("Signed"), 1, "{:?}", sent.events);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_value_is_sent_within_the_maximum_cost() {
    // Without a base fee, the value is the only cost that must be covered.
    let anvil = Anvil::start_with(&["--base-fee", "0"]);
    let fixture = Fixture::with_anvil(anvil, forward);
    let value = Wei(U256::from(5));
    let call = Call { value, ..call(1) };
    let plan = fixture.sender.plan(call, fixture.signer.address());
    let plan = plan.await.unwrap();
    assert_eq!(plan.fees.base_fee_per_gas, 0);
    let sent = fixture.send_plan(&plan, Wei(U256::from(4)), |_| {}).await;
    let error = sent.error();
    assert!(matches!(error, Error::CostLimit { .. }), "{error}");
    fixture.send_plan(&plan, value, |_| {}).await.mined();
    let balance = fixture
        .anvil
        .request("eth_getBalance", json!([CONTRACT, "latest"]));
    assert_eq!(balance, "0x5");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_if_the_goal_is_reached() {
    let fixture = Fixture::new(forward);
    let (other, held) = (signer(1).address(), U256::from(10).pow(U256::from(22)));
    for goal in [Goal::Code(CONTRACT), Goal::Balance(other, held)] {
        let outcome = fixture.send_with_goal(1, goal).await.unwrap();
        assert_eq!(outcome, SendOutcome::Superseded, "{goal:?}");
    }
    assert!(fixture.signed().is_empty());
    for (nonce, goal) in [Goal::Code(other), Goal::Balance(other, held + U256::ONE)]
        .into_iter()
        .enumerate()
    {
        let data = u8::try_from(nonce).unwrap();
        let outcome = fixture.send_with_goal(data, goal).await.unwrap();
        assert!(matches!(outcome, SendOutcome::Mined(_)), "{goal:?}");
    }
    assert_eq!(fixture.nonce(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reverted_transaction_whose_goal_another_one_reached_is_superseded() {
    let target = alloy_primitives::Address::repeat_byte(0xd0);
    let goal = Goal::Code(target);
    for is_reached in [true, false] {
        let fixture = Fixture::new(forward);
        let plan = fixture.plan(1).await;
        fixture.anvil.request("evm_setAutomine", json!([false]));
        let transaction = Transaction {
            goal: Some(goal),
            ..Transaction::from(&plan)
        };
        let outcome = fixture
            .run(plan.max_cost, &|_| {}, async |run| {
                run.submit(&transaction).await.unwrap();
                fixture.set_contract(REVERT);
                if is_reached {
                    fixture.set_code(&target.to_string(), "0x00");
                }
                fixture.mine();
                run.confirm(&transaction).await
            })
            .await;
        assert_eq!(matches!(outcome, Ok(SendOutcome::Superseded)), is_reached);
        assert_eq!(matches!(outcome, Err(Error::Reverted { .. })), !is_reached);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_the_maximum_cost_is_reserved() {
    let fixture = Fixture::new(forward);
    let plan = fixture.plan(1).await;
    let error = fixture
        .run(plan.max_cost, &|_| {}, async |run| {
            run.reserve(plan.max_cost);
            run.send(&Transaction::from(&plan)).await.unwrap_err()
        })
        .await;
    assert!(matches!(error, Error::CostLimit { .. }), "{error}");
    assert!(fixture.signed().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_does_not_stop_at_its_own_transactions() {
    // No node shows the first one.
    let fixture = Fixture::manual_mining(lose_first_transaction);
    let plans = [fixture.plan(1).await, fixture.plan(2).await];
    let total = Wei(plans[0].max_cost.0 * U256::from(2));
    fixture
        .run(total, &|_| {}, async |run| {
            for plan in &plans {
                run.submit(&Transaction::from(plan)).await.unwrap();
            }
        })
        .await;
    let journal = fixture.journal();
    let nonces: Vec<_> = journal.entries().iter().map(|entry| entry.nonce).collect();
    assert_eq!(nonces, [0, 1]);
}
