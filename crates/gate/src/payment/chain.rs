//! What the chain says about an authorization.

use std::time::Duration;

use alloy::{
    providers::Provider,
    rpc::types::{Filter, Log, TransactionReceipt},
};
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, SolEvent, sol};
use atr_auth::Authorization;
use atr_rpc::{BlockView, CallResult, ChainProfile, Node};

sol! {
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);
    event Transfer(address indexed from, address indexed to, uint256 value);
}

/// Blocks of one request for logs. Nodes limit the range.
const MAX_BLOCKS: u64 = 2_000;

/// Requests for logs of one search, latest blocks first.
const MAX_REQUESTS: u64 = 8;

/// An authorization is at most this old when it is settled, with some margin.
const SEARCH_TIME: Duration = Duration::from_secs(2 * 3600);

/// State of an authorization in its token.
///
/// A nonce belongs to the payer, not to one authorization: the payer can sign several with the same nonce. So a used nonce is no
/// payment; only its own transfer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnChain {
    /// It can still be used.
    Unused,
    /// The transfer was included, in this transaction.
    Transferred(B256),
    /// The payer cancelled it, or used its nonce for something else: no money moved to the payee, and none will.
    Cancelled,
    /// The node did not answer, or has not shown what the nonce was used for.
    Unknown,
}

/// What the token's logs of one transaction show about an authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The transfer that belongs to it.
    Transfer,
    /// Another transfer.
    Other,
    /// No transfer: the logs are not those of a token that is supported.
    Unclear,
}

/// Reads the state of authorizations of one token.
#[derive(Debug)]
pub(super) struct TokenChain<'a> {
    pub(super) node: &'a Node,
    pub(super) chain_id: u64,
    pub(super) token: Address,
    pub(super) timeout: Duration,
}

impl TokenChain<'_> {
    /// What became of an authorization. `hint` is the transaction that a facilitator claims.
    pub(super) async fn look_up(
        &self,
        authorization: &Authorization,
        hint: Option<B256>,
    ) -> OnChain {
        let read = self.read(authorization, hint);
        let read = tokio::time::timeout(self.timeout, read).await;
        match read {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::warn!(%error, "cannot read the state of a payment");
                OnChain::Unknown
            }
            Err(_) => OnChain::Unknown,
        }
    }

    async fn read(
        &self,
        authorization: &Authorization,
        hint: Option<B256>,
    ) -> Result<OnChain, atr_rpc::Error> {
        if let Some(hash) = hint
            && let Some(receipt) = self.node.receipt(hash).await?
            && let Some(Use::Transfer) = self.find_use(&receipt, authorization)
        {
            return Ok(OnChain::Transferred(hash));
        }
        let call = authorizationStateCall {
            authorizer: authorization.from,
            nonce: authorization.nonce,
        };
        let view = BlockView::latest(self.node.provider());
        let result = view
            .call(self.token, call.abi_encode().into(), None)
            .await?;
        let state = match result {
            CallResult::Returned(bytes) => {
                authorizationStateCall::abi_decode_returns_validate(&bytes).ok()
            }
            CallResult::Failed { .. } => None,
        };
        match state {
            Some(false) => Ok(OnChain::Unused),
            Some(true) => self.search(authorization).await,
            None => Ok(OnChain::Unknown),
        }
    }

    /// Finds what a used nonce was used for. What is not found is unknown: the node may lag.
    async fn search(&self, authorization: &Authorization) -> Result<OnChain, atr_rpc::Error> {
        let block_time = ChainProfile::of(self.chain_id).block_time;
        let blocks = match block_time.as_millis() {
            0 => MAX_BLOCKS,
            millis => u64::try_from(SEARCH_TIME.as_millis() / millis).unwrap_or(u64::MAX),
        };
        let head = self.node.block_number().await?;
        let oldest = head.saturating_sub(blocks.min(MAX_BLOCKS * MAX_REQUESTS));
        let mut last = head;
        loop {
            let first = last.saturating_sub(MAX_BLOCKS - 1).max(oldest);
            if let Some(log) = self.find_log(authorization, first, last).await? {
                return self.classify(&log, authorization).await;
            }
            if first <= oldest {
                return Ok(OnChain::Unknown);
            }
            last = first - 1;
        }
    }

    /// The log that marks a nonce as used or cancelled. A token emits one at most.
    async fn find_log(
        &self,
        authorization: &Authorization,
        first: u64,
        last: u64,
    ) -> Result<Option<Log>, atr_rpc::Error> {
        let filter = Filter::new()
            .address(self.token)
            .event_signature(vec![
                AuthorizationUsed::SIGNATURE_HASH,
                AuthorizationCanceled::SIGNATURE_HASH,
            ])
            .topic1(authorization.from)
            .topic2(authorization.nonce)
            .from_block(first)
            .to_block(last);
        let logs = self.node.provider().get_logs(&filter).await;
        let logs = logs.map_err(atr_rpc::rpc_error("eth_getLogs"))?;
        Ok(logs.into_iter().find(|log| !log.removed))
    }

    async fn classify(
        &self,
        log: &Log,
        authorization: &Authorization,
    ) -> Result<OnChain, atr_rpc::Error> {
        if log.topic0() == Some(&AuthorizationCanceled::SIGNATURE_HASH) {
            return Ok(OnChain::Cancelled);
        }
        let Some(hash) = log.transaction_hash else {
            return Ok(OnChain::Unknown);
        };
        let Some(receipt) = self.node.receipt(hash).await? else {
            return Ok(OnChain::Unknown);
        };
        Ok(match self.find_use(&receipt, authorization) {
            Some(Use::Transfer) => OnChain::Transferred(hash),
            Some(Use::Other) => {
                tracing::warn!(transaction = %hash, "a payer used the nonce of a payment for another transfer");
                OnChain::Cancelled
            }
            Some(Use::Unclear) | None => OnChain::Unknown,
        })
    }

    /// What a transaction used the authorization for; `None` if it did not use it.
    ///
    /// EIP-3009 tokens emit `Transfer` right after `AuthorizationUsed`. The transfer that counts is the token's first one after the
    /// nonce was used and before another is, so one transfer never pays for two nonces of a transaction.
    fn find_use(&self, receipt: &TransactionReceipt, authorization: &Authorization) -> Option<Use> {
        if !receipt.status() {
            return None;
        }
        let logs = receipt.logs().iter();
        let mut logs = logs.filter(|log| log.address() == self.token && !log.removed);
        let from = authorization.from.into_word();
        logs.find(|log| {
            log.topics() == [AuthorizationUsed::SIGNATURE_HASH, from, authorization.nonce]
        })?;
        let next = logs.find(|log| {
            let event = log.topic0();
            event == Some(&Transfer::SIGNATURE_HASH)
                || event == Some(&AuthorizationUsed::SIGNATURE_HASH)
        });
        Some(match next {
            Some(log) if log.topic0() == Some(&Transfer::SIGNATURE_HASH) => {
                let to = authorization.to.into_word();
                let is_own = log.topics() == [Transfer::SIGNATURE_HASH, from, to]
                    && U256::try_from_be_slice(&log.data().data) == Some(authorization.value);
                if is_own { Use::Transfer } else { Use::Other }
            }
            _ => Use::Unclear,
        })
    }
}
