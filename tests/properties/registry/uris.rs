//! URIs are stored and returned unchanged.

use acceptance::{
    mutation::Mutation,
    registry::{Action, Caller, Machine, NewUri, Scenario, Step, ToolPick, Uri, valid_uri},
    variation::Variation,
};
use alloy_primitives::{B256, U256};
use atr_harness::Fork;
use proptest::prelude::*;

use super::plain;
use acceptance::property::holds;

/// The word with the length of the URI in the arguments of `registerTool`.
const LENGTH_WORD: usize = 3;

fn register(uri: Uri, predicate: usize) -> Action {
    Action::Register {
        by: 0,
        uri,
        hash: B256::repeat_byte(1),
        predicate,
    }
}

#[test]
fn every_uri_is_read_back_unchanged() {
    let uris = prop::collection::vec(valid_uri(), 1..6);
    let input = (uris, any::<bool>(), any::<bool>()).prop_map(|(uris, gated, hash_changes)| {
        let mut steps = Vec::new();
        for (index, uri) in uris.into_iter().enumerate() {
            steps.push(plain(if index == 0 {
                register(uri, usize::from(gated))
            } else {
                Action::Update {
                    tool: ToolPick::Existing(0),
                    by: Caller::Creator,
                    uri: NewUri::Other(uri),
                    hash: hash_changes.then(|| B256::with_last_byte(1 + index as u8)),
                }
            }));
            steps.push(plain(Action::ReadConfig {
                tool: ToolPick::Existing(0),
            }));
        }
        Scenario {
            fork: Fork::Cancun,
            steps,
        }
    });
    //
    holds(800, input, |scenario| Machine::run(&scenario));
}

#[test]
fn hosts_of_every_length_are_read_back_unchanged() {
    // 255 bytes can be abbreviated. No byte equals its neighbors.
    for length in 0..=260 {
        let host = (0..length).map(|index| char::from(b'a' + (index % 25) as u8));
        let host: String = host.collect();
        let uri = format!("https://{host}/.well-known/ai-tool/slug.json");
        let scenario = Scenario {
            fork: Fork::Cancun,
            steps: vec![plain(register(Uri(uri.into_bytes()), 0))],
        };
        Machine::run(&scenario).unwrap_or_else(|why| panic!("{length} bytes: {why}"));
    }
}

#[test]
fn bytes_after_a_uri_in_calldata_are_ignored() {
    // Shortens the length of `https://HOST.json/.well-known/ai-tool/SLUG.json`; the other bytes stay in calldata.
    let input = (0_usize..40, 0_usize..40, any::<usize>()).prop_map(|(host, slug, cut)| {
        let (host, slug) = ("h".repeat(host), "s".repeat(slug));
        let uri = format!("https://{host}.json/.well-known/ai-tool/{slug}.json");
        let length = match cut % 3 {
            0 => "https://.json".len() + host.len(),
            1 => uri.len() - 1 - cut % 30,
            _ => 1 + cut % uri.len(),
        };
        let mutation = Mutation::WordReplaced(LENGTH_WORD, U256::from(length));
        Scenario {
            fork: Fork::Osaka,
            steps: vec![
                Step {
                    action: register(Uri(uri.into_bytes()), 0),
                    variation: Variation::mutated(vec![mutation]),
                },
                plain(Action::ReadConfig {
                    tool: ToolPick::Existing(0),
                }),
            ],
        }
    });
    holds(400, input, |scenario| Machine::run(&scenario));
}
