//! `ERC20BalancePredicate`: grants access to holders of a minimum ERC-20 balance.

use std::fmt;

use alloy_primitives::{Address, U256, address};
use alloy_sol_types::SolCall;
use atr_bindings::ERC20BalancePredicate;
use serde::Serialize;

use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, TokenCall, TokenCalls,
    TokenStandard, token::balanceOfCall,
};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    json,
    revert_reason::decode_errors,
    tool_call::ToolCall,
};

/// Access for holders of a minimum balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub token: Address,
    /// In base units of the token. The predicate rejects zero.
    #[serde(serialize_with = "json::decimal")]
    pub min_balance: U256,
    /// Gas per call; `None` for the default stipends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stipend: Option<u64>,
}

impl PredicateModule for Configuration {
    const REFERENCE_ADDRESS: Option<Address> =
        Some(address!("0x1a834FC48B5f6e119c62C12a98b32137bCFA77cD"));

    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            ERC20BalancePredicate::ZeroMinBalance(_) => "a minimum balance of zero would grant access to every account";
            ERC20BalancePredicate::ZeroToken(_) => "the token is the zero address";
            ERC20BalancePredicate::TokenNoCode(e) => format!("no contract at the token {}", e.token);
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let Self {
            token,
            min_balance,
            stipend,
        } = *self;
        match stipend {
            None => {
                let call = ERC20BalancePredicate::configureToolERC20_1Call {
                    toolId: tool_id,
                    token,
                    minBalance: min_balance,
                };
                Call::for_tool(predicate, &call, tool_id)
            }
            Some(stipend) => {
                let call = ERC20BalancePredicate::configureToolERC20_0Call {
                    toolId: tool_id,
                    token,
                    minBalance: min_balance,
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
            token, min_balance, ..
        } = self;
        vec![format!(
            "balance of at least {min_balance} base units of {token}"
        )]
    }

    fn token_calls(&self, account: Address) -> Option<TokenCalls> {
        let call = TokenCall {
            target: self.token,
            function: "balanceOf",
            data: balanceOfCall { account }.abi_encode().into(),
            units: 1,
            may_fail: false,
        };
        let tokens = vec![(self.token, TokenStandard::Erc20)];
        Some(TokenCalls::new(1, vec![call], tokens))
    }

    fn stipend(&mut self) -> Option<&mut Option<u64>> {
        Some(&mut self.stipend)
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = ERC20BalancePredicate::getToolERC20ConfigCall { toolId: tool_id };
        let stored = reader.call(call).await?;
        Ok(Self {
            token: stored.token,
            min_balance: stored.minBalance,
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
            token: data.address(0)?,
            min_balance: data.uint256(1)?,
            stipend: None,
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            token, min_balance, ..
        } = self;
        write!(
            f,
            "hold at least {min_balance} (base units) of {token} (ERC-20)"
        )
    }
}
