use std::{path::Path, sync::Mutex, time::Duration};

use alloy::signers::local::PrivateKeySigner;
use alloy_primitives::{Address, Bytes, U256};
use atr_loopback::{Action, Anvil, KEYS, RpcProxy, RpcRequest};
use atr_rpc::{
    Call, Endpoints, Error, Event, FeeLimits, Journal, MinedTransaction, Node, Transaction,
    TransactionPlan, TransactionSender, WaitPolicy, Wei,
};
use serde_json::{Value, json};

pub(crate) const GWEI: u128 = 1_000_000_000;

/// Waits of a test. Blocks are mined on request.
pub(crate) const SHORT_WAIT: WaitPolicy = WaitPolicy {
    confirmations: 1,
    raise_blocks: 1,
    lag_blocks: 2,
    max_poll_interval: Duration::from_millis(40),
    rebroadcast_interval: Duration::from_millis(80),
    timeout: Duration::from_secs(20),
};

pub(crate) fn node(url: &str) -> Node {
    Node::try_new(Endpoints {
        urls: vec![url.parse().unwrap()],
        send_url: None,
        headers: Vec::new(),
        timeout: Duration::from_secs(10),
    })
    .unwrap()
}

pub(crate) fn signer(index: usize) -> PrivateKeySigner {
    KEYS[index].parse().unwrap()
}

/// A chain, a sender through a proxy, and a folder with the journal.
pub(crate) struct Fixture {
    pub(crate) anvil: Anvil,
    pub(crate) proxy: RpcProxy,
    pub(crate) sender: TransactionSender,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) signer: PrivateKeySigner,
}

/// A contract that returns nothing and keeps no state: `STOP`.
pub(crate) const CONTRACT: Address = Address::repeat_byte(0xc0);

impl Fixture {
    pub(crate) fn new(rule: impl Fn(&RpcRequest) -> Action + Send + Sync + 'static) -> Self {
        Self::with_anvil(Anvil::start(), rule)
    }

    /// A chain that mines blocks only on request.
    pub(crate) fn manual_mining(
        rule: impl Fn(&RpcRequest) -> Action + Send + Sync + 'static,
    ) -> Self {
        Self::with_anvil(Anvil::start_with(&["--no-mining"]), rule)
    }

    pub(crate) fn with_anvil(
        anvil: Anvil,
        rule: impl Fn(&RpcRequest) -> Action + Send + Sync + 'static,
    ) -> Self {
        anvil.request("anvil_setCode", json!([CONTRACT, "0x00"]));
        let proxy = RpcProxy::start(&anvil.url, rule);
        let sender = TransactionSender::new(node(&proxy.url), 31337).with_wait_policy(SHORT_WAIT);
        Self {
            anvil,
            proxy,
            sender,
            folder: tempfile::tempdir().unwrap(),
            signer: signer(0),
        }
    }

    pub(crate) fn with_fee_limits(mut self, limits: FeeLimits) -> Self {
        self.sender = self.sender.with_fee_limits(limits);
        self
    }

    pub(crate) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.sender = self.sender.with_wait_policy(WaitPolicy {
            timeout,
            ..SHORT_WAIT
        });
        self
    }

    pub(crate) fn journal(&self) -> Journal {
        open(self.folder.path(), &self.signer)
    }

    pub(crate) async fn plan(&self, data: u8) -> TransactionPlan {
        let plan = self.sender.plan(call(data), self.signer.address());
        plan.await.unwrap()
    }

    /// Sends a call with the maximum cost of its plan.
    pub(crate) async fn send(&self, data: u8) -> (Result<MinedTransaction, Error>, Vec<String>) {
        let plan = self.plan(data).await;
        self.send_plan(&plan, plan.max_cost, |_| {}).await
    }

    /// Sends a planned call; returns the names of the events too.
    pub(crate) async fn send_plan(
        &self,
        plan: &TransactionPlan,
        max_cost: Wei,
        on_event: impl Fn(&Event<'_>) + Sync,
    ) -> (Result<MinedTransaction, Error>, Vec<String>) {
        let names = Mutex::new(Vec::new());
        let observer = |event: Event<'_>| {
            on_event(&event);
            let name = format!("{event:?}");
            let name = name.split(' ').next().unwrap().to_owned();
            names.lock().unwrap().push(name);
        };
        let mut journal = self.journal();
        let mut run = self
            .sender
            .start(&self.signer, &mut journal, max_cost, &observer)
            .await
            .unwrap();
        let sent = run.send(&Transaction::from(plan)).await;
        if sent.is_ok() {
            run.finish(&plan.call).unwrap();
        }
        (sent, names.into_inner().unwrap())
    }

    pub(crate) fn mine(&self) {
        self.anvil.request("evm_mine", json!([]));
    }

    pub(crate) fn set_next_base_fee(&self, wei: u128) {
        let params = json!([format!("{wei:#x}")]);
        self.anvil
            .request("anvil_setNextBlockBaseFeePerGas", params);
    }

    pub(crate) fn nonce(&self) -> u64 {
        self.anvil.nonce(&self.signer.address().to_string())
    }

    pub(crate) fn balance(&self) -> U256 {
        let params = json!([self.signer.address(), "latest"]);
        let balance = self.anvil.request("eth_getBalance", params);
        balance.as_str().unwrap().parse().unwrap()
    }

    /// The signed transactions that reached the proxy.
    pub(crate) fn signed(&self) -> Vec<Value> {
        let requests = self.proxy.requests().into_iter();
        let sent = requests.filter(|request| request.method == "eth_sendRawTransaction");
        sent.map(|request| request.params[0].clone()).collect()
    }

    /// Sends a transfer that the sender under test did not sign.
    pub(crate) fn transfer(&self, nonce: Option<u64>, price: u128) -> Value {
        let account = self.signer.address();
        let mut transfer =
            json!({ "from": account, "to": account, "value": "0x1", "gas": "0x5208" });
        transfer["maxFeePerGas"] = json!(format!("{price:#x}"));
        transfer["maxPriorityFeePerGas"] = json!("0x1");
        if let Some(nonce) = nonce {
            transfer["nonce"] = json!(format!("{nonce:#x}"));
        }
        self.anvil.request("eth_sendTransaction", json!([transfer]))
    }
}

pub(crate) fn open(folder: &Path, signer: &PrivateKeySigner) -> Journal {
    Journal::open(folder, 31337, signer.address(), None).unwrap()
}

pub(crate) fn call(data: u8) -> Call {
    Call {
        to: CONTRACT,
        value: Wei::default(),
        data: Bytes::from(vec![data; 4]),
        description: format!("call {data}"),
    }
}
