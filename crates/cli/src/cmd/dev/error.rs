//! Errors of `atr dev`.

use std::{io, path::PathBuf};

use alloy_primitives::B256;

use crate::outcome::Outcome;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DevError {
    #[error("{path}: cannot run anvil")]
    NoAnvil { path: PathBuf, source: io::Error },
    #[error("cannot start {program}")]
    Start {
        program: &'static str,
        source: io::Error,
    },
    #[error("{program} did not start; is port {port} in use?")]
    NotReady { program: &'static str, port: u16 },
    #[error("{program} ended")]
    Ended { program: &'static str },
    #[error("transaction {transaction} reverted")]
    Reverted { transaction: B256 },
    #[error("transaction {transaction} was not mined")]
    NotMined { transaction: B256 },
    #[error("cannot create a certificate")]
    Certificate { source: rcgen::Error },
}

impl DevError {
    pub(crate) const fn outcome(&self) -> Outcome {
        match self {
            Self::NoAnvil { .. } | Self::NotReady { .. } => Outcome::UsageError,
            Self::Reverted { .. } => Outcome::Failure,
            Self::Start { .. }
            | Self::Ended { .. }
            | Self::NotMined { .. }
            | Self::Certificate { .. } => Outcome::Unknown,
        }
    }

    /// What to do about it, beyond the message.
    pub(crate) const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoAnvil { .. } => {
                Some("install Foundry (https://getfoundry.sh), or use --anvil <file>")
            }
            Self::NotReady { .. } => Some("use --rpc-port 0 for a free port"),
            _ => None,
        }
    }
}
