//! Waiting for a transaction, and understanding what became of it.

use alloy::rpc::types::TransactionReceipt;
use alloy_primitives::B256;
use atr_registry::Clock;

use super::{
    Event,
    job::Job,
    run::{DOUBTS, Run},
};
use crate::{Error, Fees, journal::Entry};

/// What has become of a transaction that was signed.
enum Fate {
    /// In a block, with so many confirmations.
    Mined(Box<TransactionReceipt>, u64),
    /// Not in a block, and still can be.
    Waiting,
    /// What it was for holds, and no receipt tells how.
    Overtaken,
    /// Its nonce is used up, and not by it.
    Lost,
}

impl Run<'_> {
    /// Waits until a job is done and confirmed. None when it was done by others, or nobody can tell how.
    pub(super) async fn settle(&mut self, job: &Job) -> Result<Option<TransactionReceipt>, Error> {
        let mut clock = Clock::new(self.executor.patience);
        let mut doubts = 0;
        loop {
            let Some(entry) = self.journal.entry(job.address).cloned() else {
                // Nothing was sent because somebody else had done it.
                return Ok(None);
            };
            match self.fate(job, &entry).await? {
                Fate::Mined(receipt, confirmations) => {
                    doubts = 0;
                    (self.observer)(Event::Mined {
                        contract: &job.label,
                        block: receipt.block_number.unwrap_or_default(),
                        confirmations,
                        wanted: self.executor.confirmations,
                    });
                    if confirmations >= self.executor.confirmations {
                        return self.outcome(job, *receipt).await;
                    }
                }
                Fate::Waiting => {
                    doubts = 0;
                    if clock.should_rebroadcast() {
                        self.nudge(job, entry.clone()).await?;
                    }
                }
                Fate::Overtaken => {
                    doubts += 1;
                    if doubts > DOUBTS {
                        return Ok(None);
                    }
                }
                Fate::Lost => {
                    doubts += 1;
                    if doubts > DOUBTS {
                        (self.observer)(Event::NonceLost {
                            contract: &job.label,
                            nonce: entry.nonce,
                        });
                        self.journal.remove(job.address)?;
                        self.send(job).await?;
                        doubts = 0;
                    }
                }
            }
            if !clock.tick().await {
                return Err(self.still_pending(job, &entry).await);
            }
        }
    }

    /// A transaction in a block for good: it worked, or somebody was faster, or it failed.
    async fn outcome(
        &mut self,
        job: &Job,
        receipt: TransactionReceipt,
    ) -> Result<Option<TransactionReceipt>, Error> {
        if receipt.status() {
            return Ok(Some(receipt));
        }
        self.journal.remove(job.address)?;
        if job.is_done(&self.executor.node).await? {
            return Ok(None);
        }
        Err(Error::Reverted {
            contract: job.label.clone(),
            transaction: receipt.transaction_hash,
        })
    }

    async fn fate(&self, job: &Job, entry: &Entry) -> Result<Fate, Error> {
        let node = &self.executor.node;
        // Asked before the receipts: a transaction mined in between is then seen as mined, not as lost.
        let is_used = node.nonce(entry.sender).await? > entry.nonce;
        if let Some(receipt) = self.find_receipt(entry).await? {
            let head = node.block_number().await?;
            let block = receipt.block_number.unwrap_or(head);
            let confirmations = (head + 1).saturating_sub(block);
            return Ok(Fate::Mined(Box::new(receipt), confirmations));
        }
        if !is_used {
            return Ok(Fate::Waiting);
        }
        Ok(if job.is_done(node).await? {
            Fate::Overtaken
        } else {
            Fate::Lost
        })
    }

    pub(super) async fn find_receipt(
        &self,
        entry: &Entry,
    ) -> Result<Option<TransactionReceipt>, Error> {
        let hashes = entry.attempts.iter().rev().map(|attempt| attempt.hash);
        for hash in hashes.collect::<Vec<B256>>() {
            let receipt = self.executor.node.receipt(hash).await?;
            if receipt
                .as_ref()
                .is_some_and(|receipt| receipt.block_number.is_some())
            {
                return Ok(receipt);
            }
        }
        Ok(None)
    }

    /// Reminds the node of a transaction it may have dropped; raises a fee the chain has outgrown.
    async fn nudge(&mut self, job: &Job, entry: Entry) -> Result<(), Error> {
        let fees = Fees::suggest(self.executor.node.provider(), self.executor.caps).await?;
        let is_outgrown = entry.latest().max_fee_per_gas < fees.base_fee_per_gas;
        let entry = if is_outgrown {
            self.raise(job, entry).await?
        } else {
            entry
        };
        self.broadcast(job, entry).await
    }

    async fn still_pending(&self, job: &Job, entry: &Entry) -> Error {
        let next = self.executor.node.nonce(entry.sender).await;
        let hint = match next {
            Ok(next) if next < entry.nonce => {
                format!(
                    ": nonce {next} of {} has to come first; if that transaction will never be sent, move {} away",
                    entry.sender,
                    self.journal.path().display()
                )
            }
            _ => String::new(),
        };
        Error::StillPending {
            contract: job.label.clone(),
            transaction: entry.latest().hash,
            nonce: entry.nonce,
            hint,
        }
    }
}
