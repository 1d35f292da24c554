//! What a transaction cost.

use revm::context::result::ResultGas;

use crate::Transaction;

/// Gas of one transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gas {
    /// What the sender pays: net of refunds, at least the floor. Equal to `gasUsed` of a receipt.
    pub transaction: u64,
    /// What running the code took: without the 21,000 and the calldata, before refunds.
    pub execution: u64,
    /// What was given back for cleared storage.
    pub refund: u64,
}

impl Gas {
    pub(crate) fn of(gas: &ResultGas, transaction: &Transaction) -> Self {
        Self {
            transaction: gas.tx_gas_used(),
            execution: gas
                .total_gas_spent()
                .saturating_sub(transaction.intrinsic_gas()),
            refund: gas.final_refunded(),
        }
    }
}
