//! What can go wrong between a plan and a record.
//!
//! Seen by `cli`, which chooses the exit code by [`Error::is_refusal`] and [`Error::is_misuse`]. What a plan or an audit finds
//! out is not an error: see [`Blocker`](crate::Blocker) and [`Finding`](crate::Finding).

use std::{io, path::PathBuf};

use alloy::transports::TransportError;
use alloy_primitives::{Address, B256};

use crate::Wei;

/// Why a deployment, a check or a verification could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A contract that is not ours was named.
    #[error("there is no contract `{name}` here; there are {}", known.join(", "))]
    UnknownContract {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// The node is on another chain than the one that was asked for. Nothing was signed.
    #[error(
        "the node is on chain {found}, not on {expected}; nothing was signed: check --chain and --rpc-url"
    )]
    WrongChain {
        /// The chain that was asked for.
        expected: u64,
        /// The chain the node says it is on.
        found: u64,
    },
    /// The node did not answer, or not in a way we understand.
    #[error("the node did not answer {asked}")]
    Node {
        /// The method.
        asked: &'static str,
        /// What happened.
        source: Box<TransportError>,
    },
    /// An explorer did not answer, or not in a way we understand.
    #[error("{explorer} did not answer")]
    ExplorerUnreachable {
        /// Its name.
        explorer: &'static str,
        /// What happened.
        source: atr_fetch::Error,
    },
    /// An explorer answered with something else than its API promises.
    #[error("{explorer} answered with HTTP {status}: {body}")]
    ExplorerNonsense {
        /// Its name.
        explorer: &'static str,
        /// Status of the answer.
        status: u16,
        /// The beginning of its body.
        body: String,
    },
    /// What `registry` does for us did not work.
    #[error(transparent)]
    Registry(atr_registry::Error),
    /// A plan that cannot be carried out was to be carried out.
    #[error("the plan cannot be carried out: {reason}")]
    Blocked {
        /// The first reason.
        reason: String,
    },
    /// Something has to be signed, and nobody is there to sign it.
    #[error("a transaction has to be signed, and there is no signer")]
    NoSigner,
    /// The signer refused or failed.
    #[error("the signer did not sign")]
    Signing {
        /// What it said.
        source: alloy::signers::Error,
    },
    /// The account cannot pay. Told by the node; the plan tells it earlier where it can.
    #[error(
        "{sender} cannot pay for {contract}: {message}; fund it and run the same command again"
    )]
    InsufficientFunds {
        /// The account.
        sender: Address,
        /// What was to be sent.
        contract: String,
        /// The node's words.
        message: String,
    },
    /// The chain asks more than the operator allows.
    #[error(
        "{contract} needs {needed} wei per gas to get into a block, {flag} allows {cap}; wait for calmer times or \
         raise it, then run the same command again"
    )]
    FeeAboveCap {
        /// What was to be sent.
        contract: String,
        /// What it takes now.
        needed: u128,
        /// The cap.
        cap: u128,
        /// Where the cap comes from.
        flag: &'static str,
    },
    /// The node refused a transaction for a reason of its own.
    #[error("the node refused the transaction for {contract}: {message}")]
    Refused {
        /// What was to be sent.
        contract: String,
        /// The node's words.
        message: String,
    },
    /// Another account's transaction waits, and cannot be replaced without that account.
    #[error(
        "the transaction for {contract} was signed by {sender} in an earlier run and needs a higher fee; run again with that account"
    )]
    OtherSender {
        /// What was sent.
        contract: String,
        /// The account that signed it.
        sender: Address,
    },
    /// A transaction waits longer than we do.
    #[error(
        "the transaction for {contract} ({transaction}, nonce {nonce}) is not in a block yet{hint}; run the same command again \
         to go on waiting: it will not be paid for twice"
    )]
    StillPending {
        /// What was sent.
        contract: String,
        /// Its hash.
        transaction: B256,
        /// Its nonce.
        nonce: u64,
        /// What may hold it up.
        hint: String,
    },
    /// A transaction got into a block and failed there.
    #[error("the transaction for {contract} failed on the chain: {transaction}")]
    Reverted {
        /// What was sent.
        contract: String,
        /// Its hash.
        transaction: B256,
    },
    /// The chain took a transaction and there is still no code.
    #[error("{transaction} succeeded and left no code at {address} for {contract}")]
    NoCode {
        /// What was deployed.
        contract: String,
        /// Where it should be.
        address: Address,
        /// The transaction.
        transaction: B256,
    },
    /// Another run on the same chain holds the journal.
    #[error("another run is deploying to chain {chain_id} (it holds {path}); wait for it to end")]
    Busy {
        /// The chain.
        chain_id: u64,
        /// The lock.
        path: PathBuf,
    },
    /// The journal or a record could not be read or written.
    #[error("{path}: cannot be {verb}")]
    File {
        /// The file.
        path: PathBuf,
        /// Read or written.
        verb: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The journal or a record is there and is not one.
    #[error("{path}: not a {what}; move it away if you are sure that nothing is pending")]
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// The factory cannot be paid for: its account needs the fee.
    #[error(
        "the factory's own transaction costs {cost}, its account {account} could not be funded"
    )]
    FactoryUnpaid {
        /// What it costs.
        cost: Wei,
        /// The account.
        account: Address,
    },
}

impl From<atr_registry::Error> for Error {
    /// A node that does not answer is the same trouble whoever asked it, and so is a signer.
    fn from(error: atr_registry::Error) -> Self {
        match error {
            atr_registry::Error::Node { asked, source } => Self::Node { asked, source },
            atr_registry::Error::Signing { source } => Self::Signing { source },
            other => Self::Registry(other),
        }
    }
}

impl Error {
    /// Whether the same call may succeed when simply made again. The journal makes that safe.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::ExplorerUnreachable { source, .. } => source.is_retryable(),
            Self::ExplorerNonsense { status, .. } => *status == 429 || *status >= 500,
            Self::Registry(source) => source.is_retryable(),
            Self::Node { .. } | Self::StillPending { .. } | Self::Busy { .. } => true,
            _ => false,
        }
    }

    /// Whether the answer is a clear no: the chain, the node or the operator's own caps forbid it.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Blocked { .. }
                | Self::InsufficientFunds { .. }
                | Self::FeeAboveCap { .. }
                | Self::Refused { .. }
                | Self::OtherSender { .. }
                | Self::Reverted { .. }
                | Self::NoCode { .. }
                | Self::FactoryUnpaid { .. }
        )
    }

    /// Whether the question itself was wrong.
    #[must_use]
    pub const fn is_misuse(&self) -> bool {
        matches!(
            self,
            Self::UnknownContract { .. } | Self::WrongChain { .. } | Self::NoSigner
        )
    }
}
