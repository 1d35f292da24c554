//! Credentials as a gate reads and checks them.

mod headers;
mod siwe;

use alloy_primitives::{Address, B256};
use atr_ids::excerpt;
use atr_manifest::{Document, Value};

pub use self::{headers::AcceptedSchemes, siwe::SiweCredential};
use crate::{
    Alphabet, Authorization, CredentialError, DecodeError, Json, Network, Offer, Offers,
    SignatureError, SignedAuthorization, Window, decode_base64,
    wire::{
        read::{self, Object},
        write,
    },
    x402::{Resource, SCHEME_EXACT, Version, facilitator::FacilitatorRequest, mcp, v1, v2},
};

/// A decoded credential. Nothing in it is checked yet but its form.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one per request, moved once or twice"
)]
pub enum Credential {
    /// A signed authorization: identity, payment, or both.
    Payment(PaymentCredential),
    /// A signed message: identity only.
    Siwe(SiweCredential),
}

/// How a signed authorization was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An x402 payment, in a header or in MCP's `_meta`.
    X402(Version),
    /// `Authorization: EIP-3009`, of older clients.
    Eip3009,
}

/// The members of an authorization exactly as the caller wrote them, for usage reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "members of EIP-3009")]
pub struct AuthorizationFields {
    pub signature: String,
    pub from: String,
    pub to: String,
    pub value: String,
    pub valid_after: String,
    pub valid_before: String,
    pub nonce: String,
}

impl AuthorizationFields {
    fn read(signature: Object<'_>, authorization: Object<'_>) -> Result<Self, DecodeError> {
        let text = |name: &str| authorization.string(name).map(str::to_owned);
        Ok(Self {
            signature: signature.string("signature")?.to_owned(),
            from: text("from")?,
            to: text("to")?,
            value: text("value")?,
            valid_after: text("validAfter")?,
            valid_before: text("validBefore")?,
            nonce: text("nonce")?,
        })
    }
}

/// A signed authorization and what the caller says it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct PaymentCredential {
    source: Source,
    network: Network,
    signed: SignedAuthorization,
    fields: AuthorizationFields,
    /// Members of an x402 v2 payment that repeat the challenge.
    repeated: Option<Repeated>,
}

#[derive(Clone, Debug, PartialEq)]
struct Repeated {
    accepted: v2::PaymentRequirements,
    resource: Option<Json>,
    extensions: Option<Json>,
}

impl PaymentCredential {
    /// Decodes a payment header of a version.
    pub fn decode(version: Version, header: &[u8]) -> Result<Self, CredentialError> {
        let name = version.payment_header();
        let document = document(header, Alphabet::Standard).map_err(malformed(name))?;
        Self::from_value(name, Some(version), document.root())
    }

    /// Reads the payment in the `_meta` of an MCP request. `None` if there is none.
    pub fn from_mcp_meta(meta: Value<'_>) -> Option<Result<Self, CredentialError>> {
        let payment = meta.get(mcp::PAYMENT)?;
        Some(Self::from_value(mcp::PAYMENT, None, payment))
    }

    fn from_value(
        name: &'static str,
        expected: Option<Version>,
        value: Value<'_>,
    ) -> Result<Self, CredentialError> {
        let payment = Object::new(value).map_err(malformed(name))?;
        let version = Version::read(payment).map_err(malformed(name))?;
        if expected.is_some_and(|expected| expected != version) {
            return Err(CredentialError::VersionMismatch {
                header: name,
                found: version.number(),
            });
        }
        match version {
            Version::V1 => Self::read(name, version, payment, payment, None),
            Version::V2 => {
                let accepted = payment.required("accepted").map_err(malformed(name))?;
                let object = Object::new(accepted).map_err(malformed(name))?;
                // The scheme first: `accepted` of another scheme can have another form.
                check_scheme(name, object)?;
                let repeated = Repeated::read(payment, accepted).map_err(malformed(name))?;
                Self::read(name, version, payment, object, Some(repeated))
            }
        }
    }

    fn read(
        name: &'static str,
        version: Version,
        payment: Object<'_>,
        terms: Object<'_>,
        repeated: Option<Repeated>,
    ) -> Result<Self, CredentialError> {
        check_scheme(name, terms)?;
        let network = terms.string("network").map_err(malformed(name))?;
        let network =
            version
                .parse_network(network)
                .ok_or_else(|| CredentialError::UnknownNetwork {
                    found: excerpt(network),
                })?;
        let read = || {
            let payload = payment.object("payload")?;
            let fields = payload.object("authorization")?;
            Ok((
                SignedAuthorization::read(payload)?,
                AuthorizationFields::read(payload, fields)?,
            ))
        };
        let (signed, fields) = read().map_err(malformed(name))?;
        Ok(Self {
            source: Source::X402(version),
            network,
            signed,
            fields,
            repeated,
        })
    }

    /// Decodes the token of `Authorization: EIP-3009`.
    fn decode_eip3009(token: &[u8]) -> Result<Self, DecodeError> {
        let document = document(token, Alphabet::UrlSafe)?;
        let object = Object::root(&document)?;
        let chain = object.required("chainId")?;
        let network = Network::from_chain_id(read::integer(chain)?)
            .ok_or_else(|| read::invalid(chain, "a chain id"))?;
        Ok(Self {
            source: Source::Eip3009,
            network,
            signed: SignedAuthorization {
                authorization: Authorization::read(object)?,
                signature: read::bytes(object.required("signature")?)?,
            },
            fields: AuthorizationFields::read(object, object)?,
            repeated: None,
        })
    }

    /// How the credential was sent. The receipt goes the same way.
    #[must_use]
    pub const fn source(&self) -> Source {
        self.source
    }

    /// The chain that the caller names.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// What is authorized.
    #[must_use]
    pub const fn authorization(&self) -> &Authorization {
        &self.signed.authorization
    }

    /// The authorization and its signature.
    #[must_use]
    pub const fn signed(&self) -> &SignedAuthorization {
        &self.signed
    }

    /// The members as the caller wrote them.
    #[must_use]
    pub const fn fields(&self) -> &AuthorizationFields {
        &self.fields
    }

    /// Checks everything but the signature: network, `accepted`, payee, value, time. `now` is a Unix time in seconds.
    pub fn check_terms<'a>(
        &'a self,
        offers: &'a Offers,
        window: Window,
        now: u64,
    ) -> Result<Terms<'a>, CredentialError> {
        let wrong_network = || CredentialError::WrongNetwork {
            found: self.network,
        };
        let first = offers.first_on(self.network).ok_or_else(wrong_network)?;
        let offer = match &self.repeated {
            None => first,
            Some(repeated) => offers
                .iter()
                .find(|offer| offer.to_v2() == repeated.accepted)
                .ok_or(CredentialError::NotOffered)?,
        };
        let authorization = self.authorization();
        if authorization.to != offer.pay_to() {
            return Err(CredentialError::WrongPayee {
                found: authorization.to,
                expected: offer.pay_to(),
            });
        }
        if authorization.value != offer.amount() {
            let found = authorization.value;
            return Err(if offer.is_free() {
                CredentialError::ValueNotZero { found }
            } else {
                CredentialError::WrongValue {
                    found,
                    expected: offer.amount(),
                }
            });
        }
        window.check(authorization, now)?;
        Ok(Terms {
            credential: self,
            offer,
        })
    }

    /// Checks everything, and returns the terms and thereby the caller.
    pub fn check<'a>(
        &'a self,
        offers: &'a Offers,
        window: Window,
        now: u64,
    ) -> Result<Terms<'a>, CredentialError> {
        let terms = self.check_terms(offers, window, now)?;
        terms.verify_signature()?;
        Ok(terms)
    }
}

impl Repeated {
    fn read(payment: Object<'_>, accepted: Value<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            accepted: v2::PaymentRequirements::read(accepted)?,
            resource: payment.get("resource").map(read::json),
            extensions: payment.get("extensions").map(read::json),
        })
    }
}

fn check_scheme(name: &'static str, terms: Object<'_>) -> Result<(), CredentialError> {
    let scheme = terms.string("scheme").map_err(malformed(name))?;
    if scheme == SCHEME_EXACT {
        Ok(())
    } else {
        Err(CredentialError::UnknownScheme {
            found: excerpt(scheme),
        })
    }
}

fn document(text: &[u8], alphabet: Alphabet) -> Result<Document, DecodeError> {
    Ok(Document::parse(decode_base64(text, alphabet)?)?)
}

fn malformed(source_name: &'static str) -> impl Fn(DecodeError) -> CredentialError {
    move |error| CredentialError::Malformed { source_name, error }
}

/// A credential that fits an offer. The signature is checked by [`Self::verify_signature`], or by the smart account `caller`
/// with [`Self::digest`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms<'a> {
    credential: &'a PaymentCredential,
    offer: &'a Offer,
}

impl<'a> Terms<'a> {
    /// The credential.
    #[must_use]
    pub const fn credential(&self) -> &'a PaymentCredential {
        self.credential
    }

    /// The offer that the caller accepted.
    #[must_use]
    pub const fn offer(&self) -> &'a Offer {
        self.offer
    }

    /// Who signed, once the signature is verified.
    #[must_use]
    pub const fn caller(&self) -> Address {
        self.credential.authorization().from
    }

    /// Checks that the EOA `caller` signed. Needs no request to a node.
    pub fn verify_signature(&self) -> Result<(), SignatureError> {
        self.credential.signed.verify(self.offer.token())
    }

    /// The signed hash, for smart accounts (ERC-1271).
    #[must_use]
    pub fn digest(&self) -> B256 {
        self.credential.authorization().digest(self.offer.token())
    }

    /// Identifies the authorization.
    #[must_use]
    pub const fn replay_key(&self) -> ReplayKey {
        let authorization = self.credential.authorization();
        ReplayKey {
            chain_id: self.offer.network().chain_id(),
            asset: self.offer.token().address(),
            from: authorization.from,
            nonce: authorization.nonce,
        }
    }

    /// The request to a facilitator that speaks `version`. `None` if the network has no name in it. The version may differ from
    /// the caller's, because the signed authorization is the same. Addresses are checksummed.
    #[must_use]
    pub fn facilitator_request(
        &self,
        version: Version,
        resource: &Resource,
    ) -> Option<FacilitatorRequest> {
        let payload = self.credential.signed.clone();
        let (payment_payload, payment_requirements) = match version {
            Version::V1 => {
                let requirements = self.offer.to_v1(resource)?;
                let payment = v1::PaymentPayload {
                    x402_version: v1::VERSION,
                    scheme: SCHEME_EXACT.to_owned(),
                    network: requirements.network.clone(),
                    payload,
                };
                (write::to_json(&payment), write::to_json(&requirements))
            }
            Version::V2 => {
                let requirements = self.offer.to_v2();
                let repeated = self.credential.repeated.as_ref();
                let payment = v2::PaymentPayload {
                    x402_version: v2::VERSION,
                    payload,
                    resource: repeated
                        .and_then(|repeated| repeated.resource.clone())
                        .or_else(|| Some(write::to_json(resource))),
                    accepted: requirements.clone(),
                    extensions: repeated.and_then(|repeated| repeated.extensions.clone()),
                };
                (write::to_json(&payment), write::to_json(&requirements))
            }
        };
        Some(FacilitatorRequest {
            x402_version: version.number(),
            payment_payload,
            payment_requirements,
        })
    }
}

/// Identifies an authorization for replay protection. Never the signature: a malleated one differs (T-42).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "plain data")]
pub struct ReplayKey {
    pub chain_id: u64,
    /// The token, or zero for a SIWE message.
    pub asset: Address,
    pub from: Address,
    /// The nonce, or the hash of a SIWE message.
    pub nonce: B256,
}
