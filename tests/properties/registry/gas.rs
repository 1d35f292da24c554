//! The gas of access checks.

use std::fmt;

use acceptance::registry::{Machine, access_script};
use alloy_primitives::{B256, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate,
    IToolRegistry::{registerToolCall, tryHasAccessCall},
};
use atr_harness::{
    Behavior, Fork, Outcome, Script, Transaction,
    model::{Access, ExternalContracts, gas::PREDICATE_GAS_CAP},
};
use proptest::prelude::*;

use acceptance::property::holds;

const CAP: u64 = PREDICATE_GAS_CAP;

/// The registry's own gas, with the longest calldata of these tests.
const OVERHEAD: u64 = 15_000;

/// With this gas the predicate receives the whole cap. The caller keeps 1/64 of the remaining gas.
const ENOUGH: u64 = CAP + CAP / 63 + 1 + OVERHEAD;

#[derive(Clone, Debug)]
struct Check {
    script: Script,
    data: Vec<u8>,
    gas: u64,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

fn any_check() -> impl Strategy<Value = Check> {
    let gas = prop_oneof![
        0_u64..20_000,
        0_u64..230_000,
        ENOUGH..ENOUGH + 1_000,
        Just(CAP * 10)
    ];
    let data = prop::collection::vec(any::<u8>(), 0..100);
    // The registry cannot bind a predicate whose result depends on its gas; its documentation says so.
    let script = access_script().prop_filter("depends on its gas", |script| {
        script.behavior != Behavior::CheckGas
    });
    (script, data, gas).prop_map(|(script, data, gas)| Check { script, data, gas })
}

/// A machine with one gated tool, and the access check.
fn set_up(check: &Check, fork: Fork) -> (Machine, Transaction) {
    let mut machine = Machine::new(fork);
    let key = IAccessPredicate::hasAccessCall::SELECTOR.into();
    let predicate = machine.actors.scripted[0];
    machine
        .actors
        .script(&mut machine.world, 0, key, check.script);
    let (alice, registry) = (
        machine.actors.accounts[0],
        machine.actors.contracts.registry,
    );
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
        data: Bytes::from(check.data.clone()),
    };
    let transaction = Transaction::call(alice, registry, &call);
    let gas = transaction.minimum_gas() + check.gas;
    (machine, transaction.with_gas(gas))
}

fn expected(machine: &Machine, check: &Check) -> Access {
    let call = IAccessPredicate::hasAccessCall {
        toolId: U256::from(1),
        account: machine.actors.accounts[0],
        data: check.data.clone().into(),
    };
    let predicate = machine.actors.scripted[0];
    machine.actors.access(predicate, &call.abi_encode())
}

#[test]
fn a_predicate_never_receives_more_than_the_gas_cap() {
    // C-14
    holds(600, any_check(), |check| {
        let (machine, transaction) = set_up(&check, Fork::Osaka);
        let trace = machine.world.trace(&transaction);
        let given = trace.inner_gas_limits();
        if given.iter().any(|gas| *gas > CAP) {
            return Err(format!(
                "a call received more than {CAP}: {given:?}\n{trace}"
            ));
        }
        if check.gas >= ENOUGH && given.first() != Some(&CAP) {
            return Err(format!("the predicate received {given:?}\n{trace}"));
        }
        let spent = trace.receipt().gas.execution;
        if check.gas > 2 * CAP && spent > CAP + OVERHEAD {
            return Err(format!("the check used {spent}\n{trace}"));
        }
        Ok(())
    });
}

#[test]
fn the_gas_limit_never_changes_the_result_of_an_access_check() {
    // C-06
    holds(3_000, any_check(), |check| {
        let (mut machine, transaction) = set_up(&check, Fork::Prague);
        let expected = expected(&machine, &check);
        let receipt = machine.world.simulate(&transaction);
        let is_out_of_gas =
            matches!(&receipt.outcome, Outcome::Halted(reason) if reason.starts_with("OutOfGas"));
        let found = receipt.returned::<tryHasAccessCall>();
        let pair = found.map(|found| (found.ok, found.granted));
        let is_unknown = is_out_of_gas || pair == Some(Access::Unknown.as_pair());
        if pair == Some(expected.as_pair()) || is_unknown && check.gas < ENOUGH {
            return Ok(());
        }
        Err(format!(
            "{pair:?} instead of {expected:?}\n{}",
            machine.world.trace(&transaction)
        ))
    });
}

#[test]
fn an_access_check_reads_one_slot_of_the_registry() {
    holds(100, any_check(), |check| {
        let plenty = Check {
            gas: 10 * CAP,
            ..check
        };
        let (machine, transaction) = set_up(&plenty, Fork::Cancun);
        let trace = machine.world.trace(&transaction);
        let reads = trace.cold_reads_by(machine.actors.contracts.registry);
        // A predicate that calls back makes the registry read the same slot again, warm.
        if reads == 1 {
            return Ok(());
        }
        Err(format!("{reads} cold reads\n{trace}"))
    });
}
