//! One run: signing and sending the transactions of a command.

use std::collections::BTreeSet;

use alloy_primitives::B256;

use super::{budget::Budget, signing::sign};
use crate::{
    Call, Entry, Error, Event, Fees, Journal, MinedTransaction, Node, PollTimer, SendOutcome,
    Signer, Transaction, TransactionRejection, TransactionSender, WaitPolicy, Wei,
};

/// Maximum fee raises until a node accepts a transaction.
const MAX_RAISES: u32 = 12;

/// How long to look for a rejected transaction. Nodes behind a load balancer can lag behind.
const WAIT_AFTER_REJECTION: std::time::Duration = std::time::Duration::from_secs(2);

/// A run of one signer. Every transaction is signed, written to the journal and only then sent.
pub struct Run<'a> {
    pub(super) sender: &'a TransactionSender,
    signer: &'a Signer<'a>,
    pub(super) journal: &'a mut Journal,
    pub(super) budget: Budget,
    pub(super) observer: &'a (dyn Fn(Event<'_>) + Sync),
    /// The lowest nonce that this run has not used and has not seen used.
    pub(super) next_nonce: u64,
    /// Calls whose transactions the node did not accept yet.
    unaccepted: BTreeSet<B256>,
    /// Calls whose nonce another pending transaction has.
    occupied: BTreeSet<B256>,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("journal", &self.journal)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// Where the transaction to send comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Just signed: no node has seen it.
    New,
    /// From the journal: an earlier run may have sent it.
    Journal,
}

impl<'a> Run<'a> {
    pub(super) const fn new(
        sender: &'a TransactionSender,
        signer: &'a Signer<'a>,
        journal: &'a mut Journal,
        max_cost: Wei,
        observer: &'a (dyn Fn(Event<'_>) + Sync),
    ) -> Self {
        Self {
            sender,
            signer,
            journal,
            budget: Budget::new(max_cost),
            observer,
            next_nonce: 0,
            unaccepted: BTreeSet::new(),
            occupied: BTreeSet::new(),
        }
    }

    pub(super) const fn node(&self) -> &'a Node {
        &self.sender.node
    }

    /// Keeps a part of the maximum cost for transactions that are submitted later.
    pub const fn reserve(&mut self, amount: Wei) {
        self.budget.reserved = amount;
    }

    /// Submits a transaction and waits until it is included.
    ///
    /// # Errors
    ///
    /// When the transaction cannot be sent or reverts. After [`Error::StillPending`] it can still be included in a block.
    pub async fn send(&mut self, transaction: &Transaction) -> Result<MinedTransaction, Error> {
        self.submit(transaction).await?;
        match self.confirm(transaction).await? {
            SendOutcome::Mined(mined) => Ok(*mined),
            SendOutcome::Superseded => unreachable!("only a transaction with a goal is superseded"),
        }
    }

    /// The transaction of a call that this or an earlier run signed.
    #[must_use]
    pub fn entry(&self, call: &Call) -> Option<&Entry> {
        self.journal.entry(call.id())
    }

    /// Forgets a call: its result is stored or shown, so no later run has to continue it.
    ///
    /// # Errors
    ///
    /// When a file operation fails.
    pub fn finish(&mut self, call: &Call) -> Result<(), Error> {
        self.journal.remove(call.id())
    }

    /// Sends the transaction in the journal, or signs and sends a new one. Sends nothing if the goal is reached.
    ///
    /// # Errors
    ///
    /// When the transaction cannot be signed or sent.
    pub async fn submit(&mut self, transaction: &Transaction) -> Result<(), Error> {
        let id = transaction.call.id();
        if let Some(entry) = self.journal.entry(id).cloned() {
            return self.resume(transaction, entry).await;
        }
        if let Some(goal) = transaction.goal
            && goal.is_reached(self.node()).await?
        {
            return Ok(());
        }
        self.sign_and_send(transaction).await
    }

    /// Sends a transaction that an earlier run signed, if it can still be included.
    async fn resume(&mut self, transaction: &Transaction, entry: Entry) -> Result<(), Error> {
        let call = &transaction.call;
        let is_nonce_used = self.is_nonce_used(call).await?;
        let available = self.budget.available(entry.id);
        if entry.max_cost > available && !is_nonce_used {
            return Err(Error::CostLimit {
                call: call.description.clone(),
                needed: entry.max_cost,
                available,
                chain_id: self.chain_id(),
            });
        }
        if is_nonce_used {
            self.budget.commit_earlier(entry.id, entry.max_cost);
        } else {
            self.budget.commit(entry.id, entry.max_cost);
        }
        (self.observer)(Event::Resumed {
            call: &call.description,
            transaction: entry.latest().hash,
        });
        // Polling finds out which transaction used the nonce.
        if is_nonce_used {
            return Ok(());
        }
        if self.is_displaced(&entry).await? {
            self.report_occupied(call, &entry);
            return Ok(());
        }
        self.broadcast(transaction, entry, Origin::Journal).await
    }

    /// Signs a transaction with the next nonce, writes it to the journal and sends it.
    pub(super) async fn sign_and_send(&mut self, transaction: &Transaction) -> Result<(), Error> {
        let call = &transaction.call;
        self.check_for_gaps().await?;
        let fees = self.affordable(transaction, transaction.fees)?;
        let pending = self.node().pending_nonce(self.signer.address()).await?;
        let nonce = pending
            .max(self.journal.first_free_nonce())
            .max(self.next_nonce);
        let block = self.node().block_number().await?;
        let attempt = self.sign(transaction, nonce, fees).await?;
        let entry = Entry {
            id: call.id(),
            description: call.description.clone(),
            once: transaction.once,
            nonce,
            block,
            gas_limit: transaction.gas_limit,
            max_cost: transaction.max_cost(fees.max_fee_per_gas),
            attempts: vec![attempt],
        };
        self.journal.put(entry.clone())?;
        self.budget.commit(entry.id, entry.max_cost);
        self.next_nonce = nonce + 1;
        (self.observer)(Event::Signed {
            call: &call.description,
            transaction: entry.latest().hash,
            nonce,
        });
        self.broadcast(transaction, entry, Origin::New).await
    }

    async fn sign(
        &self,
        transaction: &Transaction,
        nonce: u64,
        fees: Fees,
    ) -> Result<crate::Attempt, Error> {
        let chain_id = self.sender.profile.id;
        sign(transaction, chain_id, nonce, fees, self.signer).await
    }

    /// These fees, lowered to the rest of the maximum cost.
    fn affordable(&self, transaction: &Transaction, fees: Fees) -> Result<Fees, Error> {
        let available = self.budget.available(transaction.call.id());
        let affordable = fees.limited_to(transaction.affordable_fee(available));
        let needed = fees.lowest_gas_price();
        // The fixed costs alone can exceed the rest.
        if affordable.max_fee_per_gas < needed || transaction.max_cost(0) > available {
            return Err(self.cost_limit(transaction, needed));
        }
        Ok(affordable)
    }

    fn cost_limit(&self, transaction: &Transaction, needed: u128) -> Error {
        Error::CostLimit {
            call: transaction.call.description.clone(),
            needed: transaction.max_cost(needed),
            available: self.budget.available(transaction.call.id()),
            chain_id: self.chain_id(),
        }
    }

    pub(super) const fn chain_id(&self) -> u64 {
        self.sender.profile().id
    }

    /// Sends the latest attempt. The node's reason for a rejection decides whether the transaction can still be included.
    async fn broadcast(
        &mut self,
        transaction: &Transaction,
        mut entry: Entry,
        origin: Origin,
    ) -> Result<(), Error> {
        let call = &transaction.call;
        for _ in 0..MAX_RAISES {
            let Err(error) = self.node().send_raw(&entry.latest().raw).await else {
                self.accepted(call, &entry);
                return Ok(());
            };
            let Some((reason, message)) = TransactionRejection::from_error(&error) else {
                // The node may have accepted the transaction before the connection broke: polling decides.
                tracing::warn!(%error, "no response to a transaction");
                return Ok(());
            };
            match reason {
                // Polling finds out which transaction used the nonce.
                TransactionRejection::NonceUsed => return Ok(()),
                TransactionRejection::InFlightLimit => {
                    self.unaccepted.insert(entry.id);
                    return Ok(());
                }
                _ => {}
            }
            // The transport repeats a request after a lost response: the node accepted the first and rejects the second.
            if self.is_known(&entry).await? {
                self.accepted(call, &entry);
                return Ok(());
            }
            let account = self.signer.address();
            match reason {
                TransactionRejection::AlreadyKnown
                | TransactionRejection::ReplacementUnderpriced => {
                    return Err(Error::NonceOccupied {
                        call: call.description.clone(),
                        account,
                        nonce: entry.nonce,
                        message,
                    });
                }
                TransactionRejection::Underpriced => {
                    entry = match self.raise(transaction, entry.clone()).await {
                        Ok(raised) => raised,
                        Err(error) => return Err(self.discard(&entry, origin, error)),
                    };
                }
                TransactionRejection::InsufficientFunds => {
                    let balance = self.node().balance(account).await?;
                    let error = Error::InsufficientFunds {
                        account,
                        balance,
                        call: call.description.as_str().into(),
                        cost: entry.max_cost,
                        chain_id: self.chain_id(),
                    };
                    return Err(self.discard(&entry, origin, error));
                }
                _ => {
                    let error = Error::Rejected {
                        call: call.description.clone(),
                        message,
                    };
                    return Err(self.discard(&entry, origin, error));
                }
            }
        }
        let error = Error::Rejected {
            call: call.description.clone(),
            message: "the fee is too low after the maximum number of raises".to_owned(),
        };
        Err(self.discard(&entry, origin, error))
    }

    fn accepted(&mut self, call: &Call, entry: &Entry) {
        self.unaccepted.remove(&entry.id);
        self.occupied.remove(&entry.id);
        (self.observer)(Event::Sent {
            call: &call.description,
            transaction: entry.latest().hash,
        });
    }

    /// Removes a transaction that no node accepted. One from the journal stays: an earlier run may have sent it. It still counts in
    /// the maximum cost: a node that lies can include it. Then it is the only one with its nonce, which is signed next.
    fn discard(&mut self, entry: &Entry, origin: Origin, error: Error) -> Error {
        if origin == Origin::Journal {
            return error;
        }
        self.next_nonce = entry.nonce;
        match self.journal.remove(entry.id) {
            Ok(()) => error,
            Err(failure) => failure,
        }
    }

    /// Whether a node knows one of our attempts, or their nonce is used.
    async fn is_known(&self, entry: &Entry) -> Result<bool, Error> {
        let policy = self.sender.wait_policy;
        let mut timer = PollTimer::new(WaitPolicy {
            timeout: policy.timeout.min(WAIT_AFTER_REJECTION),
            ..policy
        });
        loop {
            if self.knows(entry).await? {
                return Ok(true);
            }
            if self.node().nonce(self.journal.account()).await? > entry.nonce {
                return Ok(true);
            }
            if !timer.sleep().await {
                return Ok(false);
            }
        }
    }

    /// Whether the node knows one of our attempts, pending or included.
    pub(super) async fn knows(&self, entry: &Entry) -> Result<bool, Error> {
        for attempt in &entry.attempts {
            if self.node().knows(attempt.hash).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether another transaction with the nonce is pending: the node counts one, but knows none of our attempts. A wallet can
    /// have replaced ours.
    async fn is_displaced(&self, entry: &Entry) -> Result<bool, Error> {
        let account = self.journal.account();
        Ok(!self.knows(entry).await? && self.node().pending_nonce(account).await? > entry.nonce)
    }

    /// Sends a pending transaction again, unless another one has its nonce: ours could replace it. Other rejections have no effect:
    /// the node has the transaction, or polling finds out.
    pub(super) async fn rebroadcast(
        &mut self,
        transaction: &Transaction,
        entry: &Entry,
    ) -> Result<(), Error> {
        let call = &transaction.call;
        if self.is_displaced(entry).await? {
            self.report_occupied(call, entry);
            return Ok(());
        }
        let Err(error) = self.node().send_raw(&entry.latest().raw).await else {
            self.accepted(call, entry);
            return Ok(());
        };
        let reason = TransactionRejection::from_error(&error).map(|(reason, _)| reason);
        if reason == Some(TransactionRejection::ReplacementUnderpriced)
            && !self.knows(entry).await?
        {
            self.report_occupied(call, entry);
        }
        tracing::debug!(%error, "sending the transaction again failed");
        Ok(())
    }

    fn report_occupied(&mut self, call: &Call, entry: &Entry) {
        if self.occupied.insert(entry.id) {
            (self.observer)(Event::NonceOccupied {
                call: &call.description,
                nonce: entry.nonce,
            });
        }
    }

    pub(super) fn is_unaccepted(&self, id: B256) -> bool {
        self.unaccepted.contains(&id)
    }

    /// Whether another pending transaction had the nonce when ours was sent last.
    pub(super) fn is_occupied(&self, id: B256) -> bool {
        self.occupied.contains(&id)
    }

    /// Signs a replacement with a higher fee and the same nonce, so that only one of them can be included. The fee stays within
    /// the limits and the rest of the maximum cost.
    pub(super) async fn raise(
        &mut self,
        transaction: &Transaction,
        mut entry: Entry,
    ) -> Result<Entry, Error> {
        let limits = self.sender.fee_limits;
        let latest = entry.latest().fees;
        let previous = (latest.max_fee_per_gas, latest.max_priority_fee_per_gas);
        let current = self.sender.suggest_fees().await?;
        let wanted = current
            .replacement(previous, limits)
            .map_err(Error::FeeLimit)?;
        let available = self.budget.available(entry.id);
        let fees = wanted.limited_to(transaction.affordable_fee(available));
        let minimum = current.lowest_replacement(latest.max_fee_per_gas);
        if fees.max_fee_per_gas < minimum {
            return Err(self.cost_limit(transaction, minimum));
        }
        let attempt = self.sign(transaction, entry.nonce, fees).await?;
        entry.max_cost = entry
            .max_cost
            .max(transaction.max_cost(fees.max_fee_per_gas));
        entry.attempts.push(attempt);
        self.journal.put(entry.clone())?;
        self.budget.commit(entry.id, entry.max_cost);
        (self.observer)(Event::Replaced {
            call: &transaction.call.description,
            transaction: entry.latest().hash,
            max_fee_per_gas: fees.max_fee_per_gas,
        });
        Ok(entry)
    }
}

impl Error {
    /// Whether a fee was not raised because of a limit.
    pub(super) const fn is_limit(&self) -> bool {
        matches!(self, Self::CostLimit { .. } | Self::FeeLimit(_))
    }
}
