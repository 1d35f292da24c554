//! Integration tests of `atr-schema`.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod support;

mod differential;
mod hostile;
#[expect(dead_code, reason = "shared with `tests/hostile.rs`")]
mod hostile_cases;
mod patterns;
mod real_schemas;
mod references;
mod suite;
mod validation;
