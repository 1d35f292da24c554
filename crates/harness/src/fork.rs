//! Hard forks.

use std::fmt;

use revm::primitives::hardfork::SpecId;

/// A hard fork.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fork {
    /// The oldest fork the contracts support.
    #[default]
    Cancun,
    /// Adds the calldata gas floor (EIP-7623) and delegation (EIP-7702).
    Prague,
    /// Caps transaction gas at 16,777,216 (EIP-7825).
    Osaka,
}

impl Fork {
    /// All forks, oldest first.
    pub const ALL: [Self; 3] = [Self::Cancun, Self::Prague, Self::Osaka];

    /// The default gas limit, below the cap of every fork.
    pub const TRANSACTION_GAS: u64 = 16_000_000;

    pub(crate) const fn spec(self) -> SpecId {
        match self {
            Self::Cancun => SpecId::CANCUN,
            Self::Prague => SpecId::PRAGUE,
            Self::Osaka => SpecId::OSAKA,
        }
    }
}

/// The name that anvil's `--hardfork` accepts.
impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancun => "cancun",
            Self::Prague => "prague",
            Self::Osaka => "osaka",
        })
    }
}
