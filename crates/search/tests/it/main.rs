//! Integration tests of `atr-search`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// Order, filters, changes, recovery.
mod index;
/// Recall of a suite of intents.
mod relevance;
