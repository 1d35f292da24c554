use std::{path::Path, sync::Mutex, time::Duration};

use alloy::signers::local::PrivateKeySigner;
use alloy_primitives::{B256, Bytes};
use atr_deploy::{
    Error, Event, Executor, FACTORY, FeeLimits, Journal, Node, Outcome, RecordFolder, Suite,
    WaitPolicy,
};
use atr_fetch::{HttpClient, Limits};
use atr_loopback::{ACCOUNT, Anvil, KEY};
use serde_json::json;

use crate::support::proxy::{Action, Proxy};

const GWEI: u128 = 1_000_000_000;

/// Waits in milliseconds where people wait in seconds.
const HASTY: WaitPolicy = WaitPolicy {
    between_questions: Duration::from_millis(40),
    before_a_nudge: Duration::from_millis(80),
    at_most: Duration::from_secs(20),
};

/// One run for the registry alone; what happened is told by name.
struct Attempt<'a> {
    url: &'a str,
    folder: &'a Path,
    caps: FeeLimits,
    patience: WaitPolicy,
}

impl<'a> Attempt<'a> {
    fn new(url: &'a str, folder: &'a Path) -> Self {
        Self {
            url,
            folder,
            caps: FeeLimits::default(),
            patience: HASTY,
        }
    }

    async fn run(
        &self,
        on_event: impl Fn(&Event<'_>) + Sync,
    ) -> (Result<Outcome, Error>, Vec<String>) {
        let signer: PrivateKeySigner = KEY.parse().unwrap();
        let door = HttpClient::try_new(Limits::default()).unwrap();
        let node = Node::new(door, self.url.parse().unwrap());
        let suite = Suite::new(B256::ZERO).only(&["ToolRegistry"]).unwrap();
        let executor = Executor::try_new(node, suite, Some(31337))
            .await
            .unwrap()
            .with_caps(self.caps)
            .with_wait_policy(self.patience);
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

/// A chain that makes a block when it is told to.
fn idle() -> Anvil {
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
async fn a_transaction_the_chain_has_outgrown_is_sent_again_at_a_higher_fee() {
    let anvil = idle();
    let folder = tempfile::tempdir().unwrap();
    let (outcome, events) = Attempt::new(&anvil.url, folder.path())
        .run(|event| match event {
            Event::Sent { .. } => {
                // The offer is for one gwei to double; the chain goes on to fifty.
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
async fn a_cap_stops_the_raising_and_a_higher_cap_goes_on_with_the_same_nonce() {
    let anvil = idle();
    let folder = tempfile::tempdir().unwrap();
    let outgrow = |event: &Event<'_>| {
        if let Event::Sent { .. } = event {
            set_next_base_fee(&anvil, 50 * GWEI);
            mine(&anvil);
        }
    };
    let mut attempt = Attempt::new(&anvil.url, folder.path());
    attempt.caps.max_fee_per_gas = Some(3 * GWEI);
    let (outcome, _) = attempt.run(outgrow).await;
    let error = outcome.unwrap_err();
    assert!(
        matches!(error, Error::FeeAboveCap { cap, .. } if cap == 3 * GWEI),
        "{error:?}"
    );
    assert!(error.is_refusal());

    attempt.caps.max_fee_per_gas = Some(500 * GWEI);
    let (outcome, events) = attempt.run(outgrow).await;
    outcome.unwrap();
    assert_eq!(events[0], "Resumed", "{events:?}");
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_wants_more_gets_more_up_to_the_cap() {
    let anvil = Anvil::start();
    // Says that the first two offers are too low, as a node with a floor of its own does.
    let upstream = anvil.url.clone();
    let proxy = Proxy::start(&upstream, |asked| {
        match (asked.method.as_str(), asked.nth) {
            ("eth_sendRawTransaction", 1 | 2) => Action::Fail("transaction underpriced"),
            _ => Action::Pass,
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
async fn a_nonce_that_went_to_another_transaction_is_replaced_by_a_new_one() {
    let anvil = Anvil::start();
    let folder = tempfile::tempdir().unwrap();
    let upstream = anvil.url.clone();
    // Ours does not get through at first, and the account's owner sends something else meanwhile.
    let proxy = Proxy::start(&upstream, |asked| {
        match (asked.method.as_str(), asked.nth) {
            ("eth_sendRawTransaction", 1) => Action::Say(Some(
                "0x0000000000000000000000000000000000000000000000000000000000000001",
            )),
            _ => Action::Pass,
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
async fn a_transaction_the_node_forgot_is_sent_again_as_it_was() {
    let anvil = Anvil::start();
    let folder = tempfile::tempdir().unwrap();
    let upstream = anvil.url.clone();
    // Taken politely and thrown away.
    let proxy = Proxy::start(&upstream, |asked| {
        match (asked.method.as_str(), asked.nth) {
            ("eth_sendRawTransaction", 1) => Action::Say(Some(
                "0x0000000000000000000000000000000000000000000000000000000000000001",
            )),
            _ => Action::Pass,
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
async fn patience_ends_and_the_next_run_takes_up_the_waiting() {
    let anvil = idle();
    let folder = tempfile::tempdir().unwrap();
    let mut attempt = Attempt::new(&anvil.url, folder.path());
    attempt.patience.at_most = Duration::from_millis(200);
    let (outcome, _) = attempt.run(|_| {}).await;
    let error = outcome.unwrap_err();
    assert!(
        matches!(error, Error::StillPending { nonce: 0, .. }),
        "{error:?}"
    );
    assert!(error.is_retryable() && !error.is_refusal());

    mine(&anvil);
    let (outcome, events) = attempt.run(|_| {}).await;
    // In a block by now: there is nothing to send, and the journal still knows the transaction.
    assert!(outcome.unwrap().contracts[0].transaction.is_some());
    assert!(!events.contains(&"Signed".to_owned()), "{events:?}");
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_somebody_else_overtook_is_not_recorded_as_the_one_that_deployed() {
    let anvil = idle();
    let folder = tempfile::tempdir().unwrap();
    let mut attempt = Attempt::new(&anvil.url, folder.path());
    attempt.patience.at_most = Duration::from_millis(100);
    attempt.run(|_| {}).await.0.unwrap_err();
    // Somebody else pays more for the same deployment and comes first in the block; ours finds the address taken.
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
async fn confirmations_are_blocks_on_top_of_each_other() {
    let anvil = Anvil::start();
    let folder = tempfile::tempdir().unwrap();
    let signer: PrivateKeySigner = KEY.parse().unwrap();
    let door = HttpClient::try_new(Limits::default()).unwrap();
    let node = Node::new(door, anvil.url.parse().unwrap());
    let suite = Suite::new(B256::ZERO).only(&["ToolRegistry"]).unwrap();
    let executor = Executor::try_new(node, suite, None).await.unwrap();
    let executor = executor.with_confirmations(3).with_wait_policy(HASTY);
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
