//! Hard forks.

use std::fmt;

use revm::{
    context_interface::cfg::{GasId, GasParams},
    primitives::hardfork::SpecId,
};

/// A hard fork, or another schedule of gas prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fork {
    /// The oldest fork the contracts support.
    #[default]
    Cancun,
    /// Adds the calldata gas floor (EIP-7623) and delegation (EIP-7702).
    Prague,
    /// Caps transaction gas at 16,777,216 (EIP-7825).
    Osaka,
    /// Reprices state access (EIP-8037, EIP-8038). Not active yet.
    Amsterdam,
    /// Osaka with the prices of Monad: 10,100 for a cold account and 8,100 for a cold slot, as in the crate `monad-revm`.
    Monad,
}

impl Fork {
    /// The active forks, oldest first.
    pub const ALL: [Self; 3] = [Self::Cancun, Self::Prague, Self::Osaka];

    /// The default gas limit, below the cap of every fork.
    pub const TRANSACTION_GAS: u64 = 16_000_000;

    pub(crate) const fn spec(self) -> SpecId {
        match self {
            Self::Cancun => SpecId::CANCUN,
            Self::Prague => SpecId::PRAGUE,
            Self::Osaka | Self::Monad => SpecId::OSAKA,
            Self::Amsterdam => SpecId::AMSTERDAM,
        }
    }
}

impl Fork {
    pub(crate) fn prices(self) -> GasParams {
        const WARM: u64 = 100;
        const COLD_ACCOUNT: u64 = 10_100;
        const COLD_SLOT: u64 = 8_100;
        let mut prices = GasParams::new_spec(self.spec());
        if self == Self::Monad {
            prices.override_gas([
                (GasId::cold_account_additional_cost(), COLD_ACCOUNT - WARM),
                (GasId::cold_storage_additional_cost(), COLD_SLOT - WARM),
                (GasId::cold_storage_cost(), COLD_SLOT),
            ]);
        }
        prices
    }
}

/// The name that anvil's `--hardfork` accepts.
impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancun => "cancun",
            Self::Prague => "prague",
            Self::Osaka => "osaka",
            Self::Amsterdam => "amsterdam",
            Self::Monad => "monad",
        })
    }
}
