use std::{path::Path, sync::Mutex, time::Duration};

use alloy::signers::local::PrivateKeySigner;
use alloy_primitives::{Address, Bytes, U256};
use atr_loopback::{Action, Anvil, KEYS, RpcProxy, RpcRequest};
use atr_rpc::{
    Call, Endpoints, Error, Event, FeeLimits, Goal, Journal, MinedTransaction, Node, Run,
    SendOutcome, Transaction, TransactionPlan, TransactionSender, WaitPolicy, Wei,
};
use serde_json::{Value, json};

pub(crate) const GWEI: u128 = 1_000_000_000;

/// Code that reverts without data.
pub(crate) const REVERT: &str = "0x5f5ffd";

/// Enough for some polls.
pub(crate) const SHORT_TIMEOUT: Duration = Duration::from_millis(400);

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

/// A result and the names of the events before it.
pub(crate) struct Sent {
    pub(crate) result: Result<MinedTransaction, Error>,
    pub(crate) events: Vec<String>,
}

impl Sent {
    /// The number of events with this name.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.events.iter().filter(|event| *event == name).count()
    }

    #[track_caller]
    pub(crate) fn mined(&self) -> &MinedTransaction {
        let Self { result, events } = self;
        result
            .as_ref()
            .unwrap_or_else(|error| panic!("{error} after {events:?}"))
    }

    #[track_caller]
    pub(crate) fn error(&self) -> &Error {
        let Self { result, events } = self;
        let Err(error) = result else {
            panic!("{result:?} after {events:?}");
        };
        error
    }
}

pub(crate) fn forward(_: &RpcRequest) -> Action {
    Action::Forward
}

/// Accepts the first transaction without forwarding it: it is lost.
pub(crate) fn lose_first_transaction(request: &RpcRequest) -> Action {
    match (request.method.as_str(), request.nth) {
        ("eth_sendRawTransaction", 1) => Action::Return(Value::Null),
        _ => Action::Forward,
    }
}

/// Reports no pending transactions.
pub(crate) fn hide_pending_nonces(request: &RpcRequest) -> Action {
    match request.method.as_str() {
        "eth_getTransactionCount" if request.params[1] == "pending" => Action::Return(json!("0x0")),
        _ => Action::Forward,
    }
}

/// Responds to each transaction with this action.
pub(crate) fn on_send(action: Action) -> impl Fn(&RpcRequest) -> Action + Send + Sync + 'static {
    move |request| match request.method.as_str() {
        "eth_sendRawTransaction" => action.clone(),
        _ => Action::Forward,
    }
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
        let proxy = RpcProxy::start(&anvil.url, rule);
        let sender = TransactionSender::new(node(&proxy.url), 31337).with_wait_policy(SHORT_WAIT);
        let fixture = Self {
            anvil,
            proxy,
            sender,
            folder: tempfile::tempdir().unwrap(),
            signer: signer(0),
        };
        fixture.set_contract("0x00");
        fixture
    }

    pub(crate) fn with_fee_limits(mut self, limits: FeeLimits) -> Self {
        self.sender = self.sender.with_fee_limits(limits);
        self
    }

    pub(crate) fn with_wait_policy(mut self, policy: WaitPolicy) -> Self {
        self.sender = self.sender.with_wait_policy(policy);
        self
    }

    pub(crate) fn with_timeout(self, timeout: Duration) -> Self {
        self.with_wait_policy(WaitPolicy {
            timeout,
            ..SHORT_WAIT
        })
    }

    pub(crate) fn journal(&self) -> Journal {
        open(self.folder.path(), &self.signer)
    }

    pub(crate) async fn plan(&self, data: u8) -> TransactionPlan {
        let plan = self.sender.plan(call(data), self.signer.address());
        plan.await.unwrap()
    }

    /// Plans and sends a call.
    pub(crate) async fn send(&self, data: u8) -> Sent {
        self.send_with(data, |_| {}).await
    }

    /// Plans and sends a call within the maximum cost of its plan.
    pub(crate) async fn send_with(&self, data: u8, on_event: impl Fn(&Event<'_>) + Sync) -> Sent {
        let plan = self.plan(data).await;
        self.send_plan(&plan, plan.max_cost, on_event).await
    }

    /// Plans and sends a call, with enough for fees of a hundred times the plan.
    pub(crate) async fn send_at_any_price(
        &self,
        data: u8,
        on_event: impl Fn(&Event<'_>) + Sync,
    ) -> Sent {
        let plan = self.plan(data).await;
        let max_cost = Wei(plan.max_cost.0 * U256::from(100));
        self.send_plan(&plan, max_cost, on_event).await
    }

    /// Sends a planned call.
    pub(crate) async fn send_plan(
        &self,
        plan: &TransactionPlan,
        max_cost: Wei,
        on_event: impl Fn(&Event<'_>) + Sync,
    ) -> Sent {
        let events = Mutex::new(Vec::new());
        let observer = |event: Event<'_>| {
            on_event(&event);
            let text = format!("{event:?}");
            let name = text.split(' ').next().unwrap().to_owned();
            events.lock().unwrap().push(name);
        };
        let result = self.run(max_cost, &observer, async |run| {
            let sent = run.send(&Transaction::from(plan)).await?;
            run.finish(&plan.call)?;
            Ok(sent)
        });
        let result = result.await;
        Sent {
            result,
            events: events.into_inner().unwrap(),
        }
    }

    /// Sends a planned call with a goal.
    pub(crate) async fn send_with_goal(&self, data: u8, goal: Goal) -> Result<SendOutcome, Error> {
        let plan = self.plan(data).await;
        let transaction = Transaction {
            goal: Some(goal),
            ..Transaction::from(&plan)
        };
        self.run(plan.max_cost, &|_| {}, async |run| {
            run.submit(&transaction).await?;
            run.confirm(&transaction).await
        })
        .await
    }

    /// Starts a run with the journal of the account.
    pub(crate) async fn run<T>(
        &self,
        max_cost: Wei,
        observer: &(dyn Fn(Event<'_>) + Sync),
        body: impl AsyncFnOnce(&mut Run<'_>) -> T,
    ) -> T {
        let mut journal = self.journal();
        let run = self
            .sender
            .start(&self.signer, &mut journal, max_cost, observer);
        body(&mut run.await.unwrap()).await
    }

    pub(crate) fn mine(&self) {
        self.anvil.request("evm_mine", json!([]));
    }

    pub(crate) fn mine_blocks(&self, count: usize) {
        (0..count).for_each(|_| self.mine());
    }

    /// Mines a block that has no space for a transaction. Pending ones stay.
    pub(crate) fn mine_empty_block(&self) {
        let set_gas_limit = |limit| self.anvil.request("evm_setBlockGasLimit", json!([limit]));
        set_gas_limit("0x5207");
        self.mine();
        set_gas_limit("0x1c9c380");
    }

    /// Mines a block whose base fee no transaction of a test covers.
    pub(crate) fn mine_above_all_fees(&self) {
        self.set_next_base_fee(50 * GWEI);
        self.mine();
    }

    pub(crate) fn set_code(&self, address: &str, code: &str) {
        self.anvil.request("anvil_setCode", json!([address, code]));
    }

    /// Sets the code of the contract that is called.
    pub(crate) fn set_contract(&self, code: &str) {
        self.set_code(&CONTRACT.to_string(), code);
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
