//! Carrying a plan out: sign, write down, send, wait, check, record. Every step may be the last one before the power goes;
//! the next run takes up where this one stopped.

mod event;
mod job;
mod run;
mod settle;

use std::path::PathBuf;

use alloy::network::TxSigner;
use alloy_primitives::{Address, B256, Signature};
use serde::Serialize;

pub use self::event::Event;

use self::run::Run;
use crate::{
    Error, FeeLimits, Finding, Journal, Node, Plan, RecordFolder, Suite, Verdict, WaitPolicy, Wei,
    plan,
};

/// Plans and carries out the deployment of a suite through one node.
#[derive(Debug)]
pub struct Executor {
    pub(crate) node: Node,
    pub(crate) chain_id: u64,
    pub(crate) suite: Suite,
    pub(crate) caps: FeeLimits,
    pub(crate) confirmations: u64,
    pub(crate) patience: WaitPolicy,
    with_factory: bool,
}

/// What a run leaves behind.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The contracts, in the order they were deployed.
    pub contracts: Vec<Deployed>,
    /// Where it is written down.
    pub record: PathBuf,
}

/// One contract after a run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployed {
    /// Its name.
    pub contract: &'static str,
    /// Where it is.
    pub address: Address,
    /// The transaction of ours that deployed it; none if it was there before, or somebody else was faster.
    pub transaction: Option<B256>,
    /// The block.
    pub block: Option<u64>,
    /// What it took.
    pub gas_used: Option<u64>,
    /// What was paid for the gas.
    pub fee: Option<Wei>,
    /// What was looked at afterwards.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// Whether everything is as it should be.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let findings = self.contracts.iter().flat_map(|one| &one.findings);
        Verdict::of_all(findings.map(|finding| finding.verdict))
    }
}

impl Executor {
    /// Asks the node which chain it is on and compares, before anything can be signed.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or is on another chain than the expected one.
    pub async fn try_new(node: Node, suite: Suite, expected: Option<u64>) -> Result<Self, Error> {
        let chain_id = expect_chain(&node, expected).await?;
        Ok(Self {
            node,
            chain_id,
            suite,
            caps: FeeLimits::default(),
            confirmations: 1,
            patience: WaitPolicy::default(),
            with_factory: false,
        })
    }

    /// Offers no more than this.
    #[must_use]
    pub const fn with_caps(mut self, caps: FeeLimits) -> Self {
        self.caps = caps;
        self
    }

    /// Waits for so many blocks, the one with the transaction included.
    #[must_use]
    pub const fn with_confirmations(mut self, confirmations: u64) -> Self {
        self.confirmations = confirmations;
        self
    }

    /// Waits in this manner.
    #[must_use]
    pub const fn with_wait_policy(mut self, patience: WaitPolicy) -> Self {
        self.patience = patience;
        self
    }

    /// Deploys the factory first, where it is missing.
    #[must_use]
    pub const fn with_factory(mut self) -> Self {
        self.with_factory = true;
        self
    }

    /// The chain the node is on.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// What would be done, and what it would cost this sender. Sends nothing.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn plan(
        &self,
        sender: Option<Address>,
        journal: Option<&Journal>,
    ) -> Result<Plan, Error> {
        let request = plan::Request {
            suite: &self.suite,
            sender,
            caps: self.caps,
            with_factory: self.with_factory,
        };
        Plan::make(&self.node, self.chain_id, journal, request).await
    }

    /// Carries a plan out. Made again after an interruption, it pays for nothing twice. Without a signer it does what needs
    /// none: taking up what was signed before, checking, recording.
    ///
    /// # Errors
    ///
    /// When something is in the way; the journal then knows what is on its way, and the same call takes it up again.
    pub async fn run(
        &self,
        plan: &Plan,
        signer: Option<&(dyn TxSigner<Signature> + Send + Sync)>,
        journal: &mut Journal,
        records: &RecordFolder,
        observer: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Outcome, Error> {
        if let Some(blocker) = plan.blockers.first() {
            return Err(Error::Blocked {
                reason: blocker.to_string(),
            });
        }
        // A node behind a balancer may be another one by now, and a wrong chain is the one mistake that cannot be mended.
        expect_chain(&self.node, Some(self.chain_id)).await?;
        let mut run = Run {
            executor: self,
            signer,
            journal,
            observer,
        };
        let contracts = run.all(plan, records).await?;
        Ok(Outcome {
            contracts,
            record: records.file(self.chain_id),
        })
    }
}

pub(crate) async fn expect_chain(node: &Node, expected: Option<u64>) -> Result<u64, Error> {
    let found = node.chain_id().await?;
    match expected {
        Some(expected) if expected != found => Err(Error::WrongChain { expected, found }),
        _ => Ok(found),
    }
}
