//! Which members or elements of an instance a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`.

use crate::budget::{Budget, Exhausted};

/// A set of ordinals of members or elements.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    /// All ordinals below are in the set.
    below: usize,
    bits: Vec<u64>,
}

impl Evaluated {
    pub(super) fn insert(&mut self, ordinal: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.charge(1)?;
        self.grow(ordinal / 64 + 1, budget)?;
        self.bits[ordinal / 64] |= 1 << (ordinal % 64);
        Ok(())
    }

    pub(super) fn insert_below(&mut self, end: usize) {
        self.below = self.below.max(end);
    }

    pub(super) fn contains(&self, ordinal: usize) -> bool {
        let word = self.bits.get(ordinal / 64).copied().unwrap_or_default();
        ordinal < self.below || word >> (ordinal % 64) & 1 == 1
    }

    pub(super) fn merge(&mut self, other: &Self, budget: &mut Budget) -> Result<(), Exhausted> {
        self.insert_below(other.below);
        budget.charge(other.bits.len() as u64)?;
        self.grow(other.bits.len(), budget)?;
        for (word, other) in self.bits.iter_mut().zip(&other.bits) {
            *word |= other;
        }
        Ok(())
    }

    /// Drops the set and gives its memory back.
    pub(super) fn release(self, budget: &mut Budget) {
        budget.release(self.bits.len() * size_of::<u64>());
    }

    fn grow(&mut self, words: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        if let Some(more) = words.checked_sub(self.bits.len()) {
            budget.charge(more as u64)?;
            budget.allocate(more * size_of::<u64>())?;
            self.bits.resize(words, 0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_inserted_merged_and_paid_for() {
        let mut budget = Budget {
            fuel: 100,
            bytes: 100,
        };
        let (mut left, mut right) = (Evaluated::default(), Evaluated::default());
        left.insert(1, &mut budget).unwrap();
        right.insert(64, &mut budget).unwrap();
        right.insert_below(1);
        assert_eq!(
            budget,
            Budget {
                fuel: 95,
                bytes: 76
            }
        );
        left.merge(&right, &mut budget).unwrap();
        let contained: Vec<_> = (0..130).filter(|ordinal| left.contains(*ordinal)).collect();
        assert_eq!(contained, [0, 1, 64]);
        assert_eq!(
            budget,
            Budget {
                fuel: 92,
                bytes: 68
            }
        );
        right.release(&mut budget);
        left.release(&mut budget);
        assert_eq!(budget.bytes, 100);
        let far = Evaluated::default().insert(6_400, &mut budget);
        assert_eq!(far, Err(Exhausted::Fuel));
    }
}
