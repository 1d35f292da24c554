//! What the registry makes of what a predicate says, or of one that is not there.

use acceptance::registry::{Act, Machine, Question, Scenario, Step, ToolPick, Uri, access_script};
use alloy_primitives::{B256, U256};
use atr_harness::{Fork, Manner, Script};
use proptest::prelude::*;

use super::plainly;
use crate::property::holds;

fn register(predicate: usize) -> Step {
    plainly(Act::Register {
        by: 0,
        uri: Uri(b"uri".to_vec()),
        hash: B256::repeat_byte(1),
        predicate,
    })
}

fn says(predicate: usize, script: Script) -> Step {
    plainly(Act::Rescript {
        predicate,
        question: Question::HasAccess,
        script,
    })
}

fn ask(plainly_asked: bool, data: Vec<u8>) -> Step {
    plainly(Act::Ask {
        tool: ToolPick::Existing(0),
        account: 1,
        data: data.into(),
        plainly: plainly_asked,
    })
}

#[test]
fn only_one_whole_word_of_zero_or_one_is_an_answer() {
    let word = prop_oneof![
        2 => (0_u64..3).prop_map(U256::from),
        1 => (0_usize..256).prop_map(|bit| U256::from(1) << bit),
        1 => (0_usize..256).prop_map(|bit| U256::from(1) << bit | U256::from(1)),
        1 => any::<[u8; 32]>().prop_map(U256::from_be_bytes),
    ];
    let length = prop_oneof![2 => Just(32_u32), 1 => 0_u32..130];
    let manner = prop_oneof![4 => Just(Manner::Returns), 1 => Just(Manner::Reverts)];
    let input = (manner, length, word).prop_map(|(manner, length, word)| Scenario {
        fork: Fork::Cancun,
        steps: vec![
            register(1),
            says(
                0,
                Script {
                    manner,
                    length,
                    word,
                },
            ),
            ask(false, vec![]),
            ask(true, vec![]),
        ],
    });
    // C-03, C-04, C-05
    holds(1_500, input, |scenario| Machine::run(&scenario));
}

#[test]
fn a_predicate_without_code_cannot_tell_until_it_comes_alive() {
    /// The first of those that have no code yet, as a scripted predicate and as a choice for a tool.
    const UNBORN: usize = 5;
    let change = prop_oneof![
        any::<bool>().prop_map(|alive| plainly(Act::SetAlive {
            predicate: UNBORN,
            alive
        })),
        access_script().prop_map(|script| says(UNBORN, script)),
        any::<bool>().prop_map(|plainly_asked| ask(plainly_asked, vec![1, 2, 3])),
    ];
    let input = prop::collection::vec(change, 1..12).prop_map(|changes| {
        let mut steps = vec![register(UNBORN + 1), ask(false, vec![])];
        steps.extend(changes);
        Scenario {
            fork: Fork::Osaka,
            steps,
        }
    });
    // C-07
    holds(400, input, |scenario| Machine::run(&scenario));
}

#[test]
fn the_question_reaches_the_predicate_to_the_byte() {
    // Yes or no by the hash of what it was asked, so that any other byte is as likely to be noticed as not, each time.
    let reads = Script {
        manner: Manner::ReadsQuestion,
        ..Script::returns(0)
    };
    let questions = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 8);
    let input = questions.prop_map(move |questions| {
        let mut steps = vec![register(1), says(0, reads)];
        steps.extend(questions.into_iter().map(|data| ask(false, data)));
        Scenario {
            fork: Fork::Prague,
            steps,
        }
    });
    // C-11
    holds(200, input, |scenario| Machine::run(&scenario));
}
