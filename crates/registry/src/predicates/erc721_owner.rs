//! `ERC721OwnerPredicate`: grants access to holders of ERC-721 collections.

use std::fmt;

use alloy_primitives::{Address, U256, address};
use alloy_sol_types::SolCall;
use atr_bindings::ERC721OwnerPredicate;
use serde::Serialize;

use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, TokenCall, TokenCalls,
    TokenStandard, or_empty, token::balanceOfCall,
};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    revert_reason::decode_errors,
    tool_call::ToolCall,
};

/// Access for holders of any of the collections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub collections: Vec<Address>,
    /// Gas per call; `None` for the default stipends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stipend: Option<u64>,
}

impl PredicateModule for Configuration {
    const REFERENCE_ADDRESS: Option<Address> =
        Some(address!("0xc8721c9A776958FfFfEb602DA1b708bf1D318379"));

    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            ERC721OwnerPredicate::TooManyCollections(e) => format!("{} collections; the maximum is {}", e.count, e.max);
            ERC721OwnerPredicate::CollectionNoCode(e) => format!("no contract at the collection {}", e.collection);
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let collections = self.collections.clone();
        match self.stipend {
            None => {
                let call = ERC721OwnerPredicate::setCollections_1Call {
                    toolId: tool_id,
                    collections,
                };
                Call::for_tool(predicate, &call, tool_id)
            }
            Some(stipend) => {
                let call = ERC721OwnerPredicate::setCollections_0Call {
                    toolId: tool_id,
                    collections,
                    stipend: U256::from(stipend),
                };
                Call::for_tool(predicate, &call, tool_id)
            }
        }
    }

    fn gas_limit(&self) -> u64 {
        120_000 + 30_000 * self.collections.len() as u64
    }

    fn describe(&self) -> Vec<String> {
        let lines = self.collections.iter();
        or_empty(
            lines
                .map(|collection| format!("token of {collection}"))
                .collect(),
        )
    }

    fn token_calls(&self, account: Address) -> Option<TokenCalls> {
        let calls = self.collections.iter().map(|collection| TokenCall {
            target: *collection,
            function: "balanceOf",
            data: balanceOfCall { account }.abi_encode().into(),
            units: 1,
            may_fail: false,
        });
        let tokens = self.collections.iter();
        Some(TokenCalls::new(
            self.collections.len().max(1) as u64,
            calls.collect(),
            tokens
                .map(|collection| (*collection, TokenStandard::Erc721))
                .collect(),
        ))
    }

    fn stipend(&mut self) -> Option<&mut Option<u64>> {
        Some(&mut self.stipend)
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = ERC721OwnerPredicate::getCollectionsCall { toolId: tool_id };
        let collections = reader.call(call).await?;
        Ok(Self {
            collections,
            stipend: None,
        })
    }
}

/// Holds a token of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Requirement {
    pub collection: Address,
}

impl Requirement {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        data.expect_words(1)?;
        Ok(Self {
            collection: data.address(0)?,
        })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hold a token of {} (ERC-721)", self.collection)
    }
}
