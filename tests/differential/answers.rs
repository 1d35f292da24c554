use std::{cell::RefCell, collections::BTreeSet, fmt};

use acceptance::{anvil::Replay, property::holds, report, repository::Repository};
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate,
    IToolRegistry::{hasAccessCall, registerToolCall, setAccessPredicateCall, tryHasAccessCall},
};
use atr_harness::{
    CodeSource, Contracts, DecodingCaller, Fork, Manner, Outcome, PresetResponsePredicate, Script,
    ScriptedPredicate, World, model::Answer,
};
use atr_registry::Access;
use proptest::prelude::*;
use serde::Deserialize;

/// What a predicate, or a registry that is not ours, gives back.
#[derive(Clone, Debug, Deserialize)]
struct Given {
    #[serde(rename = "callSucceeded")]
    succeeded: bool,
    returndata: Bytes,
}

/// A row of the vectors.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(flatten)]
    given: Given,
    #[serde(rename = "tryHasAccess")]
    pair: (bool, bool),
    #[serde(rename = "hasAccess")]
    plainly: bool,
}

/// A registry with one tool, whose predicate recites; and a contract that asks registries.
#[derive(Clone, Copy)]
struct Setting {
    registry: Address,
    predicate: Address,
    caller: Address,
}

#[test]
fn rust_and_solidity_read_the_same_answer_from_any_bytes() {
    let (world, setting) = setting(World::default());
    let world = RefCell::new(world);
    holds(4_000, given(), |given| {
        read_both(&mut world.borrow_mut(), &setting, &given).map(drop)
    });
}

#[test]
fn anvil_reads_the_same_answer_from_any_bytes() {
    let mut world = World::default();
    let mut replay = Replay::start(Fork::default(), &world).unwrap();
    world.keep_journal();
    let (world, setting) = setting(world);
    let both = RefCell::new((world, &mut replay));
    holds(60, given(), |given| {
        let (world, replay) = &mut *both.borrow_mut();
        read_both(world, &setting, &given)?;
        let journal = world.take_journal();
        replay.follow(world, &journal)
    });
    report(&format!("answers: {}", replay.tally()));
}

#[test]
fn every_vector_of_return_data_is_read_as_it_says() {
    // C-03, C-04, C-05: exactly one word that is 0 or 1.
    let text = Repository::here()
        .read("tests/vectors/predicate_return.json")
        .unwrap();
    let in_file = text.matches("\"why\"").count();
    let rows: Vec<Row> = serde_json::from_str(&text).unwrap();
    let (mut world, setting) = setting(World::default());
    let mut run = 0;
    for row in &rows {
        let answer = read_both(&mut world, &setting, &row.given).unwrap();
        assert_eq!(answer.as_pair(), row.pair, "{row:?}");
        assert_eq!(answer == Answer::Yes, row.plainly, "{row:?}");
        run += 1;
    }
    assert_eq!(run, in_file, "rows were left out");
}

#[test]
fn the_client_reads_what_our_registry_says_of_a_predicate_of_any_manner() {
    // C-06: whatever a predicate does, the registry answers.
    let (mut world, setting) = setting(World::default());
    let scripted = world.deploy("scripted", ScriptedPredicate::BYTECODE.clone());
    let question = IAccessPredicate::hasAccessCall::SELECTOR.into();
    let gate = setAccessPredicateCall {
        toolId: U256::from(1),
        newPredicate: scripted,
    };
    let creator = world.actor("creator");
    let claims = [atr_bindings::ERC165_ID, atr_bindings::ACCESS_PREDICATE_ID];
    for interface in claims {
        world.call(creator, scripted, &Script::returns(1).set_for(interface));
    }
    world.call(creator, setting.registry, &gate);
    let fails = [
        Manner::Reverts,
        Manner::BurnsGas,
        Manner::IsInvalid,
        Manner::Writes,
    ];
    let mut seen = BTreeSet::new();
    for manner in Manner::ALL {
        for length in [0, 1, 31, 32, 33, 64, 200_000] {
            for word in [
                U256::ZERO,
                U256::from(1),
                U256::from(2),
                U256::from(200_000),
                U256::MAX,
            ] {
                let script = Script {
                    manner,
                    length,
                    word,
                };
                world.call(creator, scripted, &script.set_for(question));
                let (read, solidity) = read_by_clients(&mut world, setting, setting.registry);
                assert_eq!(read, solidity, "{script:?}");
                if fails.contains(&manner) {
                    assert_eq!(read, Some(Answer::Unknown), "{script:?}");
                }
                seen.insert(read.expect("our registry answers"));
            }
        }
    }
    assert_eq!(seen.len(), 3, "not every answer was given: {seen:?}");
}

#[test]
fn the_client_reads_what_solidity_reads_from_any_registry() {
    let (world, setting) = setting(World::default());
    let world = RefCell::new(world);
    let read = |given: &Given| {
        let world = &mut world.borrow_mut();
        // What recites for a predicate recites for a registry too.
        let recite = PresetResponsePredicate::setResponseCall {
            key: tryHasAccessCall::SELECTOR.into(),
            success: given.succeeded,
            returndata: given.returndata.clone(),
        };
        world.call(setting.predicate, setting.predicate, &recite);
        match read_by_clients(world, setting, setting.predicate) {
            (rust, solidity) if rust == solidity => Ok(rust),
            (rust, solidity) => Err(format!("Rust reads {rust:?}, Solidity {solidity:?}")),
        }
    };
    let returned = |words: &[u8], length| {
        let mut bytes = words
            .iter()
            .map(|byte| B256::with_last_byte(*byte))
            .collect::<Vec<_>>()
            .concat();
        bytes.resize(length, 0);
        read(&Given {
            succeeded: true,
            returndata: bytes.into(),
        })
        .unwrap()
    };
    assert_eq!(returned(&[1, 1], 64), Some(Answer::Yes));
    assert_eq!(returned(&[1, 0], 64), Some(Answer::No));
    assert_eq!(returned(&[0, 0], 64), Some(Answer::Unknown));
    assert_eq!(returned(&[0, 1], 64), Some(Answer::Unknown));
    assert_eq!(returned(&[1, 1, 7], 96), Some(Answer::Yes));
    for (words, length) in [
        ([1, 1], 63),
        ([1, 1], 32),
        ([1, 1], 0),
        ([1, 2], 64),
        ([2, 1], 64),
        ([0, 2], 64),
    ] {
        assert_eq!(returned(&words, length), None, "{words:?} cut to {length}");
    }
    holds(4_000, foreign(), |given| read(&given).map(drop));
}

fn setting(mut world: World) -> (World, Setting) {
    let registry = Contracts::install(&mut world, &CodeSource::from_environment()).registry;
    let predicate = world.deploy("reciting", PresetResponsePredicate::BYTECODE.clone());
    let caller = world.deploy("caller", DecodingCaller::BYTECODE.clone());
    let creator = world.actor("creator");
    let call = registerToolCall {
        metadataURI: "u".to_owned(),
        manifestHash: B256::repeat_byte(1),
        accessPredicate: predicate,
    };
    world.call(creator, registry, &call);
    (
        world,
        Setting {
            registry,
            predicate,
            caller,
        },
    )
}

/// What Rust reads, if the registry reads the same.
fn read_both(world: &mut World, setting: &Setting, given: &Given) -> Result<Answer, String> {
    let Setting {
        registry,
        predicate,
        ..
    } = *setting;
    let recite = PresetResponsePredicate::setHasAccessCall {
        success: given.succeeded,
        returndata: given.returndata.clone(),
    };
    world.call(predicate, predicate, &recite);
    let (id, account, data) = (U256::from(1), predicate, Bytes::new());
    let pair = world.read(
        registry,
        &tryHasAccessCall {
            toolId: id,
            account,
            data: data.clone(),
        },
    );
    let plainly = world.read(
        registry,
        &hasAccessCall {
            toolId: id,
            account,
            data,
        },
    );

    let read = if given.succeeded {
        Answer::of_return(&given.returndata)
    } else {
        Answer::Unknown
    };
    let clients = read_by_clients(world, *setting, registry);
    let is_same = read.as_pair() == (pair.ok, pair.granted)
        && plainly == (read == Answer::Yes)
        && clients == (Some(read), Some(read));
    if is_same {
        return Ok(read);
    }
    Err(format!(
        "the model reads {read:?}, the registry {pair:?} and {plainly}, its clients {clients:?}"
    ))
}

/// What the client we ship reads from a registry's answer, and what a contract does; none where it cannot be read.
fn read_by_clients(
    world: &mut World,
    setting: Setting,
    registry: Address,
) -> (Option<Answer>, Option<Answer>) {
    let question = tryHasAccessCall {
        toolId: U256::from(1),
        account: setting.caller,
        data: Bytes::new(),
    };
    let read = match world.ask(registry, &question).outcome {
        Outcome::Returned(bytes) => Access::decode(&bytes),
        _ => None,
    };
    let told = world.ask(
        setting.caller,
        &DecodingCaller::tryHasAccessCall { registry },
    );
    let solidity = told.returned::<DecodingCaller::tryHasAccessCall>();
    (
        read.map(|access| match access {
            Access::Granted => Answer::Yes,
            Access::Denied => Answer::No,
            Access::Unknown => Answer::Unknown,
        }),
        solidity.map(|pair| match (pair.ok, pair.granted) {
            (true, granted) => granted.into(),
            (false, _) => Answer::Unknown,
        }),
    )
}

/// About two words, mostly zeros and ones, too short or too long now and then.
fn foreign() -> impl Strategy<Value = Given> {
    let flag = prop_oneof![
        6 => (0_u8..2).prop_map(B256::with_last_byte),
        1 => Just(B256::with_last_byte(2)),
        1 => (0_usize..32, 1_u8..).prop_map(|(at, byte)| {
            let mut dirty = B256::with_last_byte(1);
            dirty[at] = byte;
            dirty
        }),
    ];
    let length = prop_oneof![6 => Just(64_usize), 1 => 62_usize..67, 1 => 0_usize..=200];
    (
        prop::bool::weighted(0.9),
        flag.clone(),
        flag,
        length,
        any::<u8>(),
    )
        .prop_map(|(succeeded, ok, granted, length, rest)| {
            let mut bytes = [ok, granted].concat();
            bytes.resize(length, rest);
            Given {
                succeeded,
                returndata: bytes.into(),
            }
        })
}

/// Mostly about as long as a word, and mostly zeros: where it gets interesting.
fn given() -> impl Strategy<Value = Given> {
    let length = prop_oneof![3 => Just(32_usize), 1 => 30_usize..35, 1 => 0_usize..=100];
    let byte = prop_oneof![Just(0_u8), Just(1), any::<u8>()];
    let sparse = (any::<prop::sample::Index>(), byte);
    let bytes = prop_oneof![
        4 => (length.clone(), prop::collection::vec(sparse, 0..3)).prop_map(|(length, set)| {
            let mut bytes = vec![0; length];
            for (at, byte) in set {
                if length > 0 {
                    bytes[at.index(length)] = byte;
                }
            }
            bytes
        }),
        2 => (length.clone(), 0_u8..3).prop_map(|(length, last)| {
            let mut bytes = vec![0; length];
            if let Some(byte) = bytes.get_mut(31) {
                *byte = last;
            }
            bytes
        }),
        1 => length.prop_flat_map(|length| prop::collection::vec(any::<u8>(), length)),
    ];
    (prop::bool::weighted(0.8), bytes).prop_map(|(succeeded, bytes)| Given {
        succeeded,
        returndata: bytes.into(),
    })
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.succeeded {
            "returns"
        } else {
            "reverts with"
        };
        write!(
            f,
            "  somebody who {how} {}",
            hex::encode_prefixed(&self.returndata)
        )
    }
}
