//! `AccessProofPredicate`: grants access to accounts that signed an AccessProof. The call data contains deadline and signature.

use std::fmt;

use alloy_primitives::{Address, B256, U256};
use atr_bindings::AccessProofPredicate;
use serde::Serialize;

use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, Stipends, TokenCalls,
};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    tool_call::ToolCall,
};

/// Access for accounts that signed an AccessProof. The predicate works without a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// Gas for the signature check of a smart account (ERC-1271); `None` for the default stipends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stipend: Option<u64>,
}

/// As in the contract; a test compares them.
const DEFAULT: Stipends = Stipends {
    first: 60_000,
    retry: 120_000,
};

impl PredicateModule for Configuration {}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let call = AccessProofPredicate::setStipendCall {
            toolId: tool_id,
            stipend: U256::from(self.stipend.unwrap_or_default()),
        };
        Call::for_tool(predicate, &call, tool_id)
    }

    fn gas_limit(&self) -> u64 {
        100_000
    }

    fn describe(&self) -> Vec<String> {
        vec!["account that signed an AccessProof".to_owned()]
    }

    /// Without calls to measure: they go to the account that is checked.
    fn token_calls(&self, _account: Address) -> Option<TokenCalls> {
        let calls = TokenCalls::new(1, Vec::new(), Vec::new());
        Some(TokenCalls {
            default: DEFAULT,
            ..calls
        })
    }

    fn stipend(&mut self) -> Option<&mut Option<u64>> {
        Some(&mut self.stipend)
    }

    async fn read(_: &ConfigurationReader<'_>, _: U256) -> Result<Self, ReadError> {
        Ok(Self { stipend: None })
    }
}

/// Presents a signed AccessProof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// EIP-712 domain separator of the proof.
    pub domain_separator: B256,
}

impl Requirement {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        data.expect_words(1)?;
        Ok(Self {
            domain_separator: data.bytes32(0)?,
        })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sign an AccessProof; pass deadline and signature as call data")
    }
}
