//! What came of a call that was sent.

use alloy::rpc::types::TransactionReceipt;
use alloy_primitives::{Address, B256};
use serde::Serialize;

use crate::{ToolEvent, Wei};

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// The transaction.
    pub transaction: B256,
    /// The block it got into.
    pub block: u64,
    /// What it took.
    pub gas_used: u64,
    /// What was paid for the gas.
    pub fee: Wei,
    /// What the registry told about it.
    pub events: Vec<ToolEvent>,
}

impl Sent {
    pub(crate) fn of(receipt: &TransactionReceipt, contract: Address) -> Self {
        let logs = receipt.logs().iter();
        let own = logs.filter(|log| log.address() == contract);
        Self {
            transaction: receipt.transaction_hash,
            block: receipt.block_number.unwrap_or_default(),
            gas_used: receipt.gas_used,
            fee: Wei::of_gas(receipt.gas_used, receipt.effective_gas_price),
            events: own
                .filter_map(|log| ToolEvent::of_log(log.data()))
                .collect(),
        }
    }
}
