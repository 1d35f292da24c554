//! What can be found out about a registry as a contract.

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::TOOL_REGISTRY_ID;
use serde::Serialize;

use crate::{Error, InterfaceSupport, ProxyIndicator, Registry, diagnostic, proxy};

/// A registry's own marks. Names and versions are the deployer's words; the hash of the code is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegistryInfo {
    /// Where it is.
    pub address: Address,
    /// On which chain.
    pub chain_id: u64,
    /// At which block it was looked at.
    pub block: u64,
    /// keccak256 of its code.
    pub code_hash: B256,
    /// What `name()` says, if it says it in 256 bytes.
    pub name: Option<String>,
    /// What `version()` says, if it says it in 256 bytes.
    pub version: Option<String>,
    /// Whether it says it is an `IToolRegistry`.
    pub advertised: InterfaceSupport,
    /// Signs that another contract answers in its place.
    pub proxy_indicators: Vec<ProxyIndicator>,
}

impl RegistryInfo {
    /// Whether anything looks like a proxy, whose answers somebody can change.
    #[must_use]
    pub const fn is_proxy(&self) -> bool {
        !self.proxy_indicators.is_empty()
    }
}

impl Registry {
    /// Looks at the registry itself, everything at one block.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or there is no code at the address.
    pub async fn facts(&self) -> Result<RegistryInfo, Error> {
        let block = self.block().await?;
        let (view, address) = (self.view_at(block), self.address());
        let code = view.code(address).await?;
        if code.is_empty() {
            return Err(self.no_registry("there is no code"));
        }
        let (name, version, advertised, proxy_indicators) = tokio::try_join!(
            diagnostic::name(view, address),
            diagnostic::version(view, address),
            diagnostic::advertises(view, address, TOOL_REGISTRY_ID),
            proxy::signs(view, address, &code),
        )?;
        Ok(RegistryInfo {
            address,
            chain_id: self.chain_id(),
            block,
            code_hash: keccak256(&code),
            name,
            version,
            advertised,
            proxy_indicators,
        })
    }
}
