//! Untrusted contracts: self-reported name, version, registry, interfaces, and signs of a proxy.

mod interface;
mod proxy;
mod token;

use alloy::{network::Ethereum, providers::DynProvider};
use alloy_primitives::{Address, FixedBytes};

pub use interface::{INVALID_INTERFACE, InterfaceSupport};
pub(crate) use interface::{call, interface_support, name, registry, supports_interface, version};
pub use proxy::{ProxyIndicator, proxy_indicators};
pub(crate) use proxy::{is_delegated_eoa, proxy_indicators_at};
pub use token::TokenInfo;

use crate::Error;
use atr_rpc::BlockView;

/// A contract at the latest block. Values are `None` if the contract reverts or returns invalid data; a failed RPC request is an
/// error.
#[derive(Clone, Copy, Debug)]
pub struct Contract<'a> {
    view: BlockView<'a>,
    address: Address,
}

impl<'a> Contract<'a> {
    /// The contract at an address.
    #[must_use]
    pub const fn new(provider: &'a DynProvider<Ethereum>, address: Address) -> Self {
        Self {
            view: BlockView::latest(provider),
            address,
        }
    }

    /// Calls `name()`.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn name(&self) -> Result<Option<String>, Error> {
        name(self.view, self.address).await
    }

    /// Calls `version()`.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn version(&self) -> Result<Option<String>, Error> {
        version(self.view, self.address).await
    }

    /// Calls `REGISTRY()`, or `registry()` if there is none.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn registry(&self) -> Result<Option<Address>, Error> {
        registry(self.view, self.address).await
    }

    /// Calls `supportsInterface` (ERC-165).
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn supports_interface(&self, id: FixedBytes<4>) -> Result<Option<bool>, Error> {
        supports_interface(self.view, self.address, id).await
    }
}
