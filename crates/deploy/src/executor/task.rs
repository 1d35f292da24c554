//! Transactions of a plan.

use alloy_primitives::{Address, Bytes, U256};

use crate::{Error, FACTORY, FactoryTransaction, Node, Target, factory, plan::TRANSFER_GAS};

/// A transaction, and the account whose state shows that it is no longer needed.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// For display and in the journal.
    pub(super) label: String,
    /// The account that the transaction changes. Identifies the journal entry.
    pub(super) address: Address,
    pub(super) to: Address,
    pub(super) value: U256,
    pub(super) input: Bytes,
    pub(super) gas_limit: u64,
}

impl Task {
    /// Deploys a contract through the factory.
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

    /// Funds the sender of the presigned factory transaction.
    pub(super) fn fund_factory(amount: U256) -> Self {
        Self {
            label: "factory funding".to_owned(),
            address: FactoryTransaction::SENDER,
            to: FactoryTransaction::SENDER,
            value: amount,
            input: Bytes::new(),
            gas_limit: TRANSFER_GAS,
        }
    }

    /// Whether the result exists already, possibly through another transaction.
    pub(super) async fn is_done(&self, node: &Node) -> Result<bool, Error> {
        if self.address == FactoryTransaction::SENDER {
            return Ok(node.balance(self.address).await? >= FactoryTransaction::cost().0);
        }
        Ok(!node.code(self.address).await?.is_empty())
    }
}
