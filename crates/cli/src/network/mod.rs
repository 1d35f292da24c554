//! Nodes and registries of the settings in force.

pub(crate) mod node;
pub(crate) mod registry;
