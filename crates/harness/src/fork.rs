//! Which rules the chain runs by.

use std::fmt;

use revm::primitives::hardfork::SpecId;

/// A hard fork of the chains we deploy to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fork {
    /// The oldest one our contracts are compiled for.
    #[default]
    Cancun,
    /// Calldata has a floor price (EIP-7623), accounts can delegate (EIP-7702).
    Prague,
    /// A transaction has at most 16,777,216 gas (EIP-7825).
    Osaka,
}

impl Fork {
    /// All of them, oldest first.
    pub const ALL: [Self; 3] = [Self::Cancun, Self::Prague, Self::Osaka];

    /// The most gas a transaction of ours gets: below every fork's cap.
    pub const TRANSACTION_GAS: u64 = 16_000_000;

    pub(crate) const fn spec(self) -> SpecId {
        match self {
            Self::Cancun => SpecId::CANCUN,
            Self::Prague => SpecId::PRAGUE,
            Self::Osaka => SpecId::OSAKA,
        }
    }
}

/// The name anvil's `--hardfork` takes.
impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancun => "cancun",
            Self::Prague => "prague",
            Self::Osaka => "osaka",
        })
    }
}
