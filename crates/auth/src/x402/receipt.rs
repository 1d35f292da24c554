//! Receipts of settled payments.

use alloy_primitives::{Address, B256};
use atr_manifest::{Document, Value};
use serde::Serialize;

use super::Version;
use crate::{
    Alphabet, DecodeError, PaymentHeader, decode_base64,
    wire::{
        read::{self, Object},
        write,
    },
};

/// A receipt: the decoded `X-PAYMENT-RESPONSE` or `PAYMENT-RESPONSE` header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Whether the payment was settled.
    pub success: bool,
    /// The transaction of the settlement.
    #[serde(serialize_with = "write::transaction")]
    pub transaction: Option<B256>,
    /// Name or CAIP-2 id of the network.
    pub network: String,
    /// Who paid.
    #[serde(
        serialize_with = "write::optional_display",
        skip_serializing_if = "Option::is_none"
    )]
    pub payer: Option<Address>,
    /// Why the settlement failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
}

impl Receipt {
    /// The header of a response to a client of this version.
    #[must_use]
    pub fn header(&self, version: Version) -> PaymentHeader {
        PaymentHeader {
            name: version.receipt_header(),
            value: write::to_header(self, Alphabet::Standard),
        }
    }

    /// Decodes the value of a receipt header. Only `success` is required; other members of an unexpected form count as absent.
    pub fn decode(header: &[u8]) -> Result<Self, DecodeError> {
        let document = Document::parse(decode_base64(header, Alphabet::Standard)?)?;
        Self::from_value(document.root())
    }

    /// Reads a receipt from JSON, such as a member of MCP's `_meta`.
    pub fn from_value(value: Value<'_>) -> Result<Self, DecodeError> {
        let object = Object::new(value)?;
        Ok(Self {
            success: object.boolean("success")?,
            transaction: transaction(object),
            network: object.text("network").unwrap_or_default(),
            payer: payer(object),
            error_reason: object.text("errorReason"),
        })
    }
}

/// The hash of a transaction. Failed settlements have an empty text or a placeholder, which is none.
pub(super) fn transaction(object: Object<'_>) -> Option<B256> {
    read::bytes32(object.get("transaction")?).ok()
}

/// Who paid, if it is an address.
pub(super) fn payer(object: Object<'_>) -> Option<Address> {
    read::address(object.get("payer")?).ok()
}
