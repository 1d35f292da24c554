//! Expected storage of predicates.

use std::{collections::BTreeMap, fmt};

use alloy_primitives::{Address, U256};

/// The content of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// A word.
    Word(U256),
    /// A word whose last 20 bytes are the address of a contract. Its code is a zero byte followed by these words.
    WithList(U256, Vec<U256>),
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "{word:#x}"),
            Self::WithList(word, list) => {
                write!(f, "{word:#x} with the address of code with")?;
                list.iter().try_for_each(|word| write!(f, " {word:#x}"))
            }
        }
    }
}

/// The non-zero slots of a predicate.
pub type Slots = BTreeMap<U256, Stored>;

/// Packs values into a word, each shifted left by a number of bits.
pub(super) fn packed(parts: &[(U256, usize)]) -> U256 {
    let shifted = parts.iter().map(|(part, bit)| *part << *bit);
    shifted.fold(U256::ZERO, |word, part| word | part)
}

/// The configuration of a tool as `PackedConfigLib` packs it.
pub(super) fn packed_config(target: Address, numbers: [usize; 2], stipend: u64) -> U256 {
    packed(&[
        (target.into_word().into(), 0),
        (U256::from(numbers[0]), 160),
        (U256::from(numbers[1]), 168),
        (U256::from(stipend), 176),
        (U256::ONE, 255),
    ])
}

/// A list, stored as code unless it is empty.
pub(super) fn with_list(word: U256, list: Vec<U256>) -> Stored {
    if list.is_empty() {
        Stored::Word(word)
    } else {
        Stored::WithList(word, list)
    }
}
