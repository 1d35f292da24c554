//! Who holds a token that has one of some values in a trait.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ERC7496_TRAIT_ID,
    TraitGatedPredicate::{
        GAS_PER_QUESTIONCall, MAX_VALUESCall, TooManyValues, ToolTraitConfigured,
        configureToolTraitCall, getToolTraitConfigCall,
    },
};

use super::{
    Ended, Predicate, Requirements, Slots,
    predicate::{logs, no_answer, refuse_negation},
    settings::{Settings, require_creator},
    stored::{packed, with_list},
};
use crate::{
    PlainERC7496::{getTraitValueCall, ownerOfCall},
    model::{Around, Registry, Reply, calldata::Arguments, thirst},
};

const GAS_PER_QUESTION: u64 = 20_000;
const MAX_VALUES: usize = 256;

#[derive(Clone, Debug, Default)]
struct Trait {
    collection: Address,
    traits: Address,
    key: B256,
    values: Vec<B256>,
}

impl Trait {
    fn read(call: Arguments<'_>) -> Option<(U256, Self)> {
        let read = Self {
            collection: call.address(1)?,
            traits: call.address(2)?,
            key: call.word(3)?,
            values: call.list(4, 1)?,
        };
        Some((call.number(0)?, read))
    }

    fn abi_encode(&self) -> Vec<u8> {
        let values = self.values.clone();
        (self.collection, self.traits, self.key, values).abi_encode_params()
    }
}

/// `TraitGatedPredicate`.
#[derive(Clone, Debug)]
pub struct TraitGated(Settings<Trait>);

impl TraitGated {
    /// Not set up for any tool.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(Settings::new(address, registry))
    }
}

impl Predicate for TraitGated {
    fn name(&self) -> &'static str {
        "TraitGatedPredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    fn reads_data(&self) -> bool {
        true
    }

    /// Whose token it is, then what it is worth; the second is not asked if the first is a no.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        around: Around<'_>,
    ) -> Result<bool, Reply> {
        let asked = self.0.require(id)?;
        refuse_negation(data)?;
        let Ok(word) = <[u8; 32]>::try_from(data) else {
            return Ok(false);
        };
        let token = U256::from_be_bytes(word);
        let is_there = around.has_code(asked.collection) && around.has_code(asked.traits);
        if asked.values.is_empty() || !is_there {
            return Ok(false);
        }
        let question = ownerOfCall { tokenId: token }.abi_encode();
        let owner = around
            .ask_word(asked.collection, &question)
            .filter(|owner| owner.bit_len() <= 160)
            .ok_or_else(|| no_answer(asked.collection))?;
        if Address::from_word(owner.into()) != account {
            return Ok(false);
        }
        let question = getTraitValueCall {
            tokenId: token,
            traitKey: asked.key,
        };
        let value = around
            .ask_word(asked.traits, &question.abi_encode())
            .ok_or_else(|| no_answer(asked.traits))?;
        Ok(asked.values.contains(&value.into()))
    }

    fn gas_needed(&self, id: U256, _: Address, data: &[u8], around: Around<'_>) -> u64 {
        let set = self.0.find(id);
        let values = set.map_or(0, |set| set.values.len()) as u64;
        let asked = set.filter(|_| data.len() == 32);
        let asked = asked
            .into_iter()
            .flat_map(|set| [set.collection, set.traits]);
        let questions = thirst::of_questions(around, asked, GAS_PER_QUESTION);
        thirst::of_data(data) + 1_000 + 200 * values + questions
    }

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let asked = self.0.require(id)?;
        if asked.values.is_empty() {
            return Ok(Requirements::nobody());
        }
        let label = "Hold a token whose trait has one of these values, and name it in data";
        Ok(Requirements::only(
            ERC7496_TRAIT_ID,
            asked.abi_encode(),
            label,
        ))
    }

    /// Collection, traits contract, trait key, then the values.
    fn slots(&self) -> Slots {
        let stored = |set: &Trait| {
            let head = [set.collection.into_word(), set.traits.into_word(), set.key];
            let words = head.iter().chain(&set.values);
            let words: Vec<U256> = words.map(|word| (*word).into()).collect();
            let count = U256::from(words.len());
            with_list(packed(&[(count, 160), (U256::ONE, 176)]), words)
        };
        let each = self.0.slots();
        each.map(|(slot, set)| (slot, stored(set))).collect()
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_QUESTIONCall::SELECTOR => U256::from(GAS_PER_QUESTION).abi_encode(),
            MAX_VALUESCall::SELECTOR => U256::from(MAX_VALUES).abi_encode(),
            getToolTraitConfigCall::SELECTOR => {
                let found = self.0.find(arguments.number(0)?);
                found.cloned().unwrap_or_default().abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn gas_to_set(&self, data: &[u8]) -> Option<u64> {
        Arguments::of::<configureToolTraitCall>(data)?;
        Some(thirst::of_setting(data) + thirst::of_list(data))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let (id, set) = Arguments::of::<configureToolTraitCall>(data)
            .and_then(Trait::read)
            .ok_or_else(Reply::reverts_silently)?;
        require_creator(registry, id, from)?;
        if set.values.len() > MAX_VALUES {
            return Err(Reply::reverts(&TooManyValues {
                count: U256::from(set.values.len()),
                max: U256::from(MAX_VALUES),
            }));
        }
        self.0.set(id, set.clone());
        Ok(logs(
            self.0.predicate,
            &ToolTraitConfigured {
                toolId: id,
                collection: set.collection,
                traitsContract: set.traits,
                traitKey: set.key,
                allowedValues: set.values,
            },
        ))
    }
}
