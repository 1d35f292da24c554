//! `ERC1155OwnerPredicate`: grants access to holders of ERC-1155 tokens.

use std::fmt;

use alloy_primitives::{Address, U256, address};
use alloy_sol_types::SolCall;
use atr_bindings::ERC1155OwnerPredicate;
use serde::Serialize;

use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, Stipends, TokenCall,
    TokenCalls, TokenStandard, or_empty,
    stipend::{MAX_GAS, OVERHEAD_PER_CALL, RETRY_BUDGET, max_stipend},
    token::balanceOfBatchCall,
};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    json,
    revert_reason::decode_errors,
    tool_call::ToolCall,
};

/// Maximum token ids that are read: twice what fits into the size limit of the reader if no two entries share bytes. Entries that
/// share bytes could decode to a hundred times as many.
const MAX_TOKEN_IDS: usize = 1024;

// As in the contract; a test compares them.
const UNITS_PER_CALL: u64 = 4;
const FIRST_STIPEND: u64 = 2_800;
const MIN_STIPEND: u64 = 500;
const OVERHEAD_PER_TOKEN: u64 = 120;

/// Access for holders of any of the tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub tokens: Vec<CollectionTokens>,
    /// Gas per unit: a collection with n token ids has n + 4 units; `None` for the default stipends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stipend: Option<u64>,
}

/// Tokens of one collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct CollectionTokens {
    pub collection: Address,
    #[serde(serialize_with = "json::decimals")]
    pub token_ids: Vec<U256>,
}

impl PredicateModule for Configuration {
    const REFERENCE_ADDRESS: Option<Address> =
        Some(address!("0x77373Dc3c1AE9A1e937eF3e5E08F4807D47c7c11"));

    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            ERC1155OwnerPredicate::TooManyTokens(e) => format!(
                "{} units; the maximum is {} (one per token id and four per collection)", e.units, e.max
            );
            ERC1155OwnerPredicate::EmptyTokenIds(e) => format!("no token ids for collection {}", e.index);
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let tokens = self
            .tokens
            .iter()
            .map(|entry| ERC1155OwnerPredicate::CollectionTokens {
                collection: entry.collection,
                tokenIds: entry.token_ids.clone(),
            });
        let tokens = tokens.collect();
        match self.stipend {
            None => {
                let call = ERC1155OwnerPredicate::setCollectionTokens_0Call {
                    toolId: tool_id,
                    tokens,
                };
                Call::for_tool(predicate, &call, tool_id)
            }
            Some(stipend) => {
                let call = ERC1155OwnerPredicate::setCollectionTokens_1Call {
                    toolId: tool_id,
                    tokens,
                    stipend: U256::from(stipend),
                };
                Call::for_tool(predicate, &call, tool_id)
            }
        }
    }

    fn gas_limit(&self) -> u64 {
        let ids = self.tokens.iter().map(|entry| entry.token_ids.len() as u64);
        150_000 + 30_000 * self.tokens.len() as u64 + 30_000 * ids.sum::<u64>()
    }

    fn describe(&self) -> Vec<String> {
        let lines = self.tokens.iter().map(|entry| {
            let ids: Vec<_> = entry.token_ids.iter().map(ToString::to_string).collect();
            let ids = match ids.as_slice() {
                [ids @ .., last] if !ids.is_empty() => format!("{} or {last}", ids.join(", ")),
                ids => ids.concat(),
            };
            format!("token {ids} of {}", entry.collection)
        });
        or_empty(lines.collect())
    }

    fn token_calls(&self, account: Address) -> Option<TokenCalls> {
        let calls = self.tokens.iter().map(|entry| TokenCall {
            target: entry.collection,
            function: "balanceOfBatch",
            data: balanceOfBatchCall {
                accounts: vec![account; entry.token_ids.len()],
                ids: entry.token_ids.clone(),
            }
            .abi_encode()
            .into(),
            units: UNITS_PER_CALL + entry.token_ids.len() as u64,
            may_fail: false,
        });
        let calls: Vec<_> = calls.collect();
        let units: u64 = calls.iter().map(|call| call.units).sum();
        let overhead = self.tokens.len() as u64 * OVERHEAD_PER_CALL + units * OVERHEAD_PER_TOKEN;
        // Largest stipend per unit with which all collections can be called after `used` gas.
        let max = |used: u64| max_stipend(MAX_GAS.saturating_sub(overhead + used)) / units.max(1);
        // The first call may use up its stipend before it is repeated. It has at most the units that are left if every other
        // collection has one token id.
        let others = self.tokens.len().saturating_sub(1) as u64;
        let largest = units.saturating_sub(others * (UNITS_PER_CALL + 1));
        let fits = max(FIRST_STIPEND * largest + OVERHEAD_PER_CALL);
        let retry = RETRY_BUDGET.checked_div(units).unwrap_or(0).min(fits);
        let default = Stipends {
            first: FIRST_STIPEND,
            retry: retry.max(FIRST_STIPEND),
        };
        let tokens = self.tokens.iter();
        Some(TokenCalls {
            default,
            min: MIN_STIPEND,
            max: max(0),
            calls,
            tokens: tokens
                .map(|entry| (entry.collection, TokenStandard::Erc1155))
                .collect(),
        })
    }

    fn stipend(&mut self) -> Option<&mut Option<u64>> {
        Some(&mut self.stipend)
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = ERC1155OwnerPredicate::getCollectionTokensCall { toolId: tool_id };
        let tokens = reader.call(call).await?;
        let ids = tokens.iter().map(|entry| entry.tokenIds.len());
        if ids.sum::<usize>() > MAX_TOKEN_IDS {
            return Err(ReadError::Invalid);
        }
        let tokens = tokens.into_iter().map(|entry| CollectionTokens {
            collection: entry.collection,
            token_ids: entry.tokenIds,
        });
        Ok(Self {
            tokens: tokens.collect(),
            stipend: None,
        })
    }
}

/// Holds a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Requirement {
    pub collection: Address,
    #[serde(serialize_with = "json::decimal")]
    pub token_id: U256,
}

impl Requirement {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        data.expect_words(2)?;
        Ok(Self {
            collection: data.address(0)?,
            token_id: data.uint256(1)?,
        })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            collection,
            token_id,
        } = self;
        write!(f, "hold token {token_id} of {collection} (ERC-1155)")
    }
}
