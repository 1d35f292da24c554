//! Errors of argument values, with the same message for flags, environment variables and `atr.toml`.

use crate::{
    args::{Chain, PredicateArg},
    output::suggestion,
};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidValue {
    #[error(
        "`{found}` is not a chain; {hint}use a chain id, a name in [rpc_endpoints] of foundry.toml, or one of {}",
        Chain::names().join(", ")
    )]
    Chain { found: String, hint: String },
    #[error("`{found}` is not a URL, and [rpc_endpoints] of foundry.toml has no such name")]
    EndpointName { found: String },
    /// Omits the value: RPC URLs often contain an API key.
    #[error("invalid RPC URL: {reason}")]
    RpcUrl { reason: String },
    #[error("`{found}` is not the URL of a server, such as http://127.0.0.1:8257")]
    ApiUrl { found: String },
    /// Omits the value, which can be an API key.
    #[error("invalid header; use `Name: value`")]
    RpcHeader,
    #[error("`{found}` is not an amount; include the unit: 0.01ether, 500gwei, 1000000wei")]
    Amount { found: String },
    #[error("`{found}` is not a registry; {hint}use an address, `ours` or `opensea`")]
    Registry { found: String, hint: String },
    #[error("`{found}` is not an address (0x and 40 hexadecimal digits)")]
    Address { found: String },
    #[error("`{found}` is neither an address (0x and 40 hexadecimal digits) nor an ENS name")]
    Account { found: String },
    #[error(transparent)]
    EnsName(#[from] atr_rpc::InvalidEnsName),
    #[error("`{found}` is not a block; use a number, a hash, `latest`, `safe` or `finalized`")]
    Block { found: String },
    #[error("`{found}` is not an amount of tokens; use a number such as 100 or 0.5")]
    TokenAmount { found: String },
    #[error("`{found}` has more decimals than the token, which has {decimals}")]
    TooManyDecimals { found: String, decimals: u8 },
    #[error("`{found}` is not a predicate; {hint}use an address, {}", or_list(&PredicateArg::names()))]
    Predicate { found: String, hint: String },
    #[error("{reason}")]
    Gate { reason: String },
    #[error("the zero address is not a predicate; use `open` to remove the access predicate")]
    ZeroPredicate,
    #[error("`{found}` is not a tool; use {}", crate::args::tool::FORMS)]
    Tool { found: String },
    #[error("`{found}` is not a manifest URL: {reason}")]
    ManifestUrl { found: String, reason: String },
    #[error(
        "`{found}` has an invalid EIP-55 checksum; check the digits, or use all lower case to skip the check"
    )]
    Checksum { found: String },
    #[error("`{found}` is not one of {}", allowed.join(", "))]
    NotOneOf {
        found: String,
        allowed: &'static [&'static str],
    },
    #[error(
        "`{found}` is not a log filter; use a level (off, error, warn, info, debug, trace) or `target=level`, comma-separated"
    )]
    LogFilter { found: String },
    #[error("`{found}` is not a gas price; include the unit: 2gwei, 0.05gwei, 1000000wei")]
    GasPrice { found: String },
    #[error("`{found}` is not 32 bytes (0x and 64 hexadecimal digits)")]
    Bytes32 { found: String },
    #[error("`{found}` is not hex data (0x and an even number of hexadecimal digits)")]
    Bytes { found: String },
    #[error("`{found}` is not a token; use COLLECTION:ID or COLLECTION:ID,ID")]
    Tokens { found: String },
    #[error("`{found}` is not a stipend; use an amount of gas, `auto` or `default`")]
    Stipend { found: String },
    #[error("`{found}` is not an IP address and port such as 127.0.0.1:53")]
    SocketAddress { found: String },
    #[error("{reason}")]
    Host { reason: String },
    #[error("the value is not valid UTF-8")]
    NotUtf8,
}

impl InvalidValue {
    pub(crate) fn chain(text: &str) -> Self {
        Self::Chain {
            found: text.to_owned(),
            hint: suggestion::hint(text, Chain::names()),
        }
    }
}

/// `a, b or c`.
fn or_list(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
