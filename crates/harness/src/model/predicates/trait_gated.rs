//! Who holds a token that has one of some values in a trait.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, SolInterface, SolValue};
use atr_bindings::{
    ERC7496_TRAIT_ID,
    TraitGatedPredicate::{
        TooManyValues, ToolTraitConfigured, TraitGatedPredicateCalls as Calls,
        configureToolTraitCall,
    },
};

use super::{
    Ended, Predicate, Requirements,
    predicate::{logs, no_answer, refuse_negation},
    settings::{Settings, require_creator},
};
use crate::{
    PlainERC7496::{getTraitValueCall, ownerOfCall},
    model::{Around, Registry, Reply},
};

const MAX_VALUES: usize = 256;

#[derive(Clone, Debug, Default)]
struct Trait {
    collection: Address,
    traits: Address,
    key: B256,
    values: Vec<B256>,
}

impl Trait {
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

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let returned = match Calls::abi_decode_validate(data).ok()? {
            Calls::GAS_PER_QUESTION(_) => U256::from(20_000).abi_encode(),
            Calls::MAX_VALUES(_) => U256::from(MAX_VALUES).abi_encode(),
            Calls::getToolTraitConfig(asked) => {
                let asked = self.0.find(asked.toolId).cloned().unwrap_or_default();
                asked.abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let Ok(Calls::configureToolTrait(call)) = Calls::abi_decode_validate(data) else {
            return Err(Reply::reverts_silently());
        };
        require_creator(registry, call.toolId, from)?;
        if call.allowedValues.len() > MAX_VALUES {
            return Err(Reply::reverts(&TooManyValues {
                count: U256::from(call.allowedValues.len()),
                max: U256::from(MAX_VALUES),
            }));
        }
        let configureToolTraitCall {
            toolId,
            collection,
            traitsContract,
            traitKey,
            allowedValues,
        } = call;
        self.0.set(
            toolId,
            Trait {
                collection,
                traits: traitsContract,
                key: traitKey,
                values: allowedValues.clone(),
            },
        );
        Ok(logs(
            self.0.predicate,
            &ToolTraitConfigured {
                toolId,
                collection,
                traitsContract,
                traitKey,
                allowedValues,
            },
        ))
    }
}
