//! Integration tests of `atr-manifest`.
#![expect(clippy::unwrap_used, reason = "test code: a panic fails the test")]

/// Vectors, manifests with one change, and findings.
mod support;

/// Comparison with other canonicalizers on random documents.
mod differential;
/// Warnings, extensions, and limits of findings.
mod findings;
/// Accessors of a valid manifest.
mod manifest;
/// Texts of violations.
mod messages;
/// Properties of random documents.
mod properties;
/// Conformance vectors of `tests/vectors`.
mod vectors;
/// Manifests with one invalid member, and the single violation of each.
mod violations;
