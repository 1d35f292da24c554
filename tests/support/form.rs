//! How a call is made: whole or damaged, with ether or without, with plenty of gas or with as much as somebody chose.

use std::fmt;

use alloy_primitives::{Bytes, U256};
use atr_harness::Transaction;
use proptest::{collection::vec, prelude::*};

use crate::damage::{Damage, any_damage};

/// How a call is made. The default is as it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// What is done to its calldata, one after the other.
    pub damage: Vec<Damage>,
    /// Wei sent along.
    pub ether: u64,
    /// Gas beyond the least the chain accepts; none is plenty.
    pub gas: Option<u64>,
}

impl Form {
    /// With calldata that is damaged.
    #[must_use]
    pub fn damaged(damage: Vec<Damage>) -> Self {
        Self {
            damage,
            ..Self::default()
        }
    }

    /// With so much gas beyond the least the chain accepts.
    #[must_use]
    pub fn with_gas(gas: u64) -> Self {
        Self {
            gas: Some(gas),
            ..Self::default()
        }
    }

    /// Whether it is as it should be.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.damage.is_empty() && self.ether == 0 && self.gas.is_none()
    }

    /// The transaction in this form.
    #[must_use]
    pub fn shape(&self, mut transaction: Transaction) -> Transaction {
        let mut data = transaction.data.to_vec();
        for damage in &self.damage {
            damage.apply(&mut data);
        }
        transaction.data = Bytes::from(data);
        let transaction = transaction.with_value(U256::from(self.ether));
        match self.gas {
            Some(gas) => {
                let least = transaction.least_gas();
                transaction.with_gas(least + gas)
            }
            None => transaction,
        }
    }

    /// The same with its picks resolved: what it comes to on this calldata.
    #[must_use]
    pub fn on(&self, data: &[u8]) -> Self {
        let mut data = data.to_vec();
        let resolve = |damage: &Damage| {
            let resolved = damage.on(&data);
            damage.apply(&mut data);
            resolved
        };
        Self {
            damage: self.damage.iter().map(resolve).collect(),
            ..self.clone()
        }
    }
}

/// What is unusual about it.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for damage in &self.damage {
            write!(f, ", calldata {damage:?}")?;
        }
        if self.ether > 0 {
            write!(f, ", with {} wei", self.ether)?;
        }
        self.gas
            .map_or(Ok(()), |gas| write!(f, ", with {gas} gas beyond the least"))
    }
}

/// As it should be, more often than not.
pub fn any_form() -> impl Strategy<Value = Form> {
    prop_oneof![
        10 => Just(Form::default()),
        3 => vec(any_damage(), 1).prop_map(Form::damaged),
        4 => gas().prop_map(Form::with_gas),
        1 => (1..1_000_u64).prop_map(|ether| Form { ether, ..Form::default() }),
    ]
}

/// With calldata that is damaged, once or more.
pub fn any_damaged_form() -> impl Strategy<Value = Form> {
    vec(any_damage(), 1..=3).prop_map(Form::damaged)
}

/// Where something runs short: a call, a question, a list that is stored; or anywhere; or where it is just enough.
fn gas() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => 0..50_000_u64,
        1 => 28_000..44_000_u64,
        3 => 0..300_000_u64,
        2 => 200_000..2_000_000_u64,
    ]
}
