//! Manifests as `atr manifest` reads, judges and writes them. The rules are those of the crate `manifest`.

mod canonical_form;
mod draft;
mod questions;
mod source;
mod verdict;

pub(crate) use canonical_form::CanonicalForm;
pub(crate) use draft::{Answers, Draft};
pub(crate) use questions::Questions;
pub(crate) use source::ManifestArgs;
pub(crate) use verdict::{As, Verdict, list_findings};
