//! Calls and transactions before they are signed.

use alloy_primitives::{Address, B256, Bytes, Keccak256, U256};
use alloy_sol_types::SolCall;
use serde::Serialize;

use crate::{DataFee, Error, Fees, Node, TransactionPlan, Wei};

/// A state-changing call, not yet sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Call {
    pub to: Address,
    /// Native currency to send.
    pub value: Wei,
    /// Call data.
    pub data: Bytes,
    /// For display, for example the function.
    pub description: String,
}

impl Call {
    /// A call of a contract, described by the function's name.
    #[must_use]
    pub fn new<C: SolCall>(to: Address, call: &C) -> Self {
        let name = C::SIGNATURE.split('(').next().unwrap_or(C::SIGNATURE);
        Self {
            to,
            value: Wei::default(),
            data: call.abi_encode().into(),
            description: name.to_owned(),
        }
    }

    /// Hash of recipient, value and call data. An interrupted run recognizes its transactions by it.
    #[must_use]
    pub fn id(&self) -> B256 {
        let mut hasher = Keccak256::new();
        hasher.update(self.to);
        hasher.update(self.value.0.to_be_bytes::<32>());
        hasher.update(&self.data);
        hasher.finalize()
    }
}

/// A call with gas limit and fees, ready to be signed.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct Transaction {
    pub call: Call,
    pub gas_limit: u64,
    /// Fees of the first attempt.
    pub fees: Fees,
    /// Fee of a rollup in addition to gas, with headroom.
    pub max_data_fee: Wei,
    /// Whether sending the call again has another effect, so that it must not be forgotten before its run is finished.
    pub once: bool,
    /// The state that makes the transaction unnecessary, also if another transaction reaches it.
    pub goal: Option<Goal>,
}

/// A state of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The account has code.
    Code(Address),
    /// The account holds at least this amount.
    Balance(Address, U256),
}

impl Transaction {
    /// The most that the transaction can cost with a max fee.
    pub(crate) fn max_cost(&self, max_fee_per_gas: u128) -> Wei {
        Wei::for_gas(self.gas_limit, max_fee_per_gas)
            .saturating_add(self.max_data_fee)
            .saturating_add(self.call.value)
    }

    /// The highest max fee for which the transaction costs at most this amount.
    pub(crate) fn affordable_fee(&self, amount: Wei) -> u128 {
        let fixed = self.max_data_fee.saturating_add(self.call.value);
        let gas = U256::from(self.gas_limit.max(1));
        (amount.saturating_sub(fixed).0 / gas).saturating_to()
    }
}

impl From<&TransactionPlan> for Transaction {
    fn from(plan: &TransactionPlan) -> Self {
        Self {
            call: plan.call.clone(),
            gas_limit: plan.gas_limit,
            fees: plan.fees,
            max_data_fee: DataFee::maximum(plan.data_fee),
            once: false,
            goal: None,
        }
    }
}

impl Goal {
    pub(crate) async fn is_reached(self, node: &Node) -> Result<bool, Error> {
        match self {
            Self::Code(address) => Ok(!node.code(address).await?.is_empty()),
            Self::Balance(address, amount) => Ok(node.balance(address).await?.0 >= amount),
        }
    }
}
