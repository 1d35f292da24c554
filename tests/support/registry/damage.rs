//! Calldata that is not as the ABI has it.

use alloy_primitives::{U256, hex};
use std::fmt;

/// Where the length of a string stands, counted in words behind the selector, in every call that takes one.
const LENGTH_WORD: usize = 3;

/// One thing done to calldata that was whole.
#[derive(Clone, PartialEq, Eq)]
pub enum Damage {
    /// Ends somewhere before its end.
    Truncated(usize),
    /// One bit is the other way round.
    BitFlipped(usize, u8),
    /// An argument has a bit set in front of where it should begin.
    DirtyHighBits(usize, usize),
    /// An argument is another number.
    WordReplaced(usize, U256),
    /// A string claims to be shorter, so that what follows is more of it.
    LengthShortened(usize),
    /// A string claims to be longer than it is.
    LengthStretched(U256),
    /// A string claims to have so many bytes.
    LengthSet(usize),
    /// Something else altogether.
    NotACall(Vec<u8>),
    /// Goes on behind its end.
    BytesAppended(Vec<u8>),
}

impl Damage {
    /// Calldata after the damage.
    pub fn apply(&self, data: &mut Vec<u8>) {
        match self.on(data) {
            Self::Truncated(at) => data.truncate(at),
            Self::BitFlipped(at, bit) => data[at] ^= 1 << bit,
            Self::DirtyHighBits(index, bit) => {
                let old = word(data, index);
                set_word(data, index, old | U256::from(1) << (160 + bit));
            }
            Self::WordReplaced(index, value) => set_word(data, index, value),
            Self::LengthShortened(by) => {
                let length = word(data, LENGTH_WORD);
                let shorter = length.saturating_sub(U256::from(1 + by));
                set_word(data, LENGTH_WORD, shorter);
            }
            Self::LengthStretched(by) => {
                let length = word(data, LENGTH_WORD);
                set_word(data, LENGTH_WORD, length.wrapping_add(by));
            }
            Self::LengthSet(length) => set_word(data, LENGTH_WORD, U256::from(length)),
            Self::NotACall(bytes) => *data = bytes,
            Self::BytesAppended(bytes) => data.extend(bytes),
        }
    }

    /// The same with its picks resolved: what it comes to on this calldata.
    #[must_use]
    pub fn on(&self, data: &[u8]) -> Self {
        let words = data.len().saturating_sub(4) / 32;
        match self {
            Self::Truncated(at) => Self::Truncated(at % (data.len() + 1)),
            Self::BitFlipped(at, bit) => Self::BitFlipped(at % data.len(), bit % 8),
            Self::DirtyHighBits(index, bit) if words > 0 => {
                Self::DirtyHighBits(index % words.min(3), bit % 96)
            }
            Self::WordReplaced(index, value) if words > 0 => {
                Self::WordReplaced(index % words.min(3), *value)
            }
            Self::LengthShortened(by) if words > LENGTH_WORD => Self::LengthShortened(by % 40),
            Self::LengthStretched(_) | Self::LengthSet(_) if words > LENGTH_WORD => self.clone(),
            Self::NotACall(_) | Self::BytesAppended(_) => self.clone(),
            // There is no such argument.
            Self::DirtyHighBits(..)
            | Self::WordReplaced(..)
            | Self::LengthShortened(..)
            | Self::LengthStretched(..)
            | Self::LengthSet(..) => Self::BytesAppended(vec![0]),
        }
    }
}

impl fmt::Debug for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated(at) => write!(f, "cut at byte {at}"),
            Self::BitFlipped(at, bit) => write!(f, "bit {bit} of byte {at} flipped"),
            Self::DirtyHighBits(index, bit) => write!(f, "bit {} of word {index} set", 160 + bit),
            Self::WordReplaced(index, value) => write!(f, "word {index} replaced by {value:#x}"),
            Self::LengthShortened(by) => write!(f, "length shortened by {}", 1 + by),
            Self::LengthStretched(by) => write!(f, "length stretched by {by:#x}"),
            Self::LengthSet(length) => write!(f, "length set to {length}"),
            Self::NotACall(bytes) => write!(f, "replaced by {}", hex::encode_prefixed(bytes)),
            Self::BytesAppended(bytes) => write!(f, "followed by {}", hex::encode_prefixed(bytes)),
        }
    }
}

fn word(data: &[u8], index: usize) -> U256 {
    U256::from_be_slice(&data[4 + 32 * index..4 + 32 * (index + 1)])
}

fn set_word(data: &mut [u8], index: usize, value: U256) {
    data[4 + 32 * index..4 + 32 * (index + 1)].copy_from_slice(&value.to_be_bytes::<32>());
}
