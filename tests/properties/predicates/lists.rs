//! Lists of tokens: any yes grants; without one, whoever is silent makes the whole unknown; what has no code is a no.

use std::fmt;

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    ERC20BalancePredicate::configureToolERC20Call,
    ERC721OwnerPredicate::setCollectionsCall,
    ERC1155OwnerPredicate::{CollectionTokens, setCollectionTokensCall},
};
use atr_harness::{
    PlainERC721, PlainERC1155,
    PlainERC1155::balanceOfBatchCall,
    PresetResponseToken,
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
    /// `word` is what a word that is no balance of anyone's comes to.
    fn answer(&self, word: Answer) -> Answer {
        let of_token = |(voice, held): &(Voice, Vec<u8>)| match voice {
            Voice::Honest | Voice::FirstOnly => Answer::from(held.iter().any(|amount| *amount > 0)),
            Voice::Gone => Answer::No,
            Voice::TwoWords | Voice::ArrayHead | Voice::DirtyWord => word,
            _ => Answer::Unknown,
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
fn with_tokens(kind: &str, creation: &Bytes, count: usize) -> (Cast, Vec<Address>) {
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
        // A balance is any word that is not zero.
        stage.expect(list.answer(Answer::Yes), (predicate, TOOL, account), [])
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
        // Balances are an array that says so.
        stage.expect(list.answer(Answer::Unknown), (predicate, TOOL, account), [])
    });
}

/// What a collection says when it is asked for balances of so many ids: an offset, how many there are, and these.
#[derive(Clone, Debug)]
struct Balances {
    asked: usize,
    offset: u64,
    length: u64,
    words: Vec<u8>,
    bytes_behind: usize,
}

impl fmt::Display for Balances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

impl Balances {
    fn encoded(&self) -> Bytes {
        let head = [self.offset, self.length];
        let words = head
            .into_iter()
            .chain(self.words.iter().copied().map(u64::from));
        let words = words.flat_map(|word| U256::from(word).to_be_bytes::<32>());
        words.chain(vec![1; self.bytes_behind]).collect()
    }
}

/// As it should be, or with a little more or less of something.
fn any_balances() -> impl Strategy<Value = Balances> {
    let near = || prop_oneof![4 => Just(0_i8), 1 => -1..=1_i8];
    let inputs = (
        1..6_usize,
        near(),
        near(),
        near(),
        prop_oneof![Just(0_usize), 0..32_usize],
    );
    inputs.prop_flat_map(|(asked, offset, length, words, bytes_behind)| {
        let held = prop_oneof![2 => Just(0_u8), 1 => 1..3_u8];
        vec(held, asked.saturating_add_signed(words.into())).prop_map(move |words| Balances {
            asked,
            offset: 32_u64.saturating_add_signed(i64::from(offset) * 32),
            length: (asked as u64).saturating_add_signed(length.into()),
            words,
            bytes_behind,
        })
    })
}

#[test]
fn balances_are_an_array_of_as_many_as_were_asked_for() {
    let (cast, editions) = with_tokens("reciting edition", &PresetResponseToken::BYTECODE, 1);
    let (edition, account) = (editions[0], cast.signers[1].address);
    property::holds(300, any_balances(), |balances| {
        let mut stage = Stage::open(&cast);
        let selector = balanceOfBatchCall::SELECTOR;
        let returndata = balances.encoded();
        let known = [(selector, returndata.clone())];
        let call = PresetResponseToken::setResponseCall {
            selector: selector.into(),
            success: true,
            returndata,
        };
        stage.twin.world.call(account, edition, &call);
        stage
            .twin
            .tokens()
            .add(edition, Knowledge::Recital(known.into()));
        let predicate = cast.contracts.erc1155_owner;
        let tokens = CollectionTokens {
            collection: edition,
            tokenIds: (0..balances.asked).map(U256::from).collect(),
        };
        let call = setCollectionTokensCall {
            toolId: TOOL,
            tokens: vec![tokens],
        };
        stage.set_up(TOOL, predicate, &call)?;
        let Balances {
            asked,
            offset,
            length,
            words,
            ..
        } = &balances;
        let size = balances.encoded().len();
        let is_array = *offset == 32 && *length == *asked as u64 && size >= 64 + 32 * asked;
        // What is behind the last is not looked at.
        let holds = words.iter().take(*asked).any(|balance| *balance > 0);
        let expected = match is_array {
            true => Answer::from(holds),
            false => Answer::Unknown,
        };
        stage.expect(expected, (predicate, TOOL, account), [])
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
