//! A simulated call with its cost, before anything is signed.

use alloy_primitives::{Address, B256, Bytes};
use serde::Serialize;

use crate::{Call, Error, FeeKind, FeeLimitExceeded, Fees, Transaction, Wei};

/// A call that was simulated successfully, with gas and fees.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct TransactionPlan {
    pub call: Call,
    pub from: Address,
    pub chain_id: u64,
    /// The transaction that an earlier run signed for this call. It is continued, not simulated again.
    pub pending: Option<B256>,
    /// Return data of the simulation.
    pub return_data: Bytes,
    /// The node's estimate.
    pub gas: u64,
    pub gas_limit: u64,
    pub fees: Fees,
    /// Fee of a rollup in addition to gas, at its current price.
    pub data_fee: Wei,
    /// Cost at the current base fee.
    pub expected_cost: Wei,
    /// Cost at the gas limit and the highest gas price, replacements included, with headroom for the data fee.
    pub max_cost: Wei,
    /// Balance of the sender.
    pub balance: Wei,
}

impl TransactionPlan {
    /// Whether the balance covers the maximum cost.
    #[must_use]
    pub fn is_affordable(&self) -> bool {
        self.balance >= self.max_cost
    }

    /// The lowest maximum cost for inclusion in the next block: the expected cost, and the base fee for the whole gas limit, which a
    /// signature covers. Zero for a transaction that an earlier run signed.
    #[must_use]
    pub fn lowest_max_cost(&self) -> Wei {
        match self.pending {
            Some(_) => Wei::default(),
            None => {
                let signed = Transaction::from(self).max_cost(self.fees.lowest_gas_price());
                signed.max(self.expected_cost)
            }
        }
    }

    /// Why the transaction cannot be sent: a fee limit below the base fee, or insufficient funds.
    #[must_use]
    pub fn blocker(&self) -> Option<Error> {
        // An earlier run sent the transaction.
        if self.pending.is_some() {
            return None;
        }
        if !self.fees.covers_base_fee() {
            return Some(Error::FeeLimit(FeeLimitExceeded {
                fee: FeeKind::MaxFeePerGas,
                needed: self.fees.base_fee_per_gas,
                limit: self.fees.max_fee_per_gas,
            }));
        }
        self.insufficient_funds(Wei::default(), &self.call.description)
    }

    /// An error if the balance does not cover this transaction and `additional` costs; `description` names both.
    #[must_use]
    pub fn insufficient_funds(&self, additional: Wei, description: &str) -> Option<Error> {
        let cost = self.max_cost.saturating_add(additional);
        (self.balance < cost).then(|| Error::InsufficientFunds {
            account: self.from,
            balance: self.balance,
            call: description.into(),
            cost,
            chain_id: self.chain_id,
        })
    }
}
