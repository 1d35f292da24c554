//! Integration tests of the gate.
#![expect(
    clippy::unwrap_used,
    reason = "test helpers report failures by panicking"
)]

#[cfg(feature = "proxy")]
mod proxy;
