//! What the chain says about an authorization.

use std::time::Duration;

use alloy::{
    providers::Provider,
    rpc::types::{Filter, TransactionReceipt},
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

/// Blocks that are searched at most for the transfer. Nodes limit the range.
const MAX_BLOCKS: u64 = 2_000;

/// An authorization is at most this old when it is settled, with some margin.
const SEARCH_TIME: Duration = Duration::from_secs(2 * 3600);

/// State of an authorization in its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnChain {
    /// It can still be used.
    Unused,
    /// The money moved. The transaction may be too old to be found.
    Transferred(Option<B256>),
    /// The payer cancelled it: no money moved, and none will.
    Cancelled,
    /// The node did not answer.
    Unknown,
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
            && self.has_transfer(&receipt, authorization)
        {
            return Ok(OnChain::Transferred(Some(hash)));
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

    /// Finds the transaction that used an authorization.
    async fn search(&self, authorization: &Authorization) -> Result<OnChain, atr_rpc::Error> {
        let block_time = ChainProfile::of(self.chain_id).block_time;
        let blocks = match block_time.as_millis() {
            0 => MAX_BLOCKS,
            millis => u64::try_from(SEARCH_TIME.as_millis() / millis)
                .unwrap_or(MAX_BLOCKS)
                .min(MAX_BLOCKS),
        };
        let head = self.node.block_number().await?;
        let filter = Filter::new()
            .address(self.token)
            .event_signature(vec![
                AuthorizationUsed::SIGNATURE_HASH,
                AuthorizationCanceled::SIGNATURE_HASH,
            ])
            .topic1(authorization.from)
            .topic2(authorization.nonce)
            .from_block(head.saturating_sub(blocks))
            .to_block(head);
        let logs = self.node.provider().get_logs(&filter).await;
        let logs = logs.map_err(atr_rpc::rpc_error("eth_getLogs"))?;
        for log in logs.iter().filter(|log| !log.removed) {
            if log.topic0() == Some(&AuthorizationCanceled::SIGNATURE_HASH) {
                return Ok(OnChain::Cancelled);
            }
            if let Some(hash) = log.transaction_hash
                && let Some(receipt) = self.node.receipt(hash).await?
                && self.has_transfer(&receipt, authorization)
            {
                return Ok(OnChain::Transferred(Some(hash)));
            }
        }
        // Used longer ago than was searched: an authorization that is not cancelled was used for its transfer.
        Ok(OnChain::Transferred(None))
    }

    /// Whether a transaction used the authorization and transferred its value.
    fn has_transfer(&self, receipt: &TransactionReceipt, authorization: &Authorization) -> bool {
        let logs = receipt.logs().iter();
        let mut logs = logs.filter(|log| log.address() == self.token && !log.removed);
        let topics = |from: B256, to: B256| [from, to];
        let used = topics(authorization.from.into_word(), authorization.nonce);
        let moved = topics(authorization.from.into_word(), authorization.to.into_word());
        let mut is_used = false;
        let mut is_moved = false;
        for log in &mut logs {
            let topics = log.topics();
            let rest = topics.get(1..3);
            match topics.first() {
                Some(&AuthorizationUsed::SIGNATURE_HASH) => {
                    is_used |= rest == Some(used.as_slice());
                }
                Some(&Transfer::SIGNATURE_HASH) => {
                    let value = U256::try_from_be_slice(&log.data().data);
                    is_moved |=
                        rest == Some(moved.as_slice()) && value == Some(authorization.value);
                }
                _ => {}
            }
        }
        receipt.status() && is_used && is_moved
    }
}
