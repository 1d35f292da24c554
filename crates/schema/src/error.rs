//! Why a value cannot be used as a schema.

use atr_manifest::{MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, Pointer};

use crate::budget::Exhausted;

/// The first reason why a schema is rejected. Locations are pointers from the root of the schema; texts are excerpts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum Error {
    /// The schema exceeds the limits of ERC-8257.
    #[error(
        "the schema has {depth} levels and {nodes} nodes; the limits are {MAX_SCHEMA_DEPTH} and {MAX_SCHEMA_NODES}"
    )]
    TooLarge { depth: usize, nodes: usize },
    /// A keyword has a value that its draft does not allow.
    #[error("invalid schema at {:?}: {reason}", .location.as_str())]
    Invalid { location: Pointer, reason: String },
    /// A keyword or a dialect that changes the meaning of a schema and is not implemented.
    #[error("unsupported schema at {:?}: {feature} is not supported", .location.as_str())]
    Unsupported { location: Pointer, feature: String },
    /// A reference to another document. References are never fetched.
    #[error("the reference to \"{target}\" at {:?} leaves the schema; remote references are not followed", .location.as_str())]
    RemoteReference { location: Pointer, target: String },
    /// A reference to a part of the schema that does not exist or is not a schema.
    #[error("the reference to \"{target}\" at {:?} cannot be resolved", .location.as_str())]
    UnresolvedReference { location: Pointer, target: String },
    /// A pattern that cannot be matched in linear time, or that exceeds a limit.
    #[error("the pattern \"{pattern}\" at {:?} cannot be used: {reason}", .location.as_str())]
    Pattern {
        location: Pointer,
        pattern: String,
        reason: String,
    },
    /// Compiling exceeds [`crate::COMPILE_BUDGET`].
    #[error("compiling the schema is too costly: {0}")]
    TooCostly(#[from] Exhausted),
}
