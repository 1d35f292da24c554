//! What stands behind an account that decides.

use alloy_primitives::Address;

use crate::{Error, Registry, proxy::DELEGATED_ACCOUNT};

impl Registry {
    /// Whether one key decides for an account: it has no code, or only lent code (EIP-7702), which its key outranks.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn is_eoa(&self, account: Address) -> Result<bool, Error> {
        let code = self.view().code(account).await?;
        Ok(code.is_empty() || code.starts_with(DELEGATED_ACCOUNT))
    }
}
