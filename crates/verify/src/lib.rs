#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod candidate;
mod check;
mod checks;
mod duplicates;
mod error;
mod examination;
mod freshness;
mod judgement;
mod pin;
mod sources;
mod verdict;
mod verified_tool;
mod verifier;

pub use candidate::{Candidate, FailedCheck, Rejection};
pub use check::Check;
pub use duplicates::duplicates;
pub use error::Error;
pub use freshness::{Freshness, INTERACTIVE_SECONDS, INVOKING_CEILING_SECONDS, Surface, Window};
pub use judgement::{CheckResult, Failure};
pub use pin::Pin;
pub use sources::{Manifests, Tools};
pub use verdict::{Evidence, Status, Verdict};
pub use verified_tool::VerifiedTool;
pub use verifier::Verifier;
