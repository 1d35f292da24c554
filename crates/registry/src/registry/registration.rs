//! Registering a tool and configuring its predicate. The configuration needs the tool id, so it is a second transaction.

use alloy_primitives::{Address, B256, U256};

use atr_rpc::MinedTransaction;

use crate::{Call, Configuration, Registry, ToolEvent};

/// A tool to register, with its predicate and the predicate's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Registration {
    pub metadata_uri: String,
    pub manifest_hash: B256,
    /// `None`: open access.
    pub predicate: Option<Address>,
    /// Set on the predicate after the registration. Until then the predicate grants access to no account.
    pub configuration: Option<Configuration>,
}

impl Registration {
    /// The first transaction.
    #[must_use]
    pub fn register_call(&self, registry: &Registry) -> Call {
        registry.register_tool(&self.metadata_uri, self.manifest_hash, self.predicate)
    }

    /// The id of the new tool, from the events of the first transaction.
    #[must_use]
    pub fn tool_id(registry: &Registry, registered: &MinedTransaction) -> Option<U256> {
        let events = ToolEvent::of_contract(registry.address(), &registered.logs);
        events.into_iter().find_map(|event| match event {
            ToolEvent::Registered { tool_id, .. } => Some(tool_id),
            _ => None,
        })
    }

    /// The second transaction, if there is a configuration.
    #[must_use]
    pub fn configure_call(&self, tool_id: U256) -> Option<Call> {
        let configuration = self.configuration.as_ref()?;
        Some(configuration.set_call(self.predicate?, tool_id))
    }

    /// Gas limit to plan the second transaction with. It cannot be estimated before the tool exists.
    #[must_use]
    pub fn configure_gas_limit(&self) -> Option<u64> {
        self.configuration.as_ref().map(Configuration::gas_limit)
    }
}
