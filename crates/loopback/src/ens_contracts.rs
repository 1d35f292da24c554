//! ENS on a local chain: the registry, the public resolver and the offchain resolver, from the packages that ENS publishes.
//!
//! The package of the current contracts, `@ensdomains/ens-contracts`, is not used: see `tests/ens`.

use std::{fs, path::Path};

use alloy_primitives::{Address, B256, Bytes, hex, keccak256};
use alloy_sol_types::{SolCall, SolValue, sol};
use serde_json::{Value, json};

use crate::{ACCOUNT, Anvil};

sol! {
    function setSubnodeOwner(bytes32 node, bytes32 label, address owner) external returns (bytes32);
    function setResolver(bytes32 node, address resolver) external;
    function setText(bytes32 node, string key, string value) external;
    function setAddr(bytes32 node, address account) external;
    function multicall(bytes[] data) external returns (bytes[] results);
}

const REGISTRY: &str = "contracts/abis/ens/ENSRegistry.json";
const PUBLIC_RESOLVER: &str = "resolver/build/contracts/PublicResolver.json";
const OFFCHAIN_RESOLVER: &str =
    "offchain-resolver-contracts/artifacts/contracts/OffchainResolver.sol/OffchainResolver.json";

/// The contracts of ENS on a chain of [`Anvil`]. [`ACCOUNT`] owns all names.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are those of the contracts")]
pub struct EnsContracts {
    url: String,
    pub registry: Address,
    pub public_resolver: Address,
}

impl EnsContracts {
    /// Deploys registry and public resolver.
    #[must_use]
    pub fn deploy(anvil: &Anvil) -> Self {
        let registry = create(&anvil.url, bytecode(REGISTRY));
        Self::with_registry(anvil, registry)
    }

    /// Deploys the public resolver, and places the registry at an address. The state of a contract there is kept.
    #[must_use]
    pub fn deploy_at(anvil: &Anvil, registry: Address) -> Self {
        let code = artifact(REGISTRY)["deployedBytecode"].clone();
        anvil.request("anvil_setCode", json!([registry, code]));
        // The owner of the root: `records[0].owner`, in the mapping at slot 0.
        let slot = keccak256((B256::ZERO, B256::ZERO).abi_encode());
        let owner: Address = ACCOUNT.parse().unwrap();
        anvil.request(
            "anvil_setStorageAt",
            json!([registry, slot, owner.into_word()]),
        );
        Self::with_registry(anvil, registry)
    }

    fn with_registry(anvil: &Anvil, registry: Address) -> Self {
        let mut code = bytecode(PUBLIC_RESOLVER);
        code.extend(registry.abi_encode());
        Self {
            url: anvil.url.clone(),
            registry,
            public_resolver: create(&anvil.url, code),
        }
    }

    /// Deploys the resolver of ENS whose records are at a gateway (ENSIP-10, ERC-3668). It accepts answers of one signer.
    #[must_use]
    pub fn deploy_offchain_resolver(&self, gateway: &str, signer: Address) -> Address {
        let mut code = bytecode(OFFCHAIN_RESOLVER);
        code.extend((gateway, vec![signer]).abi_encode_params());
        create(&self.url, code)
    }

    /// Registers a name and its parents, with the public resolver.
    pub fn register(&self, name: &str) {
        self.register_without_resolver(name);
        self.set_resolver(name, self.public_resolver);
    }

    /// Registers a name and its parents.
    pub fn register_without_resolver(&self, name: &str) {
        let mut node = B256::ZERO;
        for label in name.rsplit('.') {
            let label = keccak256(label);
            let owner = ACCOUNT.parse().unwrap();
            self.send(self.registry, &setSubnodeOwnerCall { node, label, owner });
            node = keccak256([node, label].concat());
        }
    }

    /// Sets the resolver of a name.
    pub fn set_resolver(&self, name: &str, resolver: Address) {
        let node = node_of(name);
        self.send(self.registry, &setResolverCall { node, resolver });
    }

    /// Sets text records of a name in one transaction.
    pub fn set_text<'a>(&self, name: &str, records: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let node = node_of(name);
        let set = |(key, value): (&str, &str)| {
            let (key, value) = (key.to_owned(), value.to_owned());
            Bytes::from(setTextCall { node, key, value }.abi_encode())
        };
        let data = records.into_iter().map(set).collect();
        self.send(self.public_resolver, &multicallCall { data });
    }

    /// Sets the address of a name.
    pub fn set_address(&self, name: &str, account: Address) {
        let node = node_of(name);
        self.send(self.public_resolver, &setAddrCall { node, account });
    }

    fn send(&self, to: Address, call: &impl SolCall) {
        transact(
            &self.url,
            json!({ "to": to, "data": hex::encode_prefixed(call.abi_encode()) }),
        );
    }
}

/// The node of a normalized name (ENSIP-1).
fn node_of(name: &str) -> B256 {
    name.rsplit('.').fold(B256::ZERO, |node, label| {
        keccak256([node, keccak256(label)].concat())
    })
}

fn artifact(path: &str) -> Value {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ens/node_modules/@ensdomains");
    let text = fs::read_to_string(folder.join(path));
    let text = text.expect("the packages of tests/ens are installed; run `make deps`");
    serde_json::from_str(&text).unwrap()
}

fn bytecode(path: &str) -> Vec<u8> {
    hex::decode(artifact(path)["bytecode"].as_str().unwrap()).unwrap()
}

fn create(url: &str, code: Vec<u8>) -> Address {
    let receipt = transact(url, json!({ "data": hex::encode_prefixed(code) }));
    receipt["contractAddress"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

/// Sends a transaction from the unlocked account and returns its receipt.
fn transact(url: &str, mut transaction: Value) -> Value {
    transaction["from"] = json!(ACCOUNT);
    transaction["gas"] = json!("0x989680");
    let hash = crate::request(url, "eth_sendTransaction", json!([transaction]));
    let poll = |_| crate::request(url, "eth_getTransactionReceipt", json!([hash]));
    let receipt = (0..1000).map(poll).find(|receipt| !receipt.is_null());
    let receipt = receipt.expect("the transaction is mined");
    assert_eq!(receipt["status"], "0x1", "{transaction}");
    receipt
}
