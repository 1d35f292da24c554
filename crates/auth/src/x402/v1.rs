//! x402 version 1.

use alloy_primitives::{Address, U256};
use atr_manifest::Value;
use serde::Serialize;

use crate::{
    DecodeError, Json, JsonObject, SignedAuthorization,
    wire::{
        read::{self, Object},
        write,
    },
};

/// The value of `x402Version`.
pub const VERSION: u8 = 1;
/// Request header with a [`PaymentPayload`].
pub const PAYMENT_HEADER: &str = "X-PAYMENT";
/// Response header with a receipt.
pub const RECEIPT_HEADER: &str = "X-PAYMENT-RESPONSE";

/// The body of a 402 response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequired {
    /// Always 1.
    pub x402_version: u8,
    /// Why payment is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The accepted payments.
    pub accepts: Vec<PaymentRequirements>,
}

/// One accepted payment. Members that clients need and some servers omit are optional when read (T-46).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "members of the x402 specification")]
pub struct PaymentRequirements {
    pub scheme: String,
    /// Name of the network, such as `base`.
    pub network: String,
    /// In base units of the asset.
    #[serde(serialize_with = "write::display")]
    pub max_amount_required: U256,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Json>,
    #[serde(serialize_with = "write::display")]
    pub pay_to: Address,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_timeout_seconds: Option<u64>,
    #[serde(serialize_with = "write::display")]
    pub asset: Address,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<JsonObject>,
}

impl PaymentRequirements {
    pub(crate) fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let object = Object::new(value)?;
        Ok(Self {
            scheme: object.string("scheme")?.to_owned(),
            network: object.string("network")?.to_owned(),
            max_amount_required: object.uint256("maxAmountRequired")?,
            resource: object.optional_string("resource")?,
            description: object.optional_string("description")?,
            mime_type: object.optional_string("mimeType")?,
            output_schema: object.get("outputSchema").map(read::json),
            pay_to: object.address("payTo")?,
            max_timeout_seconds: object.optional("maxTimeoutSeconds", read::integer)?,
            asset: object.address("asset")?,
            extra: object.optional("extra", read::object)?,
        })
    }
}

/// A payment: the decoded `X-PAYMENT` header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "members of the x402 specification")]
pub struct PaymentPayload {
    /// Always 1.
    pub x402_version: u8,
    pub scheme: String,
    /// Name of the network, such as `base`.
    pub network: String,
    pub payload: SignedAuthorization,
}
