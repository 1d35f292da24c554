//! Variations of a call: mutated calldata, value, a limited amount of gas.

use std::fmt;

use alloy_primitives::{Bytes, U256};
use atr_harness::Transaction;
use proptest::{collection::vec, prelude::*};

use crate::mutation::{Mutation, any_mutation};

/// A variation of a call. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Applied in order.
    pub mutations: Vec<Mutation>,
    /// Wei.
    pub value: u64,
    /// Gas above [`Transaction::minimum_gas`]; none for the default limit.
    pub gas: Option<u64>,
}

impl Variation {
    /// With mutated calldata.
    #[must_use]
    pub fn mutated(mutations: Vec<Mutation>) -> Self {
        Self {
            mutations,
            ..Self::default()
        }
    }

    /// With this much gas above the minimum.
    #[must_use]
    pub fn with_gas(gas: u64) -> Self {
        Self {
            gas: Some(gas),
            ..Self::default()
        }
    }

    /// Whether nothing is changed.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.mutations.is_empty() && self.value == 0 && self.gas.is_none()
    }

    /// Applies the variation.
    #[must_use]
    pub fn apply(&self, mut transaction: Transaction) -> Transaction {
        let mut data = transaction.data.to_vec();
        for mutation in &self.mutations {
            mutation.apply(&mut data);
        }
        transaction.data = Bytes::from(data);
        let transaction = transaction.with_value(U256::from(self.value));
        match self.gas {
            Some(gas) => {
                let minimum = transaction.minimum_gas();
                transaction.with_gas(minimum + gas)
            }
            None => transaction,
        }
    }

    /// The variation with positions inside this calldata.
    #[must_use]
    pub fn resolve(&self, data: &[u8]) -> Self {
        let mut data = data.to_vec();
        let resolve = |mutation: &Mutation| {
            let resolved = mutation.resolve(&data);
            mutation.apply(&mut data);
            resolved
        };
        Self {
            mutations: self.mutations.iter().map(resolve).collect(),
            ..self.clone()
        }
    }
}

/// Lists what is changed.
impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mutation in &self.mutations {
            write!(f, ", calldata {mutation:?}")?;
        }
        if self.value > 0 {
            write!(f, ", with {} wei", self.value)?;
        }
        self.gas.map_or(Ok(()), |gas| {
            write!(f, ", with {gas} gas above the minimum")
        })
    }
}

/// Any variation, most often none.
pub fn any_variation() -> impl Strategy<Value = Variation> {
    prop_oneof![
        10 => Just(Variation::default()),
        3 => vec(any_mutation(), 1).prop_map(Variation::mutated),
        4 => gas().prop_map(Variation::with_gas),
        1 => (1..1_000_u64).prop_map(|value| Variation { value, ..Variation::default() }),
    ]
}

/// With calldata mutated one to three times.
pub fn any_mutated_variation() -> impl Strategy<Value = Variation> {
    vec(any_mutation(), 1..=3).prop_map(Variation::mutated)
}

/// Ranges in which a call, an inner call or the creation of a list runs out of gas, and ranges around the ceilings.
fn gas() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => 0..50_000_u64,
        1 => 28_000..44_000_u64,
        3 => 0..300_000_u64,
        2 => 200_000..2_000_000_u64,
    ]
}
