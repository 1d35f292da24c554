//! The checks of a new predicate: code, ERC-165, `IAccessPredicate`.

use acceptance::registry::{
    Action, Actors, Caller, Machine, NewPredicate, Scenario, ScriptedCall, Step, ToolPick, Uri,
    any_script,
};
use alloy_primitives::B256;
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID,
    IToolRegistry::{registerToolCall, setAccessPredicateCall},
};
use atr_harness::{Behavior, CodeSource, Fork, Script, Transaction};
use proptest::prelude::*;

use super::{plain, with_gas};
use acceptance::property::holds;

/// The index of a scripted predicate among the choices for a tool; index 0 is the zero address.
const PREDICATE: usize = 3;

fn register(predicate: usize) -> Action {
    Action::Register {
        by: 0,
        uri: Uri(b"https://a.example/.well-known/ai-tool/b.json".to_vec()),
        hash: B256::repeat_byte(1),
        predicate,
    }
}

fn set_predicate(predicate: NewPredicate) -> Action {
    Action::SetPredicate {
        tool: ToolPick::Existing(0),
        by: Caller::Creator,
        predicate,
    }
}

fn set_scripts(supports_erc165: Script, supports_predicate: Script) -> Vec<Step> {
    let set_script = |call, script| {
        plain(Action::SetScript {
            predicate: PREDICATE - 1,
            call,
            script,
        })
    };
    vec![
        set_script(ScriptedCall::SupportsErc165, supports_erc165),
        set_script(ScriptedCall::SupportsPredicate, supports_predicate),
    ]
}

#[test]
fn rejects_only_contracts_with_erc165_that_are_not_predicates() {
    let input = (any_script(30_000), any_script(30_000), any::<bool>()).prop_map(
        |(erc165, predicate, has_code)| {
            let mut steps = set_scripts(erc165, predicate);
            steps.push(plain(Action::SetCode {
                predicate: PREDICATE - 1,
                has_code,
            }));
            // On a gated tool and on a new tool.
            steps.push(plain(register(1)));
            steps.push(plain(set_predicate(NewPredicate::Index(PREDICATE))));
            steps.push(plain(register(PREDICATE)));
            Scenario {
                fork: Fork::Cancun,
                steps,
            }
        },
    );
    // D-03, D-04, D-05, D-06
    holds(800, input, |scenario| Machine::run(&scenario));
}

#[test]
fn a_probe_without_enough_gas_never_accepts_a_predicate() {
    // Supports ERC-165 only if it receives the full gas of the probe, and is rejected then.
    let checks_gas = Script {
        behavior: Behavior::CheckGas,
        ..Script::returns(30_000)
    };
    let erc165 = prop_oneof![2 => Just(checks_gas), 1 => any_script(30_000)];
    let input = (
        erc165,
        any_script(30_000),
        30_000_u64..46_000,
        any::<bool>(),
    )
        .prop_map(|(erc165, predicate, gas, is_no_predicate)| {
            let predicate = if is_no_predicate {
                Script::returns(0)
            } else {
                predicate
            };
            let mut steps = set_scripts(erc165, predicate);
            steps.push(plain(register(1)));
            steps.push(with_gas(set_predicate(NewPredicate::Index(PREDICATE)), gas));
            steps.push(with_gas(register(PREDICATE), 2 * gas));
            Scenario {
                fork: Fork::Prague,
                steps,
            }
        });
    // T-02
    holds(4_000, input, |scenario| Machine::run(&scenario));
}

#[test]
fn does_not_probe_the_current_predicate_again() {
    let input = (any_script(30_000), any_script(30_000)).prop_map(|(erc165, predicate)| {
        let mut steps = vec![plain(register(PREDICATE))];
        steps.extend(set_scripts(erc165, predicate));
        steps.push(plain(set_predicate(NewPredicate::Same)));
        Scenario {
            fork: Fork::Osaka,
            steps,
        }
    });
    //
    holds(400, input, |scenario| Machine::run(&scenario));
}

#[test]
fn a_delegated_candidate_is_probed_with_its_full_gas_or_rejected() {
    let (mut world, actors) = Actors::deploy(Fork::Prague, &CodeSource::from_environment());
    let (creator, candidate) = (actors.accounts[0], world.actor("candidate"));
    let registry = actors.contracts.registry;
    // Replacing a predicate needs the least gas after the probe.
    let register = registerToolCall {
        metadataURI: "uri".into(),
        manifestHash: B256::repeat_byte(1),
        accessPredicate: creator,
    };
    let id = world.call(creator, registry, &register);
    // An EOA with a delegation (EIP-7702). Supports ERC-165 only if it receives the full gas of the probe, and is no predicate.
    let designator = [&[0xef, 0x01, 0x00], actors.scripted[0].as_slice()].concat();
    world.set_code(candidate, designator);
    let checks_gas = Script {
        behavior: Behavior::CheckGas,
        ..Script::returns(30_000)
    };
    for (key, script) in [
        (ERC165_ID, checks_gas),
        (ACCESS_PREDICATE_ID, Script::returns(0)),
    ] {
        world.call(creator, candidate, &script.setter(key));
    }
    let call = setAccessPredicateCall {
        toolId: id,
        newPredicate: candidate,
    };
    let transaction = Transaction::call(creator, registry, &call);
    for fork in [Fork::Prague, Fork::Osaka, Fork::Amsterdam, Fork::Monad] {
        world.set_fork(fork);
        // T-02
        for gas in (3_000..120_000).step_by(61).chain([5_000_000]) {
            let limited = transaction
                .clone()
                .with_gas(transaction.minimum_gas() + gas);
            let receipt = world.simulate(&limited);
            assert!(
                !receipt.succeeded(),
                "{fork}: accepted with {gas} gas\n{}",
                world.trace(&limited)
            );
        }
    }
}
