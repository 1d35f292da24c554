//! What predicates keep in their storage.

use std::{collections::BTreeMap, fmt};

use alloy_primitives::U256;

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// This word.
    Word(U256),
    /// This word, and in its last 20 bytes the address of a contract whose code is a zero byte and then these words.
    WithList(U256, Vec<U256>),
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "{word:#x}"),
            Self::WithList(word, list) => {
                write!(f, "{word:#x} and an address, at which stand")?;
                list.iter().try_for_each(|word| write!(f, " {word:#x}"))
            }
        }
    }
}

/// All slots of a predicate that hold something.
pub type Slots = BTreeMap<U256, Stored>;

/// Parts of a word, each with the bit it begins at.
pub(super) fn packed(parts: &[(U256, usize)]) -> U256 {
    let shifted = parts.iter().map(|(part, bit)| *part << *bit);
    shifted.fold(U256::ZERO, |word, part| word | part)
}

/// A list, which is stored as code unless it is empty.
pub(super) fn with_list(word: U256, list: Vec<U256>) -> Stored {
    if list.is_empty() {
        Stored::Word(word)
    } else {
        Stored::WithList(word, list)
    }
}
