//! Gas used by a transaction.

use revm::context::result::ResultGas;

use crate::Transaction;

/// Gas used by one transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gas {
    /// `gasUsed` of the receipt: after refunds, at least the EIP-7623 floor.
    pub transaction: u64,
    /// Execution gas: without intrinsic gas, before refunds.
    pub execution: u64,
    /// Refund for cleared storage.
    pub refund: u64,
}

impl Gas {
    pub(crate) fn new(gas: &ResultGas, transaction: &Transaction) -> Self {
        Self {
            transaction: gas.tx_gas_used(),
            execution: gas
                .total_gas_spent()
                .saturating_sub(transaction.intrinsic_gas()),
            refund: gas.final_refunded(),
        }
    }
}
