//! Execution of a plan: send, confirm, check, record. A run can be interrupted at any step; the next run continues.

use std::path::{Path, PathBuf};

use alloy_primitives::{Address, B256};
use atr_rpc::{
    Call, Goal, Journal, MinedTransaction, Node, PollTimer, Run, SendOutcome, Signer, Transaction,
    TransactionRejection, TransactionSender, Wei,
};
use serde::Serialize;

use crate::{
    AuditStatus, ContractEntry, ContractState, Error, FACTORY, FactoryTransaction, Finding, Plan,
    PlannedContract, RecordFolder, Suite, Target, audit::Expected, factory, plan, storage,
};

/// Plans and executes the deployment of a suite.
#[derive(Debug)]
pub struct Executor {
    sender: TransactionSender,
    suite: Suite,
    deploy_factory: bool,
}

/// What an execution needs to sign transactions.
pub struct Signing<'a> {
    /// Signs the transactions.
    pub signer: &'a Signer<'a>,
    /// The journal of the signer.
    pub journal: &'a mut Journal,
    /// The most that all transactions together may cost.
    pub max_cost: Wei,
}

impl std::fmt::Debug for Signing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signing")
            .field("signer", &self.signer.address())
            .field("max_cost", &self.max_cost)
            .finish_non_exhaustive()
    }
}

/// A step of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub enum Event<'a> {
    /// A step of a transaction.
    Transaction(atr_rpc::Event<'a>),
    /// The contract passed all checks and is in the record.
    Recorded { contract: &'a str },
}

/// The result of an execution.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// The contracts in deployment order.
    pub contracts: Vec<DeployedContract>,
    /// The fees of all transactions, with the funding of the factory's sender.
    pub paid: Wei,
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
    /// The fee paid, including a rollup's data fee.
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
    /// Deploys a suite through a sender.
    #[must_use]
    pub const fn new(sender: TransactionSender, suite: Suite) -> Self {
        Self {
            sender,
            suite,
            deploy_factory: false,
        }
    }

    /// Deploys the CREATE2 factory if it is missing.
    #[must_use]
    pub const fn with_factory_deployment(mut self) -> Self {
        self.deploy_factory = true;
        self
    }

    /// The chain id.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.sender.profile().id
    }

    /// Opens the journal of an account. Transactions in the journal of an older version, beside the records, are moved to it.
    ///
    /// # Errors
    ///
    /// When another process holds the journal, or an RPC request or a file operation fails.
    pub async fn open_journal(
        &self,
        state: &Path,
        account: Address,
        records: &RecordFolder,
    ) -> Result<Journal, Error> {
        let genesis = self.sender.genesis().await?;
        let mut journal = Journal::open(state, self.chain_id(), account, genesis)?;
        let head = self.sender.node().block_number().await?;
        storage::import_old_journal(records.path(), &mut journal, head)?;
        Ok(journal)
    }

    /// Plans the deployment for a sender. Sends nothing.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn plan(
        &self,
        account: Option<Address>,
        journal: Option<&Journal>,
    ) -> Result<Plan, Error> {
        let request = plan::Request {
            suite: &self.suite,
            account,
            deploy_factory: self.deploy_factory,
        };
        Plan::build(&self.sender, journal, request).await
    }

    /// The calls of a plan, for a signer elsewhere. The deployment of the factory is not included.
    #[must_use]
    pub fn calls(&self, plan: &Plan) -> Vec<Call> {
        let rows = self.suite.targets().iter().zip(&plan.contracts);
        let missing = rows.filter(|(_, row)| row.state == ContractState::Missing);
        let calls = missing.map(|(target, _)| deploy_call(target, self.suite.salt()));
        calls.collect()
    }

    /// Executes a plan. After an interruption, another run continues and pays for nothing twice. Without a signer it only checks
    /// and records contracts.
    ///
    /// # Errors
    ///
    /// When the plan is blocked or a step fails. Pending transactions stay in the journal.
    pub async fn run(
        &self,
        plan: &Plan,
        signing: Option<Signing<'_>>,
        records: &RecordFolder,
        observer: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Deployment, Error> {
        if let Some(blocker) = plan.blockers.first() {
            return Err(Error::Blocked(blocker.clone()));
        }
        let on_event = |event: atr_rpc::Event<'_>| observer(Event::Transaction(event));
        let mut execution = Execution {
            executor: self,
            run: match signing {
                Some(Signing {
                    signer,
                    journal,
                    max_cost,
                }) => {
                    let start = self.sender.start(signer, journal, max_cost, &on_event);
                    Some(start.await?)
                }
                None => {
                    self.sender.node().chain_id(Some(self.chain_id())).await?;
                    None
                }
            },
            paid: Wei::default(),
        };
        let contracts = execution.deploy_all(plan, records, observer).await?;
        Ok(Deployment {
            contracts,
            paid: execution.paid,
            record: records.file(self.chain_id()),
        })
    }
}

pub(crate) fn deploy_call(target: &Target, salt: B256) -> Call {
    Call {
        to: FACTORY,
        value: Wei::default(),
        data: factory::call_data(salt, target.init_code()),
        description: target.name().to_owned(),
    }
}

struct Execution<'a> {
    executor: &'a Executor,
    run: Option<Run<'a>>,
    paid: Wei,
}

impl Execution<'_> {
    fn node(&self) -> &Node {
        self.executor.sender.node()
    }

    /// Sends all predicates before it waits for the first, so that they take one or two blocks. The registry comes before them:
    /// a predicate is not deployed for a registry without code.
    async fn deploy_all(
        &mut self,
        plan: &Plan,
        records: &RecordFolder,
        observer: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Vec<DeployedContract>, Error> {
        let suite = &self.executor.suite;
        let tasks: Vec<_> = suite
            .targets()
            .iter()
            .zip(&plan.contracts)
            .map(|(target, row)| (target, row.state, self.transaction(plan, target, row)))
            .collect();
        if let Some(run) = &mut self.run {
            let calls: Vec<_> = tasks.iter().map(|(.., task)| &task.call).collect();
            run.settle(&calls).await?;
        }
        if plan.factory.state == ContractState::Missing {
            self.reserve(plan, 0);
            self.deploy_factory(plan).await?;
        }
        let mut outcomes = Vec::new();
        let (first, rest) = tasks.split_at(
            tasks
                .iter()
                .take_while(|(target, ..)| target.address() == suite.registry())
                .count(),
        );
        let mut next = 0;
        for group in [first, rest] {
            for (_, state, task) in group {
                next += 1;
                if *state == ContractState::Missing {
                    self.reserve(plan, next);
                    let run = self.run.as_mut().ok_or(Error::NoSigner)?;
                    run.submit(task).await?;
                }
            }
            for (_, state, task) in group {
                outcomes.push(self.confirm(*state, task).await?);
            }
        }
        let mut deployed = Vec::new();
        for ((target, _, task), mined) in tasks.iter().zip(outcomes) {
            let contract = self.record(target, mined.as_deref(), records).await?;
            let findings = contract.findings.iter().map(|finding| finding.status);
            if AuditStatus::combine(findings) == AuditStatus::Pass {
                // After the record is written, so that the transaction is always in one of the two files.
                if let Some(run) = &mut self.run {
                    run.finish(&task.call)?;
                }
                observer(Event::Recorded {
                    contract: target.name(),
                });
            }
            deployed.push(contract);
        }
        Ok(deployed)
    }

    /// Keeps enough of the maximum cost for the contracts from this index on.
    fn reserve(&mut self, plan: &Plan, next: usize) {
        if let Some(run) = &mut self.run {
            run.reserve(plan.lowest_max_cost(next));
        }
    }

    fn transaction(&self, plan: &Plan, target: &Target, row: &PlannedContract) -> Transaction {
        Transaction {
            call: deploy_call(target, self.executor.suite.salt()),
            gas_limit: row.gas_limit,
            fees: plan.fees,
            max_data_fee: row.max_data_fee,
            once: true,
            goal: Some(Goal::Code(target.address())),
        }
    }

    /// Our transaction, if it deployed the contract.
    async fn confirm(
        &mut self,
        state: ContractState,
        task: &Transaction,
    ) -> Result<Option<Box<MinedTransaction>>, Error> {
        let Some(run) = &mut self.run else {
            return Ok(None);
        };
        // Sent by an earlier run: included, or another account deployed the contract first.
        if state != ContractState::Missing && !run.is_nonce_used(&task.call).await? {
            return Ok(None);
        }
        match run.confirm(task).await? {
            SendOutcome::Mined(mined) => {
                self.paid = self.paid.saturating_add(mined.fee.unwrap_or_default());
                Ok(Some(mined))
            }
            SendOutcome::Superseded => Ok(None),
        }
    }

    /// Checks a deployed contract and writes it to the record if it passes.
    async fn record(
        &self,
        target: &Target,
        mined: Option<&MinedTransaction>,
        records: &RecordFolder,
    ) -> Result<DeployedContract, Error> {
        let Executor { sender, suite, .. } = self.executor;
        if let Some(mined) = mined {
            self.wait_for_code(target, mined).await?;
        }
        let mut findings = Expected::from(target)
            .check(self.node(), target.address())
            .await?;
        findings.push(Finding::init_code_matches_address(target.init_code_hash()));
        let status = AuditStatus::combine(findings.iter().map(|finding| finding.status));
        if status == AuditStatus::Pass {
            let mined = mined.map(|mined| (mined.block, mined.transaction));
            let entry = ContractEntry::new(target, suite.salt(), mined);
            records.add(sender.profile().id, target.address(), entry)?;
        }
        Ok(DeployedContract {
            contract: target.name(),
            address: target.address(),
            transaction: mined.map(|mined| mined.transaction),
            block: mined.map(|mined| mined.block),
            gas_used: mined.and_then(|mined| mined.gas_used),
            fee: mined.and_then(|mined| mined.fee),
            findings,
        })
    }

    /// Waits until the node shows the code. Nodes behind a load balancer can be some blocks behind the one with the receipt.
    async fn wait_for_code(&self, target: &Target, mined: &MinedTransaction) -> Result<(), Error> {
        let policy = self.executor.sender.wait_policy();
        let mut timer = PollTimer::new(policy);
        while self.node().code(target.address()).await?.is_empty() {
            let is_late = self.node().block_number().await? > mined.block + policy.lag_blocks;
            if is_late || !timer.sleep().await {
                return Err(Error::NoCode {
                    contract: target.name().to_owned(),
                    address: target.address(),
                    transaction: mined.transaction,
                });
            }
        }
        Ok(())
    }

    /// Funds the sender of the presigned factory transaction and sends it. The node gets the transaction before the sender is
    /// funded: one that does not accept it for another reason would not accept it afterwards.
    async fn deploy_factory(&mut self, plan: &Plan) -> Result<(), Error> {
        let funding = plan.factory.funding.unwrap_or_default();
        let task = Transaction {
            call: Call {
                to: FactoryTransaction::SENDER,
                value: funding,
                data: Default::default(),
                description: "factory funding".to_owned(),
            },
            gas_limit: plan.factory.gas_limit,
            fees: plan.fees,
            max_data_fee: plan.factory.max_data_fee,
            // The goal keeps it from being repeated.
            once: false,
            goal: Some(Goal::Balance(
                FactoryTransaction::SENDER,
                FactoryTransaction::cost().0,
            )),
        };
        let is_accepted = self.send_factory_transaction().await?;
        if !is_accepted {
            let run = self.run.as_mut().ok_or(Error::NoSigner)?;
            run.submit(&task).await?;
            if let SendOutcome::Mined(mined) = run.confirm(&task).await? {
                let fee = mined.fee.unwrap_or_default();
                self.paid = self.paid.saturating_add(fee).saturating_add(funding);
            }
        }
        let mut timer = PollTimer::new(self.executor.sender.wait_policy());
        while self.node().code(FACTORY).await?.is_empty() {
            // Until the node sees the funds.
            let _ = self.send_factory_transaction().await?;
            if !timer.sleep().await {
                return Err(Error::FactoryNotDeployed {
                    account: FactoryTransaction::SENDER,
                });
            }
        }
        if let Some(run) = &mut self.run {
            run.finish(&task.call)?;
        }
        Ok(())
    }

    /// Sends the presigned transaction; `false` if its sender lacks funds.
    async fn send_factory_transaction(&self) -> Result<bool, Error> {
        let Err(error) = self.node().send_raw(&FactoryTransaction::RAW).await else {
            return Ok(true);
        };
        match TransactionRejection::from_error(&error) {
            Some((TransactionRejection::InsufficientFunds, _)) => Ok(false),
            Some((TransactionRejection::AlreadyKnown | TransactionRejection::NonceUsed, _)) => {
                Ok(true)
            }
            Some((_, message)) => Err(Error::FactoryRejected { message }),
            None => Err(atr_rpc::rpc_error("eth_sendRawTransaction")(error).into()),
        }
    }
}
