//! Errors of `atr gate`.

use std::{io, net::SocketAddr, path::PathBuf};

use atr_gate::{
    ConfigError,
    payment::FacilitatorProblem,
    pricing::PriceError,
    proxy::ProxyError,
    server::{AppError, TlsError},
};
use atr_ids::ToolRef;

use crate::outcome::Outcome;

#[derive(Debug, thiserror::Error)]
pub(crate) enum GateError {
    #[error("no tool to gate; use --tool and --upstream, or [[gate.tool]] in a configuration file")]
    NoTool,
    #[error("{name}: `{found}` is invalid: {reason}")]
    Invalid {
        name: &'static str,
        found: String,
        reason: String,
    },
    #[error("{path}: cannot read the file ({name})")]
    ReadFile {
        name: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("{upstream}")]
    Upstream {
        upstream: String,
        source: ProxyError,
    },
    #[error("{tool}: {status}; a gate serves verified tools only")]
    NotVerified {
        tool: ToolRef,
        /// The verdict in a few words, with its cause.
        status: String,
        /// The manifest could not be fetched, so a local file could help.
        is_unreachable: bool,
        is_unknown: bool,
    },
    #[error("{tool}: {source}")]
    Price { tool: ToolRef, source: PriceError },
    #[error("{tool}: {source}")]
    App { tool: ToolRef, source: AppError },
    #[error(transparent)]
    Route(#[from] AppError),
    #[error("token {token}: {reason}")]
    Token {
        token: alloy_primitives::Address,
        reason: String,
    },
    #[error("chain {chain} has no known token for free credentials; use --token")]
    NoToken { chain: u64 },
    #[error("{tool} is a paid tool and needs a facilitator; use --facilitator")]
    NoFacilitator { tool: ToolRef },
    #[error(
        "{tool} is a paid tool and needs a store for used payments; use --store, or --ephemeral to forget them on restart"
    )]
    NoStore { tool: ToolRef },
    #[error("{tool}: {source}")]
    Facilitator {
        tool: ToolRef,
        source: FacilitatorProblem,
    },
    /// Omits the URL, which can contain a password.
    #[error("cannot open the store of payments")]
    Store { source: atr_store::Error },
    #[error("{tool}: the MCP tool `{name}` at {path} is gated twice, or its server is another one")]
    Mcp {
        tool: ToolRef,
        name: String,
        path: String,
    },
    #[error("{tool}: the schemas of the manifest cannot be used")]
    Schemas {
        tool: ToolRef,
        source: Box<atr_schema::Error>,
    },
    #[error("{tool}: {source}")]
    Gate { tool: ToolRef, source: ConfigError },
    #[error("cannot listen at {address}")]
    Bind {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("certificate {certificate}, private key {key}")]
    Tls {
        certificate: PathBuf,
        key: PathBuf,
        source: TlsError,
    },
    #[error("cannot handle signals")]
    Signals { source: io::Error },
}

impl GateError {
    pub(crate) const fn outcome(&self) -> Outcome {
        match self {
            Self::NoTool
            | Self::Invalid { .. }
            | Self::Upstream { .. }
            | Self::Tls { .. }
            | Self::NoToken { .. }
            | Self::NoFacilitator { .. }
            | Self::NoStore { .. }
            | Self::Route(_)
            | Self::Schemas { .. }
            | Self::Mcp { .. }
            | Self::Gate { .. }
            | Self::App { .. } => Outcome::UsageError,
            Self::NotVerified {
                is_unknown: false, ..
            }
            | Self::Facilitator { .. }
            | Self::Token { .. }
            | Self::ReadFile { .. }
            | Self::Price { .. } => Outcome::Failure,
            Self::NotVerified { .. }
            | Self::Store { .. }
            | Self::Bind { .. }
            | Self::Signals { .. } => Outcome::Unknown,
        }
    }

    /// What to do about it, beyond the message.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotVerified {
                is_unreachable: true,
                ..
            } => Some(
                "if this gate is to serve the manifest, use --manifest <file>; `atr verify` shows all checks",
            ),
            Self::NotVerified { .. } => Some("`atr verify` shows all checks and what to do"),
            Self::Price {
                source: PriceError::Differs { .. },
                ..
            } => Some(
                "callers pay what the registered manifest says; change --price, or update the manifest and run `atr tool update`",
            ),
            Self::Price {
                source: PriceError::Recipient { .. },
                ..
            } => Some("use the recipient of the manifest as --operator, or leave it out"),
            Self::Price {
                source: PriceError::NoOperator,
                ..
            } => Some("use --operator <address>: callers authorize a transfer of 0 to it"),
            Self::Price {
                source: PriceError::UnknownToken { .. },
                ..
            } => Some("use --token <address> for a token that is not USDC"),
            Self::Bind { .. } => Some(
                "another process may use the port; --listen ADDRESS chooses another (port 0: a free one)",
            ),
            Self::Schemas { .. } => Some("use --no-schemas to serve the tool without validation"),
            _ => None,
        }
    }
}
