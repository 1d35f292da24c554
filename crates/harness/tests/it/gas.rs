//! Gas measured by the harness equals gas measured by forge.

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

/// The figures of `contracts/snapshots/ToolRegistry.<name>.json`.
fn snapshot(name: &str) -> BTreeMap<String, u64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!(
        "../../contracts/snapshots/ToolRegistry.{name}.json"
    ));
    let figures: BTreeMap<String, String> =
        serde_json::from_str(&fs::read_to_string(path).expect("the snapshot can be read"))
            .expect("the snapshot can be read");
    let parsed = figures.into_iter();
    parsed
        .map(|(name, figure)| (name, figure.parse().expect("a snapshot is a number")))
        .collect()
}

/// The set-up of `contracts/test/gas/GasBenchmark.t.sol`: two open tools.
fn setup() -> (World, Address, Address) {
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
fn transactions_use_the_gas_that_forge_measured() {
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
        let (mut world, registry, creator) = setup();
        let receipt = world.send(&Transaction::raw(creator, registry, call));
        assert!(receipt.succeeded(), "{name}: {receipt:?}");
        assert_eq!(receipt.gas.transaction, transaction[name], "{name}");
        assert_eq!(receipt.gas.execution, execution[name], "{name}");
    }
}

#[test]
fn deployment_uses_the_gas_that_forge_measured() {
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
fn an_access_check_reads_the_slots_that_forge_counted() {
    let (world, registry, account) = setup();
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

/// The refund for clearing a slot, and the maximum refund as a fraction of the gas used (EIP-3529).
const REFUND_PER_SLOT: u64 = 4_800;
const MAX_REFUND_QUOTIENT: u64 = 5;

#[test]
fn refunds_follow_eip_3529() {
    // One cleared slot, below the maximum refund; then many, above it.
    for (uri, is_capped) in [("u".to_owned(), false), ("u".repeat(400), true)] {
        let (mut world, registry, creator) = setup();
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
        assert_eq!(earned > spent / MAX_REFUND_QUOTIENT, is_capped);
        assert_eq!(gas.refund, earned.min(spent / MAX_REFUND_QUOTIENT));
        assert_eq!(gas.transaction, spent - gas.refund);
    }
}
