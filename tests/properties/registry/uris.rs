//! URIs come back to the byte, whatever was there before.

use acceptance::{
    damage::Damage,
    form::Form,
    registry::{Act, Caller, Machine, NewUri, Scenario, Step, ToolPick, Uri, valid_uri},
};
use alloy_primitives::{B256, U256};
use atr_harness::Fork;
use proptest::prelude::*;

use super::plainly;
use crate::property::holds;

/// Where the length of the URI stands in a registration, in words behind the selector.
const LENGTH_WORD: usize = 3;

fn register(uri: Uri, predicate: usize) -> Act {
    Act::Register {
        by: 0,
        uri,
        hash: B256::repeat_byte(1),
        predicate,
    }
}

#[test]
fn every_uri_comes_back_whatever_it_replaced() {
    let uris = prop::collection::vec(valid_uri(), 1..6);
    let input = (uris, any::<bool>(), any::<bool>()).prop_map(|(uris, gated, hash_changes)| {
        let mut steps = Vec::new();
        for (index, uri) in uris.into_iter().enumerate() {
            steps.push(plainly(if index == 0 {
                register(uri, usize::from(gated))
            } else {
                Act::Update {
                    tool: ToolPick::Existing(0),
                    by: Caller::Creator,
                    uri: NewUri::Fresh(uri),
                    hash: hash_changes.then(|| B256::with_last_byte(1 + index as u8)),
                }
            }));
            steps.push(plainly(Act::ReadConfig {
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
fn what_stands_behind_a_uri_in_calldata_is_not_part_of_it() {
    // Of `https://HOST.json/.well-known/ai-tool/SLUG.json` only so many bytes are the URI; the rest is still there.
    let input = (0_usize..40, 0_usize..40, any::<usize>()).prop_map(|(host, slug, cut)| {
        let (host, slug) = ("h".repeat(host), "s".repeat(slug));
        let uri = format!("https://{host}.json/.well-known/ai-tool/{slug}.json");
        let kept = match cut % 3 {
            0 => "https://.json".len() + host.len(),
            1 => uri.len() - 1 - cut % 30,
            _ => 1 + cut % uri.len(),
        };
        let damage = Damage::WordReplaced(LENGTH_WORD, U256::from(kept));
        Scenario {
            fork: Fork::Osaka,
            steps: vec![
                Step {
                    act: register(Uri(uri.into_bytes()), 0),
                    form: Form::damaged(vec![damage]),
                },
                plainly(Act::ReadConfig {
                    tool: ToolPick::Existing(0),
                }),
            ],
        }
    });
    holds(400, input, |scenario| Machine::run(&scenario));
}
