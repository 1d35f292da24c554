//! Transactions.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;

use crate::Fork;

/// The fields of a transaction that a contract can observe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The sender. May be a contract: signatures are not checked.
    pub from: Address,
    /// The callee; none creates a contract.
    pub to: Option<Address>,
    /// Calldata or creation code.
    pub data: Bytes,
    /// Gas limit.
    pub gas: u64,
    /// Wei.
    pub value: U256,
}

impl Transaction {
    /// A call with the default gas limit.
    #[must_use]
    pub fn call(from: Address, to: Address, call: &impl SolCall) -> Self {
        Self::raw(from, to, call.abi_encode())
    }

    /// A call with arbitrary calldata.
    #[must_use]
    pub fn raw(from: Address, to: Address, data: impl Into<Bytes>) -> Self {
        Self {
            from,
            to: Some(to),
            data: data.into(),
            gas: Fork::TRANSACTION_GAS,
            value: U256::ZERO,
        }
    }

    /// A contract creation.
    #[must_use]
    pub fn create(from: Address, creation: impl Into<Bytes>) -> Self {
        Self {
            to: None,
            ..Self::raw(from, Address::ZERO, creation)
        }
    }

    /// Replaces the gas limit.
    #[must_use]
    pub fn with_gas(self, gas: u64) -> Self {
        Self { gas, ..self }
    }

    /// Replaces the value.
    #[must_use]
    pub fn with_value(self, value: U256) -> Self {
        Self { value, ..self }
    }

    /// Intrinsic gas: 21,000, the calldata, and for a creation what EIP-2 and EIP-3860 add.
    #[must_use]
    pub fn intrinsic_gas(&self) -> u64 {
        let creation = match self.to {
            Some(_) => 0,
            None => 32_000 + 2 * self.data.len().div_ceil(32) as u64,
        };
        21_000 + 4 * self.calldata_tokens() + creation
    }

    /// The gas limit without intrinsic gas.
    #[must_use]
    pub fn execution_gas(&self) -> u64 {
        self.gas.saturating_sub(self.intrinsic_gas())
    }

    /// The lowest gas limit that every fork accepts: intrinsic gas or the floor of EIP-7623.
    #[must_use]
    pub fn minimum_gas(&self) -> u64 {
        self.intrinsic_gas()
            .max(21_000 + 10 * self.calldata_tokens())
    }

    /// EIP-7623 tokens: one for a zero byte, four for any other.
    fn calldata_tokens(&self) -> u64 {
        let tokens = self.data.iter().map(|byte| if *byte == 0 { 1 } else { 4 });
        tokens.sum()
    }
}
