//! Grants access to the owner of a token with an allowed trait value (ERC-7496).

use alloy_primitives::{Address, LogData, U256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    ERC7496_TRAIT_ID,
    TraitGatedPredicate::{
        CollectionNoCode, EmptyAllowedValues, MAX_ALLOWED_VALUESCall, TooManyAllowedValues,
        ToolTraitConfig, ToolTraitConfigured, TraitsContractNoCode, ZeroCollection,
        ZeroTraitsContract, ZeroValueInAllowedValues, configureToolTrait_0Call,
        configureToolTrait_1Call, getToolTraitConfigCall,
    },
};

use super::{
    ModelResult, Requirements,
    predicate::{call_failed, require_not_negated},
    stipends::{Failure, Stipends, valid_stipend},
    stored::{Stored, packed_config, with_list},
    tool_configs::{Setter, ToolConfig, ToolConfigs},
};
use crate::{
    PlainERC7496::{getTraitValueCall, ownerOfCall},
    model::{CallResult, Context, calldata::Arguments},
};

const MAX_CALLS: u64 = 2;
const MAX_VALUES: usize = 123;

/// `TraitGatedPredicate`.
pub type TraitGated = ToolConfigs<Trait>;

/// The configuration of a tool.
#[derive(Clone, Debug)]
pub struct Trait {
    config: ToolTraitConfig,
    stipend: u64,
}

impl ToolConfig for Trait {
    type Input = ToolTraitConfig;

    const NAME: &'static str = "TraitGatedPredicate";
    const READS_DATA: bool = true;

    fn decode(data: &[u8]) -> Option<(U256, Self::Input, Option<U256>)> {
        let Setter { arguments, stipend } =
            Setter::of::<configureToolTrait_0Call, configureToolTrait_1Call>(data, 5)?;
        let input = ToolTraitConfig {
            collection: arguments.address(1)?,
            traitsContract: arguments.address(2)?,
            traitKey: arguments.word(3)?,
            allowedValues: arguments.list(4, 1)?,
        };
        Some((arguments.number(0)?, input, stipend))
    }

    fn validate(
        config: Self::Input,
        stipend: U256,
        context: Context<'_>,
    ) -> Result<Self, CallResult> {
        let (collection, traits) = (config.collection, config.traitsContract);
        let values = &config.allowedValues;
        if collection.is_zero() {
            return Err(CallResult::reverts(&ZeroCollection {}));
        }
        if traits.is_zero() {
            return Err(CallResult::reverts(&ZeroTraitsContract {}));
        }
        if !context.has_code(collection) {
            return Err(CallResult::reverts(&CollectionNoCode { collection }));
        }
        if !context.has_code(traits) {
            return Err(CallResult::reverts(&TraitsContractNoCode {
                traitsContract: traits,
            }));
        }
        if values.is_empty() {
            return Err(CallResult::reverts(&EmptyAllowedValues {}));
        }
        if values.len() > MAX_VALUES {
            return Err(CallResult::reverts(&TooManyAllowedValues {
                count: U256::from(values.len()),
                max: U256::from(MAX_VALUES),
            }));
        }
        let stipend = valid_stipend(stipend, MAX_CALLS)?;
        if let Some(index) = values.iter().position(|value| value.is_zero()) {
            let index = U256::from(index);
            return Err(CallResult::reverts(&ZeroValueInAllowedValues { index }));
        }
        Ok(Self { config, stipend })
    }

    fn event(&self, id: U256) -> LogData {
        let config = self.config.clone();
        let event = ToolTraitConfigured {
            toolId: id,
            collection: config.collection,
            traitsContract: config.traitsContract,
            traitKey: config.traitKey,
            allowedValues: config.allowedValues,
        };
        event.encode_log_data()
    }

    /// Calls `ownerOf`, then `getTraitValue` if the account owns the token.
    fn has_access(
        &self,
        _: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        require_not_negated(data)?;
        let config = &self.config;
        let Ok(word) = <[u8; 32]>::try_from(data) else {
            return Ok(false);
        };
        if account.is_zero() {
            return Ok(false);
        }
        let token = U256::from_be_bytes(word);
        let stipends = Stipends::of_calls(self.stipend, MAX_CALLS);
        let call = ownerOfCall { tokenId: token }.abi_encode();
        let owner = match stipends.call_word_or_error(config.collection, &call, context) {
            Ok(owner) if owner.bit_len() <= 160 => Address::from_word(owner.into()),
            // The token does not exist.
            Err(Failure { has_error: true }) => return Ok(false),
            _ => return Err(call_failed(config.collection)),
        };
        if owner != account {
            return Ok(false);
        }
        let call = getTraitValueCall {
            tokenId: token,
            traitKey: config.traitKey,
        };
        let value = stipends.call_word_or_error(config.traitsContract, &call.abi_encode(), context);
        let value = value.map_err(|_| call_failed(config.traitsContract))?;
        Ok(config.allowedValues.contains(&value.into()))
    }

    fn requirements(&self) -> Requirements {
        let label = "Own a token whose trait has one of these values, and pass its id in data";
        let data = self.config.abi_encode_params();
        Requirements::only(ERC7496_TRAIT_ID, data, label)
    }

    fn stipends(&self) -> Option<Stipends> {
        Some(Stipends::of_calls(self.stipend, MAX_CALLS))
    }

    fn gas_needed(&self) -> u64 {
        let words = 3 + self.config.allowedValues.len() as u64;
        Stipends::of_calls(self.stipend, MAX_CALLS).gas_needed(MAX_CALLS) + 120 * words
    }

    /// Collection, traits contract, trait key, values.
    fn stored(&self) -> Vec<(u64, Stored)> {
        let set = &self.config;
        let addresses = [set.collection, set.traitsContract].map(|at| at.into_word());
        let words = addresses.iter().chain([&set.traitKey]);
        let words = words.chain(&set.allowedValues).map(|word| (*word).into());
        let words: Vec<U256> = words.collect();
        let config = packed_config(Address::ZERO, [words.len(), 0], self.stipend);
        vec![(0, with_list(config, words))]
    }

    fn view(
        configs: &ToolConfigs<Self>,
        selector: [u8; 4],
        arguments: Arguments<'_>,
        _: Context<'_>,
    ) -> Option<ModelResult> {
        let returned = match selector {
            MAX_ALLOWED_VALUESCall::SELECTOR => U256::from(MAX_VALUES).abi_encode(),
            getToolTraitConfigCall::SELECTOR => {
                let found = configs.get(arguments.number(0)?);
                let empty = ToolTraitConfig {
                    collection: Address::ZERO,
                    traitsContract: Address::ZERO,
                    traitKey: [0; 32].into(),
                    allowedValues: Vec::new(),
                };
                found.map_or(&empty, |found| &found.config).abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }
}
