//! Compares storage.

use std::{collections::BTreeMap, fmt};

use alloy_primitives::U256;

/// Non-zero words by slot.
pub type Storage = BTreeMap<U256, U256>;

/// A slot with an unexpected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct WrongSlot {
    pub slot: U256,
    pub expected: U256,
    pub found: U256,
}

impl fmt::Display for WrongSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            slot,
            expected,
            found,
        } = self;
        write!(
            f,
            "slot {slot:#x} holds {found:#066x} instead of {expected:#066x}"
        )
    }
}

/// The first slot whose value differs.
#[must_use]
pub fn wrong_slot(expected: &Storage, found: &Storage) -> Option<WrongSlot> {
    if expected == found {
        return None;
    }
    let value = |side: &Storage, slot| side.get(slot).copied().unwrap_or_default();
    let mut slots = expected.keys().chain(found.keys());
    let slot = slots.find(|slot| value(expected, slot) != value(found, slot))?;
    Some(WrongSlot {
        slot: *slot,
        expected: value(expected, slot),
        found: value(found, slot),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(words: &[(u64, u64)]) -> Storage {
        let each = words.iter();
        each.map(|(slot, word)| (U256::from(*slot), U256::from(*word)))
            .collect()
    }

    #[test]
    fn finds_missing_extra_and_changed_slots() {
        let expected = storage(&[(1, 5), (7, 9)]);
        assert_eq!(wrong_slot(&expected, &expected), None);
        let cases = [
            (storage(&[(1, 5), (7, 8)]), (7, 9, 8)),
            (storage(&[(7, 9)]), (1, 5, 0)),
            (storage(&[(1, 5), (2, 1), (7, 9)]), (2, 0, 1)),
        ];
        for (found, wrong) in cases {
            let [slot, expected_word, found_word] = [wrong.0, wrong.1, wrong.2].map(U256::from);
            let wrong_slot_found = WrongSlot {
                slot,
                expected: expected_word,
                found: found_word,
            };
            assert_eq!(wrong_slot(&expected, &found), Some(wrong_slot_found));
        }
    }
}
