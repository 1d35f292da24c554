//! Waiting until a transaction is confirmed.

use std::time::Duration;

use super::{inclusion, run::Run};
use crate::{
    Call, Entry, Error, Event, MinedTransaction, PendingTransaction, PollTimer, SendOutcome,
    Transaction, node::Receipt,
};

/// The state of a signed transaction.
enum State {
    /// Included, with this many confirmations.
    Mined(Box<Receipt>, u64),
    /// In a block, but the node does not have the receipt yet.
    WithoutReceipt(MinedTransaction),
    /// Not included yet. `is_next` if no transaction before it is missing.
    Pending { is_next: bool },
    /// Another transaction in this block used the nonce.
    NonceLost {
        used_by: alloy_primitives::B256,
        confirmations: u64,
    },
    /// The nodes of the provider contradict each other: one of them lags behind.
    Lagging,
}

/// How long to wait for a receipt that is not needed, on a chain without new blocks.
const WAIT_FOR_RECEIPT: Duration = Duration::from_secs(2);

/// Fee raises of one wait.
#[derive(Default)]
struct Raises {
    /// The latest block when the last attempt was signed.
    since: Option<u64>,
    /// Why the fee was not raised.
    limit: Option<Error>,
}

impl Run<'_> {
    /// Waits until the transaction is included and confirmed, or its goal is reached by another one.
    ///
    /// # Errors
    ///
    /// When the transaction reverted, is still pending after the timeout, or an RPC request fails. The journal keeps a pending
    /// transaction.
    pub async fn confirm(&mut self, transaction: &Transaction) -> Result<SendOutcome, Error> {
        let policy = self.sender.wait_policy;
        let description = transaction.call.description.as_str();
        let mut timer = PollTimer::new(policy);
        let mut raises = Raises::default();
        let mut receipt_missing = None;
        loop {
            let Some(entry) = self.journal.entry(transaction.call.id()).cloned() else {
                // Nothing was sent: the goal was reached already.
                return Ok(SendOutcome::Superseded);
            };
            match self.state(&transaction.call, &entry).await? {
                State::Mined(receipt, confirmations) => {
                    (self.observer)(Event::Mined {
                        call: description,
                        block: receipt.receipt.block_number.unwrap_or_default(),
                        confirmations,
                        required: policy.confirmations,
                    });
                    if confirmations >= policy.confirmations {
                        return self.conclude(transaction, *receipt).await;
                    }
                }
                State::WithoutReceipt(mined) => {
                    let head = self.node().block_number().await?;
                    let (block, elapsed) = *receipt_missing.get_or_insert((head, timer.elapsed()));
                    let is_late = head > block + policy.lag_blocks
                        || timer.elapsed() >= elapsed + WAIT_FOR_RECEIPT;
                    // The receipt is needed only if nothing else shows the result.
                    if let Some(goal) = transaction.goal
                        && is_late
                        && goal.is_reached(self.node()).await?
                    {
                        return Ok(SendOutcome::Mined(Box::new(mined)));
                    }
                }
                State::Pending { is_next } => {
                    if self.is_unaccepted(entry.id) {
                        self.rebroadcast(transaction, &entry).await?;
                        // Blocks before the node accepted the transaction do not count.
                        raises.since = Some(self.node().block_number().await?);
                    } else if timer.should_rebroadcast() {
                        self.rebroadcast(transaction, &entry).await?;
                    } else if is_next {
                        self.raise_if_due(transaction, entry.clone(), &mut raises)
                            .await?;
                    }
                }
                State::NonceLost {
                    used_by,
                    confirmations,
                } if confirmations >= policy.confirmations => {
                    (self.observer)(Event::NonceLost {
                        call: description,
                        nonce: entry.nonce,
                        used_by,
                    });
                    self.journal.remove(entry.id)?;
                    self.budget.lose(entry.id);
                    let used = self.node().nonce(self.journal.account()).await?;
                    self.next_nonce = self.next_nonce.max(used).max(entry.nonce + 1);
                    raises = Raises::default();
                    self.submit(transaction).await?;
                }
                State::NonceLost { .. } | State::Lagging => {}
            }
            if !timer.sleep().await {
                return Err(self.still_pending(&entry, raises.limit).await);
            }
        }
    }

    /// Raises the fee of a transaction that the last blocks did not include.
    async fn raise_if_due(
        &mut self,
        transaction: &Transaction,
        entry: Entry,
        raises: &mut Raises,
    ) -> Result<(), Error> {
        let head = self.node().block_number().await?;
        // Replacements of an earlier run: their blocks are not known.
        let is_first = entry.attempts.len() == 1;
        let signed = if is_first { entry.block } else { head };
        let since = *raises.since.get_or_insert(signed);
        if head < since + self.sender.wait_policy.raise_blocks {
            return Ok(());
        }
        raises.since = Some(head);
        // Only our own transaction is replaced. Sending it again shows whether another one is pending.
        if !self.knows(&entry).await? {
            self.rebroadcast(transaction, &entry).await?;
            if self.is_occupied(entry.id) {
                return Ok(());
            }
        }
        match self.raise(transaction, entry).await {
            Ok(raised) => self.rebroadcast(transaction, &raised).await?,
            Err(error) if error.is_limit() => {
                if raises.limit.is_none() {
                    (self.observer)(Event::FeeLimited {
                        call: &transaction.call.description,
                    });
                }
                raises.limit = Some(error);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Handles a confirmed transaction: it succeeded, another account was first, or it reverted.
    async fn conclude(
        &mut self,
        transaction: &Transaction,
        receipt: Receipt,
    ) -> Result<SendOutcome, Error> {
        let id = transaction.call.id();
        let paid = receipt.fee();
        if receipt.receipt.status() {
            self.budget
                .settle(id, paid.saturating_add(transaction.call.value));
            return Ok(SendOutcome::Mined(Box::new(receipt.into_mined())));
        }
        self.budget.spend(id, paid);
        self.journal.remove(id)?;
        if let Some(goal) = transaction.goal
            && goal.is_reached(self.node()).await?
        {
            return Ok(SendOutcome::Superseded);
        }
        Err(Error::Reverted {
            call: transaction.call.description.clone(),
            transaction: receipt.receipt.transaction_hash,
            fee: paid,
            chain_id: self.chain_id(),
        })
    }

    async fn state(&self, call: &Call, entry: &Entry) -> Result<State, Error> {
        let node = self.node();
        let account = self.journal.account();
        // Before the receipts, so that a transaction included in between counts as mined.
        let count = node.nonce(account).await?;
        // Any attempt can be the included one.
        for attempt in entry.attempts.iter().rev() {
            if let Some(receipt) = node.receipt_with_fee(attempt.hash).await? {
                return self.mined(receipt).await;
            }
        }
        if count <= entry.nonce {
            return Ok(State::Pending {
                is_next: count == entry.nonce,
            });
        }
        let found = inclusion::find(node, account, entry.nonce, entry.block).await?;
        let Some((block, found)) = found else {
            return Ok(State::Lagging);
        };
        // The same call in a transaction that was signed elsewhere, for example a wallet, has the same effect.
        if entry.signed(found.hash) || found.makes(call) {
            if let Some(receipt) = node.receipt_with_fee(found.hash).await? {
                return self.mined(receipt).await;
            }
            return Ok(State::WithoutReceipt(MinedTransaction {
                transaction: found.hash,
                block,
                gas_used: None,
                fee: None,
                logs: Vec::new(),
            }));
        }
        let head = node.block_number().await?;
        Ok(State::NonceLost {
            used_by: found.hash,
            confirmations: (head + 1).saturating_sub(block),
        })
    }

    /// A receipt counts only if its block is in the chain of the node that reports the latest block.
    async fn mined(&self, receipt: Receipt) -> Result<State, Error> {
        let node = self.node();
        let number = receipt.receipt.block_number.unwrap_or_default();
        let block = node.block(&format!("{number:#x}"), false).await?;
        if block.and_then(|block| block.hash) != receipt.receipt.block_hash {
            return Ok(State::Lagging);
        }
        let head = node.block_number().await?;
        let confirmations = (head + 1).saturating_sub(number);
        Ok(State::Mined(Box::new(receipt), confirmations))
    }

    async fn still_pending(&self, entry: &Entry, limit: Option<Error>) -> Error {
        let account = self.journal.account();
        let next = self.node().nonce(account).await;
        Error::StillPending(Box::new(PendingTransaction {
            call: entry.description.clone(),
            transaction: entry.latest().hash,
            nonce: entry.nonce,
            account,
            missing_nonce: next.ok().filter(|next| *next < entry.nonce),
            fee_limit: limit,
            journal: self.journal.path().to_owned(),
        }))
    }

    /// Whether the journal has a transaction of the call whose nonce is used: it is included, or it never will be.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn is_nonce_used(&self, call: &Call) -> Result<bool, Error> {
        let Some(entry) = self.journal.entry(call.id()) else {
            return Ok(false);
        };
        Ok(self.node().nonce(self.journal.account()).await? > entry.nonce)
    }

    /// An error if no node has a pending transaction of an earlier run that this run does not continue: a later nonce would wait
    /// for it.
    pub(super) async fn check_for_gaps(&self) -> Result<(), Error> {
        let entries = self.journal.entries().iter();
        for entry in entries.filter(|entry| !self.budget.is_committed(entry.id)) {
            if self.node().nonce(self.journal.account()).await? <= entry.nonce {
                self.check_for_gap(entry).await?;
            }
        }
        Ok(())
    }

    async fn check_for_gap(&self, entry: &Entry) -> Result<(), Error> {
        if self.knows(entry).await? {
            return Ok(());
        }
        if self.node().pending_nonce(self.journal.account()).await? > entry.nonce {
            return Ok(());
        }
        Err(Error::EarlierTransaction {
            call: entry.description.clone(),
            transaction: entry.latest().hash,
            nonce: entry.nonce,
            journal: self.journal.path().to_owned(),
        })
    }

    /// Forgets finished transactions of earlier runs, except those that must not be repeated. Returns the pending ones.
    ///
    /// # Errors
    ///
    /// When an RPC request or a file operation fails.
    pub async fn settle(&mut self, current: &[&Call]) -> Result<Vec<Entry>, Error> {
        let account = self.journal.account();
        let mut pending = Vec::new();
        for entry in self.journal.entries().to_vec() {
            if current.iter().any(|call| call.id() == entry.id) {
                continue;
            }
            if self.node().nonce(account).await? <= entry.nonce {
                pending.push(entry);
                continue;
            }
            let mut is_included = false;
            for attempt in &entry.attempts {
                is_included |= self.node().receipt_with_fee(attempt.hash).await?.is_some();
            }
            let is_lost = !is_included
                && inclusion::find(self.node(), account, entry.nonce, entry.block)
                    .await?
                    .is_some_and(|(_, found)| !entry.signed(found.hash));
            if is_lost || (is_included && !entry.once) {
                self.journal.remove(entry.id)?;
            }
        }
        Ok(pending)
    }
}
