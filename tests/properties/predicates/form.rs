//! How a call is made: whole or damaged, with ether or without, with plenty of gas or with as much as somebody chose.

use std::fmt;

use alloy_primitives::{Bytes, U256, hex};
use atr_harness::Transaction;
use proptest::{collection::vec, prelude::*, sample::select};

/// How a call is made. The default is as it should be.
#[derive(Clone, Default)]
pub(crate) struct Form {
    pub(crate) harms: Vec<Harm>,
    pub(crate) ether: u16,
    /// Gas beyond the least the chain accepts; none is plenty.
    pub(crate) gas: Option<u32>,
}

/// One thing done to calldata that was whole. Numbers are picks.
#[derive(Clone)]
pub(crate) enum Harm {
    /// Ends somewhere before its end.
    Cut(u16),
    /// Goes on behind its end.
    Append(Vec<u8>),
    /// One bit is the other way round.
    Flip(u16, u8),
    /// A word has one more bit set.
    Dirty(u8, u8),
    /// A word is another number.
    Word(u8, U256),
    /// A word is a number nearby: an offset leads a little astray, a list is a little longer or shorter.
    Nearby(u8, i8),
    /// Another function is called.
    Selector([u8; 4]),
}

impl Form {
    /// Whether it is as it should be.
    pub(crate) const fn is_plain(&self) -> bool {
        self.harms.is_empty() && self.ether == 0 && self.gas.is_none()
    }

    /// The transaction in this form.
    pub(crate) fn shape(&self, mut transaction: Transaction) -> Transaction {
        let mut data = transaction.data.to_vec();
        for harm in &self.harms {
            harm.apply(&mut data);
        }
        transaction.data = Bytes::from(data);
        let transaction = transaction.with_value(U256::from(self.ether));
        match self.gas {
            Some(gas) => {
                let least = transaction.least_gas();
                transaction.with_gas(least + u64::from(gas))
            }
            None => transaction,
        }
    }
}

impl Harm {
    fn apply(&self, data: &mut Vec<u8>) {
        let words = data.len().saturating_sub(4) / 32;
        let change = |data: &mut Vec<u8>, index: u8, to: &dyn Fn(U256) -> U256| {
            if words > 0 {
                let at = 4 + 32 * (usize::from(index) % words);
                let old = U256::from_be_slice(&data[at..at + 32]);
                data[at..at + 32].copy_from_slice(&to(old).to_be_bytes::<32>());
            }
        };
        match self {
            Self::Cut(at) => data.truncate(usize::from(*at) % data.len().max(1)),
            Self::Append(bytes) => data.extend_from_slice(bytes),
            Self::Flip(at, bit) => {
                let at = usize::from(*at) % data.len().max(1);
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Self::Dirty(index, bit) => {
                change(data, *index, &|old| {
                    old | U256::from(1) << usize::from(*bit)
                });
            }
            Self::Word(index, value) => change(data, *index, &|_| *value),
            Self::Nearby(index, by) => change(data, *index, &|old| {
                let distance = U256::from(by.unsigned_abs());
                match by.is_negative() {
                    true => old.wrapping_sub(distance),
                    false => old.wrapping_add(distance),
                }
            }),
            Self::Selector(selector) => {
                data.iter_mut()
                    .zip(selector)
                    .for_each(|(byte, new)| *byte = *new);
            }
        }
    }
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for harm in &self.harms {
            write!(f, ", {harm:?}")?;
        }
        if self.ether > 0 {
            write!(f, ", with {} wei", self.ether)?;
        }
        self.gas.map_or(Ok(()), |gas| write!(f, ", with {gas} gas"))
    }
}

impl fmt::Debug for Harm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut(at) => write!(f, "cut at byte {at}"),
            Self::Append(bytes) => write!(f, "followed by {}", hex::encode_prefixed(bytes)),
            Self::Flip(at, bit) => write!(f, "bit {bit} of byte {at} flipped"),
            Self::Dirty(index, bit) => write!(f, "bit {bit} of word {index} set"),
            Self::Word(index, value) => write!(f, "word {index} replaced by {value:#x}"),
            Self::Nearby(index, by) => write!(f, "word {index} moved by {by}"),
            Self::Selector(selector) => write!(f, "to {}", hex::encode_prefixed(selector)),
        }
    }
}

/// As it should be, more often than not.
pub(crate) fn any_form() -> impl Strategy<Value = Form> {
    prop_oneof![
        12 => Just(Form::default()),
        3 => vec(harm(), 1).prop_map(harmed),
        3 => gas().prop_map(|gas| Form { gas: Some(gas), ..Form::default() }),
        1 => (1..1_000_u16).prop_map(|ether| Form { ether, ..Form::default() }),
    ]
}

/// With calldata that is damaged, once or more.
pub(crate) fn any_harm() -> impl Strategy<Value = Form> {
    vec(harm(), 1..=3).prop_map(harmed)
}

fn harmed(harms: Vec<Harm>) -> Form {
    Form {
        harms,
        ..Form::default()
    }
}

/// Where something runs short: a call, a question, a list that is stored; or anywhere.
fn gas() -> impl Strategy<Value = u32> {
    prop_oneof![2 => 0..50_000_u32, 1 => 28_000..44_000_u32, 3 => 0..260_000_u32]
}

fn harm() -> impl Strategy<Value = Harm> {
    let bytes = || vec(any::<u8>(), 1..70);
    let number = prop_oneof![
        3 => select(vec![0_u64, 1, 2, 0x20, 0x40, 0x60, 0x80, 1 << 32, u64::MAX]).prop_map(U256::from),
        2 => (0_u64..200).prop_map(|below| U256::MAX - U256::from(below)),
        1 => (0_usize..256).prop_map(|bit| U256::from(1) << bit),
    ];
    let nearby = prop_oneof![select(vec![-64_i8, -32, -1, 1, 32, 64]), any::<i8>()];
    // Words at the front are offsets and lengths, and more telling than others.
    let index = || prop_oneof![3 => 0..8_u8, 1 => any::<u8>()];
    prop_oneof![
        2 => any::<u16>().prop_map(Harm::Cut),
        1 => bytes().prop_map(Harm::Append),
        1 => any::<(u16, u8)>().prop_map(|(at, bit)| Harm::Flip(at, bit)),
        3 => (index(), any::<u8>()).prop_map(|(index, bit)| Harm::Dirty(index, bit)),
        3 => (index(), number).prop_map(|(index, value)| Harm::Word(index, value)),
        3 => (index(), nearby).prop_map(|(index, by)| Harm::Nearby(index, by)),
        1 => any::<[u8; 4]>().prop_map(Harm::Selector),
    ]
}
