//! Differences between contract and model are detected and described.

use alloy_primitives::{U256, hex};
use atr_bindings::IToolRegistry::{deregisterToolCall, toolCountCall};
use atr_harness::{Change, Lockstep, Outcome, Transaction, World};

/// Writes 1 to slot 5 and returns a zero word.
const WRITES: [u8; 12] = hex!("60016005555f5f5260205ff3");

#[test]
fn detects_a_storage_write_without_a_log() {
    let mut lockstep = Lockstep::default();
    let (alice, registry) = (lockstep.world.actor("alice"), lockstep.contracts.registry);
    lockstep.call(alice, registry, &toolCountCall {}).unwrap();
    lockstep.world.set_code(registry, WRITES);
    let difference = lockstep
        .call(alice, registry, &toolCountCall {})
        .unwrap_err();
    assert!(difference.contains("Slot(ToolRegistry, 5)"), "{difference}");
}

#[test]
fn a_receipt_lists_changes_and_detects_forbidden_ones() {
    let mut world = World::default();
    let (alice, writer, caller) = (
        world.actor("alice"),
        world.actor("writer"),
        world.actor("caller"),
    );
    let slot = Change::Slot(writer, U256::from(5));
    world.set_code(writer, WRITES);

    // Without a log.
    let receipt = world.simulate(&Transaction::raw(alice, writer, []));
    assert_eq!(receipt.changes, [slot]);
    assert_eq!(receipt.forbidden_change(writer), Some(slot));

    // The storage of another contract, with a log: CALL the writer, LOG0.
    let call = [
        &hex!("5f5f5f5f5f73")[..],
        writer.as_slice(),
        &hex!("5af15f5fa0"),
    ]
    .concat();
    world.set_code(caller, call);
    let receipt = world.simulate(&Transaction::raw(alice, caller, []));
    assert_eq!(receipt.logs.len(), 1);
    assert_eq!(receipt.forbidden_change(caller), Some(slot));
    assert_eq!(receipt.forbidden_change(writer), None);

    // Value that stays in the contract.
    let with_value = Transaction::raw(alice, writer, []).with_value(U256::from(1));
    let receipt = world.simulate(&with_value);
    let balance = Change::Account(writer);
    assert_eq!(receipt.changes, [balance, slot]);
    assert_eq!(receipt.forbidden_change(writer), Some(balance));

    // CREATE, without and with a log.
    for (code, is_allowed) in [
        (&hex!("5f5f5ff0")[..], false),
        (&hex!("5f5f5ff05f5fa0"), true),
    ] {
        world.set_code(caller, code.to_vec());
        let receipt = world.simulate(&Transaction::raw(alice, caller, []));
        assert!(matches!(*receipt.changes, [Change::Created(_)]));
        assert_eq!(receipt.forbidden_change(caller).is_none(), is_allowed);
    }

    // A halt undoes the write: INVALID after SSTORE.
    world.set_code(writer, hex!("60016005555ffe"));
    let receipt = world.simulate(&Transaction::raw(alice, writer, []));
    assert!(matches!(receipt.outcome, Outcome::Halted(_)));
    assert_eq!(receipt.changes, []);
}

#[test]
fn a_difference_is_described_with_names() {
    let mut lockstep = Lockstep::default();
    let (alice, registry) = (lockstep.world.actor("alice"), lockstep.contracts.registry);
    let tool = lockstep.register_tool(alice).unwrap();
    // Only the model still has the tool.
    lockstep.world.set_storage(registry, tool << 7, U256::ZERO);
    let difference = lockstep
        .call(alice, registry, &deregisterToolCall { toolId: tool })
        .unwrap_err();
    for part in [
        "expected: returned 0x\n    ToolRegistry emits ToolDeregistered { toolId: 1 }",
        "found: reverted with ToolNotFound { toolId: 1 }",
        "call ToolRegistry",
    ] {
        assert!(
            difference.contains(part),
            "{part} is missing:\n{difference}"
        );
    }
}
