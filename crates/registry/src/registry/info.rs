//! Information about a registry as a contract.

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::TOOL_REGISTRY_ID;
use serde::Serialize;

use crate::{
    Error, InterfaceSupport, ProxyIndicator, Registry,
    contract::{self, is_delegated_eoa},
};

/// Information about a registry. Only the code hash is trustworthy; the contract chooses the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct RegistryInfo {
    pub address: Address,
    pub chain_id: u64,
    /// Block number of the reads.
    pub block: u64,
    /// keccak256 of the runtime code.
    pub code_hash: B256,
    /// `name()`, at most 256 bytes.
    pub name: Option<String>,
    /// `version()`, at most 256 bytes.
    pub version: Option<String>,
    /// ERC-165 support of `IToolRegistry`.
    pub interface_support: InterfaceSupport,
    pub proxy_indicators: Vec<ProxyIndicator>,
}

impl RegistryInfo {
    /// Whether the contract looks like a proxy, whose code can change.
    #[must_use]
    pub const fn is_proxy(&self) -> bool {
        !self.proxy_indicators.is_empty()
    }
}

impl Registry {
    /// Reads information about the registry, all at one block.
    ///
    /// # Errors
    ///
    /// When an RPC request fails or there is no code at the address.
    pub async fn info(&self) -> Result<RegistryInfo, Error> {
        let block = self.block().await?;
        let (view, address) = (self.view_at(block), self.address());
        let code = view.code(address).await?;
        if code.is_empty() {
            return Err(Error::NoContract {
                address,
                chain_id: self.chain_id(),
            });
        }
        let (name, version, interface_support, proxy_indicators) = tokio::try_join!(
            contract::name(view, address),
            contract::version(view, address),
            contract::interface_support(view, address, TOOL_REGISTRY_ID),
            contract::proxy_indicators_at(view, address, &code),
        )?;
        Ok(RegistryInfo {
            address,
            chain_id: self.chain_id(),
            block,
            code_hash: keccak256(&code),
            name,
            version,
            interface_support,
            proxy_indicators,
        })
    }

    /// Whether an account is an EOA: it has no code, or only delegated code (EIP-7702), which its key can replace.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn is_eoa(&self, account: Address) -> Result<bool, Error> {
        let code = self.view().code(account).await?;
        Ok(code.is_empty() || is_delegated_eoa(&code))
    }
}
