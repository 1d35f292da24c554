//! Integration tests of `atr-schema`.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// Schemas and calls from text, and a deadline for what must not take long.
mod support;

/// What matches, what does not, and what is said of it.
mod calls;
/// Schemas and calls that are small and would cost a lot.
mod hostile;
/// Patterns run in linear time or not at all.
mod patterns;
/// What holds for whatever schema and call.
mod properties;
/// References stay within the schema.
mod references;
