use std::{path::Path, sync::Mutex, time::Duration};

use alloy::signers::local::PrivateKeySigner;
use alloy_primitives::{B256, Bytes};
use atr_deploy::{
    Deployment, Error, Event, Executor, FACTORY, FeeLimits, Journal, Node, RecordFolder, Suite,
    WaitPolicy,
};
use atr_fetch::{HttpClient, Limits};
use atr_loopback::{ACCOUNT, Anvil, KEY};
use serde_json::json;

use crate::support::proxy::{Action, Proxy};

const GWEI: u128 = 1_000_000_000;

const SHORT_INTERVALS: WaitPolicy = WaitPolicy {
    max_poll_interval: Duration::from_millis(40),
    rebroadcast_interval: Duration::from_millis(80),
    timeout: Duration::from_secs(20),
};

/// A deployment of only the registry.
struct Attempt<'a> {
    url: &'a str,
    folder: &'a Path,
    fee_limits: FeeLimits,
    wait_policy: WaitPolicy,
}

impl<'a> Attempt<'a> {
    fn new(url: &'a str, folder: &'a Path) -> Self {
        Self {
            url,
            folder,
            fee_limits: FeeLimits::default(),
            wait_policy: SHORT_INTERVALS,
        }
    }

    /// Returns the result and the names of the events.
    async fn run(
        &self,
        on_event: impl Fn(&Event<'_>) + Sync,
    ) -> (Result<Deployment, Error>, Vec<String>) {
        let signer: PrivateKeySigner = KEY.parse().unwrap();
        let client = HttpClient::try_new(Limits::default()).unwrap();
        let node = Node::new(client, self.url.parse().unwrap());
        let suite = Suite::new(B256::ZERO).only(&["ToolRegistry"]).unwrap();
        let executor = Executor::try_new(node, suite, Some(31337))
            .await
            .unwrap()
            .with_fee_limits(self.fee_limits)
            .with_wait_policy(self.wait_policy);
        let mut journal = Journal::open(self.folder, 31337).unwrap();
        let records = RecordFolder::new(self.folder.to_owned());
        let plan = executor
            .plan(Some(signer.address()), Some(&journal))
            .await
            .unwrap();
        let names = Mutex::new(Vec::new());
        let observer = |event: Event<'_>| {
            on_event(&event);
            let name = format!("{event:?}");
            names
                .lock()
                .unwrap()
                .push(name.split(' ').next().unwrap().to_owned());
        };
        let outcome = executor
            .run(&plan, Some(&signer), &mut journal, &records, &observer)
            .await;
        (outcome, names.into_inner().unwrap())
    }
}

/// A chain that mines blocks only on request.
fn manual_mining() -> Anvil {
    Anvil::start_with(&["--no-mining"])
}

fn set_next_base_fee(anvil: &Anvil, wei: u128) {
    anvil.request(
        "anvil_setNextBlockBaseFeePerGas",
        json!([format!("{wei:#x}")]),
    );
}

fn mine(anvil: &Anvil) {
    anvil.request("evm_mine", json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn replaces_a_transaction_below_the_base_fee() {
    let anvil = manual_mining();
    let folder = tempfile::tempdir().unwrap();
    let (outcome, events) = Attempt::new(&anvil.url, folder.path())
        .run(|event| match event {
            Event::Sent { .. } => {
                // The max fee covers a base fee of 2 gwei; the next block has 50.
                set_next_base_fee(&anvil, 50 * GWEI);
                mine(&anvil);
            }
            Event::Replaced {
                max_fee_per_gas, ..
            } => assert!(*max_fee_per_gas >= 40 * GWEI),
            _ => {}
        })
        .await;
    let deployed = &outcome.unwrap().contracts[0];
    assert!(events.contains(&"Replaced".to_owned()), "{events:?}");
    assert!(deployed.transaction.is_some());
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_higher_fee_limit_continues_with_the_same_nonce() {
    let anvil = manual_mining();
    let folder = tempfile::tempdir().unwrap();
    let raise_base_fee = |event: &Event<'_>| {
        if let Event::Sent { .. } = event {
            set_next_base_fee(&anvil, 50 * GWEI);
            mine(&anvil);
        }
    };
    let mut attempt = Attempt::new(&anvil.url, folder.path());
    attempt.fee_limits.max_fee_per_gas = Some(3 * GWEI);
    let (outcome, _) = attempt.run(raise_base_fee).await;
    let error = outcome.unwrap_err();
    assert!(
        matches!(&error, Error::FeeLimit { exceeded, .. } if exceeded.limit == 3 * GWEI),
        "{error:?}"
    );
    assert!(error.is_rejection());

    attempt.fee_limits.max_fee_per_gas = Some(500 * GWEI);
    let (outcome, events) = attempt.run(raise_base_fee).await;
    outcome.unwrap();
    assert_eq!(events[0], "Resumed", "{events:?}");
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn raises_the_fee_until_the_node_accepts_it() {
    let anvil = Anvil::start();
    // Rejects the first two attempts, like a node with a minimum fee.
    let upstream = anvil.url.clone();
    let proxy = Proxy::start(&upstream, |request| {
        match (request.method.as_str(), request.nth) {
            ("eth_sendRawTransaction", 1 | 2) => Action::Fail("transaction underpriced"),
            _ => Action::Forward,
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let (outcome, events) = Attempt::new(&proxy.url, folder.path()).run(|_| {}).await;
    outcome.unwrap();
    let raised = events.iter().filter(|name| *name == "Replaced").count();
    assert_eq!(raised, 2, "{events:?}");
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn signs_again_if_another_transaction_used_the_nonce() {
    let anvil = Anvil::start();
    let folder = tempfile::tempdir().unwrap();
    let upstream = anvil.url.clone();
    // Our first transaction is lost, and the account sends another one.
    let proxy = Proxy::start(&upstream, |request| {
        match (request.method.as_str(), request.nth) {
            ("eth_sendRawTransaction", 1) => Action::Return(Some(
                "0x0000000000000000000000000000000000000000000000000000000000000001",
            )),
            _ => Action::Forward,
        }
    });
    let (outcome, events) = Attempt::new(&proxy.url, folder.path())
        .run(|event| {
            if let Event::Signed { nonce: 0, .. } = event {
                let transfer = json!({ "from": ACCOUNT, "to": ACCOUNT, "value": "0x1" });
                anvil.request("eth_sendTransaction", json!([transfer]));
            }
        })
        .await;
    assert!(outcome.unwrap().contracts[0].transaction.is_some());
    assert!(events.contains(&"NonceLost".to_owned()), "{events:?}");
    assert_eq!(anvil.nonce(ACCOUNT), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn rebroadcasts_a_transaction_that_the_node_dropped() {
    let anvil = Anvil::start();
    let folder = tempfile::tempdir().unwrap();
    let upstream = anvil.url.clone();
    // Accepted and dropped.
    let proxy = Proxy::start(&upstream, |request| {
        match (request.method.as_str(), request.nth) {
            ("eth_sendRawTransaction", 1) => Action::Return(Some(
                "0x0000000000000000000000000000000000000000000000000000000000000001",
            )),
            _ => Action::Forward,
        }
    });
    let (outcome, events) = Attempt::new(&proxy.url, folder.path()).run(|_| {}).await;
    outcome.unwrap();
    assert_eq!(events.iter().filter(|name| *name == "Signed").count(), 1);
    assert_eq!(
        events.iter().filter(|name| *name == "Sent").count(),
        2,
        "{events:?}"
    );
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_run_continues_after_a_timeout() {
    let anvil = manual_mining();
    let folder = tempfile::tempdir().unwrap();
    let mut attempt = Attempt::new(&anvil.url, folder.path());
    attempt.wait_policy.timeout = Duration::from_millis(200);
    let (outcome, _) = attempt.run(|_| {}).await;
    let error = outcome.unwrap_err();
    assert!(
        matches!(error, Error::StillPending { nonce: 0, .. }),
        "{error:?}"
    );
    assert!(error.is_retryable() && !error.is_rejection());

    mine(&anvil);
    let (outcome, events) = attempt.run(|_| {}).await;
    // The transaction is included, and the journal still has it.
    assert!(outcome.unwrap().contracts[0].transaction.is_some());
    assert!(!events.contains(&"Signed".to_owned()), "{events:?}");
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn does_not_record_a_transaction_that_another_account_preceded() {
    let anvil = manual_mining();
    let folder = tempfile::tempdir().unwrap();
    let mut attempt = Attempt::new(&anvil.url, folder.path());
    attempt.wait_policy.timeout = Duration::from_millis(100);
    attempt.run(|_| {}).await.0.unwrap_err();
    // Another account pays a higher fee for the same deployment and is included first.
    let suite = Suite::new(B256::ZERO).only(&["ToolRegistry"]).unwrap();
    let data = [B256::ZERO.as_slice(), suite.targets()[0].init_code()].concat();
    let other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    let request = json!({
        "from": other,
        "to": FACTORY,
        "data": Bytes::from(data),
        "gas": "0x1e8480",
        "maxFeePerGas": "0x174876e800",
        "maxPriorityFeePerGas": "0x174876e800",
    });
    anvil.request("eth_sendTransaction", json!([request]));
    mine(&anvil);
    assert_eq!((anvil.nonce(ACCOUNT), anvil.nonce(other)), (1, 1));

    let (outcome, _) = attempt.run(|_| {}).await;
    let deployed = &outcome.unwrap().contracts[0];
    assert_eq!(deployed.transaction, None);
    let record = RecordFolder::new(folder.path().to_owned())
        .read(31337)
        .unwrap();
    assert_eq!(record.contracts[&suite.registry()].transaction, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_for_confirmations() {
    let anvil = Anvil::start();
    let folder = tempfile::tempdir().unwrap();
    let signer: PrivateKeySigner = KEY.parse().unwrap();
    let client = HttpClient::try_new(Limits::default()).unwrap();
    let node = Node::new(client, anvil.url.parse().unwrap());
    let suite = Suite::new(B256::ZERO).only(&["ToolRegistry"]).unwrap();
    let executor = Executor::try_new(node, suite, None).await.unwrap();
    let executor = executor
        .with_confirmations(3)
        .with_wait_policy(SHORT_INTERVALS);
    let mut journal = Journal::open(folder.path(), 31337).unwrap();
    let records = RecordFolder::new(folder.path().to_owned());
    let plan = executor.plan(Some(signer.address()), None).await.unwrap();
    let seen = Mutex::new(Vec::new());
    let observer = |event: Event<'_>| {
        if let Event::Mined { confirmations, .. } = event {
            seen.lock().unwrap().push(confirmations);
            mine(&anvil);
        }
    };
    let outcome = executor
        .run(&plan, Some(&signer), &mut journal, &records, &observer)
        .await;
    outcome.unwrap();
    assert_eq!(seen.into_inner().unwrap(), [1, 2, 3]);
}
