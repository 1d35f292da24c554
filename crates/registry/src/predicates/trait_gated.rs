//! `TraitGatedPredicate`: grants access to holders of a token with a trait (ERC-7496). The call data contains the token id.

use std::fmt;

use alloy_primitives::{Address, B256, U256, address};
use alloy_sol_types::SolCall;
use atr_bindings::TraitGatedPredicate;
use serde::Serialize;

use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, TokenCall, TokenCalls,
    TokenStandard,
    token::{getTraitValueCall, ownerOfCall},
};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    revert_reason::decode_errors,
    tool_call::ToolCall,
};

/// Maximum number of calls of an access check.
const MAX_CALLS: u64 = 2;

/// Token id of the measured calls.
const TOKEN_ID: U256 = U256::ONE;

/// Access for holders of a token whose trait has an allowed value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub collection: Address,
    /// The contract that stores the traits; often the collection itself.
    pub traits_contract: Address,
    pub trait_key: B256,
    pub allowed_values: Vec<B256>,
    /// Gas per call; `None` for the default stipends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stipend: Option<u64>,
}

impl PredicateModule for Configuration {
    const REFERENCE_ADDRESS: Option<Address> =
        Some(address!("0x10abF07CfA34Bf22372C57f27e8bd9C2DCF93fA1"));

    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            TraitGatedPredicate::TooManyAllowedValues(e) => format!("{} values; the maximum is {}", e.count, e.max);
            TraitGatedPredicate::EmptyAllowedValues(_) => "no allowed values";
            TraitGatedPredicate::ZeroValueInAllowedValues(e) => format!("allowed value {} is zero", e.index);
            TraitGatedPredicate::ZeroTraitsContract(_) => "the traits contract is the zero address";
            TraitGatedPredicate::TraitsContractNoCode(e) => format!("no contract at the traits contract {}", e.traitsContract);
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        match self.stipend {
            None => {
                let call = TraitGatedPredicate::configureToolTrait_0Call {
                    toolId: tool_id,
                    collection: self.collection,
                    traitsContract: self.traits_contract,
                    traitKey: self.trait_key,
                    allowedValues: self.allowed_values.clone(),
                };
                Call::for_tool(predicate, &call, tool_id)
            }
            Some(stipend) => {
                let call = TraitGatedPredicate::configureToolTrait_1Call {
                    toolId: tool_id,
                    collection: self.collection,
                    traitsContract: self.traits_contract,
                    traitKey: self.trait_key,
                    allowedValues: self.allowed_values.clone(),
                    stipend: U256::from(stipend),
                };
                Call::for_tool(predicate, &call, tool_id)
            }
        }
    }

    fn gas_limit(&self) -> u64 {
        250_000 + 30_000 * self.allowed_values.len() as u64
    }

    fn describe(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "token of {} with trait {} of {} equal to",
            self.collection, self.trait_key, self.traits_contract
        )];
        lines.extend(self.allowed_values.iter().map(|value| format!("  {value}")));
        lines
    }

    fn token_calls(&self, _account: Address) -> Option<TokenCalls> {
        let call = |target, function, data: Vec<u8>| TokenCall {
            target,
            function,
            data: data.into(),
            units: 1,
            may_fail: true,
        };
        let (id, key) = (TOKEN_ID, self.trait_key);
        let calls = vec![
            call(self.collection, "ownerOf", ownerOfCall { id }.abi_encode()),
            call(
                self.traits_contract,
                "getTraitValue",
                getTraitValueCall { id, key }.abi_encode(),
            ),
        ];
        let tokens = vec![(self.collection, TokenStandard::Erc721)];
        Some(TokenCalls::new(MAX_CALLS, calls, tokens))
    }

    fn stipend(&mut self) -> Option<&mut Option<u64>> {
        Some(&mut self.stipend)
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = TraitGatedPredicate::getToolTraitConfigCall { toolId: tool_id };
        let stored = reader.call(call).await?;
        Ok(Self {
            collection: stored.collection,
            traits_contract: stored.traitsContract,
            trait_key: stored.traitKey,
            allowed_values: stored.allowedValues,
            stipend: None,
        })
    }
}

/// The data of the requirement is the configuration.
pub type Requirement = Configuration;

impl Configuration {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        let values = data.dynamic_after_head(3, 4)?;
        let count = values.array_length()?;
        data.expect_words(5 + count)?;
        Ok(Self {
            collection: data.address(0)?,
            traits_contract: data.address(1)?,
            trait_key: data.bytes32(2)?,
            allowed_values: (1..=count)
                .map(|index| values.bytes32(index))
                .collect::<Result<_, _>>()?,
            stipend: None,
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "hold a token of {} whose trait {} (read from {}) has one of {} allowed values (ERC-7496); pass the token id as \
             call data",
            self.collection,
            self.trait_key,
            self.traits_contract,
            self.allowed_values.len()
        )
    }
}
