//! Environment variables that are not settings of `atr.toml`.

/// A variable, besides those of [`KEYS`](super::KEYS).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) purpose: &'static str,
    /// Whether its value must not be printed.
    pub(crate) is_secret: bool,
}

/// All of them, in the order of the help.
pub(crate) static VARIABLES: [Variable; 16] = [
    Variable::new("ATR_CONFIG", "configuration file"),
    Variable::secret("ATR_PRIVATE_KEY", "key of the signer"),
    Variable::secret("ATR_RPC_HEADER", "header of RPC requests"),
    Variable::secret("ETH_RPC_URL", "RPC URL, if no other is set"),
    Variable::new("ATR_ALLOW_HOST", "as --allow-host, comma-separated"),
    Variable::new("ATR_CA_FILE", "as --ca-file"),
    Variable::new("ATR_NAME_SERVER", "DNS server for manifest hosts"),
    Variable::secret("ATR_ENS_RPC_URL", "as --ens-rpc-url"),
    Variable::new("ATR_ENS_REGISTRY", "as --ens-registry"),
    Variable::secret("ATR_IPFS_GATEWAY", "as --ipfs-gateway"),
    Variable::new("ATR_STATE_DIR", "directory of journal, ledger and index"),
    Variable::secret("ATR_DATABASE_URL", "as --database-url"),
    Variable::secret("ATR_ETHERSCAN_API_KEY", "key for deploy --verify"),
    Variable::secret("ETHERSCAN_API_KEY", "the same, if the other is not set"),
    Variable::secret(
        "ATR_FACILITATOR_HEADER",
        "header for the facilitator of a gate",
    ),
    Variable::secret("ATR_USAGE_KEY", "key for the usage reports of a gate"),
];

impl Variable {
    const fn new(name: &'static str, purpose: &'static str) -> Self {
        Self {
            name,
            purpose,
            is_secret: false,
        }
    }

    const fn secret(name: &'static str, purpose: &'static str) -> Self {
        Self {
            is_secret: true,
            ..Self::new(name, purpose)
        }
    }
}
