//! What a call would do and cost, before anything is signed.

use alloy_primitives::{Address, Bytes};
use serde::Serialize;

use crate::{Call, Error, Fees, Wei};

/// A call that was tried without being sent, and what sending it takes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionPlan {
    /// The call.
    pub call: Call,
    /// Who would send it.
    pub from: Address,
    /// On which chain.
    pub chain_id: u64,
    /// What it returned when it was tried.
    pub returned: Bytes,
    /// Gas it takes, as the node estimates.
    pub gas: u64,
    /// Most gas it may use.
    pub gas_limit: u64,
    /// What is offered for the gas.
    pub fees: Fees,
    /// What it likely costs.
    pub cost: Wei,
    /// What it costs at most.
    pub at_most: Wei,
    /// What the sender has.
    pub balance: Wei,
}

impl TransactionPlan {
    /// Whether the sender can pay, whatever happens.
    #[must_use]
    pub fn is_affordable(&self) -> bool {
        self.balance >= self.at_most
    }

    /// What is in the way of sending it, as far as the plan itself tells.
    #[must_use]
    pub fn blocker(&self) -> Option<Error> {
        if !self.fees.reaches_base_fee() {
            return Some(Error::FeeAboveCap {
                needed: self.fees.base_fee_per_gas,
                cap: self.fees.max_fee_per_gas,
                flag: "--max-fee-per-gas",
            });
        }
        self.blocker_with(Wei::default(), &self.call.what)
    }

    /// What is in the way of paying for it and for more after it; `what` names both.
    #[must_use]
    pub fn blocker_with(&self, more: Wei, what: &str) -> Option<Error> {
        let cost = self.at_most.plus(more);
        (self.balance < cost).then(|| Error::InsufficientFunds {
            sender: self.from,
            balance: self.balance,
            what: what.to_owned(),
            cost,
        })
    }
}
