//! Denies everyone.

use alloy_primitives::{Address, U256};

use super::{Predicate, Requirements};
use crate::model::{CallResult, Context};

/// `AlwaysDenyPredicate`.
#[derive(Clone, Copy, Debug)]
pub struct AlwaysDeny;

impl Predicate for AlwaysDeny {
    fn name(&self) -> &'static str {
        "AlwaysDenyPredicate"
    }

    fn has_access(
        &self,
        _: U256,
        _: Address,
        _: &[u8],
        _: Context<'_>,
    ) -> Result<bool, CallResult> {
        Ok(false)
    }

    fn requirements(&self, _: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        Ok(Requirements::always_denied())
    }
}
