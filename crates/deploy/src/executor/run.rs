//! One execution of a plan.

use alloy::rpc::types::TransactionReceipt;
use atr_registry::{PollTimer, Signer, TransactionRejection, UnsignedTransaction};

use super::{DeployedContract, Event, Executor, task::Task};
use crate::{
    AuditStatus, ContractEntry, ContractState, Error, FACTORY, FactoryTransaction, Fees, Finding,
    Journal, Plan, RecordFolder, Target, Wei,
    audit::Expected,
    node::rpc_error,
    storage::{Attempt, Entry},
};

/// Nodes behind a load balancer can be a block apart: an unexpected state must be seen more often than this before it counts.
pub(super) const RECHECKS: u32 = 5;

/// Maximum consecutive fee bumps.
const MAX_FEE_BUMPS: u32 = 12;

pub(super) struct Run<'a> {
    pub(super) executor: &'a Executor,
    pub(super) signer: Option<&'a Signer<'a>>,
    pub(super) journal: &'a mut Journal,
    pub(super) observer: &'a (dyn Fn(Event<'_>) + Sync),
}

impl Run<'_> {
    /// Sends all transactions before it waits for the first, so ten contracts take one or two blocks.
    pub(super) async fn deploy_all(
        &mut self,
        plan: &Plan,
        records: &RecordFolder,
    ) -> Result<Vec<DeployedContract>, Error> {
        if plan.factory.state == ContractState::Missing {
            self.deploy_factory(plan).await?;
        }
        let suite = &self.executor.suite;
        let tasks: Vec<_> = suite
            .targets()
            .iter()
            .zip(&plan.contracts)
            .map(|(target, row)| {
                (
                    target,
                    row.state,
                    Task::deploy(target, suite.salt(), row.gas_limit),
                )
            })
            .collect();
        for (_, state, task) in &tasks {
            if *state == ContractState::Missing {
                self.send(task).await?;
            }
        }
        let mut deployed = Vec::new();
        for (target, state, task) in &tasks {
            let receipt = match (state, self.journal.entry(task.address)) {
                (ContractState::Missing, _) => self.confirm(task).await?,
                // Sent by an earlier run: included, or another account deployed the contract first.
                (_, Some(entry)) => match self.find_receipt(&entry.clone()).await? {
                    Some(_) => self.confirm(task).await?,
                    None => None,
                },
                (_, None) => None,
            };
            deployed.push(self.record(target, receipt.as_ref(), records).await?);
        }
        Ok(deployed)
    }

    /// Checks a deployed contract and writes it to the record if it passes.
    async fn record(
        &mut self,
        target: &Target,
        receipt: Option<&TransactionReceipt>,
        records: &RecordFolder,
    ) -> Result<DeployedContract, Error> {
        let Executor {
            chain_id,
            node,
            suite,
            ..
        } = self.executor;
        let expected = Expected::from(target);
        let mut findings = expected.check(node, target.address()).await?;
        for _ in 0..RECHECKS {
            if findings.len() > 1 {
                break;
            }
            PollTimer::new(self.executor.wait_policy).sleep().await;
            findings = expected.check(node, target.address()).await?;
        }
        let mined =
            receipt.and_then(|receipt| Some((receipt.block_number?, receipt.transaction_hash)));
        if let (1, Some((_, transaction))) = (findings.len(), mined) {
            return Err(Error::NoCode {
                contract: target.name().to_owned(),
                address: target.address(),
                transaction,
            });
        }
        findings.push(Finding::init_code_matches_address(target.init_code_hash()));
        let status = AuditStatus::combine(findings.iter().map(|finding| finding.status));
        if status == AuditStatus::Pass {
            let entry = ContractEntry::new(target, suite.salt(), mined);
            records.add(*chain_id, target.address(), entry)?;
            // After the record is written, so that the transaction is always in one of the two files.
            self.journal.remove(target.address())?;
            (self.observer)(Event::Recorded {
                contract: target.name(),
            });
        }
        Ok(DeployedContract {
            contract: target.name(),
            address: target.address(),
            transaction: mined.map(|(_, transaction)| transaction),
            block: mined.map(|(block, _)| block),
            gas_used: receipt.map(|receipt| receipt.gas_used),
            fee: receipt.map(|receipt| Wei::for_gas(receipt.gas_used, receipt.effective_gas_price)),
            findings,
        })
    }

    /// Funds the sender of the presigned factory transaction and sends it.
    async fn deploy_factory(&mut self, plan: &Plan) -> Result<(), Error> {
        let funding = plan.factory.funding.unwrap_or_default();
        let task = Task::fund_factory(funding.0);
        if !task.is_done(&self.executor.node).await? {
            self.send(&task).await?;
            self.confirm(&task).await?;
        }
        self.journal.remove(task.address)?;
        if !task.is_done(&self.executor.node).await? {
            return Err(Error::FactoryUnfunded {
                cost: FactoryTransaction::cost(),
                account: FactoryTransaction::SENDER,
            });
        }
        let rejected = |message| Error::TransactionRejected {
            contract: "the CREATE2 factory".to_owned(),
            message,
        };
        if let Err(error) = self.executor.node.send_raw(&FactoryTransaction::RAW).await {
            match TransactionRejection::from_error(&error) {
                Some((TransactionRejection::AlreadyKnown | TransactionRejection::NonceUsed, _)) => {
                }
                Some((_, message)) => return Err(rejected(message)),
                None => return Err(rpc_error("eth_sendRawTransaction")(error)),
            }
        }
        let mut timer = PollTimer::new(self.executor.wait_policy);
        while self.executor.node.code(FACTORY).await?.is_empty() {
            if !timer.sleep().await {
                return Err(rejected("it is still pending".to_owned()));
            }
        }
        Ok(())
    }

    /// Sends the transaction in the journal, or signs a new one.
    pub(super) async fn send(&mut self, task: &Task) -> Result<(), Error> {
        if let Some(entry) = self.journal.entry(task.address).cloned() {
            (self.observer)(Event::Resumed {
                contract: &task.label,
                transaction: entry.latest().hash,
            });
            return self.broadcast(task, entry).await;
        }
        if task.is_done(&self.executor.node).await? {
            return Ok(());
        }
        let signer = self.signer.ok_or(Error::NoSigner)?;
        let sender = signer.address();
        let pending = self.executor.node.pending_nonce(sender).await?;
        let nonce = pending.max(self.journal.first_free_nonce(sender));
        let fees = Fees::suggest(self.executor.node.provider(), self.executor.fee_limits).await?;
        let signed = self.unsigned(task, nonce).sign(signer, fees).await?;
        let entry = Entry {
            contract: task.label.clone(),
            address: task.address,
            sender,
            nonce,
            attempts: vec![Attempt::new(signed, fees)],
        };
        self.journal.put(entry.clone())?;
        (self.observer)(Event::Signed {
            contract: &task.label,
            transaction: entry.latest().hash,
            nonce,
        });
        self.broadcast(task, entry).await
    }

    fn unsigned(&self, task: &Task, nonce: u64) -> UnsignedTransaction {
        UnsignedTransaction {
            chain_id: self.executor.chain_id,
            nonce,
            gas_limit: task.gas_limit,
            to: task.to,
            value: task.value,
            input: task.input.clone(),
        }
    }

    /// Sends the latest attempt, with a higher fee if the node requires it.
    pub(super) async fn broadcast(&mut self, task: &Task, mut entry: Entry) -> Result<(), Error> {
        for _ in 0..MAX_FEE_BUMPS {
            let rejection = match self.executor.node.send_raw(&entry.latest().raw).await {
                Ok(_) => None,
                Err(error) => match TransactionRejection::from_error(&error) {
                    Some(rejection) => Some(rejection),
                    None => return Err(rpc_error("eth_sendRawTransaction")(error)),
                },
            };
            match rejection {
                // Confirmation finds out which transaction used the nonce.
                None
                | Some((TransactionRejection::AlreadyKnown | TransactionRejection::NonceUsed, _)) =>
                {
                    (self.observer)(Event::Sent {
                        contract: &task.label,
                        transaction: entry.latest().hash,
                    });
                    return Ok(());
                }
                Some((TransactionRejection::Underpriced, _)) => {
                    entry = self.bump_fee(task, entry).await?;
                }
                Some((TransactionRejection::InsufficientFunds, message)) => {
                    return Err(Error::InsufficientFunds {
                        sender: entry.sender,
                        contract: task.label.clone(),
                        message,
                    });
                }
                Some((TransactionRejection::Other, message)) => {
                    return Err(Error::TransactionRejected {
                        contract: task.label.clone(),
                        message,
                    });
                }
            }
        }
        Err(Error::TransactionRejected {
            contract: task.label.clone(),
            message: "still underpriced after the maximum number of fee bumps".to_owned(),
        })
    }

    /// Signs a replacement with a higher fee and the same nonce, so that only one of them can be included.
    pub(super) async fn bump_fee(&mut self, task: &Task, mut entry: Entry) -> Result<Entry, Error> {
        let signer = self.signer.ok_or(Error::NoSigner)?;
        if entry.sender != signer.address() {
            return Err(Error::SenderMismatch {
                contract: task.label.clone(),
                sender: entry.sender,
            });
        }
        let limits = self.executor.fee_limits;
        let latest = entry.latest();
        let previous = (latest.max_fee_per_gas, latest.max_priority_fee_per_gas);
        let fees = Fees::suggest(self.executor.node.provider(), limits).await?;
        let fees = fees
            .replacement(previous, limits)
            .map_err(|exceeded| Error::FeeLimit {
                contract: task.label.clone(),
                exceeded,
            })?;
        let signed = self.unsigned(task, entry.nonce).sign(signer, fees).await?;
        entry.attempts.push(Attempt::new(signed, fees));
        self.journal.put(entry.clone())?;
        (self.observer)(Event::Replaced {
            contract: &task.label,
            transaction: entry.latest().hash,
            max_fee_per_gas: fees.max_fee_per_gas,
        });
        Ok(entry)
    }
}
