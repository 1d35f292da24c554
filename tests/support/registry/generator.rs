//! Generators of scenarios.

use alloy_primitives::{B256, FixedBytes, U256};
use atr_bindings::{ERC165_ID, TOOL_REGISTRY_ID};
use atr_harness::{Behavior, Fork, Script};
use proptest::prelude::*;

use super::{
    Action, Caller, NewPredicate, NewUri, Scenario, ScriptedCall, Step, ToolPick, actors::SCRIPTED,
    any_uri, valid_uri,
};
use crate::variation::{Variation, any_variation};

/// A scenario of at most `max` steps after its first ones.
pub fn scenario(max: usize) -> impl Strategy<Value = Scenario> {
    let fork = prop::sample::select(Fork::ALL.to_vec());
    (fork, steps(max)).prop_map(|(fork, steps)| Scenario { fork, steps })
}

/// At most `max` steps after the first ones, which register a tool and give most predicates a random script. Without them most
/// calls would fail early or be denied.
pub fn steps(max: usize) -> impl Strategy<Value = Vec<Step>> {
    let plain = |action| Step {
        action,
        variation: Variation::default(),
    };
    let scripts: Vec<_> = (0..SCRIPTED)
        .map(|predicate| {
            let set_script = any_script(200_000).prop_map(move |script| Action::SetScript {
                predicate,
                call: ScriptedCall::HasAccess,
                script,
            });
            prop::option::weighted(0.7, set_script)
        })
        .collect();
    let later = prop::collection::vec(step(), 0..max);
    // Shrinks the later steps first.
    (later, scripts, register()).prop_map(move |(later, scripts, register)| {
        let mut steps = vec![plain(register)];
        steps.extend(scripts.into_iter().flatten().map(plain));
        steps.extend(later);
        steps
    })
}

/// One step. Its variation shrinks independently of its action.
pub fn step() -> impl Strategy<Value = Step> {
    (any_variation(), action()).prop_map(|(variation, action)| Step { action, variation })
}

/// A script for `hasAccess`.
pub fn access_script() -> impl Strategy<Value = Script> {
    any_script(200_000).prop_union((0_u64..2).prop_map(Script::returns).boxed())
}

/// Any script; `gas` is the gas limit of the call.
pub fn any_script(gas: u64) -> BoxedStrategy<Script> {
    // Not longer than the gas pays for.
    let long = if gas < 200_000 { 4_096 } else { 200_000 };
    let length = prop_oneof![
        4 => Just(32_u32),
        2 => 0_u32..100,
        1 => prop::sample::select(vec![31_u32, 33, 64, long]),
    ];
    let value = prop_oneof![
        3 => (0_u64..3).prop_map(U256::from),
        1 => (0_usize..256).prop_map(|bit| U256::from(1) << bit),
        1 => any::<[u8; 32]>().prop_map(U256::from_be_bytes),
    ];
    let behavior = prop::sample::select(Behavior::ALL.to_vec());
    (behavior, length, value)
        .prop_map(move |(behavior, length, value)| match behavior {
            // A probe always has the same calldata.
            Behavior::HashCalldata if gas < 200_000 => Script::returns(1),
            Behavior::HashCalldata => Script {
                behavior,
                length: 32,
                value: U256::ZERO,
            },
            Behavior::CheckGas => Script {
                behavior,
                length: 32,
                value: U256::from(gas),
            },
            _ => Script {
                behavior,
                length,
                value,
            },
        })
        .boxed()
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => register(),
        7 => (tool(), caller(), new_uri(), prop::option::weighted(0.7, hash()))
            .prop_map(|(tool, by, uri, hash)| Action::Update { tool, by, uri, hash }),
        5 => (tool(), caller(), new_predicate())
            .prop_map(|(tool, by, predicate)| Action::SetPredicate { tool, by, predicate }),
        2 => (tool(), caller()).prop_map(|(tool, by)| Action::Deregister { tool, by }),
        2 => tool().prop_map(|tool| Action::ReadConfig { tool }),
        9 => (tool(), 0_usize..4, bytes(0..100), any::<bool>()).prop_map(
            |(tool, account, data, is_try)| Action::CheckAccess { tool, account, data: data.into(), is_try }
        ),
        2 => (0_usize..4, interface()).prop_map(|(index, interface)| Action::ReadConstant { index, interface }),
        5 => set_script(),
        2 => (0..SCRIPTED, any::<bool>()).prop_map(|(predicate, has_code)| Action::SetCode { predicate, has_code }),
    ]
}

fn register() -> impl Strategy<Value = Action> {
    (0_usize..3, any_uri(), hash(), 0_usize..12).prop_map(|(by, uri, hash, predicate)| {
        Action::Register {
            by,
            uri,
            hash,
            predicate,
        }
    })
}

fn set_script() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => (0..SCRIPTED, Just(ScriptedCall::HasAccess), access_script()),
        1 => (0..SCRIPTED, Just(ScriptedCall::SupportsErc165), any_script(30_000)),
        1 => (0..SCRIPTED, Just(ScriptedCall::SupportsPredicate), any_script(30_000)),
    ]
    .prop_map(|(predicate, call, script)| Action::SetScript {
        predicate,
        call,
        script,
    })
}

/// Any bytes, shrunk in length only.
fn bytes(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>().no_shrink(), length)
}

/// An index, taken modulo the length of a list. Little more than the longest URI, so that shrinking by halves is short.
fn index() -> std::ops::Range<usize> {
    0..10_000
}

/// Mostly a registered or deregistered tool; otherwise an id whose slot could alias another's.
fn tool() -> impl Strategy<Value = ToolPick> {
    let word = any::<[u8; 32]>().prop_map(U256::from_be_bytes);
    let high_bit = (57_usize..256).prop_map(|bit| U256::from(1) << bit);
    prop_oneof![
        20 => index().prop_map(ToolPick::Existing),
        1 => (1_u64..3).prop_map(ToolPick::AfterLast),
        2 => (index(), high_bit).prop_map(|(tool, bit)| ToolPick::Aliased(tool, bit)),
        1 => prop_oneof![Just(U256::ZERO), Just(U256::MAX), word].prop_map(ToolPick::Any),
    ]
}

fn caller() -> impl Strategy<Value = Caller> {
    prop_oneof![
        6 => Just(Caller::Creator),
        1 => (0_usize..3).prop_map(Caller::Account),
        1 => Just(Caller::Predicate),
    ]
}

fn new_uri() -> impl Strategy<Value = NewUri> {
    prop_oneof![
        1 => Just(NewUri::Same),
        3 => any_uri().prop_map(NewUri::Other),
        1 => valid_uri().prop_map(NewUri::Other),
        1 => bytes(1..40).prop_map(NewUri::Extended),
        1 => index().prop_map(NewUri::Truncated),
    ]
}

fn new_predicate() -> impl Strategy<Value = NewPredicate> {
    prop_oneof![
        1 => Just(NewPredicate::Same),
        1 => Just(NewPredicate::Index(0)),
        6 => (0_usize..12).prop_map(NewPredicate::Index),
    ]
}

/// Sometimes zero. Does not shrink, because the zero hash is rejected.
fn hash() -> impl Strategy<Value = B256> {
    prop_oneof![
        15 => any::<[u8; 32]>().prop_map(B256::from).no_shrink(),
        1 => Just(B256::ZERO),
    ]
}

fn interface() -> impl Strategy<Value = FixedBytes<4>> {
    prop_oneof![
        Just(TOOL_REGISTRY_ID),
        Just(ERC165_ID),
        Just(FixedBytes::repeat_byte(0xff)),
        any::<[u8; 4]>().prop_map(FixedBytes::from),
    ]
}
