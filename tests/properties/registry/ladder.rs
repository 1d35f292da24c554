//! The five steps by which a predicate is accepted or refused.

use acceptance::registry::{
    Act, Caller, Machine, NewPredicate, Question, Scenario, Step, ToolPick, Uri, any_script,
};
use alloy_primitives::B256;
use atr_harness::{Fork, Manner, Script};
use proptest::prelude::*;

use super::{plainly, with_gas};
use crate::property::holds;

/// Index of a scripted predicate among those a tool may be given; the first of them is nobody.
const PREDICATE: usize = 3;

fn register(predicate: usize) -> Act {
    Act::Register {
        by: 0,
        uri: Uri(b"https://a.example/.well-known/ai-tool/b.json".to_vec()),
        hash: B256::repeat_byte(1),
        predicate,
    }
}

fn set_predicate(predicate: NewPredicate) -> Act {
    Act::SetPredicate {
        tool: ToolPick::Existing(0),
        by: Caller::Creator,
        predicate,
    }
}

fn answers(is_erc165: Script, is_predicate: Script) -> Vec<Step> {
    let rescript = |question, script| {
        plainly(Act::Rescript {
            predicate: PREDICATE - 1,
            question,
            script,
        })
    };
    vec![
        rescript(Question::IsErc165, is_erc165),
        rescript(Question::IsPredicate, is_predicate),
    ]
}

#[test]
fn the_ladder_refuses_only_who_speaks_erc165_and_does_not_claim_to_be_a_predicate() {
    let input = (any_script(30_000), any_script(30_000), any::<bool>()).prop_map(
        |(is_erc165, is_predicate, alive)| {
            let mut steps = answers(is_erc165, is_predicate);
            steps.push(plainly(Act::SetAlive {
                predicate: PREDICATE - 1,
                alive,
            }));
            // A tool that is gated already, and one that is open.
            steps.push(plainly(register(1)));
            steps.push(plainly(set_predicate(NewPredicate::Of(PREDICATE))));
            steps.push(plainly(register(PREDICATE)));
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
fn a_question_that_is_starved_never_lets_a_predicate_in() {
    // Says that it speaks ERC-165 only if it gets the whole allowance, and is then refused.
    let counts = Script {
        manner: Manner::CountsGas,
        ..Script::returns(30_000)
    };
    let is_erc165 = prop_oneof![2 => Just(counts), 1 => any_script(30_000)];
    let input = (
        is_erc165,
        any_script(30_000),
        30_000_u64..46_000,
        any::<bool>(),
    )
        .prop_map(|(is_erc165, is_predicate, gas, refuses)| {
            let is_predicate = if refuses {
                Script::returns(0)
            } else {
                is_predicate
            };
            let mut steps = answers(is_erc165, is_predicate);
            steps.push(plainly(register(1)));
            steps.push(with_gas(set_predicate(NewPredicate::Of(PREDICATE)), gas));
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
fn the_predicate_that_is_set_already_is_not_asked_again() {
    let input = (any_script(30_000), any_script(30_000)).prop_map(|(is_erc165, is_predicate)| {
        let mut steps = vec![plainly(register(PREDICATE))];
        steps.extend(answers(is_erc165, is_predicate));
        steps.push(plainly(set_predicate(NewPredicate::Same)));
        Scenario {
            fork: Fork::Osaka,
            steps,
        }
    });
    //
    holds(400, input, |scenario| Machine::run(&scenario));
}
