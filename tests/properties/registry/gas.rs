//! What asking costs, and what whoever chooses the gas can bring about.

use std::fmt;

use acceptance::registry::{Machine, access_script};
use alloy_primitives::{B256, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate,
    IToolRegistry::{registerToolCall, tryHasAccessCall},
};
use atr_harness::{
    Fork, Manner, Outcome, Script, Transaction,
    model::{Answer, Others},
};
use proptest::prelude::*;

use crate::property::holds;

/// The most a predicate gets (ERC-8257 leaves the figure open; `ConstantsLib` settles it).
const CAP: u64 = 200_000;

/// What the registry itself may use around the question, the largest calldata of these tests included.
const OVERHEAD: u64 = 15_000;

/// From this gas on the predicate gets the cap in full, and its answer must come. Whoever asks keeps a 64th of what is left, so
/// that forwarding the cap takes a 63rd more.
const ENOUGH: u64 = CAP + CAP / 63 + 1 + OVERHEAD;

#[derive(Clone, Debug)]
struct Asked {
    script: Script,
    data: Vec<u8>,
    gas: u64,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let gas = prop_oneof![
        0_u64..20_000,
        0_u64..230_000,
        ENOUGH..ENOUGH + 1_000,
        Just(CAP * 10)
    ];
    let data = prop::collection::vec(any::<u8>(), 0..100);
    // Against a predicate that decides by its own gas there is no defence, and the manual says so.
    let script = access_script().prop_filter("decides by its gas", |script| {
        script.manner != Manner::CountsGas
    });
    (script, data, gas).prop_map(|(script, data, gas)| Asked { script, data, gas })
}

/// A machine with one tool whose predicate says this, and the question.
fn stage(asked: &Asked, fork: Fork) -> (Machine, Transaction) {
    let mut machine = Machine::new(fork);
    let question = IAccessPredicate::hasAccessCall::SELECTOR.into();
    let predicate = machine.cast.scripted[0];
    machine
        .cast
        .script(&mut machine.world, 0, question, asked.script);
    let (alice, registry) = (machine.cast.actors[0], machine.cast.contracts.registry);
    machine.world.call(
        alice,
        registry,
        &registerToolCall {
            metadataURI: "uri".into(),
            manifestHash: B256::repeat_byte(1),
            accessPredicate: predicate,
        },
    );
    let call = tryHasAccessCall {
        toolId: U256::from(1),
        account: alice,
        data: Bytes::from(asked.data.clone()),
    };
    let transaction = Transaction::call(alice, registry, &call);
    let gas = transaction.least_gas() + asked.gas;
    (machine, transaction.with_gas(gas))
}

fn expected(machine: &Machine, asked: &Asked) -> Answer {
    let question = IAccessPredicate::hasAccessCall {
        toolId: U256::from(1),
        account: machine.cast.actors[0],
        data: asked.data.clone().into(),
    };
    let predicate = machine.cast.scripted[0];
    machine.cast.answer(predicate, &question.abi_encode())
}

#[test]
fn a_predicate_never_gets_more_than_the_cap_and_asking_never_costs_more() {
    // C-14
    holds(600, asked(), |asked| {
        let (machine, transaction) = stage(&asked, Fork::Osaka);
        let trace = machine.world.trace(&transaction);
        let given = trace.inner_gas_limits();
        if given.iter().any(|gas| *gas > CAP) {
            return Err(format!("a call got more than {CAP}: {given:?}\n{trace}"));
        }
        if asked.gas >= ENOUGH && given.first() != Some(&CAP) {
            return Err(format!("with enough, the predicate got {given:?}\n{trace}"));
        }
        let spent = trace.receipt().gas.execution;
        if asked.gas > 2 * CAP && spent > CAP + OVERHEAD {
            return Err(format!("asking took {spent}\n{trace}"));
        }
        Ok(())
    });
}

#[test]
fn no_choice_of_gas_turns_an_answer_into_another() {
    // C-06
    holds(3_000, asked(), |asked| {
        let (mut machine, transaction) = stage(&asked, Fork::Prague);
        let answer = expected(&machine, &asked);
        let receipt = machine.world.try_out(&transaction);
        let ran_out =
            matches!(&receipt.outcome, Outcome::Halted(reason) if reason.starts_with("OutOfGas"));
        let found = receipt.returned::<tryHasAccessCall>();
        let pair = found.map(|found| (found.ok, found.granted));
        let cannot_tell = ran_out || pair == Some(Answer::Unknown.as_pair());
        if pair == Some(answer.as_pair()) || cannot_tell && asked.gas < ENOUGH {
            return Ok(());
        }
        Err(format!(
            "{pair:?} where the predicate says {answer:?}\n{}",
            machine.world.trace(&transaction)
        ))
    });
}

#[test]
fn an_access_check_reads_one_slot_of_the_registry() {
    holds(100, asked(), |asked| {
        let plenty = Asked {
            gas: 10 * CAP,
            ..asked
        };
        let (machine, transaction) = stage(&plenty, Fork::Cancun);
        let trace = machine.world.trace(&transaction);
        let reads = trace.cold_reads_by(machine.cast.contracts.registry);
        // One who asks back makes the registry look at the same slot again, warm.
        if reads == 1 {
            return Ok(());
        }
        Err(format!("{reads} slots\n{trace}"))
    });
}
