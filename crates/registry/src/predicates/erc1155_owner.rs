//! `ERC1155OwnerPredicate`: grants access to holders of ERC-1155 tokens.

use std::fmt;

use alloy_primitives::{Address, U256, address};
use atr_bindings::ERC1155OwnerPredicate;
use serde::Serialize;

use super::{ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, or_empty};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    json,
    transaction::decode_errors,
};

/// Maximum token ids that are read: twice what fits into the size limit of the reader if no two entries share bytes. Entries that
/// share bytes could decode to a hundred times as many.
const MAX_TOKEN_IDS: usize = 1024;

/// Access for holders of any of the tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub tokens: Vec<CollectionTokens>,
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
            ERC1155OwnerPredicate::TooManyTokens(e) =>
                format!("checking all tokens takes {} gas; the maximum is {}", e.gasNeeded, e.gasLimit);
            ERC1155OwnerPredicate::NoTokenIds(e) => format!("no token ids for collection {}", e.collection);
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
        let call = ERC1155OwnerPredicate::setCollectionTokensCall {
            toolId: tool_id,
            tokens: tokens.collect(),
        };
        Call::for_tool(predicate, &call, tool_id)
    }

    fn gas_limit(&self) -> u64 {
        let ids = self.tokens.iter().map(|entry| entry.token_ids.len() as u64);
        150_000 + 30_000 * self.tokens.len() as u64 + 30_000 * ids.sum::<u64>()
    }

    fn describe(&self) -> Vec<String> {
        let lines = self.tokens.iter().map(|entry| {
            let ids: Vec<_> = entry.token_ids.iter().map(ToString::to_string).collect();
            let noun = match ids.len() {
                1 => "token",
                _ => "any token of",
            };
            format!("{noun} {} of {}", ids.join(", "), entry.collection)
        });
        or_empty(lines.collect())
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
