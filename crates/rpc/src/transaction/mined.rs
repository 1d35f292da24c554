//! Included transactions.

use alloy::rpc::types::Log;
use alloy_primitives::B256;
use serde::Serialize;

use crate::{Wei, node::Receipt};

/// A successful transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct MinedTransaction {
    /// Transaction hash.
    pub transaction: B256,
    /// Block number.
    pub block: u64,
    /// `None` if the node has the block but not the receipt.
    pub gas_used: Option<u64>,
    /// The fee paid, including a rollup's data fee; `None` without a receipt.
    pub fee: Option<Wei>,
    #[serde(skip)]
    pub logs: Vec<Log>,
}

/// How a transaction ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// It was included and succeeded.
    Mined(Box<MinedTransaction>),
    /// Another transaction reached its goal.
    Superseded,
}

impl Receipt {
    pub(super) fn fee(&self) -> Wei {
        let receipt = &self.receipt;
        Wei::for_gas(receipt.gas_used, receipt.effective_gas_price).saturating_add(self.l1_fee)
    }

    pub(super) fn into_mined(self) -> MinedTransaction {
        MinedTransaction {
            transaction: self.receipt.transaction_hash,
            block: self.receipt.block_number.unwrap_or_default(),
            gas_used: Some(self.receipt.gas_used),
            fee: Some(self.fee()),
            logs: self.receipt.logs().to_vec(),
        }
    }
}
