//! Gas read here and gas read by forge are the same, to the unit.

use std::{collections::BTreeMap, fs, path::Path};

use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IToolRegistry::{
        deregisterToolCall, getToolConfigCall, registerToolCall, tryHasAccessCall,
        updateToolMetadataCall,
    },
    TOOL_REGISTRY,
};
use atr_harness::{Transaction, World};

const URI: &str = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";
const OTHER_URI: &str = "https://tools.example.com/.well-known/ai-tool/nft-floor-oracle.json";

/// The figures of `contracts/snapshots/ToolRegistry.<which>.json`.
fn snapshot(which: &str) -> BTreeMap<String, u64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!(
        "../../contracts/snapshots/ToolRegistry.{which}.json"
    ));
    let figures: BTreeMap<String, String> =
        serde_json::from_str(&fs::read_to_string(path).expect("the snapshots can be read"))
            .expect("the snapshots can be read");
    let parsed = figures.into_iter();
    parsed
        .map(|(name, figure)| (name, figure.parse().expect("a snapshot is a number")))
        .collect()
}

/// The protocol of `contracts/test/gas/GasBenchmark.t.sol`: two tools registered before, tool 1 open.
fn protocol() -> (World, Address, Address) {
    let mut world = World::default();
    let registry = world.deploy("registry", TOOL_REGISTRY.creation().clone());
    let creator = world.actor("creator");
    for _ in 0..2 {
        world.call(creator, registry, &register());
    }
    (world, registry, creator)
}

fn register() -> registerToolCall {
    registerToolCall {
        metadataURI: URI.into(),
        manifestHash: keccak256("manifest"),
        accessPredicate: Address::ZERO,
    }
}

fn update(uri: &str, manifest: &str) -> Vec<u8> {
    let call = updateToolMetadataCall {
        toolId: U256::from(1),
        newURI: uri.into(),
        newHash: keccak256(manifest),
    };
    call.abi_encode()
}

#[test]
fn transactions_cost_what_forge_measured() {
    let (transaction, execution) = (snapshot("transaction"), snapshot("execution"));
    let tool_id = U256::from(1);
    let measured = [
        ("registerTool, open", register().abi_encode()),
        (
            "updateToolMetadata, both changed",
            update(OTHER_URI, "other manifest"),
        ),
        (
            "updateToolMetadata, hash only",
            update(URI, "other manifest"),
        ),
        ("updateToolMetadata, same", update(URI, "manifest")),
        (
            "deregisterTool, open",
            deregisterToolCall { toolId: tool_id }.abi_encode(),
        ),
        (
            "getToolConfig, open",
            getToolConfigCall { toolId: tool_id }.abi_encode(),
        ),
    ];
    for (name, call) in measured {
        let (mut world, registry, creator) = protocol();
        let receipt = world.send(&Transaction::raw(creator, registry, call));
        assert!(receipt.succeeded(), "{name}: {receipt:?}");
        assert_eq!(receipt.gas.transaction, transaction[name], "{name}");
        assert_eq!(receipt.gas.execution, execution[name], "{name}");
    }
}

#[test]
fn deploying_costs_what_forge_measured() {
    let mut world = World::default();
    let creator = world.actor("creator");
    let receipt = world.send(&Transaction::create(
        creator,
        TOOL_REGISTRY.creation().clone(),
    ));
    assert_eq!(
        receipt.gas.transaction,
        snapshot("transaction")["deployment"]
    );
}

#[test]
fn an_access_check_reads_as_many_slots_as_forge_counted() {
    let (world, registry, account) = protocol();
    let call = tryHasAccessCall {
        toolId: U256::from(1),
        account,
        data: Bytes::new(),
    };
    let trace = world.trace(&Transaction::call(account, registry, &call));
    let name = "tryHasAccess, open";
    assert_eq!(trace.cold_reads_by(registry), snapshot("reads")[name]);
    assert_eq!(trace.receipt().gas.execution, snapshot("execution")[name]);
}

/// What clearing a slot earns, and which part of what was spent is given back at most (EIP-3529).
const REFUND_PER_SLOT: u64 = 4_800;
const MOST_REFUNDED: u64 = 5;

#[test]
fn refunds_are_read_as_eip_3529_has_them() {
    // One slot is cleared, the hash, and all of it is given back; then so many that a fifth is less.
    for (uri, is_capped) in [("u".to_owned(), false), ("u".repeat(400), true)] {
        let (mut world, registry, creator) = protocol();
        let register = registerToolCall {
            metadataURI: uri,
            ..register()
        };
        let tool_id = world.call(creator, registry, &register);
        let before = world.storage(registry);
        let call = deregisterToolCall { toolId: tool_id };
        let transaction = Transaction::call(creator, registry, &call);
        let gas = world.send(&transaction).gas;

        let after = world.storage(registry);
        let cleared = before.keys().filter(|slot| !after.contains_key(*slot));
        let earned = REFUND_PER_SLOT * cleared.count() as u64;
        let spent = transaction.intrinsic_gas() + gas.execution;
        assert!(earned > 0);
        assert_eq!(earned > spent / MOST_REFUNDED, is_capped);
        assert_eq!(gas.refund, earned.min(spent / MOST_REFUNDED));
        assert_eq!(gas.transaction, spent - gas.refund);
    }
}
