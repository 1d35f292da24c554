//! Steps at random.

use alloy_primitives::{B256, FixedBytes, U256};
use atr_bindings::{ERC165_ID, TOOL_REGISTRY_ID};
use atr_harness::{Fork, Manner, Script};
use proptest::prelude::*;

use super::{
    Act, Caller, NewPredicate, NewUri, Question, Scenario, Step, ToolPick, any_uri, cast::SCRIPTED,
    valid_uri,
};
use crate::form::{Form, any_form};

/// A scenario of at most `most` steps after a beginning.
pub fn scenario(most: usize) -> impl Strategy<Value = Scenario> {
    let fork = prop::sample::select(Fork::ALL.to_vec());
    (fork, steps(most)).prop_map(|(fork, steps)| Scenario { fork, steps })
}

/// At most `most` steps after a beginning. That registers a tool, for there is little to do before, and has most predicates
/// change their minds, each in any manner, or few would be asked that do not simply say no.
pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let plainly = |act| Step {
        act,
        form: Form::default(),
    };
    let minds: Vec<_> = (0..SCRIPTED)
        .map(|predicate| {
            let changes = any_script(200_000).prop_map(move |script| Act::Rescript {
                predicate,
                question: Question::HasAccess,
                script,
            });
            prop::option::weighted(0.7, changes)
        })
        .collect();
    let later = prop::collection::vec(step(), 0..most);
    // Shrunk in this order: what is left out need not be made simpler.
    (later, minds, register()).prop_map(move |(later, minds, register)| {
        let mut steps = vec![plainly(register)];
        steps.extend(minds.into_iter().flatten().map(plainly));
        steps.extend(later);
        steps
    })
}

/// One step. Its form is shrunk without its act.
pub fn step() -> impl Strategy<Value = Step> {
    (any_form(), act()).prop_map(|(form, act)| Step { act, form })
}

/// What a predicate says to `hasAccess`.
pub fn access_script() -> impl Strategy<Value = Script> {
    any_script(200_000).prop_union((0_u64..2).prop_map(Script::returns).boxed())
}

/// Any way to answer; `allowance` is the gas it is asked with.
pub fn any_script(allowance: u64) -> BoxedStrategy<Script> {
    // Long, but not longer than the allowance pays for.
    let long = if allowance < 200_000 { 4_096 } else { 200_000 };
    let length = prop_oneof![
        4 => Just(32_u32),
        2 => 0_u32..100,
        1 => prop::sample::select(vec![31_u32, 33, 64, long]),
    ];
    let word = prop_oneof![
        3 => (0_u64..3).prop_map(U256::from),
        1 => (0_usize..256).prop_map(|bit| U256::from(1) << bit),
        1 => any::<[u8; 32]>().prop_map(U256::from_be_bytes),
    ];
    let manner = prop::sample::select(Manner::ALL.to_vec());
    (manner, length, word)
        .prop_map(move |(manner, length, word)| match manner {
            // A probe is read by its first word, so what the question's hash says would be chance.
            Manner::ReadsQuestion if allowance < 200_000 => Script::returns(1),
            Manner::ReadsQuestion => Script {
                manner,
                length: 32,
                word: U256::ZERO,
            },
            Manner::CountsGas => Script {
                manner,
                length: 32,
                word: U256::from(allowance),
            },
            _ => Script {
                manner,
                length,
                word,
            },
        })
        .boxed()
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => register(),
        7 => (tool(), caller(), new_uri(), prop::option::weighted(0.7, hash()))
            .prop_map(|(tool, by, uri, hash)| Act::Update { tool, by, uri, hash }),
        5 => (tool(), caller(), new_predicate())
            .prop_map(|(tool, by, predicate)| Act::SetPredicate { tool, by, predicate }),
        2 => (tool(), caller()).prop_map(|(tool, by)| Act::Deregister { tool, by }),
        2 => tool().prop_map(|tool| Act::ReadConfig { tool }),
        9 => (tool(), 0_usize..4, noise(0..100), any::<bool>()).prop_map(
            |(tool, account, data, plainly)| Act::Ask { tool, account, data: data.into(), plainly }
        ),
        2 => (0_usize..4, interface()).prop_map(|(which, interface)| Act::ReadConstant { which, interface }),
        5 => rescript(),
        2 => (0..SCRIPTED, any::<bool>()).prop_map(|(predicate, alive)| Act::SetAlive { predicate, alive }),
    ]
}

fn register() -> impl Strategy<Value = Act> {
    (0_usize..3, any_uri(), hash(), 0_usize..12).prop_map(|(by, uri, hash, predicate)| {
        Act::Register {
            by,
            uri,
            hash,
            predicate,
        }
    })
}

fn rescript() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0..SCRIPTED, Just(Question::HasAccess), access_script()),
        1 => (0..SCRIPTED, Just(Question::IsErc165), any_script(30_000)),
        1 => (0..SCRIPTED, Just(Question::IsPredicate), any_script(30_000)),
    ]
    .prop_map(|(predicate, question, script)| Act::Rescript {
        predicate,
        question,
        script,
    })
}

/// Any bytes; fewer are simpler.
fn noise(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>().no_shrink(), length)
}

/// Picks one of any there are. More than the longest URI has bytes, and not much more: each is shrunk by halves.
fn pick() -> std::ops::Range<usize> {
    0..10_000
}

/// Mostly a tool that exists or existed; else one that does not, but whose slot might be taken for another's.
fn tool() -> impl Strategy<Value = ToolPick> {
    let word = any::<[u8; 32]>().prop_map(U256::from_be_bytes);
    let high_bit = (57_usize..256).prop_map(|bit| U256::from(1) << bit);
    prop_oneof![
        20 => pick().prop_map(ToolPick::Existing),
        1 => (1_u64..3).prop_map(ToolPick::Next),
        2 => (pick(), high_bit).prop_map(|(tool, bit)| ToolPick::Aliased(tool, bit)),
        1 => prop_oneof![Just(U256::ZERO), Just(U256::MAX), word].prop_map(ToolPick::Any),
    ]
}

fn caller() -> impl Strategy<Value = Caller> {
    prop_oneof![
        6 => Just(Caller::Creator),
        1 => (0_usize..3).prop_map(Caller::Actor),
        1 => Just(Caller::Predicate),
    ]
}

fn new_uri() -> impl Strategy<Value = NewUri> {
    prop_oneof![
        1 => Just(NewUri::Same),
        3 => any_uri().prop_map(NewUri::Fresh),
        1 => valid_uri().prop_map(NewUri::Fresh),
        1 => noise(1..40).prop_map(NewUri::Longer),
        1 => pick().prop_map(NewUri::Cut),
    ]
}

fn new_predicate() -> impl Strategy<Value = NewPredicate> {
    prop_oneof![
        1 => Just(NewPredicate::Same),
        1 => Just(NewPredicate::Of(0)),
        6 => (0_usize..12).prop_map(NewPredicate::Of),
    ]
}

/// Now and then zero. No hash is simpler than another, and one that shrinks becomes zero, which is refused.
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
