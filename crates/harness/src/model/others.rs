//! Who else is there.

use alloy_primitives::{Address, FixedBytes};

use super::Answer;

/// What the other contracts of the world say when the registry asks them.
pub trait Others {
    /// Whether there is a contract.
    fn has_code(&self, account: Address) -> bool;

    /// Whether it says yes to `supportsInterface`, as the registry reads the answer: by its first word.
    fn claims(&self, account: Address, interface: FixedBytes<4>) -> bool;

    /// What it says to this `hasAccess` question, as the registry reads the answer: strictly.
    fn answer(&self, account: Address, question: &[u8]) -> Answer;

    /// Whether its answer on access depends on the gas it is asked with. Nobody can promise anything of such a one.
    fn decides_by_its_gas(&self, account: Address) -> bool;
}
