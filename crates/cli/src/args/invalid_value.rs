//! Why a value of a setting is refused. The same words whether it came from a flag, the environment or a file.

use crate::args::Chain;

/// A value that breaks the rule of its setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidValue {
    /// Neither a chain's name nor a chain id.
    #[error("`{found}` is not a chain; {hint}use a chain id or one of {}", Chain::names().join(", "))]
    Chain { found: String, hint: String },
    /// Not a URL a node can be reached at. The value itself is left out: such URLs often carry a key.
    #[error("not the URL of a node: {rule}")]
    RpcUrl { rule: String },
    /// Neither an address nor a registry's name.
    #[error("`{found}` is not a registry; {hint}use an address, `ours` or `opensea`")]
    Registry { found: String, hint: String },
    /// Not an address. Names are not resolved: who would be asked is the operator's to decide.
    #[error("`{found}` is not an address: 0x and 40 hexadecimal digits")]
    Address { found: String },
    /// Zero where a contract is meant.
    #[error("the zero address is no predicate; write `open` to let everyone in")]
    ZeroPredicate,
    /// Not a tool, by any of its names.
    #[error(
        "`{found}` is not a tool ({reason}); name it as {}",
        crate::args::tool::FORMS
    )]
    Tool { found: String, reason: String },
    /// An address in mixed case whose case is not that of its checksum.
    #[error(
        "`{found}` fails its checksum (EIP-55): a digit may be wrong; all lower case skips the check"
    )]
    Checksum { found: String },
    /// Not one of a few words.
    #[error("`{found}` is not one of {}", allowed.join(", "))]
    NotOneOf {
        found: String,
        allowed: &'static [&'static str],
    },
    /// Not a log filter.
    #[error(
        "`{found}` is not a log filter; use a level (off, error, warn, info, debug, trace) or `target=level`, comma-separated"
    )]
    LogFilter { found: String },
    /// Not an amount of gas money.
    #[error("`{found}` is not a price of gas; say the unit: 2gwei, 0.05gwei, 1000000wei")]
    GasPrice { found: String },
    /// Not 32 bytes.
    #[error("`{found}` is not a {what}: 0x and 64 hexadecimal digits")]
    Word { found: String, what: &'static str },
    /// Not bytes in hexadecimal.
    #[error("`{found}` is not data: 0x and an even number of hexadecimal digits")]
    Bytes { found: String },
    /// Not tokens of a collection.
    #[error("`{found}` is not a token: name it as COLLECTION:ID, or several as COLLECTION:ID,ID")]
    Tokens { found: String },
    /// Not an address with a port.
    #[error("`{found}` is not an address and a port such as 127.0.0.1:53")]
    SocketAddress { found: String },
    /// Bytes that are not text.
    #[error("the value is not UTF-8")]
    NotUtf8,
}
