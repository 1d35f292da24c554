//! Connections to the configured node and registry.

pub(crate) mod node;
pub(crate) mod registry;
