//! A transaction that was included in a block.

use alloy::rpc::types::TransactionReceipt;
use alloy_primitives::{Address, B256};
use serde::Serialize;

use crate::{ToolEvent, Wei};

/// A successful transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct MinedTransaction {
    /// Transaction hash.
    pub transaction: B256,
    /// Block number.
    pub block: u64,
    pub gas_used: u64,
    /// Gas cost, without a rollup's data fee.
    pub fee: Wei,
    /// Events of the called contract.
    pub events: Vec<ToolEvent>,
}

impl MinedTransaction {
    pub(crate) fn from_receipt(receipt: &TransactionReceipt, contract: Address) -> Self {
        let logs = receipt.logs().iter();
        let own = logs.filter(|log| log.address() == contract);
        Self {
            transaction: receipt.transaction_hash,
            block: receipt.block_number.unwrap_or_default(),
            gas_used: receipt.gas_used,
            fee: Wei::for_gas(receipt.gas_used, receipt.effective_gas_price),
            events: own
                .filter_map(|log| ToolEvent::decode_log(log.data()))
                .collect(),
        }
    }
}
