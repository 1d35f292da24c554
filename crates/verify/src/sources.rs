//! Inputs of a verifier.

use alloy_primitives::{Address, U256};
use atr_fetch::SafeHttpClient;
use atr_ids::MetadataUri;
use atr_registry::{Registry, ToolState};

/// Reads tool configurations.
pub trait ToolSource {
    /// Chain id and address of the registry.
    fn registry(&self) -> (u64, Address);

    /// Reads the current state of a tool.
    fn tool(&self, id: U256)
    -> impl Future<Output = Result<ToolState, atr_registry::Error>> + Send;
}

/// Fetches manifests.
pub trait ManifestSource {
    /// Fetches the bytes served at a manifest URL.
    fn manifest(
        &self,
        uri: &MetadataUri,
    ) -> impl Future<Output = Result<Vec<u8>, atr_fetch::Error>> + Send;
}

impl ToolSource for Registry {
    fn registry(&self) -> (u64, Address) {
        (self.chain_id(), self.address())
    }

    async fn tool(&self, id: U256) -> Result<ToolState, atr_registry::Error> {
        Self::tool(self, id).await
    }
}

impl ManifestSource for SafeHttpClient {
    async fn manifest(&self, uri: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        self.fetch_document(&uri.to_url()).await
    }
}
