//! The registry, property by property.

mod sequences;
