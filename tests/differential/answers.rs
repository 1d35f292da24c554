use std::{cell::RefCell, fmt};

use acceptance::{anvil::Replay, property::holds, report, repository::Repository};
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use atr_bindings::IToolRegistry::{hasAccessCall, registerToolCall, tryHasAccessCall};
use atr_harness::{CodeSource, Contracts, Fork, RecitingPredicate, World, model::Answer};
use proptest::prelude::*;
use serde::Deserialize;

/// What a predicate gives back.
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

/// A registry with one tool, whose predicate recites.
#[derive(Clone)]
struct Setting {
    registry: Address,
    predicate: Address,
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

fn setting(mut world: World) -> (World, Setting) {
    let registry = Contracts::install(&mut world, &CodeSource::from_environment()).registry;
    let predicate = world.deploy("reciting", RecitingPredicate::BYTECODE.clone());
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
        },
    )
}

/// What Rust reads, if the registry reads the same.
fn read_both(world: &mut World, setting: &Setting, given: &Given) -> Result<Answer, String> {
    let Setting {
        registry,
        predicate,
    } = *setting;
    let recite = RecitingPredicate::setHasAccessCall {
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
    if read.as_pair() == (pair.ok, pair.granted) && plainly == (read == Answer::Yes) {
        return Ok(read);
    }
    Err(format!(
        "Rust reads {read:?}, the registry {pair:?} and {plainly}"
    ))
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
            "  a predicate that {how} {}",
            hex::encode_prefixed(&self.returndata)
        )
    }
}
