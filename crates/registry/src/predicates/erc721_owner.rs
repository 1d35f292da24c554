//! `ERC721OwnerPredicate`: grants access to holders of ERC-721 collections.

use std::fmt;

use alloy_primitives::{Address, U256, address};
use atr_bindings::ERC721OwnerPredicate;
use serde::Serialize;

use super::{ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, or_empty};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    transaction::decode_errors,
};

/// Access for holders of any of the collections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub collections: Vec<Address>,
}

impl PredicateModule for Configuration {
    const REFERENCE_ADDRESS: Option<Address> =
        Some(address!("0xc8721c9A776958FfFfEb602DA1b708bf1D318379"));

    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            ERC721OwnerPredicate::TooManyCollections(e) => format!("{} collections; the maximum is {}", e.count, e.max);
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let call = ERC721OwnerPredicate::setCollectionsCall {
            toolId: tool_id,
            collections: self.collections.clone(),
        };
        Call::for_tool(predicate, &call, tool_id)
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

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = ERC721OwnerPredicate::getCollectionsCall { toolId: tool_id };
        let collections = reader.call(call).await?;
        Ok(Self { collections })
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
