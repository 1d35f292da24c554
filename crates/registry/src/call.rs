//! A call that changes something, before anybody has agreed to it.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry::{
    deregisterToolCall, registerToolCall, setAccessPredicateCall, updateToolMetadataCall,
};
use serde::Serialize;

use crate::Registry;

/// A call to a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The contract.
    pub to: Address,
    /// The call's data.
    pub data: Bytes,
    /// What it does, in words: "registering a tool".
    pub what: String,
}

impl Call {
    pub(crate) fn new(to: Address, call: &impl SolCall, what: impl Into<String>) -> Self {
        Self {
            to,
            data: call.abi_encode().into(),
            what: what.into(),
        }
    }
}

impl Registry {
    /// Registers a tool; the sender becomes its creator, for good. No predicate lets everyone in.
    #[must_use]
    pub fn register_tool(&self, uri: &str, hash: B256, predicate: Option<Address>) -> Call {
        let call = registerToolCall {
            metadataURI: uri.to_owned(),
            manifestHash: hash,
            accessPredicate: predicate.unwrap_or_default(),
        };
        Call::new(self.address(), &call, "registering a tool")
    }

    /// Sets the manifest's place and hash.
    #[must_use]
    pub fn update_metadata(&self, id: U256, uri: &str, hash: B256) -> Call {
        let call = updateToolMetadataCall {
            toolId: id,
            newURI: uri.to_owned(),
            newHash: hash,
        };
        let what = format!("updating the metadata of tool {id}");
        Call::new(self.address(), &call, what)
    }

    /// Sets who decides on access. No predicate lets everyone in.
    #[must_use]
    pub fn set_predicate(&self, id: U256, predicate: Option<Address>) -> Call {
        let call = setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate.unwrap_or_default(),
        };
        let what = format!("setting the predicate of tool {id}");
        Call::new(self.address(), &call, what)
    }

    /// Removes a tool. It cannot be undone.
    #[must_use]
    pub fn deregister(&self, id: U256) -> Call {
        let call = deregisterToolCall { toolId: id };
        Call::new(self.address(), &call, format!("removing tool {id}"))
    }
}
