//! The plan of a deployment: state, gas and cost of each contract, before anything is signed.

mod blocker;
mod estimate;

use alloy_primitives::{Address, B256};
use atr_registry::{DataFee, FeeKind, FeeLimitExceeded, gas_limit_with_margin};
use serde::Serialize;

pub use self::blocker::Blocker;
use crate::{
    Error, FACTORY, FactoryTransaction, FeeLimits, Fees, Journal, Node, Suite, Target, Wei,
    factory::FACTORY_CODE,
};

/// Gas of a transfer of native currency.
pub(crate) const TRANSFER_GAS: u64 = 21_000;

/// The plan of a deployment. An [`Executor`](crate::Executor) executes it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Plan {
    /// The node's chain id.
    pub chain_id: u64,
    pub sender: Option<Address>,
    pub salt: B256,
    /// The registry of the predicates.
    pub registry: Address,
    pub factory: FactoryPlan,
    /// The contracts in deployment order.
    pub contracts: Vec<PlannedContract>,
    pub fees: Fees,
    /// Estimated gas of all transactions.
    pub gas: u64,
    /// Cost at the current base fee.
    pub expected_cost: Wei,
    /// Cost at the gas limits and the max fee. The sender must hold it.
    pub max_cost: Wei,
    /// Balance of the sender.
    pub balance: Option<Wei>,
    /// Balance minus the expected cost.
    pub balance_after: Option<Wei>,
    /// Why the plan cannot be executed; empty if it can.
    pub blockers: Vec<Blocker>,
}

/// The factory in a plan.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct FactoryPlan {
    pub address: Address,
    pub state: ContractState,
    /// The amount to send to the sender of the presigned transaction, if the plan includes it.
    pub funding: Option<Wei>,
}

/// One contract in a plan.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct PlannedContract {
    pub contract: &'static str,
    pub address: Address,
    pub init_code_hash: B256,
    pub state: ContractState,
    /// The transaction signed by an earlier run, if it is still pending.
    pub pending: Option<B256>,
    /// Estimated gas, if the contract is missing.
    pub gas: Option<u64>,
    /// Cost at the current base fee, including a rollup's data fee.
    pub fee: Option<Wei>,
    #[serde(skip)]
    pub(crate) gas_limit: u64,
}

/// The code at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ContractState {
    /// No code.
    Missing,
    /// The expected code.
    Deployed,
    /// Other code.
    Mismatch,
}

/// The input of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) sender: Option<Address>,
    pub(crate) fee_limits: FeeLimits,
    pub(crate) deploy_factory: bool,
}

impl Plan {
    /// Whether every contract is deployed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.contracts
            .iter()
            .all(|row| row.state == ContractState::Deployed)
    }

    /// Number of contracts to deploy.
    #[must_use]
    pub fn missing(&self) -> usize {
        let missing = |row: &&PlannedContract| row.state == ContractState::Missing;
        self.contracts.iter().filter(missing).count()
    }

    pub(crate) async fn build(
        node: &Node,
        chain_id: u64,
        journal: Option<&Journal>,
        request: Request<'_>,
    ) -> Result<Self, Error> {
        let Request { suite, sender, .. } = request;
        let fees = Fees::suggest(node.provider(), request.fee_limits).await?;
        let mut blockers = Vec::new();
        let factory = plan_factory(node, request.deploy_factory, &mut blockers).await?;
        let data_fee = DataFee::detect(node.provider()).await?;
        let mut contracts = Vec::new();
        for target in suite.targets() {
            let mut row = PlannedContract {
                contract: target.name(),
                address: target.address(),
                init_code_hash: target.init_code_hash(),
                state: contract_state(node, target).await?,
                pending: journal
                    .and_then(|journal| journal.entry(target.address()))
                    .map(|entry| entry.latest().hash),
                gas: None,
                fee: None,
                gas_limit: 0,
            };
            match row.state {
                ContractState::Deployed => {}
                ContractState::Mismatch => blockers.push(Blocker::CodeMismatch {
                    contract: row.contract,
                    address: row.address,
                }),
                ContractState::Missing if factory.state == ContractState::Mismatch => {}
                ContractState::Missing => {
                    match estimate::gas(node, suite.salt(), target, sender, factory.state).await? {
                        Ok(gas) => {
                            let data = target.init_code();
                            let extra = data_fee.estimate(node.provider(), data).await?;
                            row.gas = Some(gas);
                            row.gas_limit = gas_limit_with_margin(gas);
                            let cost = Wei::for_gas(gas, fees.expected_gas_price());
                            row.fee = Some(cost.saturating_add(extra));
                        }
                        Err(message) => blockers.push(Blocker::WouldRevert {
                            contract: row.contract,
                            message,
                        }),
                    }
                }
            }
            contracts.push(row);
        }
        let mut plan = Self {
            chain_id,
            sender,
            salt: suite.salt(),
            registry: suite.registry(),
            factory,
            contracts,
            fees,
            gas: 0,
            expected_cost: Wei::default(),
            max_cost: Wei::default(),
            balance: None,
            balance_after: None,
            blockers,
        };
        plan.sum_costs();
        plan.check_funds(node, request.fee_limits).await?;
        Ok(plan)
    }

    fn sum_costs(&mut self) {
        let (expected_price, max_price) =
            (self.fees.expected_gas_price(), self.fees.max_fee_per_gas);
        for row in &self.contracts {
            let (Some(gas), Some(fee)) = (row.gas, row.fee) else {
                continue;
            };
            let gas_cost = Wei::for_gas(gas, expected_price);
            let data_fee = fee.checked_sub(gas_cost).unwrap_or_default();
            let max = Wei::for_gas(row.gas_limit, max_price).saturating_add(data_fee);
            self.gas += gas;
            self.expected_cost = self.expected_cost.saturating_add(fee);
            self.max_cost = self.max_cost.saturating_add(max);
        }
        if let Some(funding) = self.factory.funding {
            let transfer = |price| Wei::for_gas(TRANSFER_GAS, price).saturating_add(funding);
            self.gas += TRANSFER_GAS;
            self.expected_cost = self.expected_cost.saturating_add(transfer(expected_price));
            self.max_cost = self.max_cost.saturating_add(transfer(max_price));
        }
    }

    /// Adds blockers for the sender's balance and the fee limit.
    async fn check_funds(&mut self, node: &Node, limits: FeeLimits) -> Result<(), Error> {
        let nothing_to_send = self.gas == 0;
        if let Some(sender) = self.sender {
            let balance = Wei(node.balance(sender).await?);
            self.balance = Some(balance);
            self.balance_after = balance.checked_sub(self.expected_cost);
            if let (Some(shortfall), false) = (self.max_cost.checked_sub(balance), nothing_to_send)
                && shortfall > Wei::default()
            {
                self.blockers.push(Blocker::InsufficientFunds { shortfall });
            }
        }
        if let (Some(limit), false) = (limits.max_fee_per_gas, nothing_to_send)
            && !self.fees.covers_base_fee()
        {
            self.blockers.push(Blocker::FeeLimit(FeeLimitExceeded {
                fee: FeeKind::MaxFeePerGas,
                needed: self.fees.base_fee_per_gas,
                limit,
            }));
        }
        Ok(())
    }
}

async fn contract_state(node: &Node, target: &Target) -> Result<ContractState, Error> {
    let code = node.code(target.address()).await?;
    Ok(if code.is_empty() {
        ContractState::Missing
    } else if code == target.runtime() {
        ContractState::Deployed
    } else {
        ContractState::Mismatch
    })
}

async fn plan_factory(
    node: &Node,
    deploy: bool,
    blockers: &mut Vec<Blocker>,
) -> Result<FactoryPlan, Error> {
    let code = node.code(FACTORY).await?;
    let mut plan = FactoryPlan {
        address: FACTORY,
        state: ContractState::Deployed,
        funding: None,
    };
    if code == FACTORY_CODE {
        return Ok(plan);
    }
    if !code.is_empty() {
        plan.state = ContractState::Mismatch;
        blockers.push(Blocker::FactoryMismatch);
        return Ok(plan);
    }
    plan.state = ContractState::Missing;
    if node.nonce(FactoryTransaction::SENDER).await? > 0 {
        blockers.push(Blocker::FactoryUndeployable);
    } else if deploy {
        let held = Wei(node.balance(FactoryTransaction::SENDER).await?);
        plan.funding = Some(
            FactoryTransaction::cost()
                .checked_sub(held)
                .unwrap_or_default(),
        );
    } else {
        blockers.push(Blocker::FactoryMissing {
            cost: FactoryTransaction::cost(),
            account: FactoryTransaction::SENDER,
        });
    }
    Ok(plan)
}
