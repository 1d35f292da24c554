//! Execution of a plan: sign, write to the journal, send, confirm, check, record. A run can be interrupted at any step; the next
//! run continues.

mod confirm;
mod event;
mod run;
mod task;

use std::path::PathBuf;

use alloy::network::TxSigner;
use alloy_primitives::{Address, B256, Signature};
use serde::Serialize;

pub use self::event::Event;

use self::run::Run;
use crate::{
    AuditStatus, Error, FeeLimits, Finding, Journal, Node, Plan, RecordFolder, Suite, WaitPolicy,
    Wei, plan,
};

/// Plans and executes the deployment of a suite through one node.
#[derive(Debug)]
pub struct Executor {
    pub(crate) node: Node,
    pub(crate) chain_id: u64,
    pub(crate) suite: Suite,
    pub(crate) fee_limits: FeeLimits,
    pub(crate) confirmations: u64,
    pub(crate) wait_policy: WaitPolicy,
    deploy_factory: bool,
}

/// The result of an execution.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// The contracts in deployment order.
    pub contracts: Vec<DeployedContract>,
    /// Path of the record.
    pub record: PathBuf,
}

/// One contract after an execution.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct DeployedContract {
    pub contract: &'static str,
    pub address: Address,
    /// Our transaction; `None` if the contract existed before or another account deployed it.
    pub transaction: Option<B256>,
    pub block: Option<u64>,
    pub gas_used: Option<u64>,
    /// Gas cost, without a rollup's data fee.
    pub fee: Option<Wei>,
    /// Checks of the deployed contract.
    pub findings: Vec<Finding>,
}

impl Deployment {
    /// The combined result of all checks.
    #[must_use]
    pub fn status(&self) -> AuditStatus {
        let findings = self
            .contracts
            .iter()
            .flat_map(|contract| &contract.findings);
        AuditStatus::combine(findings.map(|finding| finding.status))
    }
}

impl Executor {
    /// Requests the chain id and compares it with the expected one.
    ///
    /// # Errors
    ///
    /// When the RPC request fails or the node is not on the expected chain.
    pub async fn try_new(node: Node, suite: Suite, expected: Option<u64>) -> Result<Self, Error> {
        let chain_id = check_chain(&node, expected).await?;
        Ok(Self {
            node,
            chain_id,
            suite,
            fee_limits: FeeLimits::default(),
            confirmations: 1,
            wait_policy: WaitPolicy::default(),
            deploy_factory: false,
        })
    }

    /// Sets the fee limits.
    #[must_use]
    pub const fn with_fee_limits(mut self, limits: FeeLimits) -> Self {
        self.fee_limits = limits;
        self
    }

    /// Sets the confirmations to wait for. The block of the transaction is the first.
    #[must_use]
    pub const fn with_confirmations(mut self, confirmations: u64) -> Self {
        self.confirmations = confirmations;
        self
    }

    /// Sets how to wait for a transaction.
    #[must_use]
    pub const fn with_wait_policy(mut self, policy: WaitPolicy) -> Self {
        self.wait_policy = policy;
        self
    }

    /// Deploys the CREATE2 factory if it is missing.
    #[must_use]
    pub const fn with_factory_deployment(mut self) -> Self {
        self.deploy_factory = true;
        self
    }

    /// The node's chain id.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// Plans the deployment for a sender. Sends nothing.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn plan(
        &self,
        sender: Option<Address>,
        journal: Option<&Journal>,
    ) -> Result<Plan, Error> {
        let request = plan::Request {
            suite: &self.suite,
            sender,
            fee_limits: self.fee_limits,
            deploy_factory: self.deploy_factory,
        };
        Plan::build(&self.node, self.chain_id, journal, request).await
    }

    /// Executes a plan. After an interruption, another run continues and pays for nothing twice. Without a signer it only
    /// continues with transactions that are already signed, and checks and records contracts.
    ///
    /// # Errors
    ///
    /// When the plan is blocked or a step fails. Pending transactions stay in the journal.
    pub async fn run(
        &self,
        plan: &Plan,
        signer: Option<&(dyn TxSigner<Signature> + Send + Sync)>,
        journal: &mut Journal,
        records: &RecordFolder,
        observer: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Deployment, Error> {
        if let Some(blocker) = plan.blockers.first() {
            return Err(Error::Blocked(blocker.clone()));
        }
        // A load balancer can route to a node on another chain. A transaction on the wrong chain cannot be undone.
        check_chain(&self.node, Some(self.chain_id)).await?;
        let mut run = Run {
            executor: self,
            signer,
            journal,
            observer,
        };
        let contracts = run.deploy_all(plan, records).await?;
        Ok(Deployment {
            contracts,
            record: records.file(self.chain_id),
        })
    }
}

pub(crate) async fn check_chain(node: &Node, expected: Option<u64>) -> Result<u64, Error> {
    let found = node.chain_id().await?;
    match expected {
        Some(expected) if expected != found => Err(Error::WrongChain { expected, found }),
        _ => Ok(found),
    }
}
