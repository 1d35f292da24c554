//! `SubscriptionPredicate`: grants access to active subscriptions.

use std::fmt;

use alloy_primitives::{Address, U256, address};
use alloy_sol_types::SolCall;
use atr_bindings::SubscriptionPredicate;
use serde::Serialize;

use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, TokenCall, TokenCalls,
    token::{expiresAtCall, tierOfCall, tokenOfOwnerCall},
};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    revert_reason::decode_errors,
    tool_call::ToolCall,
};

/// Maximum number of calls of an access check.
const MAX_CALLS: u64 = 3;

/// Token id of the measured calls.
const TOKEN_ID: U256 = U256::ONE;

/// Access for active subscriptions of a minimum tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub collection: Address,
    pub min_tier: u8,
    /// Gas per call; `None` for the default stipends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stipend: Option<u64>,
}

impl PredicateModule for Configuration {
    const REFERENCE_ADDRESS: Option<Address> =
        Some(address!("0xCBe0cd9B1d99d95Baa9c58f2767246C52e461f25"));

    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            SubscriptionPredicate::ZeroCollection(_) => "the collection is the zero address";
            SubscriptionPredicate::CollectionNotAContract(e) => format!("no contract at the collection {}", e.collection);
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let Self {
            collection,
            min_tier,
            stipend,
        } = *self;
        match stipend {
            None => {
                let call = SubscriptionPredicate::configureToolGating_0Call {
                    toolId: tool_id,
                    collection,
                    minTier: min_tier,
                };
                Call::for_tool(predicate, &call, tool_id)
            }
            Some(stipend) => {
                let call = SubscriptionPredicate::configureToolGating_1Call {
                    toolId: tool_id,
                    collection,
                    minTier: min_tier,
                    stipend: U256::from(stipend),
                };
                Call::for_tool(predicate, &call, tool_id)
            }
        }
    }

    fn gas_limit(&self) -> u64 {
        150_000
    }

    fn describe(&self) -> Vec<String> {
        let Self {
            collection,
            min_tier,
            ..
        } = self;
        vec![format!(
            "active subscription of {collection}, tier {min_tier} or higher"
        )]
    }

    fn token_calls(&self, account: Address) -> Option<TokenCalls> {
        let call = |function, data: Vec<u8>, may_fail| TokenCall {
            target: self.collection,
            function,
            data: data.into(),
            units: 1,
            may_fail,
        };
        let id = TOKEN_ID;
        let calls = vec![
            call(
                "tokenOfOwner",
                tokenOfOwnerCall { account }.abi_encode(),
                false,
            ),
            call("expiresAt", expiresAtCall { id }.abi_encode(), true),
            call("tierOf", tierOfCall { id }.abi_encode(), true),
        ];
        Some(TokenCalls::new(MAX_CALLS, calls, Vec::new()))
    }

    fn stipend(&mut self) -> Option<&mut Option<u64>> {
        Some(&mut self.stipend)
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = SubscriptionPredicate::getToolGatingConfigCall { toolId: tool_id };
        let stored = reader.call(call).await?;
        Ok(Self {
            collection: stored.collection,
            min_tier: stored.minTier,
            stipend: None,
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
            stipend: None,
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            collection,
            min_tier,
            ..
        } = self;
        write!(
            f,
            "have an active subscription of {collection}, tier {min_tier} or higher"
        )
    }
}
