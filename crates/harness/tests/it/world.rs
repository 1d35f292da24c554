//! The chain in memory: time, chain id, code and storage.

use alloy_primitives::{Address, U256, bytes, hex};
use atr_harness::{Fork, Outcome, Transaction, World};

/// Returns one word that an opcode gives.
fn contract_that_tells(opcode: u8) -> Vec<u8> {
    // MSTORE it at 0, RETURN 32 bytes.
    [&[opcode], hex!("5f5260205ff3").as_slice()].concat()
}

fn told(world: &mut World, opcode: u8) -> U256 {
    let teller = world.actor("teller");
    world.set_code(teller, contract_that_tells(opcode));
    let receipt = world.try_out(&Transaction::raw(Address::ZERO, teller, []));
    match receipt.outcome {
        Outcome::Returned(word) => U256::from_be_slice(&word),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contracts_see_the_time_and_the_chain_we_set() {
    const TIMESTAMP: u8 = 0x42;
    const CHAINID: u8 = 0x46;
    let mut world = World::default();
    world.set_time(12_345);
    world.set_chain_id(8_453);
    assert_eq!(told(&mut world, TIMESTAMP), U256::from(12_345));
    assert_eq!(told(&mut world, CHAINID), U256::from(8_453));
    assert_eq!((world.time(), world.chain_id()), (12_345, 8_453));
}

#[test]
fn code_can_be_taken_away_and_storage_stays() {
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
fn a_copy_goes_its_own_way() {
    let mut world = World::default();
    let account = world.actor("account");
    let mut copy = world.clone();
    copy.set_storage(account, U256::from(1), U256::from(2));
    assert!(world.storage(account).is_empty());
}

#[test]
fn a_fork_has_its_own_opcodes() {
    // CLZ, which Osaka brings: of 1 there are 255 leading zeros.
    let code = hex!("60011e5f5260205ff3");
    for (fork, knows_it) in [(Fork::Prague, false), (Fork::Osaka, true)] {
        let mut world = World::new(fork);
        let account = world.actor("account");
        world.set_code(account, code);
        let receipt = world.try_out(&Transaction::raw(Address::ZERO, account, []));
        assert_eq!(receipt.succeeded(), knows_it, "{fork}: {receipt:?}");
    }
}
