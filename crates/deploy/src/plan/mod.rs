//! The plan of a deployment: state, gas and cost of each contract, before anything is signed.

mod blocker;
mod preflight;

use alloy_primitives::{Address, B256};
use atr_rpc::{
    ChainProfile, DataFee, FeeKind, FeeLimitExceeded, Fees, Journal, Node, TransactionSender, Wei,
    gas_limit_with_margin,
};
use serde::Serialize;

pub use self::blocker::Blocker;
use crate::{
    Error, FACTORY, FactoryTransaction, Suite, Target, executor::deploy_call, factory::FACTORY_CODE,
};

/// Gas of a transfer of native currency on most chains.
const TRANSFER_GAS: u64 = 21_000;

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
    /// Cost at the gas limits and the highest gas price, replacements included. The sender must hold it.
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
    #[serde(skip)]
    pub(crate) gas_limit: u64,
    #[serde(skip)]
    pub(crate) max_data_fee: Wei,
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
    /// Fee of a rollup in addition to gas, with headroom.
    #[serde(skip)]
    pub(crate) max_data_fee: Wei,
    /// The most that the pending transaction can cost.
    #[serde(skip)]
    pending_cost: Wei,
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
    pub(crate) account: Option<Address>,
    pub(crate) deploy_factory: bool,
}

impl FactoryPlan {
    /// The cost of funding the sender at a gas price; `None` if the plan does not include it.
    fn max_cost(&self, price: u128) -> Option<Wei> {
        let cost = Wei::for_gas(self.gas_limit, price).saturating_add(self.max_data_fee);
        Some(cost.saturating_add(self.funding?))
    }
}

impl PlannedContract {
    /// The cost at the gas limit and a gas price; at least that of the pending transaction.
    fn max_cost(&self, price: u128) -> Wei {
        let cost = Wei::for_gas(self.gas_limit, price).saturating_add(self.max_data_fee);
        cost.max(self.pending_cost)
    }
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
        sender: &TransactionSender,
        journal: Option<&Journal>,
        request: Request<'_>,
    ) -> Result<Self, Error> {
        let Request { suite, account, .. } = request;
        let node = sender.node();
        let fees = sender.suggest_fees().await?;
        let data_fee = sender.data_fee().await?;
        let mut blockers = Vec::new();
        let factory = plan_factory(sender, data_fee, fees, request, &mut blockers).await?;
        let mut contracts = Vec::new();
        for target in suite.targets() {
            let call = deploy_call(target, suite.salt());
            let entry = journal.and_then(|journal| journal.entry(call.id()));
            let mut row = PlannedContract {
                contract: target.name(),
                address: target.address(),
                init_code_hash: target.init_code_hash(),
                state: contract_state(node, target).await?,
                pending: entry.map(|entry| entry.latest().hash),
                pending_cost: entry.map(|entry| entry.max_cost).unwrap_or_default(),
                gas: None,
                fee: None,
                gas_limit: 0,
                max_data_fee: Wei::default(),
            };
            match row.state {
                ContractState::Deployed => {}
                ContractState::Mismatch => blockers.push(Blocker::CodeMismatch {
                    contract: row.contract,
                    address: row.address,
                }),
                ContractState::Missing if factory.state == ContractState::Mismatch => {}
                ContractState::Missing => {
                    let gas =
                        preflight::deployment(node, suite.salt(), target, account, factory.state);
                    match gas.await? {
                        Ok(gas) => {
                            let extra = data_fee.in_wei(node, &call.data).await?;
                            row.gas = Some(gas);
                            row.gas_limit = gas_limit_with_margin(gas);
                            row.max_data_fee = DataFee::maximum(extra);
                            let charged = sender.profile().charged_gas(gas, row.gas_limit);
                            let cost = Wei::for_gas(charged, fees.expected_gas_price());
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
        check_registry(node, suite, &contracts, &mut blockers).await?;
        let mut plan = Self {
            chain_id: sender.profile().id,
            sender: account,
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
        plan.sum_costs(sender);
        plan.check_funds(sender).await?;
        Ok(plan)
    }

    fn sum_costs(&mut self, sender: &TransactionSender) {
        let expected_price = self.fees.expected_gas_price();
        let max_price = self.fees.highest_gas_price(sender.fee_limits());
        for row in &self.contracts {
            let (Some(gas), Some(fee)) = (row.gas, row.fee) else {
                continue;
            };
            self.gas += gas;
            self.expected_cost = self.expected_cost.saturating_add(fee);
            self.max_cost = self.max_cost.saturating_add(row.max_cost(max_price));
        }
        if let Some(cost) = self.factory.max_cost(expected_price) {
            self.gas += self.factory.gas_limit;
            self.expected_cost = self.expected_cost.saturating_add(cost);
        }
        let factory = self.factory.max_cost(max_price).unwrap_or_default();
        self.max_cost = self.max_cost.saturating_add(factory);
    }

    /// The lowest maximum cost with which the transactions of the contracts from this index on can be signed.
    pub(crate) fn lowest_max_cost(&self, first: usize) -> Wei {
        let price = self.fees.lowest_gas_price();
        let missing = |row: &&PlannedContract| row.state == ContractState::Missing;
        let rows = self.contracts.iter().skip(first).filter(missing);
        rows.fold(Wei::default(), |sum, row| {
            sum.saturating_add(row.max_cost(price))
        })
    }

    /// Adds blockers for the sender's balance and the fee limit.
    async fn check_funds(&mut self, sender: &TransactionSender) -> Result<(), Error> {
        let nothing_to_send = self.gas == 0;
        if let Some(account) = self.sender {
            let balance = sender.node().balance(account).await?;
            self.balance = Some(balance);
            self.balance_after = balance.checked_sub(self.expected_cost);
            if let (Some(shortfall), false) = (self.max_cost.checked_sub(balance), nothing_to_send)
                && shortfall > Wei::default()
            {
                self.blockers.push(Blocker::InsufficientFunds {
                    shortfall,
                    currency: sender.profile().currency,
                });
            }
        }
        if let (Some(limit), false) = (sender.fee_limits().max_fee_per_gas, nothing_to_send)
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

    /// Adds a blocker if the transactions cannot be signed within the maximum that the user set.
    pub fn check_max_cost(&mut self, limit: Wei) {
        let factory = self.factory.max_cost(self.fees.lowest_gas_price());
        let signed = self
            .lowest_max_cost(0)
            .saturating_add(factory.unwrap_or_default());
        let needed = signed.max(self.expected_cost);
        if needed > limit {
            self.blockers.push(Blocker::CostLimit {
                needed,
                limit,
                currency: ChainProfile::of(self.chain_id).currency,
            });
        }
    }
}

/// Adds a blocker if the registry of the predicates to deploy has no code, and the plan does not deploy it.
async fn check_registry(
    node: &Node,
    suite: &Suite,
    contracts: &[PlannedContract],
    blockers: &mut Vec<Blocker>,
) -> Result<(), Error> {
    let rows = suite.targets().iter().zip(contracts);
    let mut missing = rows.filter(|(_, row)| row.state == ContractState::Missing);
    let needs_registry = missing.any(|(target, _)| target.registry().is_some());
    let registry = suite.registry();
    let is_planned = contracts.iter().any(|row| row.address == registry);
    if needs_registry && !is_planned && node.code(registry).await?.is_empty() {
        blockers.push(Blocker::RegistryMissing { registry });
    }
    Ok(())
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
    sender: &TransactionSender,
    data_fee: DataFee,
    fees: Fees,
    request: Request<'_>,
    blockers: &mut Vec<Blocker>,
) -> Result<FactoryPlan, Error> {
    let node = sender.node();
    let code = node.code(FACTORY).await?;
    let mut plan = FactoryPlan {
        address: FACTORY,
        state: ContractState::Deployed,
        funding: None,
        gas_limit: 0,
        max_data_fee: Wei::default(),
    };
    if code == FACTORY_CODE {
        return Ok(plan);
    }
    if !code.is_empty() || !sender.profile().has_factory {
        plan.state = ContractState::Mismatch;
        blockers.push(Blocker::FactoryMismatch);
        return Ok(plan);
    }
    plan.state = ContractState::Missing;
    if node.nonce(FactoryTransaction::SENDER).await? > 0 {
        blockers.push(Blocker::FactoryUndeployable {
            message: "its deployment transaction failed before".to_owned(),
        });
    } else if !request.deploy_factory {
        blockers.push(Blocker::FactoryMissing {
            cost: FactoryTransaction::cost(),
            account: FactoryTransaction::SENDER,
        });
    } else if fees.base_fee_per_gas > FactoryTransaction::GAS_PRICE {
        blockers.push(Blocker::FactoryUndeployable {
            message: "the base fee is above the gas price of its deployment transaction".to_owned(),
        });
    } else if let Some(message) = preflight::factory_failure(node).await? {
        blockers.push(Blocker::FactoryUndeployable { message });
    } else {
        let held = node.balance(FactoryTransaction::SENDER).await?;
        plan.funding = Some(FactoryTransaction::cost().saturating_sub(held));
        let empty = Default::default();
        let additional = data_fee.in_gas(node, FactoryTransaction::SENDER, &empty);
        plan.gas_limit = TRANSFER_GAS.saturating_add(additional.await?);
        plan.max_data_fee = DataFee::maximum(data_fee.in_wei(node, &empty).await?);
    }
    Ok(plan)
}
