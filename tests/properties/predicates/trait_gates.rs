//! Traits: whose token it is, then what it is worth.

use std::fmt;

use alloy_primitives::{B256, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::TraitGatedPredicate::configureToolTraitCall;
use atr_harness::model::{Answer, tokens::Voice};
use proptest::{collection::vec, option, prelude::*, sample::select};

use super::{cast::Cast, play::TRAIT_KEY, stage::Stage};
use crate::property;

/// A relic, who has it, what it is worth, what is asked for, and what is handed over.
#[derive(Clone, Debug)]
struct Relic {
    owner: Option<u8>,
    value: u8,
    allowed: Vec<u8>,
    voice: Voice,
    cut: usize,
}

impl fmt::Display for Relic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

fn any_relic() -> impl Strategy<Value = Relic> {
    let voice = prop_oneof![3 => Just(Voice::Honest), 1 => select(Voice::ALL.to_vec())];
    let cut = prop_oneof![6 => Just(32), 1 => 0..65_usize];
    let owner = option::weighted(0.8, 0..2_u8);
    (owner, 0..3_u8, vec(0..3_u8, 0..3), voice, cut).prop_map(
        |(owner, value, allowed, voice, cut)| Relic {
            owner,
            value,
            allowed,
            voice,
            cut,
        },
    )
}

#[test]
fn the_owner_of_a_token_with_an_allowed_trait_gets_in_by_naming_it() {
    let cast = Cast::gather();
    let asking = cast.signers[0].address;
    property::holds(400, any_relic(), |relic| {
        let mut stage = Stage::open(&cast);
        let (id, token, predicate) = (U256::ONE, U256::from(4), cast.contracts.trait_gated);
        let owner = relic
            .owner
            .map(|number| cast.signers[usize::from(number)].address);
        stage.set_owner(cast.relics, token, owner);
        stage.set_trait(token, TRAIT_KEY, B256::repeat_byte(relic.value));
        // Another token and another trait of his, which must not count.
        stage.set_owner(cast.relics, U256::from(5), Some(asking));
        stage.set_trait(
            token,
            keccak256("another"),
            B256::repeat_byte(relic.value ^ 1),
        );
        stage.set_voice(cast.relics, relic.voice);
        let allowed = relic.allowed.iter().map(|value| B256::repeat_byte(*value));
        let call = configureToolTraitCall {
            toolId: id,
            collection: cast.relics,
            traitsContract: cast.relics,
            traitKey: TRAIT_KEY,
            allowedValues: allowed.collect(),
        };
        stage.set_up(id, predicate, &call)?;

        let mut data = token.abi_encode();
        data.resize(relic.cut, 0);
        let is_asked = relic.cut == 32 && !relic.allowed.is_empty() && relic.voice != Voice::Gone;
        let knows_owner = matches!(relic.voice, Voice::Honest | Voice::FirstOnly);
        let expected = match relic.voice {
            _ if !is_asked => Answer::No,
            // Any word that fits is an owner, and not the one who asks.
            Voice::TwoWords | Voice::ArrayHead => Answer::No,
            _ if !knows_owner || relic.owner.is_none() => Answer::Unknown,
            _ if relic.owner != Some(0) => Answer::No,
            Voice::Honest => Answer::from(relic.allowed.contains(&relic.value)),
            _ => Answer::Unknown,
        };
        stage.expect(expected, (predicate, id, asking), data)?;
        let marker = keccak256("negatedTerm()")[..4].to_vec();
        stage.expect(Answer::Unknown, (predicate, id, asking), marker)
    });
}
