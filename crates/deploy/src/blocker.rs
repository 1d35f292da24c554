//! What keeps a plan from being carried out.

use std::fmt;

use alloy_primitives::Address;
use serde::Serialize;

use crate::{FACTORY, Wei};

/// Why a plan cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Blocker {
    /// The factory is not on this chain, and deploying it was not asked for.
    #[serde(rename_all = "camelCase")]
    FactoryMissing {
        /// What deploying it costs.
        cost: Wei,
        /// The account that must hold that.
        fund: Address,
    },
    /// Something else is at the factory's address: on this chain addresses do not follow from salt and init code.
    FactoryDiffers,
    /// The factory's only transaction was used up without leaving it behind.
    FactoryLost,
    /// Other code is at a contract's address.
    CodeDiffers {
        /// The contract.
        contract: &'static str,
        /// The address.
        address: Address,
    },
    /// The node says that the deployment would fail.
    WouldFail {
        /// The contract.
        contract: &'static str,
        /// The node's words.
        message: String,
    },
    /// The account holds less than it may cost.
    InsufficientFunds {
        /// What is missing.
        missing: Wei,
    },
    /// The chain asks more than the cap allows.
    #[serde(rename_all = "camelCase")]
    FeeAboveCap {
        /// What the next block takes, in wei per gas.
        base_fee: u128,
        /// The cap.
        cap: u128,
    },
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FactoryMissing { cost, fund } => write!(
                f,
                "the CREATE2 factory {FACTORY} is not on this chain; --deploy-factory adds it to the plan: it sends {cost} to {fund} \
                 and then the factory's well-known transaction, which anyone may send"
            ),
            Self::FactoryDiffers => write!(
                f,
                "{FACTORY} holds other code than the CREATE2 factory; on this chain addresses do not follow from salt and init code, \
                 and nothing can be deployed to the predicted ones"
            ),
            Self::FactoryLost => write!(
                f,
                "the CREATE2 factory {FACTORY} is not on this chain, and its only transaction failed here before: it cannot be deployed"
            ),
            Self::CodeDiffers { contract, address } => write!(
                f,
                "{address} holds other code than {contract}; `atr deploy check` says what differs"
            ),
            Self::WouldFail { contract, message } => {
                write!(
                    f,
                    "the node says that deploying {contract} would fail: {message}"
                )
            }
            Self::InsufficientFunds { missing } => {
                write!(
                    f,
                    "the account lacks {missing} to be safe at the highest fee; fund it, or lower --max-fee-per-gas"
                )
            }
            Self::FeeAboveCap { base_fee, cap } => write!(
                f,
                "the next block takes {base_fee} wei per gas, --max-fee-per-gas allows {cap}; wait for calmer times or raise it"
            ),
        }
    }
}
