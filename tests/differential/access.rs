use std::{cell::RefCell, collections::BTreeSet, fmt};

use acceptance::{anvil::Replay, property::holds, report, repository::Repository};
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate,
    IToolRegistry::{hasAccessCall, registerToolCall, setAccessPredicateCall, tryHasAccessCall},
};
use atr_harness::{
    Behavior, CodeSource, Contracts, DecodingCaller, Fork, Outcome, PresetResponsePredicate,
    Script, ScriptedPredicate, World, model::Access,
};
use atr_registry::Access as ClientAccess;
use proptest::prelude::*;
use serde::Deserialize;

/// The response of a predicate or of a third-party registry.
#[derive(Clone, Debug, Deserialize)]
struct Response {
    #[serde(rename = "callSucceeded")]
    succeeded: bool,
    returndata: Bytes,
}

/// A row of `tests/vectors/predicate_return.json`.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(flatten)]
    response: Response,
    #[serde(rename = "tryHasAccess")]
    pair: (bool, bool),
    #[serde(rename = "hasAccess")]
    granted: bool,
}

/// A registry with one tool, its predicate with preset responses, and a contract that decodes `tryHasAccess`.
#[derive(Clone, Copy)]
struct Setup {
    registry: Address,
    predicate: Address,
    caller: Address,
}

#[test]
fn rust_and_solidity_decode_any_return_data_alike() {
    let (world, setup) = setup(World::default());
    let world = RefCell::new(world);
    holds(4_000, any_response(), |response| {
        decode_both(&mut world.borrow_mut(), &setup, &response).map(drop)
    });
}

#[test]
fn anvil_decodes_any_return_data_alike() {
    let mut world = World::default();
    let mut replay = Replay::start(Fork::default(), &world).unwrap();
    world.start_journal();
    let (world, setup) = setup(world);
    let state = RefCell::new((world, &mut replay));
    holds(60, any_response(), |response| {
        let (world, replay) = &mut *state.borrow_mut();
        decode_both(world, &setup, &response)?;
        let journal = world.take_journal();
        replay.replay(world, &journal)
    });
    report(&format!("access: {}", replay.counts()));
}

#[test]
fn every_vector_of_return_data_is_decoded_as_listed() {
    // C-03, C-04, C-05: exactly one word that is 0 or 1.
    let text = Repository::here()
        .read("tests/vectors/predicate_return.json")
        .unwrap();
    let in_file = text.matches("\"why\"").count();
    let rows: Vec<Row> = serde_json::from_str(&text).unwrap();
    let (mut world, setup) = setup(World::default());
    let mut run = 0;
    for row in &rows {
        let access = decode_both(&mut world, &setup, &row.response).unwrap();
        assert_eq!(access.as_pair(), row.pair, "{row:?}");
        assert_eq!(access == Access::Granted, row.granted, "{row:?}");
        run += 1;
    }
    assert_eq!(run, in_file, "not every row was checked");
}

#[test]
fn the_client_decodes_our_registry_for_every_predicate_behavior() {
    // C-06: the registry returns a result for every behavior of a predicate.
    let (mut world, setup) = setup(World::default());
    let scripted = world.deploy("scripted", ScriptedPredicate::BYTECODE.clone());
    let key = IAccessPredicate::hasAccessCall::SELECTOR.into();
    let gate = setAccessPredicateCall {
        toolId: U256::from(1),
        newPredicate: scripted,
    };
    let creator = world.actor("creator");
    let interfaces = [atr_bindings::ERC165_ID, atr_bindings::ACCESS_PREDICATE_ID];
    for interface in interfaces {
        world.call(creator, scripted, &Script::returns(1).setter(interface));
    }
    world.call(creator, setup.registry, &gate);
    let fails = [
        Behavior::Revert,
        Behavior::BurnGas,
        Behavior::InvalidOpcode,
        Behavior::WriteStorage,
    ];
    let mut seen = BTreeSet::new();
    for behavior in Behavior::ALL {
        for length in [0, 1, 31, 32, 33, 64, 200_000] {
            for value in [
                U256::ZERO,
                U256::from(1),
                U256::from(2),
                U256::from(200_000),
                U256::MAX,
            ] {
                let script = Script {
                    behavior,
                    length,
                    value,
                };
                world.call(creator, scripted, &script.setter(key));
                let (read, solidity) = decode_by_clients(&mut world, setup, setup.registry);
                assert_eq!(read, solidity, "{script:?}");
                if fails.contains(&behavior) {
                    assert_eq!(read, Some(Access::Unknown), "{script:?}");
                }
                seen.insert(read.expect("our registry returns a result"));
            }
        }
    }
    assert_eq!(seen.len(), 3, "not every result occurred: {seen:?}");
}

#[test]
fn the_client_and_solidity_decode_any_registry_alike() {
    let (world, setup) = setup(World::default());
    let world = RefCell::new(world);
    let read = |response: &Response| {
        let world = &mut world.borrow_mut();
        // The mock responds in place of a registry.
        let preset = PresetResponsePredicate::setResponseCall {
            key: tryHasAccessCall::SELECTOR.into(),
            success: response.succeeded,
            returndata: response.returndata.clone(),
        };
        world.call(setup.predicate, setup.predicate, &preset);
        match decode_by_clients(world, setup, setup.predicate) {
            (rust, solidity) if rust == solidity => Ok(rust),
            (rust, solidity) => Err(format!("Rust decodes {rust:?}, Solidity {solidity:?}")),
        }
    };
    let returned = |words: &[u8], length| {
        let mut bytes = words
            .iter()
            .map(|byte| B256::with_last_byte(*byte))
            .collect::<Vec<_>>()
            .concat();
        bytes.resize(length, 0);
        read(&Response {
            succeeded: true,
            returndata: bytes.into(),
        })
        .unwrap()
    };
    assert_eq!(returned(&[1, 1], 64), Some(Access::Granted));
    assert_eq!(returned(&[1, 0], 64), Some(Access::Denied));
    assert_eq!(returned(&[0, 0], 64), Some(Access::Unknown));
    assert_eq!(returned(&[0, 1], 64), Some(Access::Unknown));
    assert_eq!(returned(&[1, 1, 7], 96), Some(Access::Granted));
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
    holds(4_000, any_registry_response(), |response| {
        read(&response).map(drop)
    });
}

fn setup(mut world: World) -> (World, Setup) {
    let registry = Contracts::deploy(&mut world, &CodeSource::from_environment()).registry;
    let predicate = world.deploy("preset response", PresetResponsePredicate::BYTECODE.clone());
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
        Setup {
            registry,
            predicate,
            caller,
        },
    )
}

/// The result in Rust, if the registry and its clients decode the same.
fn decode_both(world: &mut World, setup: &Setup, response: &Response) -> Result<Access, String> {
    let Setup {
        registry,
        predicate,
        ..
    } = *setup;
    let preset = PresetResponsePredicate::setHasAccessCall {
        success: response.succeeded,
        returndata: response.returndata.clone(),
    };
    world.call(predicate, predicate, &preset);
    let (id, account, data) = (U256::from(1), predicate, Bytes::new());
    let pair = world.read(
        registry,
        &tryHasAccessCall {
            toolId: id,
            account,
            data: data.clone(),
        },
    );
    let granted = world.read(
        registry,
        &hasAccessCall {
            toolId: id,
            account,
            data,
        },
    );

    let read = if response.succeeded {
        Access::from_return_data(&response.returndata)
    } else {
        Access::Unknown
    };
    let clients = decode_by_clients(world, *setup, registry);
    let is_same = read.as_pair() == (pair.ok, pair.granted)
        && granted == (read == Access::Granted)
        && clients == (Some(read), Some(read));
    if is_same {
        return Ok(read);
    }
    Err(format!(
        "the model decodes {read:?}, the registry {pair:?} and {granted}, its clients {clients:?}"
    ))
}

/// The result that the Rust client and a Solidity client decode; none if the data does not decode.
fn decode_by_clients(
    world: &mut World,
    setup: Setup,
    registry: Address,
) -> (Option<Access>, Option<Access>) {
    let call = tryHasAccessCall {
        toolId: U256::from(1),
        account: setup.caller,
        data: Bytes::new(),
    };
    let read = match world.view(registry, &call).outcome {
        Outcome::Returned(bytes) => ClientAccess::decode(&bytes),
        _ => None,
    };
    let receipt = world.view(setup.caller, &DecodingCaller::tryHasAccessCall { registry });
    let solidity = receipt.returned::<DecodingCaller::tryHasAccessCall>();
    (
        read.map(|access| match access {
            ClientAccess::Granted => Access::Granted,
            ClientAccess::Denied => Access::Denied,
            ClientAccess::Unknown => Access::Unknown,
        }),
        solidity.map(|pair| match (pair.ok, pair.granted) {
            (true, granted) => granted.into(),
            (false, _) => Access::Unknown,
        }),
    )
}

/// About two words, mostly 0 or 1, sometimes too short or too long.
fn any_registry_response() -> impl Strategy<Value = Response> {
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
            Response {
                succeeded,
                returndata: bytes.into(),
            }
        })
}

/// Mostly about one word, mostly zeros.
fn any_response() -> impl Strategy<Value = Response> {
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
    (prop::bool::weighted(0.8), bytes).prop_map(|(succeeded, bytes)| Response {
        succeeded,
        returndata: bytes.into(),
    })
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.succeeded {
            "returns"
        } else {
            "reverts with"
        };
        write!(f, "  {verb} {}", hex::encode_prefixed(&self.returndata))
    }
}
