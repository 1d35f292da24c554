//! x402 version 2.

use alloy_primitives::{Address, U256};
use atr_manifest::Value;
use serde::Serialize;

use super::Resource;
use crate::{
    DecodeError, Json, JsonObject, SignedAuthorization,
    wire::{
        read::{self, Object},
        write,
    },
};

/// The value of `x402Version`.
pub const VERSION: u8 = 2;
/// Response header with a [`PaymentRequired`].
pub const CHALLENGE_HEADER: &str = "PAYMENT-REQUIRED";
/// Request header with a [`PaymentPayload`].
pub const PAYMENT_HEADER: &str = "PAYMENT-SIGNATURE";
/// Response header with a receipt.
pub const RECEIPT_HEADER: &str = "PAYMENT-RESPONSE";

/// The decoded `PAYMENT-REQUIRED` header.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequired {
    /// Always 2.
    pub x402_version: u8,
    /// Why payment is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is paid for.
    pub resource: Resource,
    /// The accepted payments.
    pub accepts: Vec<PaymentRequirements>,
    /// Extensions of x402 by name.
    #[serde(skip_serializing_if = "JsonObject::is_empty")]
    pub extensions: JsonObject,
}

/// One accepted payment. A client repeats it unchanged in its payment, so all members are kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "members of the x402 specification")]
pub struct PaymentRequirements {
    pub scheme: String,
    /// CAIP-2 id, such as `eip155:8453`.
    pub network: String,
    /// In base units of the asset.
    #[serde(serialize_with = "write::display")]
    pub amount: U256,
    #[serde(serialize_with = "write::display")]
    pub asset: Address,
    #[serde(serialize_with = "write::display")]
    pub pay_to: Address,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_timeout_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<JsonObject>,
    /// Members that are not in the specification.
    #[serde(flatten)]
    pub other: JsonObject,
}

impl PaymentRequirements {
    pub(crate) fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        const MEMBERS: [&str; 7] = [
            "scheme",
            "network",
            "amount",
            "asset",
            "payTo",
            "maxTimeoutSeconds",
            "extra",
        ];
        let object = Object::new(value)?;
        Ok(Self {
            scheme: object.string("scheme")?.to_owned(),
            network: object.string("network")?.to_owned(),
            amount: object.uint256("amount")?,
            asset: object.address("asset")?,
            pay_to: object.address("payTo")?,
            max_timeout_seconds: object.optional("maxTimeoutSeconds", read::integer)?,
            extra: object.optional("extra", read::object)?,
            other: object.rest(&MEMBERS),
        })
    }
}

/// A payment: the decoded `PAYMENT-SIGNATURE` header.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentPayload {
    /// Always 2.
    pub x402_version: u8,
    /// The signed authorization.
    pub payload: SignedAuthorization,
    /// Repeated from the challenge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<Json>,
    /// Repeated from the challenge: the chosen payment requirements.
    pub accepted: PaymentRequirements,
    /// Repeated from the challenge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Json>,
}
