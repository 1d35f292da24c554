use std::{fs, path::Path};

use alloy::{
    network::Ethereum,
    providers::{DynProvider, Provider, RootProvider},
    rpc::client::RpcClient,
};
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{ContractCode, IToolRegistry, TOOL_REGISTRY};
use atr_loopback::{ACCOUNTS, Anvil};
use atr_registry::Registry;
use serde_json::{Value, json};

use crate::transport::{Action, Request, TestTransport};

/// An anvil chain with our registry.
pub(crate) struct Chain {
    pub(crate) anvil: Anvil,
    pub(crate) transport: TestTransport,
    pub(crate) registry: Registry,
}

pub(crate) const URI: &str = "https://tools.example.com/.well-known/ai-tool/oracle.json";
pub(crate) const HASH: B256 = B256::repeat_byte(0x5e);

/// A funded account of anvil.
pub(crate) fn account(index: usize) -> Address {
    ACCOUNTS[index].parse().unwrap()
}

impl Chain {
    pub(crate) async fn start() -> Self {
        Self::start_with_rule(|_| Action::Forward).await
    }

    pub(crate) async fn start_with_rule(
        rule: impl Fn(&Request) -> Action + Send + Sync + 'static,
    ) -> Self {
        let anvil = Anvil::start();
        let address = deploy(&anvil, TOOL_REGISTRY.creation());
        let transport = TestTransport::new(&anvil.url, rule);
        let registry = Registry::connect(provider(&transport), address)
            .await
            .unwrap();
        transport.take_requests();
        Self {
            anvil,
            transport,
            registry,
        }
    }

    /// The same chain through a transport with another rule.
    pub(crate) async fn with_rule(
        &self,
        rule: impl Fn(&Request) -> Action + Send + Sync + 'static,
    ) -> (TestTransport, Registry) {
        let transport = TestTransport::new(&self.anvil.url, rule);
        let registry = Registry::connect(provider(&transport), self.registry.address());
        (transport.clone(), registry.await.unwrap())
    }

    /// Another contract as a registry.
    pub(crate) async fn registry_at(&self, address: Address) -> Registry {
        let provider = self.registry.provider().clone();
        Registry::connect(provider, address).await.unwrap()
    }

    pub(crate) fn deploy(&self, creation: &Bytes) -> Address {
        deploy(&self.anvil, creation)
    }

    /// Deploys a configurable predicate for the registry.
    pub(crate) fn deploy_predicate(&self, predicate: &ContractCode) -> Address {
        let arguments = self.registry.address().abi_encode();
        self.deploy(&[predicate.creation().as_ref(), &arguments].concat().into())
    }

    /// Deploys a mock of the Solidity tests.
    pub(crate) fn deploy_mock(&self, name: &str, arguments: &[u8]) -> Address {
        let path = format!("../harness/artifacts/{name}.json");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let artifact: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let code = hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap();
        self.deploy(&[code.as_slice(), arguments].concat().into())
    }

    /// Sends a call from an account of anvil; it must succeed.
    pub(crate) fn send(&self, from: usize, to: Address, call: &impl SolCall) {
        let data = hex::encode_prefixed(call.abi_encode());
        let receipt = transact(
            &self.anvil,
            json!({ "from": account(from), "to": to, "data": data }),
        );
        assert_eq!(receipt["status"], "0x1", "{receipt}");
    }

    /// Registers a tool as the first account; returns its id.
    pub(crate) async fn register(&self, predicate: Address) -> U256 {
        let call = IToolRegistry::registerToolCall {
            metadataURI: URI.to_owned(),
            manifestHash: HASH,
            accessPredicate: predicate,
        };
        self.send(0, self.registry.address(), &call);
        self.registry.tool_count().await.unwrap()
    }

    pub(crate) fn set_code(&self, address: Address, code: &[u8]) {
        let code = hex::encode_prefixed(code);
        self.anvil.request("anvil_setCode", json!([address, code]));
    }

    pub(crate) fn set_storage(&self, address: Address, slot: B256, value: B256) {
        let params = json!([address, slot, value]);
        self.anvil.request("anvil_setStorageAt", params);
    }
}

pub(crate) fn provider(transport: &TestTransport) -> DynProvider<Ethereum> {
    let client = RpcClient::new(transport.clone(), true);
    RootProvider::<Ethereum>::new(client).erased()
}

fn deploy(anvil: &Anvil, creation: &Bytes) -> Address {
    let receipt = transact(
        anvil,
        json!({ "from": account(0), "data": creation, "gas": "0xe4e1c0" }),
    );
    assert_eq!(receipt["status"], "0x1", "{receipt}");
    receipt["contractAddress"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

fn transact(anvil: &Anvil, transaction: Value) -> Value {
    let hash = anvil.request("eth_sendTransaction", json!([transaction]));
    anvil.receipt(&hash)
}
