//! Waiting until a transaction is confirmed.

use alloy::rpc::types::TransactionReceipt;
use alloy_primitives::B256;
use atr_registry::PollTimer;

use super::{
    Event,
    run::{RECHECKS, Run},
    task::Task,
};
use crate::{Error, Fees, storage::Entry};

/// The state of a signed transaction.
enum TransactionState {
    /// Included, with this many confirmations.
    Mined(Box<TransactionReceipt>, u64),
    /// Not included yet.
    Pending,
    /// The nonce is used and there is no receipt, but the task is done.
    Superseded,
    /// The nonce is used by another transaction, and the task is not done.
    NonceLost,
}

impl Run<'_> {
    /// Waits until the task is done and confirmed. `None` if another transaction did it.
    pub(super) async fn confirm(
        &mut self,
        task: &Task,
    ) -> Result<Option<TransactionReceipt>, Error> {
        let mut timer = PollTimer::new(self.executor.wait_policy);
        let mut rechecks = 0;
        loop {
            let Some(entry) = self.journal.entry(task.address).cloned() else {
                // Nothing was sent: the task was done already.
                return Ok(None);
            };
            match self.state(task, &entry).await? {
                TransactionState::Mined(receipt, confirmations) => {
                    rechecks = 0;
                    (self.observer)(Event::Mined {
                        contract: &task.label,
                        block: receipt.block_number.unwrap_or_default(),
                        confirmations,
                        required: self.executor.confirmations,
                    });
                    if confirmations >= self.executor.confirmations {
                        return self.finish(task, *receipt).await;
                    }
                }
                TransactionState::Pending => {
                    rechecks = 0;
                    if timer.should_rebroadcast() {
                        self.rebroadcast(task, entry.clone()).await?;
                    }
                }
                TransactionState::Superseded => {
                    rechecks += 1;
                    if rechecks > RECHECKS {
                        return Ok(None);
                    }
                }
                TransactionState::NonceLost => {
                    rechecks += 1;
                    if rechecks > RECHECKS {
                        (self.observer)(Event::NonceLost {
                            contract: &task.label,
                            nonce: entry.nonce,
                        });
                        self.journal.remove(task.address)?;
                        self.send(task).await?;
                        rechecks = 0;
                    }
                }
            }
            if !timer.sleep().await {
                return Err(self.still_pending(task, &entry).await);
            }
        }
    }

    /// Handles a confirmed transaction: it succeeded, another account was first, or it reverted.
    async fn finish(
        &mut self,
        task: &Task,
        receipt: TransactionReceipt,
    ) -> Result<Option<TransactionReceipt>, Error> {
        if receipt.status() {
            return Ok(Some(receipt));
        }
        self.journal.remove(task.address)?;
        if task.is_done(&self.executor.node).await? {
            return Ok(None);
        }
        Err(Error::Reverted {
            contract: task.label.clone(),
            transaction: receipt.transaction_hash,
        })
    }

    async fn state(&self, task: &Task, entry: &Entry) -> Result<TransactionState, Error> {
        let node = &self.executor.node;
        // Before the receipts, so that a transaction included in between counts as mined.
        let is_used = node.nonce(entry.sender).await? > entry.nonce;
        if let Some(receipt) = self.find_receipt(entry).await? {
            let head = node.block_number().await?;
            let block = receipt.block_number.unwrap_or(head);
            let confirmations = (head + 1).saturating_sub(block);
            return Ok(TransactionState::Mined(Box::new(receipt), confirmations));
        }
        if !is_used {
            return Ok(TransactionState::Pending);
        }
        Ok(if task.is_done(node).await? {
            TransactionState::Superseded
        } else {
            TransactionState::NonceLost
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

    /// Sends a pending transaction again, with a higher fee if it is below the base fee.
    async fn rebroadcast(&mut self, task: &Task, entry: Entry) -> Result<(), Error> {
        let fees = Fees::suggest(self.executor.node.provider(), self.executor.fee_limits).await?;
        let is_below_base_fee = entry.latest().max_fee_per_gas < fees.base_fee_per_gas;
        let entry = if is_below_base_fee {
            self.bump_fee(task, entry).await?
        } else {
            entry
        };
        self.broadcast(task, entry).await
    }

    async fn still_pending(&self, task: &Task, entry: &Entry) -> Error {
        let next = self.executor.node.nonce(entry.sender).await;
        Error::StillPending {
            contract: task.label.clone(),
            transaction: entry.latest().hash,
            nonce: entry.nonce,
            sender: entry.sender,
            missing_nonce: next.ok().filter(|next| *next < entry.nonce),
            journal: self.journal.path().to_owned(),
        }
    }
}
