//! Simulates, plans, signs, sends and confirms transactions.

use std::time::Duration;

use alloy::{
    eips::BlockId,
    network::{Ethereum, TransactionBuilder},
    providers::{DynProvider, Provider},
    rpc::types::{TransactionReceipt, TransactionRequest},
};
use alloy_primitives::{Address, B256, Bytes, U256, hex};

use crate::{
    Call, DataFee, Error, FeeLimits, Fees, MinedTransaction, PollTimer, RevertReason,
    SignedTransaction, Signer, TransactionPlan, TransactionRejection, UnsignedTransaction,
    WaitPolicy, Wei,
    error::rpc_error,
    gas_limit_with_margin,
    rpc::{CallResult, call_request, execution_failure},
};

/// How long to look for a rejected transaction. Nodes behind a load balancer can lag behind.
const WAIT_AFTER_REJECTION: Duration = Duration::from_secs(2);

/// Sends transactions through one node, one at a time.
#[derive(Clone, Debug)]
pub struct TransactionSender {
    provider: DynProvider<Ethereum>,
    chain_id: u64,
    fee_limits: FeeLimits,
    wait_policy: WaitPolicy,
}

impl TransactionSender {
    /// A sender for this chain. It does not sign if the node is on another chain.
    #[must_use]
    pub fn new(provider: DynProvider<Ethereum>, chain_id: u64) -> Self {
        Self {
            provider,
            chain_id,
            fee_limits: FeeLimits::default(),
            wait_policy: WaitPolicy::default(),
        }
    }

    /// Sets the fee limits. Without them, fees follow the chain.
    #[must_use]
    pub const fn with_fee_limits(mut self, limits: FeeLimits) -> Self {
        self.fee_limits = limits;
        self
    }

    /// Sets how to wait for a receipt.
    #[must_use]
    pub const fn with_wait_policy(mut self, policy: WaitPolicy) -> Self {
        self.wait_policy = policy;
        self
    }

    /// Simulates a call and estimates its gas and fees. Sends nothing.
    ///
    /// # Errors
    ///
    /// When the simulation reverts or an RPC request fails.
    pub async fn plan(&self, call: Call, from: Address) -> Result<TransactionPlan, Error> {
        let return_data = self.simulate(&call, from).await?;
        let gas = self.estimate(&call, from).await?;
        let (fees, balance, data_fee) = tokio::try_join!(
            Fees::suggest(&self.provider, self.fee_limits),
            self.balance(from),
            self.data_fee(&call.data),
        )?;
        let gas_limit = gas_limit_with_margin(gas);
        Ok(TransactionPlan {
            call,
            from,
            chain_id: self.chain_id,
            return_data,
            gas,
            gas_limit,
            fees,
            expected_cost: Wei::for_gas(gas, fees.expected_gas_price()).saturating_add(data_fee),
            max_cost: Wei::for_gas(gas_limit, fees.max_fee_per_gas).saturating_add(data_fee),
            balance,
        })
    }

    /// Maximum cost of a call that cannot be simulated yet, with this gas limit and these fees.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn max_cost(&self, call: &Call, gas_limit: u64, fees: Fees) -> Result<Wei, Error> {
        let data_fee = self.data_fee(&call.data).await?;
        Ok(Wei::for_gas(gas_limit, fees.max_fee_per_gas).saturating_add(data_fee))
    }

    async fn simulate(&self, call: &Call, from: Address) -> Result<Bytes, Error> {
        let code = self.provider.get_code_at(call.to).latest().await;
        // A call to an address without code succeeds without effect.
        if code.map_err(rpc_error("eth_getCode"))?.is_empty() {
            let message = format!("no contract at {}", call.to);
            return Err(would_revert(call, Bytes::new(), &message));
        }
        let response = self
            .provider
            .call(request(call, from))
            .block(BlockId::latest());
        match CallResult::from_response(response.await)? {
            CallResult::Returned(bytes) => Ok(bytes),
            CallResult::Failed { data, message } => Err(would_revert(call, data, &message)),
        }
    }

    async fn estimate(&self, call: &Call, from: Address) -> Result<u64, Error> {
        let estimate = self
            .provider
            .estimate_gas(request(call, from))
            .block(BlockId::latest());
        // The estimate can run at a later block than the simulation, and revert there.
        estimate
            .await
            .map_err(|error| match execution_failure(&error) {
                Some((data, message)) => would_revert(call, data, &message),
                None => rpc_error("eth_estimateGas")(error),
            })
    }

    async fn balance(&self, account: Address) -> Result<Wei, Error> {
        let balance = self.provider.get_balance(account).latest().await;
        balance.map(Wei).map_err(rpc_error("eth_getBalance"))
    }

    async fn data_fee(&self, data: &Bytes) -> Result<Wei, Error> {
        let data_fee = DataFee::detect(&self.provider).await?;
        data_fee.estimate(&self.provider, data).await
    }

    /// Signs and sends a planned transaction and waits for its receipt.
    ///
    /// # Errors
    ///
    /// When the transaction cannot be sent or reverts. After [`Error::StillPending`] it can still be included in a block.
    pub async fn send(
        &self,
        plan: &TransactionPlan,
        signer: &Signer<'_>,
    ) -> Result<MinedTransaction, Error> {
        self.check_plan(plan, signer.address()).await?;
        let nonce = self.provider.get_transaction_count(plan.from).pending();
        let nonce = nonce.await.map_err(rpc_error("eth_getTransactionCount"))?;
        let transaction = UnsignedTransaction {
            chain_id: self.chain_id,
            nonce,
            gas_limit: plan.gas_limit,
            to: plan.call.to,
            value: U256::ZERO,
            input: plan.call.data.clone(),
        };
        let signed = transaction.sign(signer, plan.fees).await?;
        if let Some(message) = self.broadcast(&signed).await
            && !self.may_be_pending(&signed, plan.from, nonce).await
        {
            return Err(Error::TransactionRejected {
                call: plan.call.description.clone(),
                message,
            });
        }
        let receipt = self.wait_for_receipt(plan, &signed, nonce).await?;
        if !receipt.status() {
            return Err(Error::Reverted {
                call: plan.call.description.clone(),
                transaction: signed.hash,
            });
        }
        Ok(MinedTransaction::from_receipt(&receipt, plan.call.to))
    }

    async fn check_plan(&self, plan: &TransactionPlan, signer: Address) -> Result<(), Error> {
        if signer != plan.from {
            return Err(Error::SignerMismatch {
                planned: plan.from,
                signer,
            });
        }
        if let Some(blocker) = plan.blocker() {
            return Err(blocker);
        }
        // A load balancer can route to a node on another chain. A transaction on the wrong chain cannot be undone.
        let found = self.provider.get_chain_id().await;
        let found = found.map_err(rpc_error("eth_chainId"))?;
        if found != self.chain_id || plan.chain_id != self.chain_id {
            return Err(Error::WrongChain {
                expected: plan.chain_id,
                found,
            });
        }
        Ok(())
    }

    /// Sends the transaction to the node. Returns the message if the node rejects it. Without a response the node may have
    /// accepted it, so this is not an error: polling for the receipt decides.
    async fn broadcast(&self, signed: &SignedTransaction) -> Option<String> {
        let raw = hex::encode_prefixed(&signed.raw);
        let sent: Result<B256, _> = {
            let client = self.provider.client();
            client.request("eth_sendRawTransaction", (raw,)).await
        };
        match sent
            .as_ref()
            .err()
            .and_then(TransactionRejection::from_error)?
        {
            (TransactionRejection::AlreadyKnown, _) => None,
            (_, message) => Some(message),
        }
    }

    /// Whether a rejected transaction may be pending or included. The transport repeats a request after a lost response: the
    /// node accepted the first one and rejected the second. Reporting a rejection then could make the user pay twice.
    async fn may_be_pending(&self, signed: &SignedTransaction, from: Address, nonce: u64) -> bool {
        let mut timer = PollTimer::new(WaitPolicy {
            timeout: self.wait_policy.timeout.min(WAIT_AFTER_REJECTION),
            ..self.wait_policy
        });
        loop {
            let transaction = self.provider.get_transaction_by_hash(signed.hash);
            let count = self.provider.get_transaction_count(from).latest();
            let is_unknown = match (transaction.await, count.await) {
                (Ok(None), Ok(count)) => count <= nonce,
                (Ok(Some(_)), _) => return true,
                // Without a response nothing is known.
                (Ok(None), Err(_)) | (Err(_), _) => false,
            };
            if !timer.sleep().await {
                return !is_unknown;
            }
        }
    }

    async fn wait_for_receipt(
        &self,
        plan: &TransactionPlan,
        signed: &SignedTransaction,
        nonce: u64,
    ) -> Result<TransactionReceipt, Error> {
        let mut timer = PollTimer::new(self.wait_policy);
        loop {
            let receipt = self.provider.get_transaction_receipt(signed.hash).await;
            match receipt {
                Ok(Some(receipt)) if receipt.block_number.is_some() => return Ok(receipt),
                Ok(_) => {}
                // Keep polling until the timeout: the transaction is already sent.
                Err(error) => tracing::info!(%error, "polling for the receipt failed; retrying"),
            }
            if timer.should_rebroadcast() {
                // A rejection is expected if the transaction was included in the meantime.
                let _ = self.broadcast(signed).await;
            }
            if !timer.sleep().await {
                return Err(Error::StillPending {
                    call: plan.call.description.clone(),
                    transaction: signed.hash,
                    nonce,
                });
            }
        }
    }
}

fn would_revert(call: &Call, data: Bytes, message: &str) -> Error {
    Error::WouldRevert {
        call: call.description.clone(),
        reason: RevertReason::decode(data, message),
    }
}

fn request(call: &Call, from: Address) -> TransactionRequest {
    call_request(call.to, call.data.clone(), None).with_from(from)
}
