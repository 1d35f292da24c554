//! Settles a payment and finds out what became of it.

use alloy_primitives::B256;
use atr_auth::{
    Authorization, Network,
    x402::{
        Version,
        facilitator::{FacilitatorRequest, Settlement},
    },
};
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    PaymentConfig,
    chain::{OnChain, TokenChain},
    facilitator::FacilitatorError,
};
use crate::metrics::ToolMetrics;

/// How often a facilitator is asked again that does not accept requests, for example because of a rate limit.
const MAX_REFUSALS: u32 = 4;

/// The longest pause between two attempts, in poll intervals.
const MAX_PAUSE: u32 = 8;

/// A payment on its way. Owns everything, because it outlives the request.
#[derive(Clone, Debug)]
pub(super) struct PendingPayment {
    pub(super) authorization: Authorization,
    pub(super) network: Network,
    pub(super) token: alloy_primitives::Address,
    /// The version that the caller speaks.
    pub(super) version: Version,
    /// Requests to a facilitator that speaks version 1 or 2.
    pub(super) requests: [Option<FacilitatorRequest>; 2],
}

/// What became of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The transfer was included.
    Settled(Option<B256>),
    /// The money did not move. It still could, until the authorization expires.
    Failed(String),
    /// The money did not move and never will: the payer cancelled, or used the nonce for something else.
    Cancelled,
    /// Not known yet.
    Unknown,
}

impl PendingPayment {
    pub(super) fn request(&self, version: Version) -> Option<FacilitatorRequest> {
        match version {
            Version::V1 => self.requests[0].clone(),
            Version::V2 => self.requests[1].clone(),
        }
    }

    fn chain<'a>(&self, config: &'a PaymentConfig) -> Option<TokenChain<'a>> {
        Some(TokenChain {
            node: config.node.as_ref()?,
            chain_id: self.network.chain_id(),
            token: self.token,
            timeout: super::VERIFY_TIMEOUT,
        })
    }

    /// What the chain says; unknown without a node.
    pub(super) async fn look_up(&self, config: &PaymentConfig, hint: Option<B256>) -> OnChain {
        match self.chain(config) {
            Some(chain) => chain.look_up(&self.authorization, hint).await,
            None => OnChain::Unknown,
        }
    }

    /// Settles. The token takes an authorization once, so repeating the request cannot pay twice.
    pub(super) async fn settle(&self, config: &PaymentConfig, metrics: &ToolMetrics) -> Outcome {
        let deadline = Instant::now() + config.deadline;
        let mut hint = None;
        let mut was_ambiguous = false;
        let mut refusals = 0;
        let mut pause = config.poll_interval;
        loop {
            let request = |version| self.request(version);
            let answer = config
                .facilitators
                .settle(self.network, self.version, request);
            let answer = timeout_at(deadline, answer).await;
            let answer = answer.unwrap_or_else(|_| {
                Err(FacilitatorError::Ambiguous("no answer in time".to_owned()))
            });
            let failure = match answer.as_ref().map(|answer| answer.settlement()) {
                Ok(Settlement::Settled(hash)) => {
                    metrics.facilitator("settle", "settled");
                    return self.confirm(config, hash, deadline).await;
                }
                Ok(Settlement::Pending(hash)) => {
                    metrics.facilitator("settle", "pending");
                    (hint, was_ambiguous) = (Some(hash), true);
                    None
                }
                Ok(Settlement::Failed(reason)) => {
                    metrics.facilitator("settle", "failed");
                    Some(atr_ids::excerpt(reason))
                }
                Ok(Settlement::Unknown) | Err(FacilitatorError::Ambiguous(_)) => {
                    metrics.facilitator("settle", "ambiguous");
                    was_ambiguous = true;
                    None
                }
                Err(FacilitatorError::NoEffect(reason)) => {
                    metrics.facilitator("settle", "unavailable");
                    refusals += 1;
                    // Nothing was sent, so the chain has nothing to say.
                    if refusals >= MAX_REFUSALS && !was_ambiguous {
                        return Outcome::Failed(reason.clone());
                    }
                    None
                }
            };
            match self.look_up(config, hint).await {
                OnChain::Transferred(hash) => return Outcome::Settled(Some(hash)),
                OnChain::Cancelled => return Outcome::Cancelled,
                // A failure after an ambiguous answer can be caused by the first request, which is still on its way.
                OnChain::Unused if !was_ambiguous => {
                    if let Some(reason) = failure {
                        return Outcome::Failed(reason);
                    }
                }
                OnChain::Unknown if !was_ambiguous && config.node.is_none() => {
                    if let Some(reason) = failure {
                        return Outcome::Failed(reason);
                    }
                }
                // The facilitator says no and the node says nothing: not certain enough.
                OnChain::Unknown if failure.is_some() => was_ambiguous = true,
                OnChain::Unused | OnChain::Unknown => {}
            }
            if Instant::now() + pause >= deadline {
                return Outcome::Unknown;
            }
            sleep(pause).await;
            pause = (pause * 2).min(config.poll_interval * MAX_PAUSE);
        }
    }

    /// Waits until the chain shows what a facilitator claims.
    async fn confirm(&self, config: &PaymentConfig, hash: B256, deadline: Instant) -> Outcome {
        if config.node.is_none() || !config.confirms {
            return Outcome::Settled(Some(hash));
        }
        loop {
            match self.look_up(config, Some(hash)).await {
                OnChain::Transferred(found) => return Outcome::Settled(Some(found)),
                OnChain::Cancelled => return Outcome::Cancelled,
                // The node may be behind that of the facilitator.
                OnChain::Unused | OnChain::Unknown => {}
            }
            if Instant::now() + config.poll_interval >= deadline {
                return Outcome::Unknown;
            }
            sleep(config.poll_interval).await;
        }
    }
}
