use std::time::Duration;

use alloy_primitives::U256;
use atr_loopback::Action;
use atr_rpc::{Error, Transaction, Wei};
use serde_json::json;

use crate::fixture::{
    Fixture, GWEI, SHORT_TIMEOUT, call, forward, hide_pending_nonces, on_send, open, signer,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_transaction_stays_within_the_consent() {
    let fixture = Fixture::manual_mining(forward).with_timeout(SHORT_TIMEOUT);
    let plan = fixture.plan(1).await;
    let first = fixture.send_plan(&plan, plan.max_cost, |_| {}).await;
    first.error();
    let signed = fixture.journal().entries()[0].max_cost;
    // Exactly what was signed.
    let sent = fixture.send_plan(&plan, signed, |_| {}).await;
    assert!(matches!(sent.error(), Error::StillPending(_)));
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
    for missing_nonce in [None, Some(0)] {
        let data = if missing_nonce.is_none() { 1 } else { 2 };
        let sent = fixture.send(data).await;
        let Error::StillPending(pending) = sent.error() else {
            panic!("{}", sent.error());
        };
        assert_eq!(pending.missing_nonce, missing_nonce);
    }
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
    let own = open(other.folder.path(), &signer(0));
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

#[tokio::test(flavor = "multi_thread")]
async fn a_nonce_that_another_transaction_has_is_not_a_gap() {
    // Ours is lost, and a wallet sends another one with its nonce.
    let fixture = Fixture::manual_mining(|request| match (request.method.as_str(), request.nth) {
        ("eth_sendRawTransaction", 1) => Action::Return(json!(null)),
        _ => Action::Forward,
    })
    .with_timeout(Duration::ZERO);
    fixture.send(1).await.error();
    fixture.transfer(Some(0), 5 * GWEI);
    let sent = fixture.send(2).await;
    let error = sent.error();
    assert!(matches!(error, Error::StillPending(_)), "{error}");
    assert_eq!(fixture.journal().entries()[1].nonce, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_transactions_of_earlier_runs_are_returned_and_lost_ones_forgotten() {
    let fixture = Fixture::manual_mining(forward).with_timeout(Duration::ZERO);
    for data in [1, 2] {
        fixture.send(data).await.error();
    }
    let settle = async |current: &[u8]| {
        let calls: Vec<_> = current.iter().map(|data| call(*data)).collect();
        let calls: Vec<_> = calls.iter().collect();
        let pending = fixture.run(Wei::default(), &|_| {}, async |run| {
            run.settle(&calls).await
        });
        let pending = pending.await.unwrap().into_iter();
        pending.map(|entry| entry.nonce).collect::<Vec<_>>()
    };
    assert_eq!(settle(&[]).await, [0, 1]);
    assert_eq!(settle(&[2]).await, [0]);
    // The first one is included, and a wallet uses the nonce of the second.
    let first = fixture.signed()[0].clone();
    fixture
        .anvil
        .request("anvil_dropAllTransactions", json!([]));
    fixture
        .anvil
        .request("eth_sendRawTransaction", json!([first]));
    fixture.mine();
    fixture.transfer(Some(1), 5 * GWEI);
    fixture.mine();
    assert_eq!(fixture.nonce(), 2);
    assert!(settle(&[2]).await.is_empty());
    let left = |fixture: &Fixture| -> Vec<u64> {
        let journal = fixture.journal();
        journal.entries().iter().map(|entry| entry.nonce).collect()
    };
    assert_eq!(
        left(&fixture),
        [1],
        "the call of the current command is not settled"
    );
    assert!(settle(&[]).await.is_empty());
    assert!(left(&fixture).is_empty());
}
