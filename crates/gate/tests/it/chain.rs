use std::{fs, path::Path, time::Duration};

use alloy::signers::{SignerSync, local::PrivateKeySigner};
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolStruct, SolValue, sol};
use atr_bindings::{ContractCode, IToolRegistry, TOOL_REGISTRY};
use atr_ids::ToolRef;
use atr_loopback::{ACCOUNTS, Anvil};
use atr_rpc::{Endpoints, Node};
use serde_json::{Value, json};

use crate::caller::usdc;

sol! {
    function setGranted(bool newGranted) external;
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external;
    struct CancelAuthorization {
        address authorizer;
        bytes32 nonce;
    }
    function delegateAll(address to, bytes32 rights, bool enable) external payable returns (bytes32);
}

/// The chain id that x402 clients know.
pub(crate) const CHAIN_ID: u64 = 8453;

const URI: &str = "https://tools.example.com/.well-known/ai-tool/oracle.json";

/// An anvil chain with our registry.
pub(crate) struct Chain {
    pub(crate) anvil: Anvil,
    pub(crate) registry: Address,
}

/// A funded account of anvil.
pub(crate) fn account(index: usize) -> Address {
    ACCOUNTS[index].parse().unwrap()
}

/// A connection to a node.
pub(crate) fn node(url: &str) -> Node {
    node_with_timeout(url, Duration::from_secs(30))
}

pub(crate) fn node_with_timeout(url: &str, timeout: Duration) -> Node {
    let endpoints = Endpoints {
        urls: vec![url.parse().unwrap()],
        send_url: None,
        headers: Vec::new(),
        timeout,
    };
    Node::try_new(endpoints).unwrap()
}

impl Chain {
    pub(crate) fn start() -> Self {
        let anvil = Anvil::start_with(&["--chain-id", "8453"]);
        let registry = deploy(&anvil, TOOL_REGISTRY.creation());
        Self { anvil, registry }
    }

    pub(crate) fn deploy(&self, creation: &Bytes) -> Address {
        deploy(&self.anvil, creation)
    }

    /// Deploys a configurable predicate for the registry.
    pub(crate) fn deploy_predicate(&self, predicate: &ContractCode) -> Address {
        let arguments = self.registry.abi_encode();
        self.deploy(&[predicate.creation().as_ref(), &arguments].concat().into())
    }

    /// Deploys a mock of the Solidity tests.
    pub(crate) fn deploy_mock(&self, name: &str) -> Address {
        self.deploy_mock_with(name, &[])
    }

    /// Deploys a mock with constructor arguments.
    pub(crate) fn deploy_mock_with(&self, name: &str, arguments: &[u8]) -> Address {
        let code = mock_creation(name);
        deploy(&self.anvil, &[code.as_slice(), arguments].concat().into())
    }

    /// Deploys a mock and places its code at an address.
    pub(crate) fn place_mock(&self, name: &str, address: Address) {
        let deployed = self.deploy_mock(name);
        let code = self
            .anvil
            .request("eth_getCode", json!([deployed, "latest"]));
        self.anvil.request("anvil_setCode", json!([address, code]));
    }

    /// Sends a call from an account of anvil; it must succeed. The next block contains it.
    pub(crate) fn send(&self, from: Address, to: Address, call: &impl SolCall) {
        let data = hex::encode_prefixed(call.abi_encode());
        let transaction = json!({ "from": from, "to": to, "data": data });
        let receipt = transact(&self.anvil, &transaction);
        assert_eq!(receipt["status"], "0x1", "{receipt}");
    }

    /// Registers a tool as the first account.
    pub(crate) fn register(&self, predicate: Address) -> ToolRef {
        let call = IToolRegistry::registerToolCall {
            metadataURI: URI.to_owned(),
            manifestHash: B256::repeat_byte(0x5e),
            accessPredicate: predicate,
        };
        self.send(account(0), self.registry, &call);
        let count = IToolRegistry::toolCountCall {}.abi_encode();
        let call = json!({ "to": self.registry, "data": hex::encode_prefixed(count) });
        let count = self.anvil.request("eth_call", json!([call, "latest"]));
        let id: U256 = count.as_str().unwrap().parse().unwrap();
        ToolRef::try_new(CHAIN_ID, self.registry, id).unwrap()
    }

    /// Registers a tool whose predicate returns what was set last, at first false.
    pub(crate) fn register_settable(&self) -> (ToolRef, Address) {
        let predicate = self.deploy_mock("SettablePredicate");
        (self.register(predicate), predicate)
    }

    pub(crate) fn set_granted(&self, predicate: Address, granted: bool) {
        let call = setGrantedCall {
            newGranted: granted,
        };
        self.send(account(0), predicate, &call);
    }

    /// Seconds since 1970 of the latest block.
    pub(crate) fn time(&self) -> u64 {
        let block = self
            .anvil
            .request("eth_getBlockByNumber", json!(["latest", false]));
        let time: U256 = block["timestamp"].as_str().unwrap().parse().unwrap();
        time.to()
    }

    pub(crate) fn mine(&self) {
        self.anvil.request("anvil_mine", json!([1]));
    }
}

/// Creation code of a mock, without constructor arguments.
pub(crate) fn mock_creation(name: &str) -> Vec<u8> {
    let path = format!("../harness/artifacts/{name}.json");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let artifact: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap()
}

fn deploy(anvil: &Anvil, creation: &Bytes) -> Address {
    let transaction = json!({ "from": account(0), "data": creation, "gas": "0xe4e1c0" });
    let receipt = transact(anvil, &transaction);
    assert_eq!(receipt["status"], "0x1", "{receipt}");
    let address = receipt["contractAddress"].as_str().unwrap();
    address.parse().unwrap()
}

fn transact(anvil: &Anvil, transaction: &Value) -> Value {
    let hash = anvil.request("eth_sendTransaction", json!([transaction]));
    anvil.receipt(&hash)
}

/// The call that cancels an authorization of USDC, signed by its payer.
pub(crate) fn cancellation(signer: &PrivateKeySigner, nonce: B256) -> Vec<u8> {
    let message = CancelAuthorization {
        authorizer: signer.address(),
        nonce,
    };
    let hash = message.eip712_signing_hash(&usdc().domain());
    let signature = signer.sign_hash_sync(&hash).unwrap();
    let call = cancelAuthorizationCall {
        authorizer: signer.address(),
        nonce,
        v: 27 + u8::from(signature.v()),
        r: signature.r().into(),
        s: signature.s().into(),
    };
    call.abi_encode()
}

/// Sends a call from the first account and waits for its block.
pub(crate) fn send_raw(url: &str, to: Address, data: &[u8]) {
    let request = |method: &str, params: Value| -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let response = atr_loopback::post(url, request.to_string().as_bytes());
        serde_json::from_slice::<Value>(&response).unwrap()["result"].take()
    };
    let data = hex::encode_prefixed(data);
    let transaction = json!({ "from": account(0), "to": to, "data": data });
    let hash = request("eth_sendTransaction", json!([transaction]));
    let receipt = (0..1000)
        .map(|_| request("eth_getTransactionReceipt", json!([hash])))
        .find(|receipt| !receipt.is_null());
    assert_eq!(receipt.unwrap()["status"], "0x1");
}
