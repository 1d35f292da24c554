//! Stipends: the gas of the calls to tokens, and the repetition of failed calls.

use std::fmt;

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ERC20BalancePredicate::{configureToolERC20_0Call, configureToolERC20_1Call, gasNeededCall},
    ERC721OwnerPredicate::{setCollections_0Call, setCollections_1Call},
    ERC1155OwnerPredicate::{
        CollectionTokens, getStipendsCall, setCollectionTokens_0Call, setCollectionTokens_1Call,
    },
    IAccessPredicate::hasAccessCall,
    SubscriptionPredicate::{configureToolGating_0Call, configureToolGating_1Call},
    TraitGatedPredicate::{configureToolTrait_0Call, configureToolTrait_1Call},
};
use atr_harness::{
    Fork, PlainERC721, PlainERC1155, Transaction,
    model::{
        Access,
        tokens::{TokenBehavior, TokenState},
    },
};
use proptest::{collection::vec, option, prelude::*, sample::select};

use super::{
    actors::Actors,
    execute::{TRAIT_KEY, access_of},
    fixture::Fixture,
    lists::with_tokens,
};
use acceptance::property;

const TOOL: U256 = U256::ONE;

/// Makes the call of a setter, or of its overload with a stipend.
macro_rules! configure {
    ($fixture:ident, $at:expr, $stipend:expr, $plain:ident, $chosen:ident, $($field:ident = $value:expr),*) => {
        match $stipend.map(U256::from) {
            None => {
                let call = $plain { toolId: TOOL, $($field: $value),* };
                $fixture.call_as_creator(TOOL, $at, &call)?;
            }
            Some(stipend) => {
                let call = $chosen { toolId: TOOL, $($field: $value,)* stipend };
                $fixture.call_as_creator(TOOL, $at, &call)?;
            }
        }
    };
}

/// The default stipends: of a call, and of all repeated calls.
const FIRST: u64 = 12_000;
const RETRY_BUDGET: u64 = 140_000;

/// The gas that each token of a list needs, whether the account holds it, and the chosen stipend.
#[derive(Clone, Debug)]
struct List {
    tokens: Vec<(u32, bool)>,
    chosen: Option<u32>,
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

/// What a token needs: less than the first stipend, less than a repeated one, or more.
fn need() -> impl Strategy<Value = u32> {
    let edges = vec![9_000, 11_999, 12_000, 12_001, 14_000, 14_001];
    prop_oneof![3 => select(edges), 2 => 9_000..20_000_u32, 1 => 20_000..150_000_u32]
}

fn any_list() -> impl Strategy<Value = List> {
    let tokens = vec((need(), prop::bool::weighted(0.2)), 1..=10);
    let chosen = option::weighted(0.3, 9_000..14_800_u32);
    (tokens, chosen).prop_map(|(tokens, chosen)| List { tokens, chosen })
}

impl List {
    /// `units` of each token: its stipend is a multiple of the stipend per unit.
    fn access(&self, first: u64, retry: u64, units: u64) -> Access {
        let mut stipend = self.chosen.map_or(first, u64::from);
        let mut result = Access::Denied;
        for (need, holds) in &self.tokens {
            let answers = |stipend| stipend * units >= u64::from(*need);
            if self.chosen.is_none() && !answers(stipend) {
                stipend = retry;
            }
            match answers(stipend) {
                true if *holds => return Access::Granted,
                true => {}
                false => result = Access::Unknown,
            }
        }
        result
    }
}

/// The result is the expected one, and with less gas the expected one or unknown.
fn expect_with_any_gas(
    fixture: &mut Fixture<'_>,
    expected: Access,
    (predicate, account): (Address, Address),
    data: &[u8],
) -> Result<(), String> {
    fixture.expect_access(expected, (predicate, TOOL, account), data.to_vec())?;
    let call = hasAccessCall {
        toolId: TOOL,
        account,
        data: data.to_vec().into(),
    };
    let transaction = Transaction::call(fixture.actors.eoa, predicate, &call);
    let minimum = transaction.minimum_gas();
    for gas in (0..200_000).step_by(7_919) {
        let limited = transaction.clone().with_gas(minimum + gas);
        fixture
            .lockstep
            .send_with_limited_gas(&limited)
            .map_err(|why| format!("with {gas} gas: {why}"))?;
    }
    Ok(())
}

#[test]
fn a_failed_call_of_a_list_is_repeated_and_raises_the_later_stipends() {
    let (actors, collections) = with_tokens("collection", &PlainERC721::BYTECODE, 10);
    let account = actors.signers[1].address;
    property::holds(150, any_list(), |list| {
        let mut fixture = Fixture::new(&actors);
        let collections = collections[..list.tokens.len()].to_vec();
        for (collection, (_, holds)) in collections.iter().zip(&list.tokens) {
            let state = TokenState::Owners([].into());
            fixture.lockstep.tokens().add(*collection, state);
            if *holds {
                fixture.set_owner(*collection, U256::from(9), Some(account));
            }
        }
        let predicate = actors.contracts.erc721_owner;
        configure!(
            fixture,
            predicate,
            list.chosen,
            setCollections_1Call,
            setCollections_0Call,
            collections = collections.clone()
        );
        for (collection, (need, _)) in collections.iter().zip(&list.tokens) {
            fixture.set_behavior(*collection, TokenBehavior::NeedsGas(*need));
        }
        let retry = RETRY_BUDGET / list.tokens.len() as u64;
        let expected = list.access(FIRST, retry, 1);
        expect_with_any_gas(&mut fixture, expected, (predicate, account), &[])
    });
}

#[test]
fn stipends_of_erc1155_collections_are_counted_in_units() {
    let (actors, erc1155s) = with_tokens("erc1155", &PlainERC1155::BYTECODE, 10);
    let account = actors.signers[1].address;
    property::holds(100, any_list(), |mut list| {
        let mut fixture = Fixture::new(&actors);
        // Five units per collection with one id.
        list.chosen = list.chosen.map(|chosen| chosen / 5);
        let group = |collection: &Address| CollectionTokens {
            collection: *collection,
            tokenIds: vec![U256::from(7)],
        };
        let erc1155s = &erc1155s[..list.tokens.len()];
        let tokens: Vec<_> = erc1155s.iter().map(group).collect();
        for (token, (_, holds)) in erc1155s.iter().zip(&list.tokens) {
            let state = TokenState::Erc1155Balances([].into());
            fixture.lockstep.tokens().add(*token, state);
            if *holds {
                fixture.set_erc1155_balance(*token, account, U256::from(7), U256::ONE);
            }
        }
        let predicate = actors.contracts.erc1155_owner;
        configure!(
            fixture,
            predicate,
            list.chosen,
            setCollectionTokens_0Call,
            setCollectionTokens_1Call,
            tokens = tokens
        );
        for (token, (need, _)) in erc1155s.iter().zip(&list.tokens) {
            // Enough for a balance through a proxy.
            let need = TokenBehavior::NeedsGas(*need.max(&12_000));
            fixture.set_behavior(*token, need);
        }
        list.tokens
            .iter_mut()
            .for_each(|token| token.0 = token.0.max(12_000));
        let units = 5 * list.tokens.len() as u64;
        let expected = list.access(2_800, RETRY_BUDGET / units, 5);
        expect_with_any_gas(&mut fixture, expected, (predicate, account), &[])
    });
}

/// The stipends of every shape of a list: one long collection and others with one id.
#[test]
fn the_retry_stipend_of_every_erc1155_list_is_as_modelled() {
    let actors = Actors::deploy();
    let predicate = actors.contracts.erc1155_owner;
    for (collections, ids) in (1..=10).flat_map(|count| (1..=46).map(move |ids| (count, ids))) {
        if 5 * (collections - 1) + 4 + ids > 50 {
            continue;
        }
        let mut fixture = Fixture::new(&actors);
        let group = |index| CollectionTokens {
            collection: actors.erc1155s[0],
            tokenIds: vec![U256::ONE; if index == 0 { ids } else { 1 }],
        };
        let call = setCollectionTokens_0Call {
            toolId: TOOL,
            tokens: (0..collections).map(group).collect(),
        };
        fixture.call_as_creator(TOOL, predicate, &call).unwrap();
        // Compares the result with the model.
        let call = getStipendsCall { toolId: TOOL };
        let compared = fixture.lockstep.call(actors.eoa, predicate, &call);
        compared.unwrap_or_else(|why| panic!("{collections} collections, {ids} ids: {why}"));
    }
}

/// A token that needs gas, and the chosen stipend.
#[derive(Clone, Copy, Debug)]
struct Needed {
    need: u32,
    chosen: Option<u32>,
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

fn any_needed() -> impl Strategy<Value = Needed> {
    let edges = vec![
        12_000, 12_001, 46_666, 46_667, 70_000, 70_001, 140_000, 140_001,
    ];
    let need = prop_oneof![1 => need(), 1 => select(edges)];
    let chosen = option::weighted(0.3, 9_000..58_000_u32);
    (need, chosen).prop_map(|(need, chosen)| Needed { need, chosen })
}

#[test]
fn every_call_to_one_token_is_repeated() {
    let actors = Actors::deploy();
    let (at, account) = (actors.contracts, actors.signers[0].address);
    property::holds(150, any_needed(), |Needed { need, chosen }| {
        let mut fixture = Fixture::new(&actors);
        let [erc20, collection] = [actors.erc20s[0], actors.subscriptions[0]];
        let token = U256::from(4);
        fixture.set_balance(erc20, account, U256::from(3));
        fixture.subscribe(collection, account, token, u64::MAX, 2);
        fixture.set_owner(actors.erc7496, token, Some(account));
        fixture.set_trait(token, TRAIT_KEY, B256::repeat_byte(1));
        configure!(
            fixture,
            at.erc20_balance,
            chosen,
            configureToolERC20_1Call,
            configureToolERC20_0Call,
            token = erc20,
            minBalance = U256::from(3)
        );
        configure!(
            fixture,
            at.subscription,
            chosen,
            configureToolGating_0Call,
            configureToolGating_1Call,
            collection = collection,
            minTier = 1
        );
        configure!(
            fixture,
            at.trait_gated,
            chosen,
            configureToolTrait_0Call,
            configureToolTrait_1Call,
            collection = actors.erc7496,
            traitsContract = actors.erc7496,
            traitKey = TRAIT_KEY,
            allowedValues = vec![B256::repeat_byte(1)]
        );
        for token in [erc20, collection, actors.erc7496] {
            fixture.set_behavior(token, TokenBehavior::NeedsGas(need));
        }
        let data = token.abi_encode();
        let checks: [(Address, u64, &[u8]); 3] = [
            (at.erc20_balance, 1, &[]),
            (at.subscription, 3, &[]),
            (at.trait_gated, 2, &data),
        ];
        for (predicate, calls, data) in checks {
            let largest = chosen.map_or(RETRY_BUDGET / calls, u64::from);
            let expected = match largest >= u64::from(need) {
                true => Access::Granted,
                false => Access::Unknown,
            };
            expect_with_any_gas(&mut fixture, expected, (predicate, account), data)?;
        }
        Ok(())
    });
}

/// A token whose balance is the gas that it receives, called with its first or second stipend or a chosen one.
#[derive(Clone, Copy, Debug)]
struct Exact {
    fork: Fork,
    fails_first: bool,
    chosen: Option<u32>,
    delegates: bool,
    offset: u64,
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

/// Code that reverts with less than `need` gas, and otherwise returns the gas it received less [`UNTIL_GAS`].
fn reports_gas(need: u32) -> Bytes {
    let limit = (need - 5).to_be_bytes();
    // PUSH4 limit, GAS, LT, PUSH1 end, JUMPI; GAS, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN; end: REVERT.
    let rest = hex!("5a10601157 5a5f5260205ff3 5b5f5ffd");
    [&[0x63], &limit[..], &rest].concat().into()
}

/// The gas from the start of [`reports_gas`] to its second GAS.
const UNTIL_GAS: u64 = 23;

#[test]
fn a_token_receives_exactly_its_stipend_or_is_not_called() {
    let actors = Actors::deploy_on(Fork::Prague);
    let forks = vec![Fork::Prague, Fork::Osaka, Fork::Amsterdam, Fork::Monad];
    let chosen = option::weighted(0.4, 9_000..100_000_u32);
    let input = (select(forks), any::<(bool, bool)>(), chosen, 0..211_u64).prop_map(
        |(fork, (fails_first, delegates), chosen, offset)| Exact {
            fork,
            fails_first,
            chosen,
            delegates,
            offset,
        },
    );
    property::holds(60, input, |input| {
        let mut fixture = Fixture::new(&actors);
        let (token, predicate) = (actors.erc20s[0], actors.contracts.erc20_balance);
        let need = if input.fails_first { 12_001 } else { 9_000 };
        let stipend = match (input.chosen, input.fails_first) {
            (Some(chosen), _) if chosen < need => return Ok(()),
            (Some(chosen), _) => u64::from(chosen),
            (None, false) => FIRST,
            (None, true) => RETRY_BUDGET,
        };
        let code = reports_gas(need);
        // Without the optimizer, a few hundred gas are used between the gas check and the call.
        let tolerance = if actors.is_shipped { 0 } else { 450 };
        // The full stipend, and one more than that.
        for (min_balance, expected) in [
            (stipend - UNTIL_GAS - tolerance, Access::Granted),
            (stipend - UNTIL_GAS + 1, Access::Denied),
        ] {
            fixture.lockstep.world.set_fork(Fork::Prague);
            fixture.set_behavior(token, TokenBehavior::Honest);
            configure!(
                fixture,
                predicate,
                input.chosen,
                configureToolERC20_1Call,
                configureToolERC20_0Call,
                token = token,
                minBalance = U256::from(min_balance)
            );
            let world = &mut fixture.lockstep.world;
            if input.delegates {
                // An EOA that delegates to the code (EIP-7702).
                let designator = [&[0xef, 0x01, 0x00], actors.eoa.as_slice()].concat();
                world.set_code(actors.eoa, code.clone());
                world.set_code(token, designator);
            } else {
                world.set_code(token, code.clone());
            }
            world.set_fork(input.fork);
            let call = hasAccessCall {
                toolId: TOOL,
                account: actors.signers[0].address,
                data: Bytes::new(),
            };
            let transaction = Transaction::call(actors.creators[0], predicate, &call);
            let minimum = transaction.minimum_gas() + 3_000 + input.offset;
            let enough = FIRST + stipend + stipend / 63 + 80_000;
            for gas in (0..=enough).step_by(211).chain([enough, 5_000_000]) {
                let limited = transaction.clone().with_gas(minimum + gas);
                let access = access_of(&world.simulate(&limited));
                let may_be_unknown = gas < enough && access == Access::Unknown;
                if access != expected && !may_be_unknown {
                    let trace = world.trace(&limited);
                    return Err(format!("{access:?} with {gas} gas: {trace}"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn gas_needed_is_enough_for_plain_tokens() {
    let (actors, collections) = with_tokens("collection", &PlainERC721::BYTECODE, 10);
    let account = actors.signers[0].address;
    let at = actors.contracts;
    for length in 0..=10 {
        let mut fixture = Fixture::new(&actors);
        let list = collections[..length].to_vec();
        for collection in &collections {
            let state = TokenState::Owners([].into());
            fixture.lockstep.tokens().add(*collection, state);
        }
        fixture.subscribe(actors.subscriptions[0], account, U256::ONE, u64::MAX, 2);
        fixture.set_owner(actors.erc7496, U256::ONE, Some(account));
        let group = |_| CollectionTokens {
            collection: actors.erc1155s[0],
            tokenIds: vec![U256::ONE; 1 + length % 2],
        };
        let mut configure = |at, call: Vec<u8>| {
            let transaction = Transaction::raw(fixture.creator(TOOL), at, call);
            let receipt = fixture.lockstep.send(&transaction).unwrap();
            assert!(receipt.succeeded(), "{receipt:?}");
        };
        let call = setCollections_1Call {
            toolId: TOOL,
            collections: list,
        };
        configure(at.erc721_owner, call.abi_encode());
        let call = setCollectionTokens_0Call {
            toolId: TOOL,
            tokens: (0..length.min(8)).map(group).collect(),
        };
        configure(at.erc1155_owner, call.abi_encode());
        let call = configureToolGating_0Call {
            toolId: TOOL,
            collection: actors.subscriptions[0],
            minTier: 1,
        };
        configure(at.subscription, call.abi_encode());
        let call = configureToolERC20_1Call {
            toolId: TOOL,
            token: actors.erc20s[0],
            minBalance: U256::ONE,
        };
        configure(at.erc20_balance, call.abi_encode());
        let call = configureToolTrait_0Call {
            toolId: TOOL,
            collection: actors.erc7496,
            traitsContract: actors.erc7496,
            traitKey: TRAIT_KEY,
            allowedValues: vec![B256::repeat_byte(1); 1 + length * 12],
        };
        configure(at.trait_gated, call.abi_encode());
        let predicates = [
            at.erc721_owner,
            at.erc1155_owner,
            at.subscription,
            at.erc20_balance,
            at.trait_gated,
        ];
        for predicate in predicates {
            let call = gasNeededCall { toolId: TOOL };
            let needed: u64 = fixture.lockstep.world.read(predicate, &call).to();
            let data = match predicate == at.trait_gated {
                true => U256::ONE.abi_encode(),
                false => Vec::new(),
            };
            let call = hasAccessCall {
                toolId: TOOL,
                account,
                data: data.into(),
            };
            let transaction = Transaction::call(actors.eoa, predicate, &call);
            let slack = fixture.lockstep.model.environment.gas_slack * (1 + length as u64);
            let limit = transaction.intrinsic_gas() + needed + slack;
            let transaction = transaction.with_gas(limit);
            let access = access_of(&fixture.lockstep.world.simulate(&transaction));
            let trace = fixture.lockstep.world.trace(&transaction);
            assert_ne!(access, Access::Unknown, "{length} entries: {trace}");
        }
    }
}
