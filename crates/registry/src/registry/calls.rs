//! State-changing calls of a registry.

use alloy_primitives::{Address, B256, U256};
use atr_bindings::IToolRegistry::{
    deregisterToolCall, registerToolCall, setAccessPredicateCall, updateToolMetadataCall,
};

use crate::{Call, Registry, tool_call::ToolCall};

/// Upper bound of the gas of [`Registry::set_predicate`]: two writes and two probes of 30,000 gas, also at higher gas prices.
pub const SET_PREDICATE_GAS_LIMIT: u64 = 250_000;

impl Registry {
    /// Registers a tool. The sender becomes its creator permanently. Without a predicate, access is open.
    #[must_use]
    pub fn register_tool(
        &self,
        metadata_uri: &str,
        manifest_hash: B256,
        predicate: Option<Address>,
    ) -> Call {
        let call = registerToolCall {
            metadataURI: metadata_uri.to_owned(),
            manifestHash: manifest_hash,
            accessPredicate: predicate.unwrap_or_default(),
        };
        Call::new(self.address(), &call)
    }

    /// Sets `metadataURI` and manifest hash.
    #[must_use]
    pub fn update_metadata(&self, id: U256, metadata_uri: &str, manifest_hash: B256) -> Call {
        let call = updateToolMetadataCall {
            toolId: id,
            newURI: metadata_uri.to_owned(),
            newHash: manifest_hash,
        };
        Call::for_tool(self.address(), &call, id)
    }

    /// Sets the access predicate. `None` opens access to every account.
    #[must_use]
    pub fn set_predicate(&self, id: U256, predicate: Option<Address>) -> Call {
        let call = setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate.unwrap_or_default(),
        };
        Call::for_tool(self.address(), &call, id)
    }

    /// Deregisters a tool. This is irreversible.
    #[must_use]
    pub fn deregister(&self, id: U256) -> Call {
        let call = deregisterToolCall { toolId: id };
        Call::for_tool(self.address(), &call, id)
    }
}
