//! The in-memory chain: time, chain id, code and storage.

use alloy_primitives::{Address, U256, bytes, hex};
use atr_harness::{Fork, Outcome, Transaction, World};

/// Code that returns the word an opcode pushes.
fn code_that_returns(opcode: u8) -> Vec<u8> {
    // MSTORE it at 0, RETURN 32 bytes.
    [&[opcode], hex!("5f5260205ff3").as_slice()].concat()
}

fn run(world: &mut World, opcode: u8) -> U256 {
    let contract = world.actor("contract");
    world.set_code(contract, code_that_returns(opcode));
    let receipt = world.simulate(&Transaction::raw(Address::ZERO, contract, []));
    match receipt.outcome {
        Outcome::Returned(word) => U256::from_be_slice(&word),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contracts_see_the_time_and_chain_id_that_were_set() {
    const TIMESTAMP: u8 = 0x42;
    const CHAINID: u8 = 0x46;
    let mut world = World::default();
    world.set_time(12_345);
    world.set_chain_id(8_453);
    assert_eq!(run(&mut world, TIMESTAMP), U256::from(12_345));
    assert_eq!(run(&mut world, CHAINID), U256::from(8_453));
    assert_eq!((world.time(), world.chain_id()), (12_345, 8_453));
}

#[test]
fn removing_code_keeps_storage() {
    let mut world = World::default();
    let account = world.actor("account");
    world.set_storage(account, U256::from(1), U256::from(2));
    world.set_code(account, bytes!("0x00"));
    assert_eq!(world.code(account), bytes!("0x00"));
    world.set_code(account, []);
    assert!(world.code(account).is_empty());
    assert_eq!(world.storage(account)[&U256::from(1)], U256::from(2));
}

#[test]
fn a_clone_is_independent() {
    let mut world = World::default();
    let account = world.actor("account");
    let mut copy = world.clone();
    copy.set_storage(account, U256::from(1), U256::from(2));
    assert!(world.storage(account).is_empty());
}

#[test]
fn opcodes_depend_on_the_fork() {
    // CLZ of 1 is 255; Osaka introduces the opcode.
    let code = hex!("60011e5f5260205ff3");
    for (fork, is_supported) in [(Fork::Prague, false), (Fork::Osaka, true)] {
        let mut world = World::new(fork);
        let account = world.actor("account");
        world.set_code(account, code);
        let receipt = world.simulate(&Transaction::raw(Address::ZERO, account, []));
        assert_eq!(receipt.succeeded(), is_supported, "{fork}: {receipt:?}");
    }
}
