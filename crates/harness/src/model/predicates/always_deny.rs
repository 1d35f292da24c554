//! Lets nobody in.

use alloy_primitives::{Address, U256};

use super::{Predicate, Requirements};
use crate::model::{Around, Reply, thirst};

/// `AlwaysDenyPredicate`.
#[derive(Clone, Copy, Debug)]
pub struct AlwaysDeny;

impl Predicate for AlwaysDeny {
    fn name(&self) -> &'static str {
        "AlwaysDenyPredicate"
    }

    fn has_access(&self, _: U256, _: Address, _: &[u8], _: Around<'_>) -> Result<bool, Reply> {
        Ok(false)
    }

    fn gas_needed(&self, _: U256, _: Address, data: &[u8], _: Around<'_>) -> u64 {
        thirst::of_data(data)
    }

    fn requirements(&self, _: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        Ok(Requirements::nobody())
    }
}
