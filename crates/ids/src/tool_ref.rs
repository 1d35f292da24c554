//! Tools by name: chain, registry and id.

use std::{fmt, str::FromStr};

use alloy_primitives::{Address, U256};

use crate::{Error, chain_id, decimal::parse_decimal, excerpt, hex_text::parse_address};

/// The asset namespace the ERC proposes.
const NAMESPACE: &str = "erc8257";

/// A tool, anywhere: `eip155:<chain>/erc8257:<registry>/<id>`. An id alone names a different tool in every registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolRef {
    chain: u64,
    registry: Address,
    id: U256,
}

impl ToolRef {
    /// The tool with this id; there is none with id 0.
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
        let refused = || Error::ToolRef {
            found: excerpt(text),
        };
        let (chain, rest) = text.split_once('/').ok_or_else(refused)?;
        chain_id::check(chain).map_err(|_| refused())?;
        let (namespace, reference) = chain.split_once(':').ok_or_else(refused)?;
        let (asset_namespace, rest) = rest.split_once(':').ok_or_else(refused)?;
        let (registry, id) = rest.split_once('/').ok_or_else(refused)?;
        if namespace != chain_id::EIP155 || asset_namespace != NAMESPACE {
            return Err(refused());
        }
        Self::try_new(
            reference.parse().map_err(|_| refused())?,
            parse_address(registry)?,
            parse_decimal(id)?,
        )
    }
}

impl fmt::Display for ToolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:#x}` is the lower-case form; `Display` of an address would be checksummed.
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
