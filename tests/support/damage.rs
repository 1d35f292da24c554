//! Calldata that is not as the ABI has it.

use std::fmt;

use alloy_primitives::{I256, U256, hex};
use proptest::{collection::vec, prelude::*, sample::select};

/// One thing done to calldata that was whole. Places are picks, modulo how many there are.
#[derive(Clone, PartialEq, Eq)]
pub enum Damage {
    /// Ends somewhere before its end.
    Truncated(usize),
    /// One bit is the other way round.
    BitFlipped(usize, u8),
    /// A word has one more bit set: an address or a small number is none any more.
    BitSet(usize, u8),
    /// A word is another number.
    WordReplaced(usize, U256),
    /// A word is a number so far away: an offset leads astray, a list or a text claims to be shorter or longer than it is.
    WordMoved(usize, I256),
    /// Another function is called.
    SelectorReplaced([u8; 4]),
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
            Self::BitFlipped(at, bit) => {
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }
            Self::BitSet(index, bit) => change(data, index, |word| word | U256::ONE << bit),
            Self::WordReplaced(index, value) => change(data, index, |_| value),
            Self::WordMoved(index, by) => {
                change(data, index, |word| word.wrapping_add(by.into_raw()));
            }
            Self::SelectorReplaced(selector) => {
                let bytes = data.iter_mut().zip(selector);
                bytes.for_each(|(byte, new)| *byte = new);
            }
            Self::NotACall(bytes) => *data = bytes,
            Self::BytesAppended(bytes) => data.extend(bytes),
        }
    }

    /// The same with its picks resolved: what it comes to on this calldata. Where there is no word, a byte is appended.
    #[must_use]
    pub fn on(&self, data: &[u8]) -> Self {
        let byte = |pick: usize| pick % data.len().max(1);
        let word = |pick: usize| pick % words(data);
        match self.clone() {
            Self::Truncated(at) => Self::Truncated(byte(at)),
            Self::BitFlipped(at, bit) => Self::BitFlipped(byte(at), bit % 8),
            Self::BitSet(..) | Self::WordReplaced(..) | Self::WordMoved(..) if words(data) == 0 => {
                Self::BytesAppended(vec![0])
            }
            Self::BitSet(index, bit) => Self::BitSet(word(index), bit),
            Self::WordReplaced(index, value) => Self::WordReplaced(word(index), value),
            Self::WordMoved(index, by) => Self::WordMoved(word(index), by),
            whole => whole,
        }
    }
}

impl fmt::Debug for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated(at) => write!(f, "cut at byte {at}"),
            Self::BitFlipped(at, bit) => write!(f, "bit {bit} of byte {at} flipped"),
            Self::BitSet(index, bit) => write!(f, "bit {bit} of word {index} set"),
            Self::WordReplaced(index, value) => write!(f, "word {index} replaced by {value:#x}"),
            Self::WordMoved(index, by) => write!(f, "word {index} moved by {by}"),
            Self::SelectorReplaced(selector) => {
                write!(f, "selector replaced by {}", hex::encode_prefixed(selector))
            }
            Self::NotACall(bytes) => write!(f, "replaced by {}", hex::encode_prefixed(bytes)),
            Self::BytesAppended(bytes) => write!(f, "followed by {}", hex::encode_prefixed(bytes)),
        }
    }
}

/// Any damage.
pub fn any_damage() -> impl Strategy<Value = Damage> {
    // Any byte of the longest calldata, and not much more: each is shrunk by halves.
    let byte = || 0..10_000_usize;
    // Words at the front are offsets and lengths, and more telling than others: of most calls with a text or a list the third
    // or the fourth is its length.
    let word = || prop_oneof![2 => 2..4_usize, 2 => 0..8_usize, 1 => byte()];
    // The upper bits stand in front of an address, where none may be.
    let bit = prop_oneof![any::<u8>(), 160..=255_u8];
    let bytes = |least| vec(any::<u8>().no_shrink(), least..70_usize);
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
        2 => byte().prop_map(Damage::Truncated),
        1 => (byte(), 0..8_u8).prop_map(|(at, bit)| Damage::BitFlipped(at, bit)),
        3 => (word(), bit).prop_map(|(index, bit)| Damage::BitSet(index, bit)),
        3 => (word(), number()).prop_map(|(index, value)| Damage::WordReplaced(index, value)),
        3 => (word(), distance).prop_map(|(index, by)| Damage::WordMoved(index, by)),
        1 => any::<[u8; 4]>().prop_map(Damage::SelectorReplaced),
        1 => bytes(0).prop_map(Damage::NotACall),
        3 => bytes(1).prop_map(Damage::BytesAppended),
    ]
}

/// How many whole words there are behind the selector.
const fn words(data: &[u8]) -> usize {
    data.len().saturating_sub(4) / 32
}

fn change(data: &mut [u8], index: usize, to: impl Fn(U256) -> U256) {
    let at = 4 + 32 * index;
    if let Some(word) = data.get_mut(at..at + 32) {
        let new = to(U256::from_be_slice(word));
        word.copy_from_slice(&new.to_be_bytes::<32>());
    }
}
