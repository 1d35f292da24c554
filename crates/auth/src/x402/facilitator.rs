//! Requests to a facilitator, and its answers.
//!
//! Of an answer, only the outcome is required. Facilitators differ in the other members: an unexpected form counts as absent.

use alloy_primitives::{Address, B256, U256};
use atr_manifest::Document;
use serde::Serialize;

use super::{
    SCHEME_EXACT, Version,
    receipt::{payer, transaction},
};
use crate::{
    DecodeError, Json, Network,
    wire::{
        read::{self, Object},
        write,
    },
};

/// The body of `POST /verify` and `POST /settle`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FacilitatorRequest {
    /// Version of the two messages below.
    pub x402_version: u8,
    /// The payment.
    pub payment_payload: Json,
    /// What was offered.
    pub payment_requirements: Json,
}

/// The answer of `POST /verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyResponse {
    /// Whether the payment could be settled now.
    pub is_valid: bool,
    /// Machine-readable reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid_reason: Option<String>,
    /// Human-readable message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid_message: Option<String>,
    /// Who pays.
    #[serde(
        serialize_with = "write::optional_display",
        skip_serializing_if = "Option::is_none"
    )]
    pub payer: Option<Address>,
}

impl VerifyResponse {
    /// Decodes the body of an answer.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let document = Document::parse(body)?;
        let object = Object::root(&document)?;
        Ok(Self {
            is_valid: object.boolean("isValid")?,
            invalid_reason: object.text("invalidReason"),
            invalid_message: object.text("invalidMessage"),
            payer: payer(object),
        })
    }
}

/// The answer of `POST /settle`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettleResponse {
    /// Whether the payment was settled.
    pub success: bool,
    /// The transaction that was sent.
    #[serde(serialize_with = "write::transaction")]
    pub transaction: Option<B256>,
    /// Name or CAIP-2 id of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Who paid.
    #[serde(
        serialize_with = "write::optional_display",
        skip_serializing_if = "Option::is_none"
    )]
    pub payer: Option<Address>,
    /// Machine-readable reason of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
    /// Human-readable message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// What was settled, in base units.
    #[serde(
        serialize_with = "write::optional_display",
        skip_serializing_if = "Option::is_none"
    )]
    pub amount: Option<U256>,
}

/// `errorReason` of a settlement whose transaction is sent and not yet mined.
pub const SETTLEMENT_PENDING: &str = "settlement_pending";

/// What an answer says about a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement<'a> {
    /// Settled by this transaction.
    Settled(B256),
    /// The transaction is sent. The same request is repeated later.
    Pending(B256),
    /// Not settled. The reason is machine-readable.
    Failed(&'a str),
    /// Success or pending without a transaction: the answer decides nothing.
    Unknown,
}

impl SettleResponse {
    /// Decodes the body of an answer.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let document = Document::parse(body)?;
        let object = Object::root(&document)?;
        Ok(Self {
            success: object.boolean("success")?,
            transaction: transaction(object),
            network: object.text("network"),
            payer: payer(object),
            error_reason: object.text("errorReason"),
            error_message: object.text("errorMessage"),
            amount: object
                .get("amount")
                .and_then(|value| read::uint256(value).ok()),
        })
    }

    /// Classifies the answer.
    #[must_use]
    pub fn settlement(&self) -> Settlement<'_> {
        let reason = self.error_reason.as_deref().unwrap_or("unknown");
        match (self.success, reason, self.transaction) {
            (true, _, Some(hash)) => Settlement::Settled(hash),
            (false, SETTLEMENT_PENDING, Some(hash)) => Settlement::Pending(hash),
            (true, _, None) | (false, SETTLEMENT_PENDING, None) => Settlement::Unknown,
            (false, reason, _) => Settlement::Failed(reason),
        }
    }
}

/// The answer of `GET /supported`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Supported {
    /// What the facilitator settles.
    pub kinds: Vec<SupportedKind>,
}

/// A kind of payment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "members of the x402 specification")]
pub struct SupportedKind {
    pub x402_version: u64,
    pub scheme: String,
    pub network: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<Json>,
}

impl Supported {
    /// Decodes the body of an answer.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let document = Document::parse(body)?;
        let kinds = Object::root(&document)?.array("kinds")?;
        let kinds = kinds.filter_map(|kind| {
            let kind = Object::new(kind).ok()?;
            Some(SupportedKind {
                x402_version: read::integer(kind.get("x402Version")?).ok()?,
                scheme: kind.text("scheme")?,
                network: kind.text("network")?,
                extra: kind.get("extra").map(read::json),
            })
        });
        Ok(Self {
            kinds: kinds.collect(),
        })
    }

    /// Whether exact payments of this version on this network are settled. A CAIP-2 wildcard such as `eip155:*` matches.
    #[must_use]
    pub fn supports(&self, version: Version, network: Network) -> bool {
        let Some(name) = version.network_name(network) else {
            return false;
        };
        let is_network = |kind: &SupportedKind| {
            kind.network == name || (version == Version::V2 && kind.network == "eip155:*")
        };
        self.kinds.iter().any(|kind| {
            kind.x402_version == u64::from(version.number())
                && kind.scheme == SCHEME_EXACT
                && is_network(kind)
        })
    }
}
