//! Tool references: chain, registry and id.

use std::{fmt, str::FromStr};

use alloy_primitives::{Address, U256};

use crate::{Error, chain_id, decimal::parse_decimal, excerpt, hex_text::parse_address};

/// The asset namespace the ERC proposes.
const NAMESPACE: &str = "erc8257";

/// A globally unique tool reference: `eip155:<chain>/erc8257:<registry>/<id>`. A tool id is unique only within its registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolRef {
    chain: u64,
    registry: Address,
    id: U256,
}

impl ToolRef {
    /// Creates a reference. Ids and chains start at 1.
    pub fn try_new(chain: u64, registry: Address, id: U256) -> Result<Self, Error> {
        if id.is_zero() {
            return Err(Error::ToolIdZero);
        }
        if chain == 0 {
            return Err(Error::Chain {
                found: format!("{}:0", chain_id::EIP155),
            });
        }
        Ok(Self {
            chain,
            registry,
            id,
        })
    }

    /// The EVM chain the registry is on.
    #[must_use]
    pub const fn chain(&self) -> u64 {
        self.chain
    }

    /// The registry that assigned the id.
    #[must_use]
    pub const fn registry(&self) -> Address {
        self.registry
    }

    /// The id in that registry.
    #[must_use]
    pub const fn id(&self) -> U256 {
        self.id
    }
}

impl FromStr for ToolRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || Error::ToolRef {
            found: excerpt(text),
        };
        let (chain, rest) = text.split_once('/').ok_or_else(invalid)?;
        chain_id::check(chain).map_err(|_| invalid())?;
        let (namespace, reference) = chain.split_once(':').ok_or_else(invalid)?;
        let (asset_namespace, rest) = rest.split_once(':').ok_or_else(invalid)?;
        let (registry, id) = rest.split_once('/').ok_or_else(invalid)?;
        if namespace != chain_id::EIP155 || asset_namespace != NAMESPACE {
            return Err(invalid());
        }
        Self::try_new(
            reference.parse().map_err(|_| invalid())?,
            parse_address(registry)?,
            parse_decimal(id)?,
        )
    }
}

impl fmt::Display for ToolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:#x}` is lower case; `Display` of an address is checksummed.
        write!(
            f,
            "{}:{}/{NAMESPACE}:{:#x}/{}",
            chain_id::EIP155,
            self.chain,
            self.registry,
            self.id
        )
    }
}
