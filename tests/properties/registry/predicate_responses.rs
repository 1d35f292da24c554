//! How the registry interprets the response of a predicate.

use acceptance::registry::{
    Action, Machine, Scenario, ScriptedCall, Step, ToolPick, Uri, access_script,
};
use alloy_primitives::{B256, U256};
use atr_harness::{Behavior, Fork, Script};
use proptest::prelude::*;

use super::plain;
use acceptance::property::holds;

fn register(predicate: usize) -> Step {
    plain(Action::Register {
        by: 0,
        uri: Uri(b"uri".to_vec()),
        hash: B256::repeat_byte(1),
        predicate,
    })
}

fn set_script(predicate: usize, script: Script) -> Step {
    plain(Action::SetScript {
        predicate,
        call: ScriptedCall::HasAccess,
        script,
    })
}

fn check_access(is_try: bool, data: Vec<u8>) -> Step {
    plain(Action::CheckAccess {
        tool: ToolPick::Existing(0),
        account: 1,
        data: data.into(),
        is_try,
    })
}

#[test]
fn only_a_single_word_of_zero_or_one_is_a_result() {
    let value = prop_oneof![
        2 => (0_u64..3).prop_map(U256::from),
        1 => (0_usize..256).prop_map(|bit| U256::from(1) << bit),
        1 => (0_usize..256).prop_map(|bit| U256::from(1) << bit | U256::from(1)),
        1 => any::<[u8; 32]>().prop_map(U256::from_be_bytes),
    ];
    let length = prop_oneof![2 => Just(32_u32), 1 => 0_u32..130];
    let behavior = prop_oneof![4 => Just(Behavior::Return), 1 => Just(Behavior::Revert)];
    let input = (behavior, length, value).prop_map(|(behavior, length, value)| Scenario {
        fork: Fork::Cancun,
        steps: vec![
            register(1),
            set_script(
                0,
                Script {
                    behavior,
                    length,
                    value,
                },
            ),
            check_access(true, vec![]),
            check_access(false, vec![]),
        ],
    });
    // C-03, C-04, C-05
    holds(1_500, input, |scenario| Machine::run(&scenario));
}

#[test]
fn a_predicate_is_unknown_until_it_has_code() {
    /// The first scripted predicate without code.
    const CODELESS: usize = 5;
    let change = prop_oneof![
        any::<bool>().prop_map(|has_code| plain(Action::SetCode {
            predicate: CODELESS,
            has_code
        })),
        access_script().prop_map(|script| set_script(CODELESS, script)),
        any::<bool>().prop_map(|is_try| check_access(is_try, vec![1, 2, 3])),
    ];
    let input = prop::collection::vec(change, 1..12).prop_map(|changes| {
        let mut steps = vec![register(CODELESS + 1), check_access(true, vec![])];
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
fn the_predicate_receives_the_exact_calldata() {
    // The result depends on the hash of the calldata, so that every wrong byte is noticed with probability 1/2.
    let hashes = Script {
        behavior: Behavior::HashCalldata,
        ..Script::returns(0)
    };
    let data = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 8);
    let input = data.prop_map(move |data| {
        let mut steps = vec![register(1), set_script(0, hashes)];
        steps.extend(data.into_iter().map(|data| check_access(true, data)));
        Scenario {
            fork: Fork::Prague,
            steps,
        }
    });
    // C-11
    holds(200, input, |scenario| Machine::run(&scenario));
}
