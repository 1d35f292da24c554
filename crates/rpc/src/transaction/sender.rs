//! Simulates calls, estimates their cost and starts runs.

use alloy::{network::TransactionBuilder, providers::Provider, rpc::types::TransactionRequest};
use alloy_primitives::{Address, B256, Bytes};

use super::Run;
use crate::{
    Call, CallResult, ChainProfile, DataFee, Entry, Error, Event, FeeLimits, Fees, Journal, Node,
    PollTimer, Signer, TransactionPlan, WaitPolicy, Wei, call_request, execution_failure,
    gas_limit_with_margin, rpc_error,
};

/// Plans and sends the transactions of one chain.
#[derive(Clone, Debug)]
pub struct TransactionSender {
    pub(super) node: Node,
    pub(super) profile: ChainProfile,
    pub(super) fee_limits: FeeLimits,
    pub(super) wait_policy: WaitPolicy,
}

impl TransactionSender {
    /// A sender for this chain. It does not sign if the node is on another chain.
    #[must_use]
    pub fn new(node: Node, chain_id: u64) -> Self {
        Self {
            node,
            profile: ChainProfile::of(chain_id),
            fee_limits: FeeLimits::default(),
            wait_policy: WaitPolicy::default(),
        }
    }

    /// Sets the fee limits. Without them, fees follow the chain, within the maximum cost of a run.
    #[must_use]
    pub const fn with_fee_limits(mut self, limits: FeeLimits) -> Self {
        self.fee_limits = limits;
        self
    }

    /// Sets how to wait for a transaction.
    #[must_use]
    pub const fn with_wait_policy(mut self, policy: WaitPolicy) -> Self {
        self.wait_policy = policy;
        self
    }

    /// The node.
    #[must_use]
    pub const fn node(&self) -> &Node {
        &self.node
    }

    /// How the chain prices and charges transactions.
    #[must_use]
    pub const fn profile(&self) -> &ChainProfile {
        &self.profile
    }

    /// The fee limits.
    #[must_use]
    pub const fn fee_limits(&self) -> FeeLimits {
        self.fee_limits
    }

    /// How to wait for a transaction.
    #[must_use]
    pub const fn wait_policy(&self) -> WaitPolicy {
        self.wait_policy
    }

    /// Fees for inclusion in one of the next blocks.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn suggest_fees(&self) -> Result<Fees, Error> {
        Fees::suggest(&self.node, &self.profile, self.fee_limits).await
    }

    /// How the chain charges for data.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn data_fee(&self) -> Result<DataFee, Error> {
        DataFee::detect(&self.node, &self.profile).await
    }

    /// Simulates a call and estimates its gas and fees. Sends nothing.
    ///
    /// # Errors
    ///
    /// When the simulation reverts or an RPC request fails.
    pub async fn plan(&self, call: Call, from: Address) -> Result<TransactionPlan, Error> {
        let return_data = self.simulate(&call, from).await?;
        // The estimate can run at a later block than the simulation, and revert there.
        let estimate = self.node.estimate_gas(request(&call, from), None).await?;
        let gas = estimate.map_err(|(data, message)| would_revert(&call, data, message))?;
        let (fees, balance, data_fee) = tokio::try_join!(
            self.suggest_fees(),
            self.node.balance(from),
            self.data_fee_of(&call),
        )?;
        Ok(self.price(TransactionPlan {
            call,
            from,
            chain_id: self.profile.id,
            pending: None,
            return_data,
            gas,
            gas_limit: gas_limit_with_margin(gas),
            fees,
            data_fee,
            expected_cost: Wei::default(),
            max_cost: Wei::default(),
            balance,
        }))
    }

    /// Plans a call that depends on a transaction in this block. A node that is behind does not show its effects yet: the
    /// simulation at the block decides whether the call reverts.
    ///
    /// # Errors
    ///
    /// When the simulation reverts or an RPC request fails.
    pub async fn plan_after(
        &self,
        call: Call,
        from: Address,
        block: u64,
    ) -> Result<TransactionPlan, Error> {
        let mut timer = PollTimer::new(self.wait_policy);
        loop {
            let simulation = self.node.provider().call(request(&call, from));
            match simulation.block(block.into()).await {
                Ok(_) => match self.plan(call.clone(), from).await {
                    Err(Error::WouldRevert { .. }) => {}
                    result => return result,
                },
                Err(error) => match execution_failure(&error) {
                    Some((data, message)) => return Err(would_revert(&call, data, message)),
                    // The node does not have the block.
                    None if error.as_error_resp().is_some() => {}
                    None => return Err(rpc_error("eth_call")(error)),
                },
            }
            let is_late = self.node.block_number().await? > block + self.wait_policy.lag_blocks;
            if is_late || !timer.sleep().await {
                return self.plan(call, from).await;
            }
        }
    }

    /// The plan to continue a transaction that an earlier run signed. It may be included already, so it is not simulated.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn plan_resumed(
        &self,
        call: Call,
        from: Address,
        entry: &Entry,
    ) -> Result<TransactionPlan, Error> {
        let (fees, balance, data_fee) = tokio::try_join!(
            self.suggest_fees(),
            self.node.balance(from),
            self.data_fee_of(&call),
        )?;
        let mut plan = self.price(TransactionPlan {
            call,
            from,
            chain_id: self.profile.id,
            pending: Some(entry.latest().hash),
            return_data: Bytes::new(),
            gas: entry.gas_limit,
            gas_limit: entry.gas_limit,
            fees,
            data_fee,
            expected_cost: Wei::default(),
            max_cost: Wei::default(),
            balance,
        });
        plan.max_cost = plan.max_cost.max(entry.max_cost);
        Ok(plan)
    }

    fn price(&self, mut plan: TransactionPlan) -> TransactionPlan {
        let charged = self.profile.charged_gas(plan.gas, plan.gas_limit);
        plan.expected_cost = Wei::for_gas(charged, plan.fees.expected_gas_price())
            .saturating_add(plan.data_fee)
            .saturating_add(plan.call.value);
        let price = plan.fees.highest_gas_price(self.fee_limits);
        plan.max_cost = Wei::for_gas(plan.gas_limit, price)
            .saturating_add(DataFee::maximum(plan.data_fee))
            .saturating_add(plan.call.value);
        plan
    }

    /// Gas limit and maximum cost of a call that cannot be simulated yet, from an upper bound of its execution gas.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn max_cost(&self, call: &Call, gas: u64, fees: Fees) -> Result<(u64, Wei), Error> {
        let data_fee = self.data_fee().await?;
        let additional = data_fee.in_gas(&self.node, call.to, &call.data).await?;
        let gas_limit = gas.saturating_add(additional);
        let fee = data_fee.in_wei(&self.node, &call.data).await?;
        let price = fees.highest_gas_price(self.fee_limits);
        let cost = Wei::for_gas(gas_limit, price)
            .saturating_add(DataFee::maximum(fee))
            .saturating_add(call.value);
        Ok((gas_limit, cost))
    }

    async fn simulate(&self, call: &Call, from: Address) -> Result<Bytes, Error> {
        // A call to an address without code succeeds without effect.
        if self.node.code(call.to).await?.is_empty() {
            let message = format!("no contract at {}", call.to);
            return Err(would_revert(call, Bytes::new(), message));
        }
        match self.node.simulate(request(call, from), None).await? {
            CallResult::Returned(bytes) => Ok(bytes),
            CallResult::Failed { data, message } => Err(would_revert(call, data, message)),
        }
    }

    async fn data_fee_of(&self, call: &Call) -> Result<Wei, Error> {
        self.data_fee().await?.in_wei(&self.node, &call.data).await
    }

    /// Hash of block 0, which identifies a test chain; `None` if the node does not have it.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn genesis(&self) -> Result<Option<B256>, Error> {
        let block = self.node.block("0x0", false).await?;
        Ok(block.and_then(|block| block.hash))
    }

    /// Starts a run. All its signatures together cost at most `max_cost`.
    ///
    /// # Errors
    ///
    /// When the journal belongs to another account or chain, or the node is on another chain.
    pub async fn start<'a>(
        &'a self,
        signer: &'a Signer<'a>,
        journal: &'a mut Journal,
        max_cost: Wei,
        observer: &'a (dyn Fn(Event<'_>) + Sync),
    ) -> Result<Run<'a>, Error> {
        if signer.address() != journal.account() {
            return Err(Error::SignerMismatch {
                planned: journal.account(),
                signer: signer.address(),
            });
        }
        // A load balancer can route to a node on another chain. A transaction on the wrong chain cannot be undone.
        let found = self.node.chain_id(Some(self.profile.id)).await?;
        if journal.chain_id() != found {
            return Err(Error::WrongChain {
                expected: journal.chain_id(),
                found,
            });
        }
        Ok(Run::new(self, signer, journal, max_cost, observer))
    }
}

fn would_revert(call: &Call, data: Bytes, message: String) -> Error {
    Error::WouldRevert {
        call: call.description.clone(),
        message,
        data,
    }
}

fn request(call: &Call, from: Address) -> TransactionRequest {
    call_request(call.to, call.data.clone(), None)
        .with_from(from)
        .with_value(call.value.0)
}
