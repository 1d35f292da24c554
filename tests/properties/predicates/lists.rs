//! Lists of tokens: any holding grants; otherwise a token that fails or has no code makes the result unknown.

use std::fmt;

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    ERC20BalancePredicate::configureToolERC20_1Call,
    ERC721OwnerPredicate::setCollections_1Call,
    ERC1155OwnerPredicate::{CollectionTokens, setCollectionTokens_0Call},
};
use atr_harness::{
    PlainERC721, PlainERC1155,
    PlainERC1155::balanceOfBatchCall,
    PresetResponseToken,
    model::{
        Access,
        tokens::{TokenBehavior, TokenState},
    },
};
use proptest::{collection::vec, prelude::*, sample::select};

use super::{actors::Actors, fixture::Fixture};
use acceptance::property;

/// A list: the behavior of each token, and the account's balance of each of its ids.
#[derive(Clone, Debug)]
struct List(Vec<(TokenBehavior, Vec<u8>)>);

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (behavior, held) in &self.0 {
            writeln!(f, "  {behavior:?}, holding {held:?}")?;
        }
        Ok(())
    }
}

impl List {
    /// `oversize` is the result of a token that returns more or other words than a balance.
    fn access(&self, oversize: Access) -> Access {
        let by_token = |(behavior, held): &(TokenBehavior, Vec<u8>)| match behavior {
            TokenBehavior::Honest | TokenBehavior::FirstCallOnly => {
                Access::from(held.iter().any(|amount| *amount > 0))
            }
            TokenBehavior::TwoWords | TokenBehavior::TruncatedArray | TokenBehavior::DirtyBits => {
                oversize
            }
            _ => Access::Unknown,
        };
        self.0.iter().map(by_token).max().unwrap_or(Access::Denied)
    }
}

/// At most so many tokens with so many ids each; failures and zero balances are frequent.
fn any_list(tokens: usize, ids: usize) -> impl Strategy<Value = List> {
    let behavior =
        prop_oneof![3 => Just(TokenBehavior::Honest), 1 => select(TokenBehavior::ALL.to_vec())];
    let held = prop_oneof![9 => Just(0_u8), 1 => 1..3_u8];
    vec((behavior, vec(held, 1..=ids)), 0..=tokens).prop_map(List)
}

const TOOL: U256 = U256::ONE;

/// A world with more tokens of a kind.
pub(crate) fn with_tokens(kind: &str, creation: &Bytes, count: usize) -> (Actors, Vec<Address>) {
    let mut actors = Actors::deploy();
    let names = (1..=count).map(|number| format!("{kind} {number}"));
    let deploy = |name: String| actors.world.deploy(&name, creation.clone());
    let tokens = names.map(deploy).collect();
    (actors, tokens)
}

#[test]
fn erc721_lists_have_three_outcomes_within_the_registry_gas_cap() {
    let (actors, collections) = with_tokens("collection", &PlainERC721::BYTECODE, 10);
    let account = actors.signers[1].address;
    property::holds(200, any_list(10, 1), |list| {
        let mut fixture = Fixture::new(&actors);
        let collections = collections[..list.0.len()].to_vec();
        for (index, (_, held)) in list.0.iter().enumerate() {
            let tokens = fixture.lockstep.tokens();
            tokens.add(collections[index], TokenState::Owners([].into()));
            if held[0] > 0 {
                fixture.set_owner(collections[index], U256::from(9), Some(account));
            }
        }
        let call = setCollections_1Call {
            toolId: TOOL,
            collections,
        };
        let predicate = actors.contracts.erc721_owner;
        fixture.call_as_creator(TOOL, predicate, &call)?;
        for (collection, (behavior, _)) in call.collections.iter().zip(&list.0) {
            fixture.set_behavior(*collection, *behavior);
        }
        // Any non-zero word is a balance.
        fixture.expect_access(list.access(Access::Granted), (predicate, TOOL, account), [])
    });
}

#[test]
fn erc1155_lists_have_three_outcomes_within_the_registry_gas_cap() {
    let (actors, erc1155s) = with_tokens("erc1155", &PlainERC1155::BYTECODE, 12);
    let account = actors.signers[1].address;
    property::holds(200, any_list(12, 40), |mut list| {
        let mut fixture = Fixture::new(&actors);
        let predicate = actors.contracts.erc1155_owner;
        for token in &erc1155s {
            let state = TokenState::Erc1155Balances([].into());
            fixture.lockstep.tokens().add(*token, state);
        }
        // Shortens the list until it is accepted.
        let accepted = loop {
            let group = |(index, (_, held)): (usize, &(TokenBehavior, Vec<u8>))| CollectionTokens {
                collection: erc1155s[index],
                tokenIds: (0..held.len()).map(U256::from).collect(),
            };
            let call = setCollectionTokens_0Call {
                toolId: TOOL,
                tokens: list.0.iter().enumerate().map(group).collect(),
            };
            let receipt = fixture
                .lockstep
                .call(fixture.creator(TOOL), predicate, &call)?;
            if receipt.succeeded() {
                break call;
            }
            list.0.pop();
        };
        for (group, (behavior, held)) in accepted.tokens.iter().zip(&list.0) {
            for (id, amount) in group
                .tokenIds
                .iter()
                .zip(held)
                .filter(|(_, held)| **held > 0)
            {
                fixture.set_erc1155_balance(group.collection, account, *id, U256::from(*amount));
            }
            fixture.set_behavior(group.collection, *behavior);
        }
        // Balances must be an array.
        fixture.expect_access(list.access(Access::Unknown), (predicate, TOOL, account), [])
    });
}

/// The response to `balanceOfBatch`: offset, length, words, extra bytes.
#[derive(Clone, Debug)]
struct Balances {
    requested: usize,
    offset: u64,
    length: u64,
    words: Vec<u8>,
    extra_bytes: usize,
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
        words.chain(vec![1; self.extra_bytes]).collect()
    }
}

/// Valid, or with an offset, length or number of words off by one.
fn any_balances() -> impl Strategy<Value = Balances> {
    let near = || prop_oneof![4 => Just(0_i8), 1 => -1..=1_i8];
    let inputs = (
        1..6_usize,
        near(),
        near(),
        near(),
        prop_oneof![Just(0_usize), 0..32_usize],
    );
    inputs.prop_flat_map(|(requested, offset, length, words, extra_bytes)| {
        let held = prop_oneof![2 => Just(0_u8), 1 => 1..3_u8];
        vec(held, requested.saturating_add_signed(words.into())).prop_map(move |words| Balances {
            requested,
            offset: 32_u64.saturating_add_signed(i64::from(offset) * 32),
            length: (requested as u64).saturating_add_signed(length.into()),
            words,
            extra_bytes,
        })
    })
}

#[test]
fn batch_balances_must_be_an_array_of_the_requested_length() {
    let (actors, erc1155s) = with_tokens("preset response", &PresetResponseToken::BYTECODE, 1);
    let (erc1155, account) = (erc1155s[0], actors.signers[1].address);
    property::holds(300, any_balances(), |balances| {
        let mut fixture = Fixture::new(&actors);
        let selector = balanceOfBatchCall::SELECTOR;
        let returndata = balances.encoded();
        let response = [(selector, returndata.clone())];
        let call = PresetResponseToken::setResponseCall {
            selector: selector.into(),
            success: true,
            returndata,
        };
        fixture.lockstep.world.call(account, erc1155, &call);
        fixture
            .lockstep
            .tokens()
            .add(erc1155, TokenState::FixedReturns(response.into()));
        let predicate = actors.contracts.erc1155_owner;
        let tokens = CollectionTokens {
            collection: erc1155,
            tokenIds: (0..balances.requested).map(U256::from).collect(),
        };
        let call = setCollectionTokens_0Call {
            toolId: TOOL,
            tokens: vec![tokens],
        };
        fixture.call_as_creator(TOOL, predicate, &call)?;
        let Balances {
            requested,
            offset,
            length,
            words,
            ..
        } = &balances;
        let size = balances.encoded().len();
        let is_array = *offset == 32 && *length == *requested as u64 && size >= 64 + 32 * requested;
        // Extra words are ignored.
        let holds = words.iter().take(*requested).any(|balance| *balance > 0);
        let expected = match is_array {
            true => Access::from(holds),
            false => Access::Unknown,
        };
        fixture.expect_access(expected, (predicate, TOOL, account), [])
    });
}

#[test]
fn an_erc20_balance_is_compared_exactly() {
    let actors = Actors::deploy();
    let (erc20, account) = (actors.erc20s[0], actors.signers[2].address);
    let amount = prop_oneof![0..4_u64, any::<u64>()].boxed();
    let held = (amount, -1..=1_i8).prop_map(|(min_balance, more)| Amounts {
        held: U256::from(min_balance.saturating_add_signed(more.into())),
        min_balance: U256::from(min_balance.max(1)),
    });
    property::holds(200, held, |Amounts { held, min_balance }| {
        let mut fixture = Fixture::new(&actors);
        let predicate = actors.contracts.erc20_balance;
        let call = configureToolERC20_1Call {
            toolId: TOOL,
            token: erc20,
            minBalance: min_balance,
        };
        fixture.call_as_creator(TOOL, predicate, &call)?;
        fixture.set_balance(erc20, account, held);
        let check = (predicate, TOOL, account);
        fixture.expect_access(Access::from(held >= min_balance), check, [])?;
        fixture.set_behavior(erc20, TokenBehavior::BurnsGas);
        fixture.expect_access(Access::Unknown, check, [])?;
        fixture.set_behavior(erc20, TokenBehavior::NoCode);
        fixture.expect_access(Access::Unknown, check, [])
    });
}

#[derive(Clone, Copy, Debug)]
struct Amounts {
    held: U256,
    min_balance: U256,
}

impl fmt::Display for Amounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  balance {}, minimum {}", self.held, self.min_balance)
    }
}
