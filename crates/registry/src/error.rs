//! Why looking or writing failed.
//!
//! Seen by every room above: `verify` and `gate` fold it into "could not find out", `cli` chooses an exit code by
//! [`Error::is_refusal`]. What a look finds out is not an error: see [`ToolState`](crate::ToolState),
//! [`Access`](crate::Access) and [`Introspection`](crate::Introspection).

use alloy::transports::TransportError;
use alloy_primitives::{Address, B256, U256};

use crate::{RevertReason, Wei};

/// Could not look, or could not write.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The node did not answer, or not in a way we understand.
    #[error("the node did not answer {asked}")]
    Node {
        /// The method.
        asked: &'static str,
        /// What happened.
        source: Box<TransportError>,
    },
    /// What is at the address does not answer as a registry does.
    #[error("{address} on chain {chain_id} is no ERC-8257 registry: {reason}")]
    NotARegistry {
        /// The address.
        address: Address,
        /// The chain.
        chain_id: u64,
        /// What it did instead.
        reason: String,
    },
    /// No tool ever had this id, so there is nobody to ask about access.
    #[error("there is no tool {id} in this registry")]
    ToolNotFound {
        /// The id.
        id: U256,
    },
    /// The tool's creator removed it, so there is nobody to ask about access.
    #[error("tool {id} was removed by its creator")]
    ToolIsDeregistered {
        /// The id.
        id: U256,
    },
    /// A registry that claims more tools than are asked about.
    #[error(
        "the registry claims {count} tools, and at most {most} are looked through; name tools by their ids"
    )]
    TooManyTools {
        /// How many it claims.
        count: U256,
        /// How many are looked through.
        most: u64,
    },
    /// The contract would refuse the call. Nothing was sent.
    #[error("{what} would fail: {refused}")]
    WouldFail {
        /// What was to be done.
        what: String,
        /// Why.
        refused: RevertReason,
    },
    /// The sender cannot pay. Nothing was sent.
    #[error("{sender} has {balance}, and {what} may cost {cost}; fund it first")]
    InsufficientFunds {
        /// The account.
        sender: Address,
        /// What it has.
        balance: Wei,
        /// What was to be done.
        what: String,
        /// What it may cost.
        cost: Wei,
    },
    /// The chain asks more per gas than the operator allows. Nothing was sent.
    #[error(
        "the next block takes {needed} wei per gas, {flag} allows {cap}; wait for calmer times or raise it"
    )]
    FeeAboveCap {
        /// What it takes now.
        needed: u128,
        /// The cap.
        cap: u128,
        /// Where the cap comes from.
        flag: &'static str,
    },
    /// The node is on another chain than before. Nothing was sent.
    #[error("the node is on chain {found} now, not on {expected}; nothing was signed")]
    WrongChain {
        /// The chain the plan was made for.
        expected: u64,
        /// The chain the node says it is on.
        found: u64,
    },
    /// The plan was made for another account than the one that would sign.
    #[error("the plan is for {planned}, the signer is {signer}")]
    OtherSigner {
        /// Whom it was made for.
        planned: Address,
        /// Who would sign.
        signer: Address,
    },
    /// The signer refused or failed.
    #[error("the signer did not sign")]
    Signing {
        /// What it said.
        source: alloy::signers::Error,
    },
    /// The node refused a transaction for a reason of its own.
    #[error("the node refused the transaction for {what}: {message}")]
    NodeRefused {
        /// What was to be done.
        what: String,
        /// The node's words.
        message: String,
    },
    /// A transaction waits longer than we do. It may still get into a block.
    #[error("the transaction for {what} ({transaction}, nonce {nonce}) is not in a block yet")]
    StillPending {
        /// What was to be done.
        what: String,
        /// Its hash.
        transaction: B256,
        /// Its nonce.
        nonce: u64,
    },
    /// A transaction got into a block and failed there.
    #[error("the transaction for {what} failed on the chain: {transaction}")]
    Reverted {
        /// What was to be done.
        what: String,
        /// Its hash.
        transaction: B256,
    },
}

impl Error {
    /// Whether the same call may succeed when simply made again. A transaction that waits is not sent twice.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Node { .. })
    }

    /// Whether the answer is a clear no: the contract, the chain or the operator's own caps forbid it.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::ToolNotFound { .. }
                | Self::ToolIsDeregistered { .. }
                | Self::WouldFail { .. }
                | Self::InsufficientFunds { .. }
                | Self::FeeAboveCap { .. }
                | Self::NodeRefused { .. }
                | Self::Reverted { .. }
        )
    }
}

/// Says what was asked when there was no answer.
pub(crate) fn failed(asked: &'static str) -> impl FnOnce(TransportError) -> Error {
    move |source| Error::Node {
        asked,
        source: Box::new(source),
    }
}
