//! Why a value cannot be used as a schema.

use atr_manifest::{MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, Pointer};

/// The first reason why a schema is rejected. Locations are pointers from the root of the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The schema exceeds the limits of ERC-8257.
    #[error(
        "the schema has {depth} levels and {nodes} nodes; the limits are {MAX_SCHEMA_DEPTH} and {MAX_SCHEMA_NODES}"
    )]
    #[expect(missing_docs, reason = "the message names them")]
    TooLarge { depth: usize, nodes: usize },
    /// A keyword has a value that its draft does not allow.
    #[error("invalid schema at {:?}: {reason}", .location.as_str())]
    #[expect(missing_docs, reason = "the message names them")]
    Invalid { location: Pointer, reason: String },
    /// A keyword or a dialect that changes the meaning of a schema and is not implemented.
    #[error("unsupported schema at {:?}: {feature} is not supported", .location.as_str())]
    #[expect(missing_docs, reason = "the message names them")]
    Unsupported { location: Pointer, feature: String },
    /// A reference to another document. References are never fetched.
    #[error("the reference at {:?} leads to \"{target}\", outside of the schema; remote references are not followed", .location.as_str())]
    #[expect(missing_docs, reason = "the message names them")]
    RemoteReference { location: Pointer, target: String },
    /// A reference to a part of the schema that does not exist or is not a schema.
    #[error("the reference at {:?} leads to \"{target}\", which does not exist in the schema", .location.as_str())]
    #[expect(missing_docs, reason = "the message names them")]
    UnresolvedReference { location: Pointer, target: String },
    /// A pattern that cannot be matched in linear time, or that exceeds a limit.
    #[error("the pattern \"{pattern}\" at {:?} cannot be used: {reason}", .location.as_str())]
    Pattern {
        /// The keyword, or the member of `patternProperties`.
        location: Pointer,
        /// An excerpt.
        pattern: String,
        /// The unsupported syntax or the exceeded limit.
        reason: String,
    },
    /// Resolving the references takes more than [`crate::MAX_REFERENCE_STEPS`] steps.
    #[error("resolving the references of the schema takes too many steps")]
    TooManyReferences,
}
