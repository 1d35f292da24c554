//! What a person reads when a property fails.

use alloy_primitives::{Address, B256, Bytes, U256};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID,
    IToolRegistry::{deregisterToolCall, registerToolCall, tryHasAccessCall},
    TOOL_REGISTRY,
};
use atr_harness::{DenyingPredicate, Transaction, World};

struct Setting {
    world: World,
    registry: Address,
    alice: Address,
}

fn setting() -> Setting {
    let mut world = World::default();
    let alice = world.actor("alice");
    let registry = world.deploy("the registry", TOOL_REGISTRY.creation().clone());
    Setting {
        world,
        registry,
        alice,
    }
}

/// A trace without its figures of gas, which are another test's business.
fn told(world: &World, transaction: &Transaction) -> String {
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
    let Setting {
        world,
        registry,
        alice,
    } = setting();
    let call = deregisterToolCall {
        toolId: U256::from(7),
    };
    let trace = world.trace(&Transaction::call(alice, registry, &call));
    let told = trace.to_string();
    for part in [
        "call the registry",
        "deregisterTool { toolId: 7 }",
        "ToolNotFound { toolId: 7 }",
        "1 cold read",
    ] {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
}

#[test]
fn a_trace_tells_what_was_logged_and_returned() {
    let Setting {
        mut world,
        registry,
        alice,
    } = setting();
    let no = world.deploy("nay", DenyingPredicate::BYTECODE.clone());
    let register = Transaction::call(
        alice,
        registry,
        &registerToolCall {
            metadataURI: "ipfs://x".into(),
            manifestHash: B256::with_last_byte(1),
            accessPredicate: no,
        },
    );
    let hash = B256::with_last_byte(1);
    let expected = format!(
        "  call the registry registerTool {{ metadataURI: \"ipfs://x\", manifestHash: {hash}, accessPredicate: nay }}
    · the registry logs ToolRegistered {{ toolId: 1, creator: alice, accessPredicate: nay, metadataURI: \"ipfs://x\", manifestHash: {hash} }}
    └ Return 1
    staticcall nay supportsInterface {{ interfaceId: {ERC165_ID} }}
      └ Return true
    staticcall nay supportsInterface {{ interfaceId: {ACCESS_PREDICATE_ID} }}
      └ Return true"
    );
    assert_eq!(told(&world, &register), expected);

    world.send(&register);
    let ask = tryHasAccessCall {
        toolId: U256::from(1),
        account: alice,
        data: Bytes::new(),
    };
    let expected = "  call the registry tryHasAccess { toolId: 1, account: alice, data: 0x }
    └ Return { ok: true, granted: false }
    staticcall nay hasAccess { toolId: 1, account: alice, data: 0x }
      └ Return false";
    let ask = Transaction::call(alice, registry, &ask);
    assert_eq!(told(&world, &ask), expected);
}
