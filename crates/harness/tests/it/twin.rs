//! A contract that does anything its model does not is caught, and told in words.

use alloy_primitives::{U256, hex};
use atr_bindings::IToolRegistry::{deregisterToolCall, toolCountCall};
use atr_harness::{Change, Outcome, Transaction, Twin, World};

/// Writes 1 into slot 5 and returns one word of zeros.
const WRITES: [u8; 12] = hex!("60016005555f5f5260205ff3");

#[test]
fn a_silent_write_is_caught_though_everything_else_is_right() {
    let mut twin = Twin::default();
    let (alice, registry) = (twin.world.actor("alice"), twin.contracts.registry);
    twin.call(alice, registry, &toolCountCall {}).unwrap();
    twin.world.set_code(registry, WRITES);
    let told = twin.call(alice, registry, &toolCountCall {}).unwrap_err();
    assert!(told.contains("Slot(ToolRegistry, 5)"), "{told}");
}

#[test]
fn a_receipt_tells_what_changed_and_what_of_it_is_forbidden() {
    let mut world = World::default();
    let (alice, writer, caller) = (
        world.actor("alice"),
        world.actor("writer"),
        world.actor("caller"),
    );
    let slot = Change::Slot(writer, U256::from(5));
    world.set_code(writer, WRITES);

    // Nothing was logged.
    let receipt = world.try_out(&Transaction::raw(alice, writer, []));
    assert_eq!(receipt.changes, [slot]);
    assert_eq!(receipt.forbidden_change(writer), Some(slot));

    // The storage of one who was not called, though there is a log: CALL the writer, LOG0.
    let call = [
        &hex!("5f5f5f5f5f73")[..],
        writer.as_slice(),
        &hex!("5af15f5fa0"),
    ]
    .concat();
    world.set_code(caller, call);
    let receipt = world.try_out(&Transaction::raw(alice, caller, []));
    assert_eq!(receipt.logs.len(), 1);
    assert_eq!(receipt.forbidden_change(caller), Some(slot));
    assert_eq!(receipt.forbidden_change(writer), None);

    // Ether that stays.
    let with_ether = Transaction::raw(alice, writer, []).with_value(U256::from(1));
    let receipt = world.try_out(&with_ether);
    let balance = Change::Account(writer);
    assert_eq!(receipt.changes, [balance, slot]);
    assert_eq!(receipt.forbidden_change(writer), Some(balance));

    // A contract: CREATE, without a log and with one.
    for (code, is_allowed) in [
        (&hex!("5f5f5ff0")[..], false),
        (&hex!("5f5f5ff05f5fa0"), true),
    ] {
        world.set_code(caller, code.to_vec());
        let receipt = world.try_out(&Transaction::raw(alice, caller, []));
        assert!(matches!(*receipt.changes, [Change::Created(_)]));
        assert_eq!(receipt.forbidden_change(caller).is_none(), is_allowed);
    }

    // What was undone is as it was: INVALID after the write.
    world.set_code(writer, hex!("60016005555ffe"));
    let receipt = world.try_out(&Transaction::raw(alice, writer, []));
    assert!(matches!(receipt.outcome, Outcome::Halted(_)));
    assert_eq!(receipt.changes, []);
}

#[test]
fn a_difference_is_told_by_names() {
    let mut twin = Twin::default();
    let (alice, registry) = (twin.world.actor("alice"), twin.contracts.registry);
    let tool = twin.register_tool(alice).unwrap();
    // Only the model knows that it is there.
    twin.world.set_storage(registry, tool << 7, U256::ZERO);
    let told = twin
        .call(alice, registry, &deregisterToolCall { toolId: tool })
        .unwrap_err();
    for part in [
        "expected: returned 0x\n    ToolRegistry logs ToolDeregistered { toolId: 1 }",
        "found: reverted with ToolNotFound { toolId: 1 }",
        "call ToolRegistry",
    ] {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
}
