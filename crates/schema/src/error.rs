//! Why a value cannot serve as the schema of a call. Seen by whoever loads a manifest, before any call is made.
//!
//! Pointers count from the root of the schema.

use atr_manifest::{MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, Pointer};

use crate::{
    MAX_COMPILED_BYTES, MAX_COMPILING_SCHEMAS, MAX_MERGES_PER_LEVEL, MAX_NESTED_SCHEMAS,
    MAX_PATTERN_BYTES, MAX_PATTERNS, MAX_PATTERNS_BYTES, MAX_STEPS_PER_PLACE, MAX_UNFOLDED_PLACES,
};

/// The first thing that keeps a schema from being used. None of them passes with time: the manifest would have to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Larger than a schema of a manifest may be.
    #[error(
        "it has {depth} levels and {nodes} nodes, at most {MAX_SCHEMA_DEPTH} and {MAX_SCHEMA_NODES}"
    )]
    TooLarge {
        /// Levels.
        depth: usize,
        /// Nodes.
        nodes: usize,
    },
    /// Not a schema of its draft.
    #[error("it is not a JSON Schema at {:?}: {message}", .pointer.as_str())]
    NotASchema {
        /// Where.
        pointer: Pointer,
        /// What the draft asks for.
        message: String,
    },
    /// A reference out of the schema. Nothing was requested.
    #[error("{:?} refers to \"{target}\": references out of a schema are not followed", .pointer.as_str())]
    RemoteRef {
        /// Where the reference stands.
        pointer: Pointer,
        /// Where it leads.
        target: String,
    },
    /// A reference to nothing.
    #[error("{:?} refers to \"{target}\", and there is nothing", .pointer.as_str())]
    DanglingRef {
        /// Where the reference stands.
        pointer: Pointer,
        /// Where it leads.
        target: String,
    },
    /// A reference to a name that several places have.
    #[error("{:?} refers to \"{target}\", and several places are called so", .pointer.as_str())]
    AmbiguousRef {
        /// Where the reference stands.
        pointer: Pointer,
        /// Where it leads.
        target: String,
    },
    /// A schema within the schema with a base or a draft of its own, which would change what the references in it mean.
    #[error("the schema at {:?} has a \"{keyword}\" of its own: only the outermost may", .pointer.as_str())]
    EmbeddedResource {
        /// The inner schema.
        pointer: Pointer,
        /// `$id`, `id` or `$schema`.
        keyword: &'static str,
    },
    /// References that come back to where they started without taking a step into the call.
    #[error("the references at {:?} lead back to themselves", .pointer.as_str())]
    EndlessRef {
        /// A schema on the way round.
        pointer: Pointer,
    },
    /// References that multiply.
    #[error(
        "a place {levels} levels down in a call could take {steps} steps, at most {MAX_STEPS_PER_PLACE}: \
         the same schemas are applied to it over and over"
    )]
    TooCostly {
        /// How deep in a call.
        levels: usize,
        /// Steps there.
        steps: u64,
    },
    /// References that pile up.
    #[error(
        "a place {levels} levels down in a call could need {schemas} schemas inside one another, at most {MAX_NESTED_SCHEMAS}"
    )]
    TooNested {
        /// How deep in a call.
        levels: usize,
        /// Schemas in progress there.
        schemas: u64,
    },
    /// Schemas that share more than can be measured in reasonable time.
    #[error(
        "to find out what it costs would take {merges} additions a level, at most {MAX_MERGES_PER_LEVEL}: too many schemas \
         with many members are applied together"
    )]
    TooTangled {
        /// Additions.
        merges: u64,
    },
    /// `unevaluatedProperties` or `unevaluatedItems` that is part of what it asks.
    #[error("what the schema at {:?} asks to be evaluated leads back to it, and it asks again", .pointer.as_str())]
    EndlessUnfolding {
        /// The schema that asks.
        pointer: Pointer,
    },
    /// `unevaluatedProperties` or `unevaluatedItems` with too much behind their references.
    #[error(
        "what the schema at {:?} asks to be evaluated would be compiled over and over, to more than {MAX_UNFOLDED_PLACES} \
         keywords and entries",
        .pointer.as_str()
    )]
    TooUnfolded {
        /// The schema that asks, or the last of several.
        pointer: Pointer,
    },
    /// Schemas that pile up while they are compiled.
    #[error(
        "to compile it takes {schemas} schemas inside one another, at most {MAX_COMPILING_SCHEMAS}"
    )]
    TooDeepCompiled {
        /// Schemas in progress.
        schemas: u64,
    },
    /// Long names above many schemas.
    #[error(
        "compiled it takes {bytes} bytes, at most {MAX_COMPILED_BYTES}: every schema keeps the pointer to it"
    )]
    TooLargeCompiled {
        /// Bytes, as far as they were counted.
        bytes: u64,
    },
    /// A pattern that no linear-time matcher can run, or that is too large for ours, or one too many.
    #[error(
        "the pattern \"{pattern}\" at {:?} cannot be used: no look-around, no back-references, at most {MAX_PATTERN_BYTES} bytes \
         compiled, and {MAX_PATTERNS_BYTES} for all together, which are at most {MAX_PATTERNS}",
        .pointer.as_str()
    )]
    Pattern {
        /// Where.
        pointer: Pointer,
        /// As written, cut to an excerpt.
        pattern: String,
    },
}
