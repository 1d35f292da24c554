//! Checks that every requirement of `tests/requirements.md` is proved by a test that ran, pending or reviewed.
#![expect(missing_docs, reason = "plain data; names and types say it")]

mod matrix;
mod reports;
mod requirements;
mod sources;
#[cfg(test)]
mod tests;

pub use self::{
    matrix::{Coverage, State},
    reports::Report,
    requirements::{Requirement, Requirements},
    sources::Test,
};
