//! Challenges as a client reads them, and the payments that answer them.

use alloy_primitives::{Address, B256, U256};
use atr_ids::parse_decimal;
use atr_manifest::{Document, Value};

use crate::{
    Alphabet, Authorization, DecodeError, Json, JsonObject, Network, SignedAuthorization,
    decode_base64,
    wire::{
        read::{self, Object, parse_address},
        write,
    },
    x402::{Resource, SCHEME_EXACT, Version, v1, v2},
};

/// Default validity of an authorization.
const DEFAULT_VALIDITY_SECONDS: u64 = 300;

/// A 402 response of either version. Members that some servers omit are optional (T-46).
#[derive(Clone, Debug, PartialEq)]
pub struct Challenge {
    version: Version,
    /// Why payment is required. Untrusted text.
    pub error: Option<String>,
    /// What is paid for. Untrusted text.
    pub resource: Option<Resource>,
    /// The payments that this crate can make, in the order of the challenge.
    pub requirements: Vec<Requirement>,
    /// Why the other entries cannot be used: other chains, networks without a known name, invalid members.
    pub unusable: Vec<DecodeError>,
    /// Repeated in the payment.
    raw_resource: Option<Json>,
    raw_extensions: Option<Json>,
}

/// A payment that a server accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// `exact`, or a scheme that this crate does not support.
    pub scheme: String,
    /// The chain of the token.
    pub network: Network,
    /// The token. Check it against [`Tokens`](crate::Tokens).
    pub asset: Address,
    /// In base units. Zero proves identity only.
    pub amount: U256,
    /// The payee.
    pub pay_to: Address,
    /// How long the server needs the authorization to be valid.
    pub max_timeout_seconds: Option<u64>,
    /// What the server says about the token, and more. Untrusted.
    pub extra: JsonObject,
    wire: WireRequirement,
}

#[derive(Clone, Debug, PartialEq)]
enum WireRequirement {
    V1 { network: String },
    V2(v2::PaymentRequirements),
}

/// A header of a request or response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentHeader {
    /// Name of the header.
    pub name: &'static str,
    /// ASCII.
    pub value: String,
}

impl Challenge {
    /// Reads a 402 response: the `PAYMENT-REQUIRED` header if there is one, otherwise the body.
    pub fn decode(payment_required: Option<&[u8]>, body: &[u8]) -> Result<Self, DecodeError> {
        let document = match payment_required {
            Some(header) => Document::parse(decode_base64(header, Alphabet::Standard)?)?,
            None => Document::parse(body)?,
        };
        Self::from_value(document.root())
    }

    /// Reads a challenge of either version from JSON.
    pub fn from_value(value: Value<'_>) -> Result<Self, DecodeError> {
        let object = Object::new(value)?;
        // Early servers omit the version of a v1 body.
        let version = match object.get("x402Version") {
            Some(_) => Version::read(object)?,
            None => Version::V1,
        };
        let mut requirements = Vec::new();
        let mut unusable = Vec::new();
        for entry in object.array("accepts")? {
            match Requirement::read(version, entry) {
                Ok(requirement) => requirements.push(requirement),
                Err(error) => unusable.push(error),
            }
        }
        let resource = match version {
            Version::V1 => object.array("accepts")?.find_map(v1_resource),
            Version::V2 => object.get("resource").and_then(v2_resource),
        };
        Ok(Self {
            version,
            error: object.text("error"),
            resource,
            requirements,
            unusable,
            raw_resource: object.get("resource").map(read::json),
            raw_extensions: object.get("extensions").map(read::json),
        })
    }

    /// The version of the challenge, and of the payment that answers it.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The payment that answers the challenge, as JSON. In MCP it is a member of `_meta`.
    #[must_use]
    pub fn payment(&self, requirement: &Requirement, signed: SignedAuthorization) -> Json {
        match &requirement.wire {
            WireRequirement::V1 { network } => write::to_json(&v1::PaymentPayload {
                x402_version: v1::VERSION,
                scheme: requirement.scheme.clone(),
                network: network.clone(),
                payload: signed,
            }),
            WireRequirement::V2(accepted) => write::to_json(&v2::PaymentPayload {
                x402_version: v2::VERSION,
                payload: signed,
                resource: self.raw_resource.clone(),
                accepted: accepted.clone(),
                extensions: self.raw_extensions.clone(),
            }),
        }
    }

    /// The request header that answers the challenge.
    #[must_use]
    pub fn payment_header(
        &self,
        requirement: &Requirement,
        signed: SignedAuthorization,
    ) -> PaymentHeader {
        PaymentHeader {
            name: self.version.payment_header(),
            value: write::to_header(&self.payment(requirement, signed), Alphabet::Standard),
        }
    }
}

impl Requirement {
    fn read(version: Version, entry: Value<'_>) -> Result<Self, DecodeError> {
        let network = |text: &str| {
            version.parse_network(text).ok_or_else(|| {
                let expected = "a network with a known name or an eip155 chain";
                entry
                    .get("network")
                    .map_or(DecodeError::Empty, |value| read::invalid(value, expected))
            })
        };
        match version {
            Version::V1 => {
                let wire = v1::PaymentRequirements::read(entry)?;
                Ok(Self {
                    network: network(&wire.network)?,
                    scheme: wire.scheme,
                    asset: wire.asset,
                    amount: wire.max_amount_required,
                    pay_to: wire.pay_to,
                    max_timeout_seconds: wire.max_timeout_seconds,
                    extra: wire.extra.unwrap_or_default(),
                    wire: WireRequirement::V1 {
                        network: wire.network,
                    },
                })
            }
            Version::V2 => {
                let wire = v2::PaymentRequirements::read(entry)?;
                Ok(Self {
                    network: network(&wire.network)?,
                    scheme: wire.scheme.clone(),
                    asset: wire.asset,
                    amount: wire.amount,
                    pay_to: wire.pay_to,
                    max_timeout_seconds: wire.max_timeout_seconds,
                    extra: wire.extra.clone().unwrap_or_default(),
                    wire: WireRequirement::V2(wire),
                })
            }
        }
    }

    /// Whether this crate can pay: the scheme is `exact`, by EIP-3009.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        let method = self.extra.get("assetTransferMethod");
        self.scheme == SCHEME_EXACT && method.is_none_or(|method| method == "eip3009")
    }

    /// The tool and the operator that an audience-bound payee is for. They are claims of the server: compare `pay_to` with
    /// [`audience_payee`](crate::audience_payee).
    #[must_use]
    pub fn audience(&self) -> Option<(U256, Address)> {
        let gate = self.extra.get("predicateGate")?;
        let text = |name: &str| gate.get(name).and_then(Json::as_str);
        let tool_id = parse_decimal(text("toolId")?).ok()?;
        Some((tool_id, parse_address(text("operatorAddress")?)?))
    }

    /// The authorization that fulfils the requirement. `validAfter` is 0; `validBefore` is five minutes ahead, or less if the
    /// server wants less. `nonce` must be random.
    #[must_use]
    pub fn authorization(&self, from: Address, nonce: B256, now: u64) -> Authorization {
        let validity = self
            .max_timeout_seconds
            .unwrap_or(DEFAULT_VALIDITY_SECONDS)
            .min(DEFAULT_VALIDITY_SECONDS);
        Authorization {
            from,
            to: self.pay_to,
            value: self.amount,
            valid_after: U256::ZERO,
            valid_before: U256::from(now.saturating_add(validity)),
            nonce,
        }
    }
}

/// The resource of a v1 entry.
fn v1_resource(entry: Value<'_>) -> Option<Resource> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Resource {
        url: text("resource")?,
        description: text("description"),
        mime_type: text("mimeType"),
        ..Resource::default()
    })
}

fn v2_resource(value: Value<'_>) -> Option<Resource> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let tags = value.get("tags").into_iter().flat_map(Value::elements);
    Some(Resource {
        url: text("url")?,
        description: text("description"),
        mime_type: text("mimeType"),
        service_name: text("serviceName"),
        tags: tags.filter_map(Value::as_str).map(str::to_owned).collect(),
        icon_url: text("iconUrl"),
    })
}
