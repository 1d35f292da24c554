//! Messages of x402, one module per version.

pub mod facilitator;
pub mod mcp;
mod receipt;
pub mod v1;
pub mod v2;

use std::fmt;

pub use receipt::Receipt;
use serde::Serialize;

use crate::{
    DecodeError, Json, Network,
    wire::read::{self, Object},
};

/// The only scheme that this crate supports: the exact amount, by EIP-3009.
pub const SCHEME_EXACT: &str = "exact";

/// Header of a 402 response of x402 v1, beside the body.
pub const X_ACCEPT_PAYMENT: (&str, &str) = ("X-Accept-Payment", "x402");

/// A version of x402.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Challenge in the body, networks by name.
    V1,
    /// Challenge in a header, networks in CAIP-2 form.
    V2,
}

impl Version {
    /// The value of `x402Version`.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::V1 => v1::VERSION,
            Self::V2 => v2::VERSION,
        }
    }

    /// The request header of a payment.
    #[must_use]
    pub const fn payment_header(self) -> &'static str {
        match self {
            Self::V1 => v1::PAYMENT_HEADER,
            Self::V2 => v2::PAYMENT_HEADER,
        }
    }

    /// The response header of a receipt.
    #[must_use]
    pub const fn receipt_header(self) -> &'static str {
        match self {
            Self::V1 => v1::RECEIPT_HEADER,
            Self::V2 => v2::RECEIPT_HEADER,
        }
    }

    /// Parses the name of a network.
    #[must_use]
    pub fn parse_network(self, text: &str) -> Option<Network> {
        match self {
            Self::V1 => Network::from_v1_name(text),
            Self::V2 => Network::from_caip2(text),
        }
    }

    /// The name of a network. x402 v1 has names for some chains only.
    #[must_use]
    pub fn network_name(self, network: Network) -> Option<String> {
        match self {
            Self::V1 => network.v1_name().map(str::to_owned),
            Self::V2 => Some(network.caip2()),
        }
    }

    /// Reads the member `x402Version`.
    pub(crate) fn read(message: Object<'_>) -> Result<Self, DecodeError> {
        let value = message.required("x402Version")?;
        let text = value
            .number_text()
            .ok_or_else(|| read::wrong_type(value, "an integer"))?;
        match text {
            "1" => Ok(Self::V1),
            "2" => Ok(Self::V2),
            other => Err(DecodeError::Version {
                found: atr_ids::excerpt(other),
            }),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// What is paid for. x402 v1 has the first three members, in each of its payment requirements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Public URL of the request.
    pub url: String,
    /// For display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Media type of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// For display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_name: Option<String>,
    /// For discovery.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// For display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
}

impl Resource {
    /// A resource without a description.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            ..Self::default()
        }
    }
}

/// `extra` of an EIP-3009 token: its EIP-712 domain.
pub(crate) fn domain_extra(token: &crate::Token) -> [(String, Json); 2] {
    [
        ("name".to_owned(), token.name().into()),
        ("version".to_owned(), token.version().into()),
    ]
}
