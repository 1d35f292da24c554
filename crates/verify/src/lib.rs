#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod candidate;
pub mod card;
mod check;
mod check_result;
mod checks;
mod duplicates;
mod error;
mod evaluation;
mod freshness;
mod pin;
mod sources;
mod verdict;
mod verified_tool;
mod verifier;

pub use candidate::{Candidate, FailedCheck, Rejection};
pub use check::Check;
pub use check_result::{CheckResult, Failure, Remedy};
pub use checks::origin::check as check_origin;
pub use duplicates::duplicates;
pub use error::Error;
pub use freshness::{Freshness, INTERACTIVE_SECONDS, INVOKING_CEILING_SECONDS, Surface, Window};
pub use pin::Pin;
pub use sources::{ManifestSource, ToolSource};
pub use verdict::{Evidence, Status, Verdict};
pub use verified_tool::VerifiedTool;
pub use verifier::Verifier;
