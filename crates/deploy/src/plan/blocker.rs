//! Reasons why a plan cannot be executed.

use std::fmt;

use alloy_primitives::Address;
use atr_rpc::{FeeLimitExceeded, Wei};
use serde::Serialize;

use crate::FACTORY;

/// Why a plan cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub enum Blocker {
    /// The factory is not deployed, and the plan does not include its deployment.
    #[serde(rename_all = "camelCase")]
    FactoryMissing {
        /// Cost of deploying it.
        cost: Wei,
        /// The account that must hold the cost.
        account: Address,
    },
    /// Another contract is at the factory's address. CREATE2 addresses on this chain differ from the predicted ones.
    FactoryMismatch,
    /// The presigned factory transaction cannot succeed on this chain.
    FactoryUndeployable { message: String },
    /// Predicates are to be deployed for a registry that has no code.
    RegistryMissing { registry: Address },
    /// Another contract is at the predicted address.
    CodeMismatch {
        contract: &'static str,
        address: Address,
    },
    /// The gas estimate reverted.
    WouldRevert {
        contract: &'static str,
        /// The node's message.
        message: String,
    },
    /// The sender's balance does not cover the maximum cost.
    InsufficientFunds {
        shortfall: Wei,
        /// Symbol of the native currency.
        #[serde(skip)]
        currency: &'static str,
    },
    /// The transactions cannot be signed within the maximum that the user set.
    CostLimit {
        needed: Wei,
        limit: Wei,
        /// Symbol of the native currency.
        #[serde(skip)]
        currency: &'static str,
    },
    /// The fee limit is below the base fee.
    FeeLimit(FeeLimitExceeded),
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FactoryMissing { .. } => write!(
                f,
                "the CREATE2 factory {FACTORY} is not deployed on this chain"
            ),
            Self::FactoryMismatch => write!(
                f,
                "{FACTORY} is not the CREATE2 factory on this chain, so contracts cannot be deployed to the predicted addresses"
            ),
            Self::FactoryUndeployable { message } => write!(
                f,
                "the CREATE2 factory {FACTORY} is not deployed on this chain and cannot be: {message}"
            ),
            Self::RegistryMissing { registry } => write!(
                f,
                "no contract at {registry}: predicates are not deployed for a registry without code"
            ),
            Self::CostLimit {
                needed,
                limit,
                currency,
            } => write!(
                f,
                "the transactions cost at least {needed} {currency}, but the maximum cost is {limit} {currency}"
            ),
            Self::CodeMismatch { contract, address } => {
                write!(f, "{address} has different code than {contract}")
            }
            Self::WouldRevert { contract, message } => {
                write!(f, "deploying {contract} would revert: {message}")
            }
            Self::InsufficientFunds {
                shortfall,
                currency,
            } => write!(
                f,
                "insufficient funds: the sender lacks {shortfall} {currency} to cover the maximum cost"
            ),
            Self::FeeLimit(exceeded) => exceeded.fmt(f),
        }
    }
}
