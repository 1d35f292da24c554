//! Mutations of calldata.

use std::fmt;

use alloy_primitives::{I256, U256, hex};
use proptest::{collection::vec, prelude::*, sample::select};

/// A mutation of valid calldata. Positions are taken modulo the number of bytes or words.
#[derive(Clone, PartialEq, Eq)]
pub enum Mutation {
    /// Truncated at a byte.
    Truncated(usize),
    /// A bit of a byte is flipped.
    BitFlipped(usize, u8),
    /// A bit of a word is set, so that an address or a small integer no longer fits its type.
    BitSet(usize, u8),
    /// A word is replaced.
    WordReplaced(usize, U256),
    /// A number is added to a word: offsets and lengths become wrong.
    WordShifted(usize, I256),
    /// The selector is replaced.
    SelectorReplaced([u8; 4]),
    /// All bytes are replaced.
    Replaced(Vec<u8>),
    /// Bytes are appended.
    BytesAppended(Vec<u8>),
}

impl Mutation {
    /// Applies the mutation.
    pub fn apply(&self, data: &mut Vec<u8>) {
        match self.resolve(data) {
            Self::Truncated(at) => data.truncate(at),
            Self::BitFlipped(at, bit) => {
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }
            Self::BitSet(index, bit) => change_word(data, index, |word| word | U256::ONE << bit),
            Self::WordReplaced(index, value) => change_word(data, index, |_| value),
            Self::WordShifted(index, by) => {
                change_word(data, index, |word| word.wrapping_add(by.into_raw()));
            }
            Self::SelectorReplaced(selector) => {
                let bytes = data.iter_mut().zip(selector);
                bytes.for_each(|(byte, new)| *byte = new);
            }
            Self::Replaced(bytes) => *data = bytes,
            Self::BytesAppended(bytes) => data.extend(bytes),
        }
    }

    /// The mutation with positions inside this calldata. Without a word to change, a byte is appended.
    #[must_use]
    pub fn resolve(&self, data: &[u8]) -> Self {
        let byte = |pick: usize| pick % data.len().max(1);
        let word = |pick: usize| pick % words(data);
        match self.clone() {
            Self::Truncated(at) => Self::Truncated(byte(at)),
            Self::BitFlipped(at, bit) => Self::BitFlipped(byte(at), bit % 8),
            Self::BitSet(..) | Self::WordReplaced(..) | Self::WordShifted(..)
                if words(data) == 0 =>
            {
                Self::BytesAppended(vec![0])
            }
            Self::BitSet(index, bit) => Self::BitSet(word(index), bit),
            Self::WordReplaced(index, value) => Self::WordReplaced(word(index), value),
            Self::WordShifted(index, by) => Self::WordShifted(word(index), by),
            other => other,
        }
    }
}

impl fmt::Debug for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated(at) => write!(f, "truncated at byte {at}"),
            Self::BitFlipped(at, bit) => write!(f, "bit {bit} of byte {at} flipped"),
            Self::BitSet(index, bit) => write!(f, "bit {bit} of word {index} set"),
            Self::WordReplaced(index, value) => write!(f, "word {index} replaced by {value:#x}"),
            Self::WordShifted(index, by) => write!(f, "word {index} shifted by {by}"),
            Self::SelectorReplaced(selector) => {
                write!(f, "selector replaced by {}", hex::encode_prefixed(selector))
            }
            Self::Replaced(bytes) => write!(f, "replaced by {}", hex::encode_prefixed(bytes)),
            Self::BytesAppended(bytes) => write!(f, "extended by {}", hex::encode_prefixed(bytes)),
        }
    }
}

/// Any mutation.
pub fn any_mutation() -> impl Strategy<Value = Mutation> {
    // Little more than the longest calldata, so that shrinking by halves is short.
    let byte = || 0..10_000_usize;
    // The first words are offsets and lengths. In most calls with a string or a list the third or fourth is its length.
    let word = || prop_oneof![2 => 2..4_usize, 2 => 0..8_usize, 1 => byte()];
    // The upper bits of an address must be zero.
    let bit = prop_oneof![any::<u8>(), 160..=255_u8];
    let bytes = |min| vec(any::<u8>().no_shrink(), min..70_usize);
    let number = || {
        prop_oneof![
            3 => select(vec![0_u64, 1, 2, 0x20, 0x40, 0x60, 0x80, 0xa0, 1 << 32, u64::MAX]).prop_map(U256::from),
            2 => (0_u64..200).prop_map(|below| U256::MAX - U256::from(below)),
            1 => (0_usize..256).prop_map(|bit| U256::ONE << bit),
        ]
    };
    let nearby = prop_oneof![select(vec![-64_i8, -32, -1, 1, 32, 64]), any::<i8>()];
    let distance = prop_oneof![
        4 => nearby.prop_map(|by| I256::unchecked_from(by)),
        1 => number().prop_map(I256::from_raw),
    ];
    prop_oneof![
        2 => byte().prop_map(Mutation::Truncated),
        1 => (byte(), 0..8_u8).prop_map(|(at, bit)| Mutation::BitFlipped(at, bit)),
        3 => (word(), bit).prop_map(|(index, bit)| Mutation::BitSet(index, bit)),
        3 => (word(), number()).prop_map(|(index, value)| Mutation::WordReplaced(index, value)),
        3 => (word(), distance).prop_map(|(index, by)| Mutation::WordShifted(index, by)),
        1 => any::<[u8; 4]>().prop_map(Mutation::SelectorReplaced),
        1 => bytes(0).prop_map(Mutation::Replaced),
        3 => bytes(1).prop_map(Mutation::BytesAppended),
    ]
}

/// The number of whole words after the selector.
const fn words(data: &[u8]) -> usize {
    data.len().saturating_sub(4) / 32
}

fn change_word(data: &mut [u8], index: usize, to: impl Fn(U256) -> U256) {
    let at = 4 + 32 * index;
    if let Some(word) = data.get_mut(at..at + 32) {
        let new = to(U256::from_be_slice(word));
        word.copy_from_slice(&new.to_be_bytes::<32>());
    }
}
