//! Integration tests of `atr-agent-card`.
#![expect(clippy::unwrap_used, reason = "test code: a panic fails the test")]
#![expect(
    clippy::print_stdout,
    clippy::disallowed_macros,
    reason = "tests print rates, and what was not run"
)]

/// The specification's example, changes of it, and data beside the repository.
mod support;

/// Ajv strict as a second opinion on the schemas.
mod ajv;
/// Conversion from and to A2A and ERC-8004.
mod bridges;
/// CIDs, CARs and checksums.
mod cids;
/// Forbidden content: single cases, and rates on generated cards.
mod content;
/// Cards with and without forbidden content.
mod corpus;
/// Nothing panics on random input.
mod properties;
/// Published cards.
mod published;
/// Receipts and their schemas.
mod receipts;
/// Two releases of a card.
mod releases;
/// Cards with one invalid member, and the single violation of each.
mod rules;
/// ENS TXT records.
mod txt;
