//! A contract, and what it says of itself.

use alloy::{eips::BlockId, network::Ethereum, providers::DynProvider};
use alloy_primitives::{Address, FixedBytes};

use crate::{Error, diagnostic, view::View};

/// A contract that is asked for its marks, at the latest block. A contract that reverts or talks nonsense does not answer; a
/// node in trouble is an error.
#[derive(Clone, Copy, Debug)]
pub struct Contract<'a> {
    view: View<'a>,
    address: Address,
}

impl<'a> Contract<'a> {
    /// The contract at an address.
    #[must_use]
    pub fn new(provider: &'a DynProvider<Ethereum>, address: Address) -> Self {
        let block = BlockId::latest();
        Self {
            view: View { provider, block },
            address,
        }
    }

    /// What it calls itself.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn name(&self) -> Result<Option<String>, Error> {
        diagnostic::name(self.view, self.address).await
    }

    /// The version it claims.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn version(&self) -> Result<Option<String>, Error> {
        diagnostic::version(self.view, self.address).await
    }

    /// The registry it says it serves.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn registry(&self) -> Result<Option<Address>, Error> {
        diagnostic::registry_of(self.view, self.address).await
    }

    /// Whether it claims an interface (ERC-165).
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn supports(&self, id: FixedBytes<4>) -> Result<Option<bool>, Error> {
        diagnostic::supports(self.view, self.address, id).await
    }
}
