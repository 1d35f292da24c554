//! One transaction, as its sender chooses it.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;

use crate::Fork;

/// What a sender signs, as far as a contract can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Who sends it. May be a contract: nothing here checks for a key.
    pub from: Address,
    /// Whom it calls; none creates a contract.
    pub to: Option<Address>,
    /// Calldata, or creation code.
    pub data: Bytes,
    /// Gas limit.
    pub gas: u64,
    /// Ether sent along.
    pub value: U256,
}

impl Transaction {
    /// A call with plenty of gas.
    #[must_use]
    pub fn call(from: Address, to: Address, call: &impl SolCall) -> Self {
        Self::raw(from, to, call.abi_encode())
    }

    /// A call with any calldata at all.
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

    /// Creates a contract.
    #[must_use]
    pub fn create(from: Address, creation: impl Into<Bytes>) -> Self {
        Self {
            to: None,
            ..Self::raw(from, Address::ZERO, creation)
        }
    }

    /// The same with this gas limit.
    #[must_use]
    pub fn with_gas(self, gas: u64) -> Self {
        Self { gas, ..self }
    }

    /// The same with ether sent along.
    #[must_use]
    pub fn with_value(self, value: U256) -> Self {
        Self { value, ..self }
    }

    /// What is paid before the first opcode: 21,000, the calldata, and for a creation what EIP-2 and EIP-3860 add.
    #[must_use]
    pub fn intrinsic_gas(&self) -> u64 {
        let creation = match self.to {
            Some(_) => 0,
            None => 32_000 + 2 * self.data.len().div_ceil(32) as u64,
        };
        21_000 + 4 * self.calldata_tokens() + creation
    }

    /// What is left for the first opcode.
    #[must_use]
    pub fn gas_for_code(&self) -> u64 {
        self.gas.saturating_sub(self.intrinsic_gas())
    }

    /// The least gas limit any fork accepts: what is paid first, or the floor of EIP-7623.
    #[must_use]
    pub fn least_gas(&self) -> u64 {
        self.intrinsic_gas()
            .max(21_000 + 10 * self.calldata_tokens())
    }

    /// A zero byte is one, any other four.
    fn calldata_tokens(&self) -> u64 {
        let tokens = self.data.iter().map(|byte| if *byte == 0 { 1 } else { 4 });
        tokens.sum()
    }
}
