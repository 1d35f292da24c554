//! Where a verifier gets its inputs.

use alloy_primitives::{Address, U256};
use atr_fetch::SafeHttpClient;
use atr_ids::MetadataUri;
use atr_registry::{Registry, ToolState};

/// Configurations of tools.
pub trait Tools {
    /// The chain and the registry they are of.
    fn registry(&self) -> (u64, Address);

    /// What the registry holds of a tool, now.
    fn tool(&self, id: U256)
    -> impl Future<Output = Result<ToolState, atr_registry::Error>> + Send;
}

/// Manifests.
pub trait Manifests {
    /// What is served at a place, now.
    fn manifest(
        &self,
        uri: &MetadataUri,
    ) -> impl Future<Output = Result<Vec<u8>, atr_fetch::Error>> + Send;
}

impl Tools for Registry {
    fn registry(&self) -> (u64, Address) {
        (self.chain_id(), self.address())
    }

    async fn tool(&self, id: U256) -> Result<ToolState, atr_registry::Error> {
        Self::tool(self, id).await
    }
}

impl Manifests for SafeHttpClient {
    async fn manifest(&self, uri: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        self.document(&uri.to_url()).await
    }
}
