//! Token ownership and trait values (ERC-7496).

use std::fmt;

use alloy_primitives::{B256, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::TraitGatedPredicate::configureToolTrait_0Call;
use atr_harness::model::{Access, tokens::TokenBehavior};
use proptest::{collection::vec, option, prelude::*, sample::select};

use super::{actors::Actors, execute::TRAIT_KEY, fixture::Fixture};
use acceptance::property;

/// A token with owner and trait value, the allowed values, the token's behavior, and the length of `data`.
#[derive(Clone, Debug)]
struct TraitToken {
    owner: Option<u8>,
    value: u8,
    allowed: Vec<u8>,
    behavior: TokenBehavior,
    data_length: usize,
}

impl fmt::Display for TraitToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

fn any_token() -> impl Strategy<Value = TraitToken> {
    let behavior =
        prop_oneof![3 => Just(TokenBehavior::Honest), 1 => select(TokenBehavior::ALL.to_vec())];
    let data_length = prop_oneof![6 => Just(32), 1 => 0..65_usize];
    let owner = option::weighted(0.8, 0..2_u8);
    (owner, 0..4_u8, vec(1..4_u8, 1..3), behavior, data_length).prop_map(
        |(owner, value, allowed, behavior, data_length)| TraitToken {
            owner,
            value,
            allowed,
            behavior,
            data_length,
        },
    )
}

#[test]
fn the_owner_of_a_token_with_an_allowed_trait_is_granted_access() {
    let actors = Actors::deploy();
    let account = actors.signers[0].address;
    property::holds(400, any_token(), |input| {
        let mut fixture = Fixture::new(&actors);
        let (id, token, predicate) = (U256::ONE, U256::from(4), actors.contracts.trait_gated);
        let owner = input
            .owner
            .map(|number| actors.signers[usize::from(number)].address);
        fixture.set_owner(actors.erc7496, token, owner);
        fixture.set_trait(token, TRAIT_KEY, B256::repeat_byte(input.value));
        // Another token of the account and another trait, which must not count.
        fixture.set_owner(actors.erc7496, U256::from(5), Some(account));
        fixture.set_trait(
            token,
            keccak256("another"),
            B256::repeat_byte(input.value ^ 1),
        );
        let allowed = input.allowed.iter().map(|value| B256::repeat_byte(*value));
        let call = configureToolTrait_0Call {
            toolId: id,
            collection: actors.erc7496,
            traitsContract: actors.erc7496,
            traitKey: TRAIT_KEY,
            allowedValues: allowed.collect(),
        };
        fixture.call_as_creator(id, predicate, &call)?;
        fixture.set_behavior(actors.erc7496, input.behavior);

        let mut data = token.abi_encode();
        data.resize(input.data_length, 0);
        let expected = match input.behavior {
            _ if input.data_length != 32 => Access::Denied,
            // The word is an address, but not that of the account.
            TokenBehavior::TwoWords | TokenBehavior::TruncatedArray => Access::Denied,
            // An error, as if the token did not exist.
            TokenBehavior::Reverts => Access::Denied,
            TokenBehavior::Honest | TokenBehavior::FirstCallOnly | TokenBehavior::DirtyBits
                if input.owner.is_none() =>
            {
                Access::Denied
            }
            TokenBehavior::Honest | TokenBehavior::FirstCallOnly if input.owner != Some(0) => {
                Access::Denied
            }
            TokenBehavior::Honest => Access::from(input.allowed.contains(&input.value)),
            _ => Access::Unknown,
        };
        fixture.expect_access(expected, (predicate, id, account), data)?;
        let marker = keccak256("negatedTerm()")[..4].to_vec();
        fixture.expect_access(Access::Unknown, (predicate, id, account), marker)
    });
}
