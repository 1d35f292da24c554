//! Errors, each with a machine-readable code.

use alloy_primitives::{Address, U256};
use atr_manifest::{Kind, Pointer};

use crate::{Alphabet, Network};

/// Why a text is not a valid x402 message. Untrusted text is limited to an excerpt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No text.
    #[error("the value is empty")]
    Empty,
    /// The text was not decoded.
    #[error("the value is {bytes} bytes long, maximum {maximum}")]
    #[expect(missing_docs, reason = "plain data")]
    TooLarge { bytes: usize, maximum: usize },
    /// A character outside the alphabet, or incomplete padding.
    #[error("the value is not valid {alphabet}")]
    Base64 {
        /// The alphabet of this header.
        alphabet: Alphabet,
    },
    /// Not strict JSON. Duplicate member names are an error.
    #[error(transparent)]
    Json(#[from] atr_manifest::Error),
    /// A member is missing.
    #[error("{field} is missing")]
    Missing {
        /// JSON pointer of the member.
        field: Pointer,
    },
    /// A member has another JSON type.
    #[error("{field} is {found}, expected {expected}")]
    #[expect(missing_docs, reason = "plain data")]
    Type {
        field: Pointer,
        expected: &'static str,
        found: Kind,
    },
    /// A member has the right JSON type and an invalid value.
    #[error("{field} is `{found}`, expected {expected}")]
    #[expect(missing_docs, reason = "plain data")]
    Value {
        field: Pointer,
        expected: &'static str,
        found: String,
    },
    /// Neither version 1 nor 2.
    #[error("x402 version {found} is not supported")]
    Version {
        /// The number as written.
        found: String,
    },
    /// A line of a SIWE message is missing or invalid.
    #[error("the SIWE message has no valid {line}")]
    Siwe {
        /// Name of the line.
        line: &'static str,
    },
}

impl DecodeError {
    /// A stable identifier of the kind of error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLarge { .. } => "too_large",
            Self::Base64 { .. } => "invalid_base64",
            Self::Json(_) => "invalid_json",
            Self::Missing { .. } => "missing_field",
            Self::Type { .. } => "invalid_type",
            Self::Value { .. } => "invalid_value",
            Self::Version { .. } => "unsupported_x402_version",
            Self::Siwe { .. } => "invalid_siwe_message",
        }
    }

    /// JSON pointer of the member that is missing or invalid.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Missing { field } | Self::Type { field, .. } | Self::Value { field, .. } => {
                Some(field.as_str())
            }
            _ => None,
        }
    }
}

/// Why bytes are not a valid ECDSA signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// Not 65 bytes. Compact signatures (EIP-2098) and contract signatures are longer or shorter.
    #[error("the signature is {bytes} bytes long, expected 65")]
    Length {
        /// Length in bytes.
        bytes: usize,
    },
    /// `v` is not 0, 1, 27 or 28.
    #[error("the recovery id of the signature is {found}, expected 27 or 28")]
    RecoveryId {
        /// The last byte.
        found: u8,
    },
    /// The malleated twin of a signature.
    #[error("the signature has a high s value")]
    HighS,
    /// `r` or `s` is zero or out of range, or `r` is not on the curve.
    #[error("no account can be recovered from the signature")]
    Unrecoverable,
    /// The signature is valid, by another account.
    #[error("the signature is by {recovered}, expected {expected}")]
    #[expect(missing_docs, reason = "plain data")]
    Signer {
        recovered: Address,
        expected: Address,
    },
}

impl SignatureError {
    /// A stable identifier of the kind of error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "invalid_signature_length",
            Self::RecoveryId { .. } => "invalid_signature_recovery_id",
            Self::HighS => "malleable_signature",
            Self::Unrecoverable => "invalid_signature",
            Self::Signer { .. } => "signer_mismatch",
        }
    }
}

/// Why a gate rejects a credential without a request to a node or facilitator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// A header occurs twice.
    #[error("the {header} header is repeated")]
    RepeatedHeader {
        /// Name of the header.
        header: &'static str,
    },
    /// `X-PAYMENT` and `PAYMENT-SIGNATURE` in one request.
    #[error("both payment headers are present")]
    BothPaymentHeaders,
    /// The credential cannot be decoded.
    #[error("{source_name}: {error}")]
    Malformed {
        /// The header or `_meta` member.
        source_name: &'static str,
        /// What is wrong.
        #[source]
        error: DecodeError,
    },
    /// A supported x402 version in the header of another version.
    #[error("x402 version {found} does not belong in the {header} header")]
    #[expect(missing_docs, reason = "plain data")]
    VersionMismatch { header: &'static str, found: u8 },
    /// Only the scheme `exact` is supported.
    #[error("the payment scheme `{found}` is not supported")]
    UnknownScheme {
        /// Excerpt of the scheme.
        found: String,
    },
    /// Not a network of this x402 version.
    #[error("the network `{found}` is unknown")]
    UnknownNetwork {
        /// Excerpt of the network.
        found: String,
    },
    /// No offer is on this network.
    #[error("payments on {found} are not accepted")]
    WrongNetwork {
        /// The network of the credential.
        found: Network,
    },
    /// `accepted` of an x402 v2 payload is not one of the offers.
    #[error("the accepted payment requirements were not offered")]
    NotOffered,
    /// `to` is not the payee.
    #[error("the authorization is to {found}, expected {expected}")]
    #[expect(missing_docs, reason = "plain data")]
    WrongPayee { found: Address, expected: Address },
    /// The gate is free, and the value is not zero.
    #[error("the authorized value is {found}, expected 0")]
    ValueNotZero {
        /// In base units.
        found: U256,
    },
    /// The value is not the price.
    #[error("the authorized value is {found}, expected {expected}")]
    #[expect(missing_docs, reason = "plain data")]
    WrongValue { found: U256, expected: U256 },
    /// At or after `validBefore`.
    #[error("the authorization expired at {valid_before}")]
    #[expect(missing_docs, reason = "plain data")]
    Expired { valid_before: U256 },
    /// At or before `validAfter`.
    #[error("the authorization is not valid before {valid_after}")]
    #[expect(missing_docs, reason = "plain data")]
    NotYetValid { valid_after: U256 },
    /// `validBefore` is too far ahead.
    #[error("the authorization is valid until {valid_before}, more than {maximum} seconds ahead")]
    #[expect(missing_docs, reason = "plain data")]
    WindowTooLong { valid_before: U256, maximum: u64 },
    /// The signature is malformed or by another account.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// A SIWE message is for another host.
    #[error("the message is for `{found}`")]
    WrongDomain {
        /// Excerpt of the domain.
        found: String,
    },
}

/// How a gate answers a credential that it rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// An x402 version that the gate does not support.
    BadRequest,
    /// The credential is invalid.
    Unauthorized,
    /// Another payment is needed: the answer carries a challenge.
    PaymentRequired,
}

impl Rejection {
    /// HTTP status code.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::PaymentRequired => 402,
        }
    }
}

impl CredentialError {
    /// A stable identifier of the kind of error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::RepeatedHeader { .. } => "repeated_header",
            Self::BothPaymentHeaders => "both_payment_headers",
            Self::Malformed { error, .. } => error.code(),
            Self::VersionMismatch { .. } => "x402_version_mismatch",
            Self::UnknownScheme { .. } => "unknown_scheme",
            Self::UnknownNetwork { .. } => "unknown_network",
            Self::WrongNetwork { .. } => "wrong_network",
            Self::NotOffered => "not_offered",
            Self::WrongPayee { .. } => "wrong_payee",
            Self::ValueNotZero { .. } => "value_not_zero",
            Self::WrongValue { .. } => "wrong_value",
            Self::Expired { .. } => "expired",
            Self::NotYetValid { .. } => "not_yet_valid",
            Self::WindowTooLong { .. } => "window_too_long",
            Self::Signature(error) => error.code(),
            Self::WrongDomain { .. } => "wrong_domain",
        }
    }

    /// JSON pointer of the member that is missing or invalid.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Malformed { error, .. } => error.field(),
            _ => None,
        }
    }

    /// How a gate answers.
    #[must_use]
    pub const fn rejection(&self) -> Rejection {
        match self {
            Self::Malformed {
                error: DecodeError::Version { .. },
                ..
            } => Rejection::BadRequest,
            Self::WrongValue { .. } => Rejection::PaymentRequired,
            _ => Rejection::Unauthorized,
        }
    }
}
