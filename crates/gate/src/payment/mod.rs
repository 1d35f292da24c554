//! Payments: verified by a facilitator before the handler, settled once.

mod chain;
mod facilitator;
mod flow;
mod settlement;

use std::{fmt, sync::Arc, time::Duration};

use atr_rpc::Node;

pub use facilitator::{
    FacilitatorConfig, FacilitatorProblem, Facilitators, SETTLE_TIMEOUT, VERIFY_TIMEOUT,
};

pub(crate) use flow::{FailureCheck, RETENTION};

use crate::PaymentRecords;

/// When a payment is settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SettleMode {
    /// After the handler. The response is held back until the payment is settled, so its size is limited; a failed call costs
    /// nothing.
    #[default]
    After,
    /// Before the handler. Responses stream; a failed call is paid for, and can be repeated with the same payment.
    Before,
}

/// How payments are taken.
#[derive(Clone)]
pub struct PaymentConfig {
    /// Verify and settle payments.
    pub facilitators: Arc<Facilitators>,
    /// When a payment is settled.
    pub settle: SettleMode,
    /// Records of payments. Gates that share an operator address share the store.
    pub records: PaymentRecords,
    /// Accept records that end with the process.
    pub is_ephemeral: bool,
    /// The node of the token's chain: finds out what became of a settlement. Without it, a lost answer of a facilitator
    /// stays unknown, and a false answer is believed.
    pub node: Option<Node>,
    /// Check on the chain that a payment moved before the answer is released. Needs `node`.
    pub confirms: bool,
    /// For a settlement with all its repetitions.
    pub deadline: Duration,
    /// Between two looks at a settlement whose outcome is not known yet.
    pub poll_interval: Duration,
}

impl PaymentConfig {
    /// Payments are settled after the handler and checked on the chain if there is a node.
    #[must_use]
    pub const fn new(facilitators: Arc<Facilitators>, records: PaymentRecords) -> Self {
        Self {
            facilitators,
            settle: SettleMode::After,
            records,
            is_ephemeral: false,
            node: None,
            confirms: true,
            deadline: SETTLE_TIMEOUT,
            poll_interval: Duration::from_secs(1),
        }
    }
}

impl fmt::Debug for PaymentConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaymentConfig")
            .field("settle", &self.settle)
            .field("records", &self.records)
            .finish_non_exhaustive()
    }
}
