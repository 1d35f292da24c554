//! One run of a plan.

use alloy::rpc::types::TransactionReceipt;
use atr_registry::{Clock, Draft, Signer, TransactionRejection};

use super::{Deployed, Event, Executor, job::Job};
use crate::{
    Error, FACTORY, FactoryState, Fees, Finding, Journal, Keyless, Plan, RecordFolder, State,
    Target, Verdict, Wei,
    inspect::Expected,
    journal::{Attempt, Entry},
    node::failed,
    record::ContractEntry,
};

/// Nodes behind one address may be a block apart: what looks final is asked so many times before it is believed.
pub(super) const DOUBTS: u32 = 5;

/// How often a fee is raised in a row before the node is told to be unreasonable.
const RAISES: u32 = 12;

pub(super) struct Run<'a> {
    pub(super) executor: &'a Executor,
    pub(super) signer: Option<&'a Signer<'a>>,
    pub(super) journal: &'a mut Journal,
    pub(super) observer: &'a (dyn Fn(Event<'_>) + Sync),
}

impl Run<'_> {
    /// Sends what is missing, all of it, then waits: ten contracts take a block or two, not ten.
    pub(super) async fn all(
        &mut self,
        plan: &Plan,
        records: &RecordFolder,
    ) -> Result<Vec<Deployed>, Error> {
        if plan.factory.state == FactoryState::Absent {
            self.deploy_factory(plan).await?;
        }
        let suite = &self.executor.suite;
        let jobs: Vec<_> = suite
            .targets()
            .iter()
            .zip(&plan.contracts)
            .map(|(target, row)| {
                (
                    target,
                    row.state,
                    Job::deploy(target, suite.salt(), row.gas_limit),
                )
            })
            .collect();
        for (_, state, job) in &jobs {
            if *state == State::Absent {
                self.send(job).await?;
            }
        }
        let mut deployed = Vec::new();
        for (target, state, job) in &jobs {
            let receipt = match (state, self.journal.entry(job.address)) {
                (State::Absent, _) => self.settle(job).await?,
                // Sent by an earlier run that did not live to record it: in a block by now, or overtaken by somebody else's.
                (_, Some(entry)) => match self.find_receipt(&entry.clone()).await? {
                    Some(_) => self.settle(job).await?,
                    None => None,
                },
                (_, None) => None,
            };
            deployed.push(self.conclude(target, receipt.as_ref(), records).await?);
        }
        Ok(deployed)
    }

    /// Checks a contract that should be there now, and writes it down if it is right.
    async fn conclude(
        &mut self,
        target: &Target,
        receipt: Option<&TransactionReceipt>,
        records: &RecordFolder,
    ) -> Result<Deployed, Error> {
        let Executor {
            chain_id,
            node,
            suite,
            ..
        } = self.executor;
        let mut findings = Expected::from(target)
            .inspect(node, target.address())
            .await?;
        for _ in 0..DOUBTS {
            if findings.len() > 1 {
                break;
            }
            Clock::new(self.executor.patience).tick().await;
            findings = Expected::from(target)
                .inspect(node, target.address())
                .await?;
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
        findings.push(Finding::judged(
            "init code",
            true,
            format!(
                "{}, which the address follows from",
                target.init_code_hash()
            ),
        ));
        if Verdict::of_all(findings.iter().map(|finding| finding.verdict)) == Verdict::Yes {
            let entry = ContractEntry::new(target, suite.salt(), mined);
            records.add(*chain_id, target.address(), entry)?;
            // Only now: whatever happens in between, one of the two files knows the transaction.
            self.journal.remove(target.address())?;
            (self.observer)(Event::Recorded {
                contract: target.name(),
            });
        }
        Ok(Deployed {
            contract: target.name(),
            address: target.address(),
            transaction: mined.map(|(_, transaction)| transaction),
            block: mined.map(|(block, _)| block),
            gas_used: receipt.map(|receipt| receipt.gas_used),
            fee: receipt.map(|receipt| Wei::of_gas(receipt.gas_used, receipt.effective_gas_price)),
            findings,
        })
    }

    /// Funds the account of the factory's transaction and sends that transaction.
    async fn deploy_factory(&mut self, plan: &Plan) -> Result<(), Error> {
        let funding = plan.factory.funding.unwrap_or_default();
        let job = Job::fund_factory(funding.0);
        if !job.is_done(&self.executor.node).await? {
            self.send(&job).await?;
            self.settle(&job).await?;
        }
        self.journal.remove(job.address)?;
        if !job.is_done(&self.executor.node).await? {
            return Err(Error::FactoryUnpaid {
                cost: Keyless::cost(),
                account: Keyless::SENDER,
            });
        }
        let refused = |message| Error::Refused {
            contract: "the factory".to_owned(),
            message,
        };
        if let Err(error) = self.executor.node.send_raw(&Keyless::RAW).await {
            match TransactionRejection::of(&error) {
                Some((TransactionRejection::AlreadyKnown | TransactionRejection::NonceUsed, _)) => {
                }
                Some((_, message)) => return Err(refused(message)),
                None => return Err(failed("eth_sendRawTransaction")(error)),
            }
        }
        let mut clock = Clock::new(self.executor.patience);
        while self.executor.node.code(FACTORY).await?.is_empty() {
            if !clock.tick().await {
                return Err(refused("it was sent and is in no block yet".to_owned()));
            }
        }
        Ok(())
    }

    /// Gets a transaction on its way: the one that is in the journal, or else a new one.
    pub(super) async fn send(&mut self, job: &Job) -> Result<(), Error> {
        if let Some(entry) = self.journal.entry(job.address).cloned() {
            (self.observer)(Event::Resumed {
                contract: &job.label,
                transaction: entry.latest().hash,
            });
            return self.broadcast(job, entry).await;
        }
        if job.is_done(&self.executor.node).await? {
            return Ok(());
        }
        let signer = self.signer.ok_or(Error::NoSigner)?;
        let sender = signer.address();
        let pending = self.executor.node.pending_nonce(sender).await?;
        let nonce = pending.max(self.journal.first_free_nonce(sender));
        let fees = Fees::suggest(self.executor.node.provider(), self.executor.caps).await?;
        let signed = self.draft(job, nonce).sign(signer, fees).await?;
        let entry = Entry {
            contract: job.label.clone(),
            address: job.address,
            sender,
            nonce,
            attempts: vec![Attempt::of(signed, fees)],
        };
        self.journal.put(entry.clone())?;
        (self.observer)(Event::Signed {
            contract: &job.label,
            transaction: entry.latest().hash,
            nonce,
        });
        self.broadcast(job, entry).await
    }

    fn draft(&self, job: &Job, nonce: u64) -> Draft {
        Draft {
            chain_id: self.executor.chain_id,
            nonce,
            gas_limit: job.gas_limit,
            to: job.to,
            value: job.value,
            input: job.input.clone(),
        }
    }

    /// Hands the latest attempt to the node, at a higher fee if it insists.
    pub(super) async fn broadcast(&mut self, job: &Job, mut entry: Entry) -> Result<(), Error> {
        for _ in 0..RAISES {
            let refusal = match self.executor.node.send_raw(&entry.latest().raw).await {
                Ok(_) => None,
                Err(error) => match TransactionRejection::of(&error) {
                    Some(refusal) => Some(refusal),
                    None => return Err(failed("eth_sendRawTransaction")(error)),
                },
            };
            match refusal {
                // What became of a used nonce is found out while waiting.
                None
                | Some((TransactionRejection::AlreadyKnown | TransactionRejection::NonceUsed, _)) =>
                {
                    (self.observer)(Event::Sent {
                        contract: &job.label,
                        transaction: entry.latest().hash,
                    });
                    return Ok(());
                }
                Some((TransactionRejection::Underpriced, _)) => {
                    entry = self.raise(job, entry).await?
                }
                Some((TransactionRejection::InsufficientFunds, message)) => {
                    return Err(Error::InsufficientFunds {
                        sender: entry.sender,
                        contract: job.label.clone(),
                        message,
                    });
                }
                Some((TransactionRejection::Other, message)) => {
                    return Err(Error::Refused {
                        contract: job.label.clone(),
                        message,
                    });
                }
            }
        }
        Err(Error::Refused {
            contract: job.label.clone(),
            message: "it asks for more however much is offered".to_owned(),
        })
    }

    /// Signs the same transaction at a higher fee, under the same nonce, so that only one of them can ever be paid for.
    pub(super) async fn raise(&mut self, job: &Job, mut entry: Entry) -> Result<Entry, Error> {
        let signer = self.signer.ok_or(Error::NoSigner)?;
        if entry.sender != signer.address() {
            return Err(Error::OtherSender {
                contract: job.label.clone(),
                sender: entry.sender,
            });
        }
        let caps = self.executor.caps;
        let latest = entry.latest();
        let earlier = (latest.max_fee_per_gas, latest.max_priority_fee_per_gas);
        let fees = Fees::suggest(self.executor.node.provider(), caps).await?;
        let fees = fees
            .replacing(earlier, caps)
            .map_err(|short| Error::FeeAboveCap {
                contract: job.label.clone(),
                needed: short.needed,
                cap: short.cap,
                flag: short.flag,
            })?;
        let signed = self.draft(job, entry.nonce).sign(signer, fees).await?;
        entry.attempts.push(Attempt::of(signed, fees));
        self.journal.put(entry.clone())?;
        (self.observer)(Event::Replaced {
            contract: &job.label,
            transaction: entry.latest().hash,
            max_fee_per_gas: fees.max_fee_per_gas,
        });
        Ok(entry)
    }
}
