//! Configuration of a gate.

mod error;

use std::sync::Arc;

use alloy_primitives::{Address, Bytes};
use atr_auth::{AcceptedSchemes, ChallengeMode, JsonObject, Offer, Offers, Window, x402::Resource};
use atr_ids::ToolRef;
use url::Url;

pub use error::ConfigError;

use crate::{
    Clock, Metrics, PaymentConfig, RateLimiter, SeenNonces, ToolSchemas, UsageReporter,
    access::AccessChecker,
};

/// Where the data for the predicate comes from. It is public: the node sees it, so it must not contain secrets (C-19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessData {
    /// The header `X-Access-Data` of the request, in hex; empty without the header. Predicates such as a Merkle allowlist need it.
    Header,
    /// The same for every call. The header is ignored.
    Fixed(Bytes),
}

/// Sizes of bodies that the gate reads. All other bodies stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// Of a request that is validated or paid for.
    pub max_request_bytes: usize,
    /// Of a response that is validated, or released after settlement.
    pub max_response_bytes: usize,
}

impl Default for BodyLimits {
    /// 1 MiB each: more than that cannot be validated.
    fn default() -> Self {
        Self {
            max_request_bytes: 1 << 20,
            max_response_bytes: 1 << 20,
        }
    }
}

/// Configuration of a [`Gate`](crate::Gate): one tool, its policy, and the parts that gates share.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GateConfig {
    /// The tool behind the gate.
    pub tool: ToolRef,
    /// The time of day.
    pub clock: Clock,
    /// Checks access. `None` only for a gate that takes payments (L-22).
    pub access: Option<AccessChecker>,
    /// Where the data for the predicate comes from.
    pub access_data: AccessData,
    /// Add the requirements of the predicate to a denial. Costs a request per block in which somebody is denied.
    pub explain_denials: bool,
    /// What a caller signs: all free (identity) or all paid. `None`: only messages of [`AcceptedSchemes`] are accepted.
    pub offers: Option<Offers>,
    /// Offers of a payment gate that follows this identity gate. A payment proves the identity too, and is passed on (L-22).
    pub following_offers: Option<Offers>,
    /// Which clients a challenge is for.
    pub challenge: ChallengeMode,
    /// Public URL of the tool. Without it, the URL in a challenge is made from the `Host` header.
    pub public_url: Option<Url>,
    /// Description and more of a challenge. Its URL is ignored.
    pub resource: Resource,
    /// `extensions` of a challenge in x402 v2.
    pub extensions: JsonObject,
    /// How far ahead a credential may expire.
    pub window: Window,
    /// Accept signatures of smart accounts (ERC-1271), at the cost of a request to the node for each.
    pub smart_accounts: bool,
    /// Factories that may deploy a smart account within the check of its signature (ERC-6492). Empty: accounts without code accept
    /// no signature.
    pub account_factories: Vec<Address>,
    /// Older credentials, off by default.
    pub schemes: AcceptedSchemes,
    /// Replay protection of identity credentials. `None`: a credential can be used until it expires.
    pub seen_nonces: Option<Arc<SeenNonces>>,
    /// Rate limits, checked before the signature.
    pub rate_limiter: Arc<RateLimiter>,
    /// Schemas of input and output.
    pub schemas: ToolSchemas,
    /// Sizes of bodies that the gate reads.
    pub limits: BodyLimits,
    /// How payments are taken, if the offers are not free.
    pub payments: Option<PaymentConfig>,
    /// Reports calls to an indexer. `None`: nothing is reported.
    pub usage: Option<Arc<UsageReporter>>,
    /// Counters, shared by all gates of a process.
    pub metrics: Arc<Metrics>,
}

impl GateConfig {
    /// The defaults: no access check and no offers yet, replay protection in memory, no rate limits, no schemas.
    #[must_use]
    pub fn new(tool: ToolRef, clock: Clock) -> Self {
        Self {
            tool,
            clock,
            access: None,
            access_data: AccessData::Header,
            explain_denials: true,
            offers: None,
            following_offers: None,
            challenge: ChallengeMode::default(),
            public_url: None,
            resource: Resource::default(),
            extensions: JsonObject::new(),
            window: Window::DEFAULT,
            smart_accounts: false,
            account_factories: Vec::new(),
            schemes: AcceptedSchemes::default(),
            seen_nonces: Some(Arc::default()),
            rate_limiter: Arc::default(),
            schemas: ToolSchemas::default(),
            limits: BodyLimits::default(),
            payments: None,
            usage: None,
            metrics: Arc::default(),
        }
    }

    /// Whether callers pay.
    pub(crate) fn is_paid(&self) -> bool {
        self.offers.as_ref().is_some_and(|offers| !offers.is_free())
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        match &self.access {
            Some(access) if access.config().chain_id != self.tool.chain() => {
                return Err(ConfigError::AccessChain {
                    tool: self.tool.chain(),
                    access: access.config().chain_id,
                });
            }
            None if !self.is_paid() => return Err(ConfigError::NothingToCheck),
            _ => {}
        }
        if self.offers.is_none() && !self.schemes.siwe {
            return Err(ConfigError::NoCredential);
        }
        if self.schemes.siwe && self.public_url.is_none() {
            return Err(ConfigError::SiweWithoutPublicUrl);
        }
        let other_chain = |offer: &Offer| offer.network().chain_id() != self.tool.chain();
        let mut all = self.offers.iter().flat_map(Offers::iter);
        if self.smart_accounts && (self.access.is_none() || all.any(other_chain)) {
            return Err(ConfigError::SmartAccounts);
        }
        if !self.smart_accounts && !self.account_factories.is_empty() {
            return Err(ConfigError::AccountFactories);
        }
        if let Some(following) = &self.following_offers
            && (self.is_paid() || following.is_free())
        {
            return Err(ConfigError::FollowingOffers);
        }
        match &self.payments {
            None if self.is_paid() => return Err(ConfigError::NoPayments),
            Some(_) if !self.is_paid() => return Err(ConfigError::NoPrice),
            Some(payments) if payments.facilitators.is_empty() => {
                return Err(ConfigError::NoFacilitator);
            }
            Some(payments) if !payments.records.is_durable() && !payments.is_ephemeral => {
                return Err(ConfigError::NotDurable);
            }
            _ => {}
        }
        let offers = self.offers.iter().flat_map(Offers::iter);
        let timeouts = offers.filter_map(|offer| offer.to_v2().max_timeout_seconds);
        let longest = timeouts.max().unwrap_or_default();
        if longest > self.window.seconds() {
            return Err(ConfigError::Timeout {
                offered: longest,
                window: self.window.seconds(),
            });
        }
        Ok(())
    }
}
