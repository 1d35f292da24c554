//! What a deployment would do and cost, before anything is signed.

use alloy_primitives::{Address, B256};
use atr_registry::{DataFee, with_margin};
use serde::Serialize;

use crate::{
    Blocker, Error, FACTORY, FeeLimits, Fees, Journal, Keyless, Node, Suite, Target, Wei, estimate,
    factory::FACTORY_CODE,
};

/// Gas of a plain transfer.
pub(crate) const TRANSFER_GAS: u64 = 21_000;

/// A plan: look at it, then hand it to an [`Executor`](crate::Executor).
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The chain, as the node says.
    pub chain_id: u64,
    /// Who would pay.
    pub sender: Option<Address>,
    /// The salt.
    pub salt: B256,
    /// The registry the predicates serve.
    pub registry: Address,
    /// The factory, and what it takes to have it.
    pub factory: FactoryPlan,
    /// The contracts, in the order they are deployed.
    pub contracts: Vec<PlannedContract>,
    /// What each transaction would offer.
    pub fees: Fees,
    /// Gas of everything that is to be sent.
    pub gas: u64,
    /// What it likely costs.
    pub total: Wei,
    /// What it costs at worst; the account must hold this much.
    pub at_most: Wei,
    /// What the account holds.
    pub balance: Option<Wei>,
    /// What it likely holds afterwards.
    pub balance_after: Option<Wei>,
    /// Why it cannot be carried out; empty when it can.
    pub blockers: Vec<Blocker>,
}

/// The factory in a plan.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FactoryPlan {
    /// Where it is or would be.
    pub address: Address,
    /// Whether it is there.
    pub state: FactoryState,
    /// What its own account still needs for the keyless deployment, if that is part of the plan.
    pub funding: Option<Wei>,
}

/// Whether the factory is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FactoryState {
    /// It is.
    Present,
    /// It is not.
    Absent,
    /// Something else is.
    Different,
}

/// One contract in a plan.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedContract {
    /// Its name.
    pub contract: &'static str,
    /// Where it is or will be.
    pub address: Address,
    /// What its address follows from.
    pub init_code_hash: B256,
    /// What is there now.
    pub state: State,
    /// The transaction an earlier run has signed for it, if any.
    pub pending: Option<B256>,
    /// Gas to deploy it, if it is absent.
    pub gas: Option<u64>,
    /// What that likely costs, publication on another chain included.
    pub fee: Option<Wei>,
    #[serde(skip)]
    pub(crate) gas_limit: u64,
}

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing.
    Absent,
    /// Exactly the code that belongs there.
    Matching,
    /// Other code.
    Different,
}

/// What a plan is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) sender: Option<Address>,
    pub(crate) caps: FeeLimits,
    pub(crate) with_factory: bool,
}

impl Plan {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.contracts
            .iter()
            .all(|row| row.state == State::Matching)
    }

    /// How many contracts are to be deployed.
    #[must_use]
    pub fn missing(&self) -> usize {
        let absent = |row: &&PlannedContract| row.state == State::Absent;
        self.contracts.iter().filter(absent).count()
    }

    pub(crate) async fn make(
        node: &Node,
        chain_id: u64,
        journal: Option<&Journal>,
        request: Request<'_>,
    ) -> Result<Self, Error> {
        let Request { suite, sender, .. } = request;
        let fees = Fees::suggest(node.provider(), request.caps).await?;
        let mut blockers = Vec::new();
        let factory = factory_plan(node, request.with_factory, &mut blockers).await?;
        let surcharge = DataFee::of(node.provider()).await?;
        let mut contracts = Vec::new();
        for target in suite.targets() {
            let mut row = PlannedContract {
                contract: target.name(),
                address: target.address(),
                init_code_hash: target.init_code_hash(),
                state: state_of(node, target).await?,
                pending: journal
                    .and_then(|journal| journal.entry(target.address()))
                    .map(|entry| entry.latest().hash),
                gas: None,
                fee: None,
                gas_limit: 0,
            };
            match row.state {
                State::Matching => {}
                State::Different => blockers.push(Blocker::CodeDiffers {
                    contract: row.contract,
                    address: row.address,
                }),
                State::Absent if factory.state == FactoryState::Different => {}
                State::Absent => {
                    match estimate::gas(node, suite.salt(), target, sender, factory.state).await? {
                        Ok(gas) => {
                            let data = target.init_code();
                            let extra = surcharge.of_data(node.provider(), data).await?;
                            row.gas = Some(gas);
                            row.gas_limit = with_margin(gas);
                            row.fee = Some(Wei::of_gas(gas, fees.likely()).plus(extra));
                        }
                        Err(message) => blockers.push(Blocker::WouldFail {
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
            total: Wei::default(),
            at_most: Wei::default(),
            balance: None,
            balance_after: None,
            blockers,
        };
        plan.add_up();
        plan.weigh(node, request.caps).await?;
        Ok(plan)
    }

    fn add_up(&mut self) {
        for row in &self.contracts {
            let (Some(gas), Some(fee)) = (row.gas, row.fee) else {
                continue;
            };
            let likely = Wei::of_gas(gas, self.fees.likely());
            let extra = fee.minus(likely).unwrap_or_default();
            self.gas += gas;
            self.total = self.total.plus(fee);
            let worst = Wei::of_gas(row.gas_limit, self.fees.max_fee_per_gas);
            self.at_most = self.at_most.plus(worst).plus(extra);
        }
        if let Some(funding) = self.factory.funding {
            let (likely, worst) = (self.fees.likely(), self.fees.max_fee_per_gas);
            let transfer = |price| Wei::of_gas(TRANSFER_GAS, price).plus(funding);
            self.gas += TRANSFER_GAS;
            self.total = self.total.plus(transfer(likely));
            self.at_most = self.at_most.plus(transfer(worst));
        }
    }

    /// Holds the plan against the account and the caps.
    async fn weigh(&mut self, node: &Node, caps: FeeLimits) -> Result<(), Error> {
        let nothing_to_send = self.gas == 0;
        if let Some(sender) = self.sender {
            let balance = Wei(node.balance(sender).await?);
            self.balance = Some(balance);
            self.balance_after = balance.minus(self.total);
            if let (Some(missing), false) = (self.at_most.minus(balance), nothing_to_send)
                && missing > Wei::default()
            {
                self.blockers.push(Blocker::InsufficientFunds { missing });
            }
        }
        if let (Some(cap), false) = (caps.max_fee_per_gas, nothing_to_send)
            && !self.fees.reaches_base_fee()
        {
            let base_fee = self.fees.base_fee_per_gas;
            self.blockers.push(Blocker::FeeAboveCap { base_fee, cap });
        }
        Ok(())
    }
}

pub(crate) async fn state_of(node: &Node, target: &Target) -> Result<State, Error> {
    let code = node.code(target.address()).await?;
    Ok(if code.is_empty() {
        State::Absent
    } else if code == target.runtime() {
        State::Matching
    } else {
        State::Different
    })
}

async fn factory_plan(
    node: &Node,
    wanted: bool,
    blockers: &mut Vec<Blocker>,
) -> Result<FactoryPlan, Error> {
    let code = node.code(FACTORY).await?;
    let mut plan = FactoryPlan {
        address: FACTORY,
        state: FactoryState::Present,
        funding: None,
    };
    if code == FACTORY_CODE {
        return Ok(plan);
    }
    if !code.is_empty() {
        plan.state = FactoryState::Different;
        blockers.push(Blocker::FactoryDiffers);
        return Ok(plan);
    }
    plan.state = FactoryState::Absent;
    if node.nonce(Keyless::SENDER).await? > 0 {
        blockers.push(Blocker::FactoryLost);
    } else if wanted {
        let held = Wei(node.balance(Keyless::SENDER).await?);
        plan.funding = Some(Keyless::cost().minus(held).unwrap_or_default());
    } else {
        blockers.push(Blocker::FactoryMissing {
            cost: Keyless::cost(),
            fund: Keyless::SENDER,
        });
    }
    Ok(plan)
}
