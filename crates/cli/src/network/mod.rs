//! Connections to the configured node and registry.

pub(crate) mod ens;
pub(crate) mod node;
pub(crate) mod registry;
