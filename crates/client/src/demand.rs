//! What a tool demands before it answers, compared with its manifest.

use alloy_primitives::{Address, B256, U256};
use atr_auth::{
    Challenge, Network, PaymentHeader, Requirement, SignedAuthorization, Token, Tokens,
    UnsignedAuthorization, audience_payee, x402::SCHEME_EXACT,
};
use atr_ids::{ToolRef, parse_address};
use atr_manifest::{Manifest, Offer, Price};
use serde::Serialize;

use crate::{Error, IdentityPolicy, PolicyViolation, SpendPolicy};

/// The payment protocol that this crate speaks, as manifests name it.
pub(crate) const PROTOCOL: &str = "x402";

/// A demand that can be fulfilled: a known token on a known chain. Everything in it was chosen by the server, except the
/// token's EIP-712 domain.
#[derive(Clone, Debug)]
pub struct Demand {
    challenge: Challenge,
    requirement: Requirement,
    token: Token,
    operator: Option<Address>,
    /// The payee is the creator, which the registry proves. Recipients of prices prove nothing: a publisher can list the operator of
    /// another gate, and use the proof of identity there.
    is_named: bool,
    differences: Vec<Difference>,
}

/// How a demand for money differs from the verified manifest. Each one needs the explicit consent of the user (J-10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "difference")]
pub enum Difference {
    /// The manifest has no prices.
    NotPriced,
    /// The manifest has prices, and none of them uses x402.
    OtherProtocol,
    /// Another token or chain.
    Asset {
        /// CAIP-19 id in the manifest.
        manifest: String,
    },
    /// Another amount.
    Amount {
        /// In base units.
        #[serde(serialize_with = "decimal")]
        manifest: U256,
    },
    /// Another payee.
    Recipient {
        /// CAIP-10 id in the manifest.
        manifest: String,
    },
}

fn decimal<S: serde::Serializer>(value: &U256, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

impl Demand {
    /// Selects the first requirement that can be fulfilled: scheme `exact`, and a token of the table (M-06). The chain of the tool
    /// is preferred: the state of a payment on another one is not known here.
    pub(crate) fn new(
        challenge: Challenge,
        tool: ToolRef,
        manifest: &Manifest,
        tokens: &Tokens,
    ) -> Result<Self, Error> {
        let usable = challenge.requirements.iter().filter_map(|requirement| {
            if requirement.scheme != SCHEME_EXACT {
                return None;
            }
            let token = tokens.get(requirement.network, requirement.asset)?;
            Some((requirement.clone(), token.clone()))
        });
        // The first of those with the lowest key.
        let usable =
            usable.min_by_key(|(requirement, _)| requirement.network.chain_id() != tool.chain());
        let Some((requirement, token)) = usable else {
            return Err(Error::NoUsableRequirement {
                offered: offered(&challenge),
            });
        };
        let operator = bound_operator(&requirement, tool, &manifest.endpoint().to_string())?;
        let is_named = is_named(&requirement, manifest);
        let differences = if requirement.amount.is_zero() {
            Vec::new()
        } else {
            differences(&requirement, manifest.prices())
        };
        Ok(Self {
            challenge,
            requirement,
            token,
            operator,
            is_named,
            differences,
        })
    }

    /// Whether only an identity is demanded.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.requirement.amount.is_zero()
    }

    /// In base units of the token.
    #[must_use]
    pub const fn amount(&self) -> U256 {
        self.requirement.amount
    }

    /// The token to pay with.
    #[must_use]
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// The amount in units of the token with its symbol, such as `0.01 USDC`.
    #[must_use]
    pub fn price(&self) -> String {
        let amount = self.token.format_amount(self.requirement.amount);
        format!("{amount} {}", self.token.symbol())
    }

    /// The payee that is signed.
    #[must_use]
    pub const fn payee(&self) -> Address {
        self.requirement.pay_to
    }

    /// The operator, if the payee of a free demand is bound to this tool and endpoint.
    #[must_use]
    pub const fn operator(&self) -> Option<Address> {
        self.operator
    }

    /// The chain of the token.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.requirement.network
    }

    /// How the demand differs from the manifest. Empty for a free demand.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// The version of x402.
    #[must_use]
    pub const fn version(&self) -> u8 {
        self.challenge.version().number()
    }

    /// Why the server demands it. Untrusted text.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.challenge.error.as_deref()
    }

    /// Checks the demand against a policy.
    ///
    /// # Errors
    ///
    /// If the demand is outside the policy.
    pub fn check(&self, policy: &SpendPolicy) -> Result<(), PolicyViolation> {
        let payee = self.operator.unwrap_or(self.requirement.pay_to);
        policy.check(self.requirement.amount, payee, &self.token)?;
        if !self.is_free() || self.operator.is_some() {
            return Ok(());
        }
        let is_named = self.is_named || policy.allowed_recipients.contains(&payee);
        match policy.identity {
            IdentityPolicy::Bound => Err(PolicyViolation::NotBound { payee }),
            IdentityPolicy::Named if !is_named => Err(PolicyViolation::UnnamedPayee { payee }),
            IdentityPolicy::Named | IdentityPolicy::Any => Ok(()),
        }
    }

    /// The authorization to sign. `nonce` must be random; `now` is in seconds since 1970.
    #[must_use]
    pub fn authorization(&self, from: Address, nonce: B256, now: u64) -> UnsignedAuthorization {
        let authorization = self.requirement.authorization(from, nonce, now);
        UnsignedAuthorization::new(authorization, self.token.clone())
    }

    /// The request header with a signed authorization.
    #[must_use]
    pub fn header(&self, signed: SignedAuthorization) -> PaymentHeader {
        self.challenge.payment_header(&self.requirement, signed)
    }
}

/// What was offered, for an error message. Untrusted text.
fn offered(challenge: &Challenge) -> Vec<String> {
    let requirements = challenge.requirements.iter();
    let requirements = requirements.map(|requirement| {
        let network = requirement.network;
        format!("{} {} on {network}", requirement.scheme, requirement.asset)
    });
    let unusable = challenge.unusable.iter().map(ToString::to_string);
    requirements.chain(unusable).collect()
}

/// The operator that a bound payee was derived from (audience binding); `None` if a demand has no binding. A binding to another
/// tool or endpoint is an error: the demand was made for callers of that tool.
fn bound_operator(
    requirement: &Requirement,
    tool: ToolRef,
    endpoint: &str,
) -> Result<Option<Address>, Error> {
    // Nobody has the key of a bound payee, so a payment is not bound: money that is sent to it would be lost.
    let binding = requirement.extra.get("predicateGate");
    let Some(binding) = binding.filter(|_| requirement.amount.is_zero()) else {
        return Ok(None);
    };
    let operator = binding
        .get("operatorAddress")
        .and_then(|text| text.as_str());
    let operator = operator.and_then(|text| parse_address(&text.to_lowercase()).ok());
    let bound = operator.filter(|operator| {
        audience_payee(endpoint, tool.id(), *operator).ok() == Some(requirement.pay_to)
    });
    let payee = requirement.pay_to;
    bound.map(Some).ok_or(Error::ForeignAudience { payee })
}

/// Whether the payee is the creator of the tool, which the registry proves, or a recipient in its manifest.
fn is_named(requirement: &Requirement, manifest: &Manifest) -> bool {
    requirement.pay_to == manifest.creator_address()
}

fn differences(requirement: &Requirement, prices: &[Price]) -> Vec<Difference> {
    let price = match Offer::choose(prices, &[PROTOCOL]) {
        Offer::NotPriced => return vec![Difference::NotPriced],
        Offer::Unknown => return vec![Difference::OtherProtocol],
        Offer::Price(price) => price,
    };
    let network = requirement.network;
    let asset = format!("{network}/erc20:{:#x}", requirement.asset);
    let recipient = format!("{network}:{:#x}", requirement.pay_to);
    let mut differences = Vec::new();
    if price.asset.as_str() != asset {
        differences.push(Difference::Asset {
            manifest: price.asset.as_str().to_owned(),
        });
    }
    if price.amount != requirement.amount {
        differences.push(Difference::Amount {
            manifest: price.amount,
        });
    }
    if price.recipient.as_str() != recipient {
        differences.push(Difference::Recipient {
            manifest: price.recipient.as_str().to_owned(),
        });
    }
    differences
}
