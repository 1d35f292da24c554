//! A node with a registry.

use std::{fs, path::Path, time::Duration};

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, sol};
use atr_bindings::{IToolRegistry, TOOL_REGISTRY};
use atr_loopback::{ACCOUNTS, Anvil};
use atr_rpc::{Endpoints, Node};
use serde_json::{Value, json};

sol! {
    function setGranted(bool newGranted) external;
}

pub(crate) struct Chain {
    pub(crate) anvil: Anvil,
    pub(crate) registry: Address,
}

pub(crate) fn account(index: usize) -> Address {
    ACCOUNTS[index].parse().unwrap()
}

impl Chain {
    pub(crate) fn start() -> Self {
        let anvil = Anvil::start_with(&["--chain-id", "8453"]);
        let mut chain = Self {
            anvil,
            registry: Address::ZERO,
        };
        chain.registry = chain.deploy(TOOL_REGISTRY.creation());
        chain
    }

    pub(crate) fn node(&self) -> Node {
        Node::try_new(Endpoints {
            urls: vec![self.anvil.url.parse().unwrap()],
            send_url: None,
            headers: Vec::new(),
            timeout: Duration::from_secs(30),
        })
        .unwrap()
    }

    fn deploy(&self, creation: &Bytes) -> Address {
        let receipt =
            self.transact(&json!({ "from": account(0), "data": creation, "gas": "0xe4e1c0" }));
        receipt["contractAddress"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    /// Deploys a mock of the Solidity tests.
    pub(crate) fn deploy_mock(&self, name: &str) -> Address {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../harness/artifacts/{name}.json"));
        let artifact: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        self.deploy(
            &hex::decode(artifact["bytecode"].as_str().unwrap())
                .unwrap()
                .into(),
        )
    }

    pub(crate) fn send(&self, to: Address, call: &impl SolCall) {
        let data = hex::encode_prefixed(call.abi_encode());
        self.transact(&json!({ "from": account(0), "to": to, "data": data }));
    }

    pub(crate) fn register(&self, predicate: Address) {
        self.send(
            self.registry,
            &IToolRegistry::registerToolCall {
                metadataURI: "https://tools.example.com/.well-known/ai-tool/oracle.json".to_owned(),
                manifestHash: B256::repeat_byte(0x5e),
                accessPredicate: predicate,
            },
        );
    }

    pub(crate) fn set_granted(&self, predicate: Address, granted: bool) {
        self.send(
            predicate,
            &setGrantedCall {
                newGranted: granted,
            },
        );
    }

    /// Places code at a token's address that emits `Transfer(from, to, value)` twice for the call data. Returns the transaction.
    pub(crate) fn transfer(&self, token: Address, from: Address, to: Address, value: u64) -> B256 {
        let topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
        let event = format!("6040356000526020356000357f{topic}60206000a3");
        let code = format!("0x{event}{event}00");
        self.anvil.request("anvil_setCode", json!([token, code]));
        let words = [
            from.into_word(),
            to.into_word(),
            B256::from(U256::from(value)),
        ]
        .concat();
        let receipt = self.transact(
            &json!({ "from": account(0), "to": token, "data": hex::encode_prefixed(words) }),
        );
        receipt["transactionHash"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    fn transact(&self, transaction: &Value) -> Value {
        let hash = self
            .anvil
            .request("eth_sendTransaction", json!([transaction]));
        let receipt = self.anvil.receipt(&hash);
        assert_eq!(receipt["status"], "0x1", "{receipt}");
        receipt
    }
}
