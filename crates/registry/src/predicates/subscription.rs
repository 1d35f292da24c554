//! `SubscriptionPredicate`: grants access to active subscriptions.

use std::fmt;

use alloy_primitives::{Address, U256, address};
use atr_bindings::SubscriptionPredicate;
use serde::Serialize;

use super::{ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
};

/// Access for active subscriptions of a minimum tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub collection: Address,
    pub min_tier: u8,
}

impl PredicateModule for Configuration {
    const REFERENCE_ADDRESS: Option<Address> =
        Some(address!("0xCBe0cd9B1d99d95Baa9c58f2767246C52e461f25"));
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let call = SubscriptionPredicate::configureToolGatingCall {
            toolId: tool_id,
            collection: self.collection,
            minTier: self.min_tier,
        };
        Call::for_tool(predicate, &call, tool_id)
    }

    fn gas_limit(&self) -> u64 {
        150_000
    }

    fn describe(&self) -> Vec<String> {
        let Self {
            collection,
            min_tier,
        } = self;
        vec![format!(
            "active subscription of {collection}, tier {min_tier} or higher"
        )]
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = SubscriptionPredicate::getToolGatingConfigCall { toolId: tool_id };
        let stored = reader.call(call).await?;
        Ok(Self {
            collection: stored.collection,
            min_tier: stored.minTier,
        })
    }
}

/// The data of the requirement is the configuration.
pub type Requirement = Configuration;

impl Configuration {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        data.expect_words(2)?;
        Ok(Self {
            collection: data.address(0)?,
            min_tier: data.uint8(1)?,
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            collection,
            min_tier,
        } = self;
        write!(
            f,
            "have an active subscription of {collection}, tier {min_tier} or higher"
        )
    }
}
