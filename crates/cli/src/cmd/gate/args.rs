//! Options of `atr gate` and `atr gate check`.

use std::{net::SocketAddr, num::NonZeroU32, path::PathBuf};

use clap::ValueEnum;
use ipnet::IpNet;
use serde::Deserialize;

use crate::args::{AddressArg, FetchArgs, ToolArg};

/// Which x402 versions the 402 response serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Challenge {
    /// One response for clients of either version
    #[default]
    Both,
    /// For clients that know version 1 only, and fail on the header of version 2
    V1,
    /// Version 2 only
    V2,
}

/// When a payment is settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Settle {
    /// After the tool responds; the response is held until the payment is settled
    #[default]
    After,
    /// Before the tool is called; the answer streams
    Before,
}

/// Credentials of older clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Legacy {
    /// `Authorization: EIP-3009 …`
    Eip3009,
    /// `Authorization: SIWE …`
    Siwe,
}

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct GateArgs {
    /// Tool to gate; with several tools, use a configuration file
    #[arg(long, value_name = "TOOL", requires = "upstream")]
    pub(super) tool: Option<ToolArg>,

    /// URL of the server that implements the tool, such as http://127.0.0.1:3000
    ///
    /// Requests keep their path: a request for /oracle is forwarded to <UPSTREAM>/oracle.
    #[arg(long, value_name = "URL", requires = "tool")]
    pub(super) upstream: Option<String>,

    /// Manifest of the tool [default: fetched from its manifest URL]
    ///
    /// The file must be the registered manifest, and is served byte for byte at its well-known path. Needed to start the gate
    /// that serves the manifest itself.
    #[arg(long, value_name = "FILE", requires = "tool")]
    pub(super) manifest: Option<PathBuf>,

    /// Path of the tool; everything below it is gated [default: the path of the manifest's endpoint]
    #[arg(long, value_name = "PATH", requires = "tool")]
    pub(super) path: Option<String>,

    /// The upstream server speaks MCP (streamable HTTP), and this is the name of the tool there
    ///
    /// Everything but calls passes, so that clients can list the tools. A call carries its credential in _meta["x402/payment"].
    #[arg(long, value_name = "NAME", requires = "tool")]
    pub(super) mcp_tool: Option<String>,

    /// Account that callers authorize, and that is paid [default: the recipient of the manifest's price]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) operator: Option<AddressArg>,

    /// Expected price of a call, such as 0.01; the gate does not start if the manifest has another one
    #[arg(long, value_name = "AMOUNT", requires = "tool")]
    pub(super) price: Option<String>,

    /// URL of a facilitator, which checks and settles payments; with several, the next is used if one fails [repeatable]
    ///
    /// ATR_FACILITATOR_HEADER has its authentication header, `Name: value`.
    #[arg(long, value_name = "URL", value_delimiter = ',')]
    pub(super) facilitator: Vec<String>,

    /// EIP-3009 token of the chain that callers sign for [default: the token of the price, or USDC]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) token: Option<AddressArg>,

    /// When a payment is settled
    #[arg(long, value_name = "WHEN")]
    pub(super) settle: Option<Settle>,

    /// File that remembers which payments were used, or a postgres:// URL if several gates share it
    ///
    /// A paid gate needs it: without it, a restart forgets which payments were used.
    #[arg(long, value_name = "FILE")]
    pub(super) store: Option<String>,

    /// Run a paid gate without --store
    #[arg(long, conflicts_with = "store")]
    pub(super) ephemeral: bool,

    /// Which x402 clients the 402 response serves
    #[arg(long, value_name = "VERSION")]
    pub(super) challenge: Option<Challenge>,

    /// URL under which callers reach the gate [default: the origin of the manifest's endpoint]
    #[arg(long, value_name = "URL")]
    pub(super) public_url: Option<String>,

    /// Bind free credentials to URL and tool: they cannot be used for another tool of the operator
    ///
    /// Newer SDKs require it. Callers that accept the operator's address only reject it.
    #[arg(long)]
    pub(super) bind_audience: bool,

    /// Accept the credentials of older clients, too [repeatable]
    #[arg(long, value_name = "SCHEME")]
    pub(super) legacy: Vec<Legacy>,

    /// Accept the signatures of smart accounts (ERC-1271); costs one more request to the node per call
    #[arg(long)]
    pub(super) smart_accounts: bool,

    /// With --smart-accounts: accept signatures of accounts that this factory deploys later (ERC-6492) [repeatable]
    #[arg(long, value_name = "ADDRESS", requires = "smart_accounts")]
    pub(super) account_factory: Vec<AddressArg>,

    /// Do not validate requests and responses against the schemas of the manifest
    #[arg(long)]
    pub(super) no_schemas: bool,

    /// Base URL of an indexer that receives a report of each call; ATR_USAGE_KEY has the API key [default: nothing is reported]
    #[arg(long, value_name = "URL")]
    pub(super) usage_url: Option<String>,

    /// Requests per second of a client address, and of an account [default: no limit]
    #[arg(long, value_name = "NUMBER")]
    pub(super) rate_limit: Option<NonZeroU32>,

    /// Address to listen at [default: 127.0.0.1:8402]
    #[arg(long = "listen", alias = "bind", value_name = "ADDRESS", help_heading = SERVER)]
    pub(super) bind: Option<SocketAddr>,

    /// Serve /healthz, /readyz and /metrics at this address only
    #[arg(long = "admin-listen", alias = "admin-bind", value_name = "ADDRESS", help_heading = SERVER)]
    pub(super) admin_bind: Option<SocketAddr>,

    /// Certificate chain (PEM), to serve HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = SERVER)]
    pub(super) tls_cert: Option<PathBuf>,

    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = SERVER)]
    pub(super) tls_key: Option<PathBuf>,

    /// Network of a proxy in front, such as 10.0.0.0/8; its X-Forwarded-* headers and request ids are used [repeatable]
    #[arg(long, value_name = "NETWORK", value_delimiter = ',', help_heading = SERVER)]
    pub(super) trusted_proxy: Vec<IpNet>,

    /// Origin of scripts that may call the tool in a browser; `off` leaves it to the upstream server [default: every origin]
    /// [repeatable]
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',', help_heading = SERVER)]
    pub(super) cors: Vec<String>,

    /// Forward the caller's Host header
    #[arg(long, help_heading = UPSTREAM)]
    pub(super) preserve_host: bool,

    /// Use HTTP/2 towards the upstream server
    #[arg(long, conflicts_with = "preserve_host", help_heading = UPSTREAM)]
    pub(super) upstream_http2: bool,

    /// Additional root certificates (PEM) for the upstream server
    #[arg(long, value_name = "FILE", help_heading = UPSTREAM)]
    pub(super) upstream_ca: Option<PathBuf>,

    /// Time until the upstream server starts to respond [default: 60]
    #[arg(long, value_name = "SECONDS", help_heading = UPSTREAM)]
    pub(super) upstream_timeout: Option<u64>,

    /// Maximum size of a request body in bytes [default: 10485760]
    #[arg(long, value_name = "BYTES", help_heading = UPSTREAM)]
    pub(super) max_body: Option<u64>,

    #[command(flatten)]
    pub(super) fetch: FetchArgs,
}

const SERVER: &str = "Server";
const UPSTREAM: &str = "Upstream";
