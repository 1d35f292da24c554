//! The registry's view of other contracts.

use alloy_primitives::{Address, FixedBytes};

use super::Access;

/// The results of the registry's calls to other contracts.
pub trait ExternalContracts {
    /// Whether the account has code.
    fn has_code(&self, account: Address) -> bool;

    /// Whether `supportsInterface` returns true, judged by the first word of the return data.
    fn supports(&self, account: Address, interface: FixedBytes<4>) -> bool;

    /// The result of `hasAccess`, decoded strictly.
    fn access(&self, account: Address, calldata: &[u8]) -> Access;

    /// Whether the result of `hasAccess` depends on the gas the contract receives.
    fn depends_on_gas(&self, account: Address) -> bool;
}
