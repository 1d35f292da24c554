//! What a gate offers, and the 402 response that says so.

use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::SolValue;
use serde_json::json;
use url::Url;

use crate::{
    Alphabet, Json, JsonObject, Network, PaymentHeader, Token,
    wire::write,
    x402::{self, Resource, SCHEME_EXACT, Version, v1, v2},
};

/// Default of `maxTimeoutSeconds`. x402 clients sign authorizations that are valid for that long.
const DEFAULT_TIMEOUT_SECONDS: u64 = 300;

/// Separates the payees of audience binding from other hashes.
const AUDIENCE_PREFIX: &str = "opensea-predicate-gate-v1";

/// One accepted payment.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    token: Token,
    amount: U256,
    pay_to: Address,
    max_timeout_seconds: u64,
    extra: JsonObject,
}

/// Why an offer is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OfferError {
    /// Nobody has the key of an audience-bound payee: money sent to it is lost.
    #[error("only a free offer can be bound to an audience")]
    BoundPayment,
    /// The audience is not an absolute URL.
    #[error("the audience `{url}` is not an absolute URL")]
    #[expect(missing_docs, reason = "plain data")]
    Audience { url: String },
    /// Nothing is offered.
    #[error("no payment is offered")]
    Empty,
    /// Some offers are free and some are not.
    #[error("free and paid offers are mixed")]
    FreeAndPaid,
}

impl Offer {
    /// Offers access for an amount of base units. Zero is free: the caller only proves its identity.
    #[must_use]
    pub fn new(token: Token, amount: U256, pay_to: Address) -> Self {
        Self {
            extra: x402::domain_extra(&token).into_iter().collect(),
            token,
            amount,
            pay_to,
            max_timeout_seconds: DEFAULT_TIMEOUT_SECONDS,
        }
    }

    /// How long clients make an authorization valid. Keep it within the accepted [`Window`](crate::Window).
    #[must_use]
    pub const fn with_max_timeout(mut self, seconds: u64) -> Self {
        self.max_timeout_seconds = seconds;
        self
    }

    /// Adds a member to `extra`.
    #[must_use]
    pub fn with_extra(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    /// Binds a free offer to a URL, a tool and an operator by its payee (see [`audience_payee`]).
    pub fn bind_audience(
        mut self,
        url: &str,
        tool_id: U256,
        operator: Address,
    ) -> Result<Self, OfferError> {
        if !self.is_free() {
            return Err(OfferError::BoundPayment);
        }
        self.pay_to = audience_payee(url, tool_id, operator)?;
        let gate = json!({
            "toolId": tool_id.to_string(),
            "operatorAddress": operator.to_string(),
        });
        Ok(self.with_extra("predicateGate", gate))
    }

    /// The token to pay with.
    #[must_use]
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// In base units.
    #[must_use]
    pub const fn amount(&self) -> U256 {
        self.amount
    }

    /// The payee.
    #[must_use]
    pub const fn pay_to(&self) -> Address {
        self.pay_to
    }

    /// The chain of the token.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.token.network()
    }

    /// Whether the amount is zero.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.amount.is_zero()
    }

    /// The offer in x402 v1. `None` on a network without a v1 name.
    #[must_use]
    pub fn to_v1(&self, resource: &Resource) -> Option<v1::PaymentRequirements> {
        Some(v1::PaymentRequirements {
            scheme: SCHEME_EXACT.to_owned(),
            network: self.network().v1_name()?.to_owned(),
            max_amount_required: self.amount,
            // Clients need these three, also when the call is free.
            resource: Some(resource.url.clone()),
            description: Some(resource.description.clone().unwrap_or_default()),
            mime_type: Some(
                resource
                    .mime_type
                    .clone()
                    .unwrap_or_else(|| "application/json".to_owned()),
            ),
            output_schema: None,
            pay_to: self.pay_to,
            max_timeout_seconds: Some(self.max_timeout_seconds),
            asset: self.token.address(),
            extra: Some(self.extra.clone()),
        })
    }

    /// The offer in x402 v2.
    #[must_use]
    pub fn to_v2(&self) -> v2::PaymentRequirements {
        v2::PaymentRequirements {
            scheme: SCHEME_EXACT.to_owned(),
            network: self.network().caip2(),
            amount: self.amount,
            asset: self.token.address(),
            pay_to: self.pay_to,
            max_timeout_seconds: Some(self.max_timeout_seconds),
            extra: Some(self.extra.clone()),
            other: JsonObject::new(),
        }
    }
}

/// The payee of an audience-bound authorization: the last 20 bytes of
/// `keccak256(abi.encodePacked("opensea-predicate-gate-v1", url, toolId, operator))`, where `url` is normalized by the rules of
/// WHATWG and has no fragment. It stops replay between the tools of one operator.
pub fn audience_payee(url: &str, tool_id: U256, operator: Address) -> Result<Address, OfferError> {
    let mut url =
        Url::parse(url)
            .ok()
            .filter(Url::has_host)
            .ok_or_else(|| OfferError::Audience {
                url: atr_ids::excerpt(url),
            })?;
    url.set_fragment(None);
    let packed = (AUDIENCE_PREFIX, url.as_str(), tool_id, operator).abi_encode_packed();
    Ok(Address::from_word(keccak256(packed)))
}

/// Which clients a challenge is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChallengeMode {
    /// Clients of either version.
    #[default]
    Both,
    /// Helps clients that know only v1 and yet read the v2 header first.
    V1,
    /// Clients of v2 only.
    V2,
}

/// All accepted payments of a resource: all free, or all paid.
#[derive(Clone, Debug, PartialEq)]
pub struct Offers(Vec<Offer>);

impl Offers {
    /// At least one offer. Clients prefer the first.
    pub fn new(offers: Vec<Offer>) -> Result<Self, OfferError> {
        let is_free = offers.first().ok_or(OfferError::Empty)?.is_free();
        if offers.iter().any(|offer| offer.is_free() != is_free) {
            return Err(OfferError::FreeAndPaid);
        }
        Ok(Self(offers))
    }

    /// The offers, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Offer> {
        self.0.iter()
    }

    /// Whether callers only prove their identity.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.iter().all(Offer::is_free)
    }

    /// The offer that an x402 v1 payment on a network is for. A v1 payment does not name the token, so it is the first.
    pub(crate) fn first_on(&self, network: Network) -> Option<&Offer> {
        self.iter().find(|offer| offer.network() == network)
    }

    /// The challenge in x402 v1. Networks without a v1 name are left out, because clients fail on names that they do not know,
    /// and so are further tokens of a network.
    #[must_use]
    pub fn to_v1(&self, resource: &Resource, error: Option<&str>) -> v1::PaymentRequired {
        let is_first = |offer: &&Offer| self.first_on(offer.network()) == Some(*offer);
        v1::PaymentRequired {
            x402_version: v1::VERSION,
            error: error.map(str::to_owned),
            accepts: self
                .iter()
                .filter(is_first)
                .filter_map(|offer| offer.to_v1(resource))
                .collect(),
        }
    }

    /// The challenge in x402 v2.
    #[must_use]
    pub fn to_v2(
        &self,
        resource: &Resource,
        error: Option<&str>,
        extensions: &JsonObject,
    ) -> v2::PaymentRequired {
        v2::PaymentRequired {
            x402_version: v2::VERSION,
            error: error.map(str::to_owned),
            resource: resource.clone(),
            accepts: self.iter().map(Offer::to_v2).collect(),
            extensions: extensions.clone(),
        }
    }

    /// The 402 response. `error` is shown to the caller.
    #[must_use]
    pub fn challenge(
        &self,
        mode: ChallengeMode,
        resource: &Resource,
        error: Option<&str>,
        extensions: &JsonObject,
    ) -> ChallengeResponse {
        let v1 = self.to_v1(resource, error);
        let v2 = self.to_v2(resource, error, extensions);
        // Without an offer that v1 can express, the body serves v2 clients.
        let body = if mode == ChallengeMode::V2 || v1.accepts.is_empty() {
            write::to_json(&v2)
        } else {
            write::to_json(&v1)
        };
        let mut headers = Vec::new();
        if mode != ChallengeMode::V2 {
            let (name, value) = x402::X_ACCEPT_PAYMENT;
            headers.push(PaymentHeader {
                name,
                value: value.to_owned(),
            });
        }
        if mode != ChallengeMode::V1 {
            headers.push(PaymentHeader {
                name: v2::CHALLENGE_HEADER,
                value: write::to_header(&v2, Alphabet::Standard),
            });
        }
        ChallengeResponse { body, headers }
    }

    /// The networks that are offered in a version.
    pub fn networks(&self, version: Version) -> impl Iterator<Item = Network> {
        self.iter()
            .map(Offer::network)
            .filter(move |network| version.network_name(*network).is_some())
    }
}

/// A 402 response. It must not be cached.
#[derive(Clone, Debug, PartialEq)]
pub struct ChallengeResponse {
    /// A JSON object.
    pub body: Json,
    /// Beside `Content-Type` and `Cache-Control`.
    pub headers: Vec<PaymentHeader>,
}
