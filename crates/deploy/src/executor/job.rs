//! One transaction's purpose.

use alloy_primitives::{Address, Bytes, U256};

use crate::{Error, FACTORY, Keyless, Node, Target, factory, plan::TRANSFER_GAS};

/// Something a transaction is sent for.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// For people, and in the journal.
    pub(super) label: String,
    /// The account that is different afterwards; the journal knows the job by it.
    pub(super) address: Address,
    pub(super) to: Address,
    pub(super) value: U256,
    pub(super) input: Bytes,
    pub(super) gas_limit: u64,
}

impl Job {
    /// Deploying a contract through the factory.
    pub(super) fn deploy(target: &Target, salt: alloy_primitives::B256, gas_limit: u64) -> Self {
        Self {
            label: target.name().to_owned(),
            address: target.address(),
            to: FACTORY,
            value: U256::ZERO,
            input: factory::call_data(salt, target.init_code()),
            gas_limit,
        }
    }

    /// Giving the factory's account what its transaction costs.
    pub(super) fn fund_factory(amount: U256) -> Self {
        Self {
            label: "the factory's fee".to_owned(),
            address: Keyless::SENDER,
            to: Keyless::SENDER,
            value: amount,
            input: Bytes::new(),
            gas_limit: TRANSFER_GAS,
        }
    }

    /// Whether what the job is for holds already, whoever brought it about.
    pub(super) async fn is_done(&self, node: &Node) -> Result<bool, Error> {
        if self.address == Keyless::SENDER {
            return Ok(node.balance(self.address).await? >= Keyless::cost().0);
        }
        Ok(!node.code(self.address).await?.is_empty())
    }
}
