//! Grants access to the owner of a token with an allowed trait value (ERC-7496).

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
    ModelResult, Predicate, Requirements, Slots,
    predicate::{decode, emits, no_answer, require_not_negated},
    stored::{packed, with_list},
    tool_configs::{ToolConfigs, require_creator},
};
use crate::{
    PlainERC7496::{getTraitValueCall, ownerOfCall},
    model::{CallResult, Context, Registry, calldata::Arguments},
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
pub struct TraitGated(ToolConfigs<Trait>);

impl TraitGated {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
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

    /// Calls `ownerOf`, then `getTraitValue` if the account owns the token.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let config = self.0.require(id)?;
        require_not_negated(data)?;
        let Ok(word) = <[u8; 32]>::try_from(data) else {
            return Ok(false);
        };
        let token = U256::from_be_bytes(word);
        let have_code = context.has_code(config.collection) && context.has_code(config.traits);
        if config.values.is_empty() || !have_code {
            return Ok(false);
        }
        let call = ownerOfCall { tokenId: token }.abi_encode();
        let owner = context
            .call_word(config.collection, &call)
            .filter(|owner| owner.bit_len() <= 160)
            .ok_or_else(|| no_answer(config.collection))?;
        if Address::from_word(owner.into()) != account {
            return Ok(false);
        }
        let call = getTraitValueCall {
            tokenId: token,
            traitKey: config.key,
        };
        let value = context
            .call_word(config.traits, &call.abi_encode())
            .ok_or_else(|| no_answer(config.traits))?;
        Ok(config.values.contains(&value.into()))
    }

    fn stipends(&self, _: U256) -> Vec<u64> {
        vec![GAS_PER_QUESTION; 2]
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        let config = self.0.require(id)?;
        if config.values.is_empty() {
            return Ok(Requirements::always_denied());
        }
        let label = "Hold a token whose trait has one of these values, and name it in data";
        Ok(Requirements::only(
            ERC7496_TRAIT_ID,
            config.abi_encode(),
            label,
        ))
    }

    /// Collection, traits contract, trait key, values.
    fn slots(&self) -> Slots {
        let stored = |set: &Trait| {
            let head = [set.collection.into_word(), set.traits.into_word(), set.key];
            let words = head.iter().chain(&set.values);
            let words: Vec<U256> = words.map(|word| (*word).into()).collect();
            let count = U256::from(words.len());
            with_list(packed(&[(count, 160), (U256::ONE, 176)]), words)
        };
        self.0.slots(stored)
    }

    fn view(&self, data: &[u8], _: Context<'_>) -> Option<ModelResult> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_QUESTIONCall::SELECTOR => U256::from(GAS_PER_QUESTION).abi_encode(),
            MAX_VALUESCall::SELECTOR => U256::from(MAX_VALUES).abi_encode(),
            getToolTraitConfigCall::SELECTOR => {
                let found = self.0.get(arguments.number(0)?);
                found.cloned().unwrap_or_default().abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        _: Context<'_>,
    ) -> ModelResult {
        let (id, set) = decode::<configureToolTraitCall, _>(data, Trait::read)?;
        require_creator(registry, id, from)?;
        if set.values.len() > MAX_VALUES {
            return Err(CallResult::reverts(&TooManyValues {
                count: U256::from(set.values.len()),
                max: U256::from(MAX_VALUES),
            }));
        }
        self.0.insert(id, set.clone());
        Ok(emits(
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
