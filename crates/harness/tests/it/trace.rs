//! The text of a call trace.

use alloy_primitives::{Address, B256, Bytes, U256};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID,
    IToolRegistry::{deregisterToolCall, registerToolCall, tryHasAccessCall},
    TOOL_REGISTRY,
};
use atr_harness::{DenyingPredicate, Transaction, World};

struct Setup {
    world: World,
    registry: Address,
    alice: Address,
}

fn setup() -> Setup {
    let mut world = World::default();
    let alice = world.actor("alice");
    let registry = world.deploy("the registry", TOOL_REGISTRY.creation().clone());
    Setup {
        world,
        registry,
        alice,
    }
}

/// A trace without gas figures.
fn trace_without_gas(world: &World, transaction: &Transaction) -> String {
    let trace = world.trace(transaction).to_string();
    let mut lines: Vec<String> = Vec::new();
    for line in trace.lines().filter(|line| !line.starts_with("  gas: ")) {
        let (before, rest) = line.split_once(" [").unwrap_or((line, ""));
        let after = rest.split_once(']').map_or("", |(_, after)| after);
        lines.push(format!("{before}{after}"));
    }
    lines.join("\n")
}

#[test]
fn a_trace_names_accounts_calls_and_errors() {
    let Setup {
        world,
        registry,
        alice,
    } = setup();
    let call = deregisterToolCall {
        toolId: U256::from(7),
    };
    let trace = world.trace(&Transaction::call(alice, registry, &call));
    let text = trace.to_string();
    for part in [
        "call the registry",
        "deregisterTool { toolId: 7 }",
        "ToolNotFound { toolId: 7 }",
        "1 cold read",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn a_trace_shows_logs_and_return_data() {
    let Setup {
        mut world,
        registry,
        alice,
    } = setup();
    let predicate = world.deploy("denying", DenyingPredicate::BYTECODE.clone());
    let register = Transaction::call(
        alice,
        registry,
        &registerToolCall {
            metadataURI: "ipfs://x".into(),
            manifestHash: B256::with_last_byte(1),
            accessPredicate: predicate,
        },
    );
    let hash = B256::with_last_byte(1);
    let expected = format!(
        "  call the registry registerTool {{ metadataURI: \"ipfs://x\", manifestHash: {hash}, accessPredicate: denying }}
    · the registry emits ToolRegistered {{ toolId: 1, creator: alice, accessPredicate: denying, metadataURI: \"ipfs://x\", manifestHash: {hash} }}
    └ Return 1
    staticcall denying supportsInterface {{ interfaceId: {ERC165_ID} }}
      └ Return true
    staticcall denying supportsInterface {{ interfaceId: {ACCESS_PREDICATE_ID} }}
      └ Return true"
    );
    assert_eq!(trace_without_gas(&world, &register), expected);

    world.send(&register);
    let check = tryHasAccessCall {
        toolId: U256::from(1),
        account: alice,
        data: Bytes::new(),
    };
    let expected = "  call the registry tryHasAccess { toolId: 1, account: alice, data: 0x }
    └ Return { ok: true, granted: false }
    staticcall denying hasAccess { toolId: 1, account: alice, data: 0x }
      └ Return false";
    let check = Transaction::call(alice, registry, &check);
    assert_eq!(trace_without_gas(&world, &check), expected);
}
