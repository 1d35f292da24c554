//! Lists of tokens: any yes grants; without one, whoever is silent makes the whole unknown; what has no code is a no.

use std::fmt;

use alloy_primitives::{Address, U256};
use atr_bindings::{
    ERC20BalancePredicate::configureToolERC20Call,
    ERC721OwnerPredicate::setCollectionsCall,
    ERC1155OwnerPredicate::{CollectionTokens, setCollectionTokensCall},
};
use atr_harness::{
    PlainERC721, PlainERC1155,
    model::{
        Answer,
        tokens::{Knowledge, Voice},
    },
};
use proptest::{collection::vec, prelude::*, sample::select};

use super::{cast::Cast, stage::Stage};
use crate::property;

/// A tool's list: how each of its tokens speaks, and what the one who asks has of each of its ids.
#[derive(Clone, Debug)]
struct List(Vec<(Voice, Vec<u8>)>);

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (voice, held) in &self.0 {
            writeln!(f, "  {voice:?}, holding {held:?}")?;
        }
        Ok(())
    }
}

impl List {
    fn answer(&self) -> Answer {
        let of_token = |(voice, held): &(Voice, Vec<u8>)| match voice {
            Voice::Honest => Answer::from(held.iter().any(|amount| *amount > 0)),
            Voice::Gone => Answer::No,
            Voice::Reverts | Voice::BurnsGas | Voice::ShortWord => Answer::Unknown,
        };
        self.0.iter().map(of_token).max().unwrap_or(Answer::No)
    }
}

/// So many tokens with so many ids each. Silence, and nothing to hold, are likely.
fn any_list(tokens: usize, ids: usize) -> impl Strategy<Value = List> {
    let voice = prop_oneof![3 => Just(Voice::Honest), 1 => select(Voice::ALL.to_vec())];
    let held = prop_oneof![9 => Just(0_u8), 1 => 1..3_u8];
    vec((voice, vec(held, 1..=ids)), 0..=tokens).prop_map(List)
}

const TOOL: U256 = U256::ONE;

/// A world with as many more tokens as a list can have.
fn with_tokens(
    kind: &str,
    creation: &alloy_primitives::Bytes,
    count: usize,
) -> (Cast, Vec<Address>) {
    let mut cast = Cast::gather();
    let names = (1..=count).map(|number| format!("{kind} {number}"));
    let deploy = |name: String| cast.world.deploy(&name, creation.clone());
    let tokens = names.map(deploy).collect();
    (cast, tokens)
}

#[test]
fn a_list_of_collections_keeps_three_answers_apart_inside_the_registrys_gas() {
    let (cast, collections) = with_tokens("collection", &PlainERC721::BYTECODE, 14);
    let account = cast.signers[1].address;
    property::holds(200, any_list(14, 1), |list| {
        let mut stage = Stage::open(&cast);
        let collections = collections[..list.0.len()].to_vec();
        for (index, (voice, held)) in list.0.iter().enumerate() {
            let tokens = stage.twin.tokens();
            tokens.add(collections[index], Knowledge::Owners([].into()));
            if held[0] > 0 {
                stage.set_owner(collections[index], U256::from(9), Some(account));
            }
            stage.set_voice(collections[index], *voice);
        }
        let call = setCollectionsCall {
            toolId: TOOL,
            collections,
        };
        let predicate = cast.contracts.erc721_owner;
        stage.set_up(TOOL, predicate, &call)?;
        stage.expect(list.answer(), (predicate, TOOL, account), [])
    });
}

#[test]
fn a_batch_of_editions_keeps_three_answers_apart_inside_the_registrys_gas() {
    let (cast, editions) = with_tokens("edition", &PlainERC1155::BYTECODE, 12);
    let account = cast.signers[1].address;
    property::holds(200, any_list(12, 40), |mut list| {
        let mut stage = Stage::open(&cast);
        let predicate = cast.contracts.erc1155_owner;
        // What is too long is refused, and a list that is accepted can be asked.
        let setting = loop {
            let group = |(index, (_, held)): (usize, &(Voice, Vec<u8>))| CollectionTokens {
                collection: editions[index],
                tokenIds: (0..held.len()).map(U256::from).collect(),
            };
            let call = setCollectionTokensCall {
                toolId: TOOL,
                tokens: list.0.iter().enumerate().map(group).collect(),
            };
            let receipt = stage.twin.call(stage.creator(TOOL), predicate, &call)?;
            if receipt.succeeded() {
                break call;
            }
            list.0.pop();
        };
        for (group, (voice, held)) in setting.tokens.iter().zip(&list.0) {
            let tokens = stage.twin.tokens();
            tokens.add(group.collection, Knowledge::Holdings([].into()));
            for (id, amount) in group
                .tokenIds
                .iter()
                .zip(held)
                .filter(|(_, held)| **held > 0)
            {
                stage.set_edition(group.collection, account, *id, U256::from(*amount));
            }
            stage.set_voice(group.collection, *voice);
        }
        stage.expect(list.answer(), (predicate, TOOL, account), [])
    });
}

#[test]
fn a_balance_is_enough_to_the_last_unit() {
    let cast = Cast::gather();
    let (coin, account) = (cast.coins[0], cast.signers[2].address);
    let amount = prop_oneof![0..4_u64, any::<u64>()].boxed();
    let held = (amount, -1..=1_i8).prop_map(|(least, more)| Amounts {
        held: U256::from(least.saturating_add_signed(more.into())),
        least: U256::from(least.max(1)),
    });
    property::holds(200, held, |Amounts { held, least }| {
        let mut stage = Stage::open(&cast);
        let predicate = cast.contracts.erc20_balance;
        let call = configureToolERC20Call {
            toolId: TOOL,
            token: coin,
            minBalance: least,
        };
        stage.set_up(TOOL, predicate, &call)?;
        stage.set_balance(coin, account, held);
        let asked = (predicate, TOOL, account);
        stage.expect(Answer::from(held >= least), asked, [])?;
        stage.set_voice(coin, Voice::BurnsGas);
        stage.expect(Answer::Unknown, asked, [])?;
        stage.set_voice(coin, Voice::Gone);
        stage.expect(Answer::No, asked, [])
    });
}

#[derive(Clone, Copy, Debug)]
struct Amounts {
    held: U256,
    least: U256,
}

impl fmt::Display for Amounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {} held, {} asked for", self.held, self.least)
    }
}
