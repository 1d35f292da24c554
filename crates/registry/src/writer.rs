//! Changing something on the chain: try, plan, sign, send, wait.

use std::time::Duration;

use alloy::{
    eips::BlockId,
    network::{Ethereum, TransactionBuilder},
    providers::{DynProvider, Provider},
    rpc::types::{TransactionReceipt, TransactionRequest},
};
use alloy_primitives::{Address, B256, Bytes, U256, hex};

use crate::{
    Call, Clock, DataFee, Draft, Error, FeeLimits, Fees, RevertReason, Sent, Signed, Signer,
    TransactionPlan, TransactionRejection, WaitPolicy, Wei,
    error::failed,
    view::{Answer, execution_failure, request},
    with_margin,
};

/// How long to look for a transaction that was refused: nodes behind a balancer may not have heard of it yet.
const AFTER_A_REFUSAL: Duration = Duration::from_secs(2);

/// Sends calls through one node, one at a time.
#[derive(Clone, Debug)]
pub struct Writer {
    provider: DynProvider<Ethereum>,
    chain_id: u64,
    caps: FeeLimits,
    patience: WaitPolicy,
}

impl Writer {
    /// Sends to this chain and no other.
    #[must_use]
    pub fn new(provider: DynProvider<Ethereum>, chain_id: u64) -> Self {
        Self {
            provider,
            chain_id,
            caps: FeeLimits::default(),
            patience: WaitPolicy::default(),
        }
    }

    /// Offers no more than this.
    #[must_use]
    pub const fn with_caps(mut self, caps: FeeLimits) -> Self {
        self.caps = caps;
        self
    }

    /// Waits in this manner.
    #[must_use]
    pub const fn with_wait_policy(mut self, patience: WaitPolicy) -> Self {
        self.patience = patience;
        self
    }

    /// Tries a call without sending it, and finds out what sending takes.
    ///
    /// # Errors
    ///
    /// When the contract would refuse, with its reason, or the node does not answer.
    pub async fn plan(&self, call: Call, from: Address) -> Result<TransactionPlan, Error> {
        let returned = self.simulate(&call, from).await?;
        let gas = self.estimate(&call, from).await?;
        let (fees, balance, surcharge) = tokio::try_join!(
            Fees::suggest(&self.provider, self.caps),
            self.balance(from),
            self.surcharge(&call.data),
        )?;
        let gas_limit = with_margin(gas);
        Ok(TransactionPlan {
            call,
            from,
            chain_id: self.chain_id,
            returned,
            gas,
            gas_limit,
            fees,
            cost: Wei::of_gas(gas, fees.likely()).plus(surcharge),
            at_most: Wei::of_gas(gas_limit, fees.max_fee_per_gas).plus(surcharge),
            balance,
        })
    }

    /// What a call costs at most that cannot be tried yet, with this much gas at these fees.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn at_most(&self, call: &Call, gas: u64, fees: Fees) -> Result<Wei, Error> {
        let surcharge = self.surcharge(&call.data).await?;
        Ok(Wei::of_gas(gas, fees.max_fee_per_gas).plus(surcharge))
    }

    async fn simulate(&self, call: &Call, from: Address) -> Result<Bytes, Error> {
        let code = self.provider.get_code_at(call.to).latest().await;
        // A call to nothing succeeds and does nothing.
        if code.map_err(failed("eth_getCode"))?.is_empty() {
            let message = format!("there is no contract at {}", call.to);
            return Err(would_fail(call, Bytes::new(), &message));
        }
        let attempt = self
            .provider
            .call(attempt(call, from))
            .block(BlockId::latest());
        match Answer::of_call(attempt.await)? {
            Answer::Returned(bytes) => Ok(bytes),
            Answer::Failed { data, message } => Err(would_fail(call, data, &message)),
        }
    }

    async fn estimate(&self, call: &Call, from: Address) -> Result<u64, Error> {
        let estimate = self
            .provider
            .estimate_gas(attempt(call, from))
            .block(BlockId::latest());
        // What one call does alone another block may still refuse.
        estimate
            .await
            .map_err(|error| match execution_failure(&error) {
                Some((data, message)) => would_fail(call, data, &message),
                None => failed("eth_estimateGas")(error),
            })
    }

    async fn balance(&self, account: Address) -> Result<Wei, Error> {
        let balance = self.provider.get_balance(account).latest().await;
        balance.map(Wei).map_err(failed("eth_getBalance"))
    }

    async fn surcharge(&self, data: &Bytes) -> Result<Wei, Error> {
        let surcharge = DataFee::of(&self.provider).await?;
        surcharge.of_data(&self.provider, data).await
    }

    /// Carries a plan out: signs, sends, waits for the block.
    ///
    /// # Errors
    ///
    /// When something is in the way. After [`Error::StillPending`] the transaction may still get into a block.
    pub async fn send(
        &self,
        planned: &TransactionPlan,
        signer: &Signer<'_>,
    ) -> Result<Sent, Error> {
        self.expect_ready(planned, signer.address()).await?;
        let nonce = self.provider.get_transaction_count(planned.from).pending();
        let nonce = nonce.await.map_err(failed("eth_getTransactionCount"))?;
        let draft = Draft {
            chain_id: self.chain_id,
            nonce,
            gas_limit: planned.gas_limit,
            to: planned.call.to,
            value: U256::ZERO,
            input: planned.call.data.clone(),
        };
        let signed = draft.sign(signer, planned.fees).await?;
        if let Some(message) = self.broadcast(&signed).await
            && !self.may_be_in(&signed, planned.from, nonce).await
        {
            return Err(Error::NodeRefused {
                what: planned.call.what.clone(),
                message,
            });
        }
        let receipt = self.settle(planned, &signed, nonce).await?;
        if !receipt.status() {
            return Err(Error::Reverted {
                what: planned.call.what.clone(),
                transaction: signed.hash,
            });
        }
        Ok(Sent::of(&receipt, planned.call.to))
    }

    async fn expect_ready(&self, planned: &TransactionPlan, signer: Address) -> Result<(), Error> {
        if signer != planned.from {
            return Err(Error::OtherSigner {
                planned: planned.from,
                signer,
            });
        }
        if let Some(blocker) = planned.blocker() {
            return Err(blocker);
        }
        // A node behind a balancer may be another one by now, and a wrong chain is the one mistake that cannot be mended.
        let found = self.provider.get_chain_id().await;
        let found = found.map_err(failed("eth_chainId"))?;
        if found != self.chain_id || planned.chain_id != self.chain_id {
            return Err(Error::WrongChain {
                expected: planned.chain_id,
                found,
            });
        }
        Ok(())
    }

    /// Hands the transaction to the node, and returns its refusal. Where the node says nothing it may have it all the same:
    /// waiting will tell.
    async fn broadcast(&self, signed: &Signed) -> Option<String> {
        let raw = hex::encode_prefixed(&signed.raw);
        let sent: Result<B256, _> = {
            let client = self.provider.client();
            client.request("eth_sendRawTransaction", (raw,)).await
        };
        match sent.as_ref().err().and_then(TransactionRejection::of)? {
            (TransactionRejection::AlreadyKnown, _) => None,
            (_, message) => Some(message),
        }
    }

    /// Whether a transaction that was refused may be in a block or on its way to one. The line makes a request again when an
    /// answer is lost: the first one was taken then, and the refusal is about the second. To report that as refused would
    /// have it paid for twice.
    async fn may_be_in(&self, signed: &Signed, from: Address, nonce: u64) -> bool {
        let mut clock = Clock::new(WaitPolicy {
            at_most: self.patience.at_most.min(AFTER_A_REFUSAL),
            ..self.patience
        });
        loop {
            let transaction = self.provider.get_transaction_by_hash(signed.hash);
            let count = self.provider.get_transaction_count(from).latest();
            let is_out = match (transaction.await, count.await) {
                (Ok(None), Ok(count)) => count <= nonce,
                (Ok(Some(_)), _) => return true,
                // Whether this transaction used the nonce is for the receipt to tell; without an answer nothing is known.
                (Ok(None), Err(_)) | (Err(_), _) => false,
            };
            if !clock.tick().await {
                return !is_out;
            }
        }
    }

    async fn settle(
        &self,
        planned: &TransactionPlan,
        signed: &Signed,
        nonce: u64,
    ) -> Result<TransactionReceipt, Error> {
        let mut clock = Clock::new(self.patience);
        loop {
            let receipt = self.provider.get_transaction_receipt(signed.hash).await;
            match receipt {
                Ok(Some(receipt)) if receipt.block_number.is_some() => return Ok(receipt),
                Ok(_) => {}
                // Asked again until patience ends: what was sent must not be lost sight of.
                Err(error) => tracing::info!(%error, "the node did not answer; asking again"),
            }
            if clock.should_rebroadcast() {
                // The nonce may be used by now, by this very transaction.
                let _ = self.broadcast(signed).await;
            }
            if !clock.tick().await {
                return Err(Error::StillPending {
                    what: planned.call.what.clone(),
                    transaction: signed.hash,
                    nonce,
                });
            }
        }
    }
}

fn would_fail(call: &Call, data: Bytes, message: &str) -> Error {
    Error::WouldFail {
        what: call.what.clone(),
        refused: RevertReason::of(data, message),
    }
}

fn attempt(call: &Call, from: Address) -> TransactionRequest {
    request(call.to, call.data.clone(), None).with_from(from)
}
