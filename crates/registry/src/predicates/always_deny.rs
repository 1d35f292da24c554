//! `AlwaysDenyPredicate`: denies every account. Pauses a tool.

use std::fmt;

use serde::Serialize;

use super::PredicateModule;
use crate::abi::{AbiSlice, Malformed};

pub(super) struct Module;

impl PredicateModule for Module {}

/// Cannot be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Requirement {}

impl Requirement {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        data.expect_words(0)?;
        Ok(Self {})
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot be met: every account is denied")
    }
}
