//! How messages are written.

use std::fmt::Display;

use alloy_primitives::B256;
use serde::{Serialize, Serializer};

use super::{Alphabet, Json, encode_base64};

/// Numbers in decimal, bytes in lower-case hex, addresses with an EIP-55 checksum (some facilitators reject lower case).
pub(crate) fn display<S: Serializer>(
    value: &impl Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(crate) fn optional_display<S: Serializer>(
    value: &Option<impl Display>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// Empty if there is none, which is what x402 servers send.
pub(crate) fn transaction<S: Serializer>(
    value: &Option<B256>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(hash) => serializer.collect_str(hash),
        None => serializer.serialize_str(""),
    }
}

/// The JSON value of a message.
pub(crate) fn to_json(message: &impl Serialize) -> Json {
    serde_json::to_value(message).expect("messages have string keys and finite numbers")
}

/// The base64 header value of a message.
pub(crate) fn to_header(message: &impl Serialize, alphabet: Alphabet) -> String {
    let text = serde_json::to_vec(message).expect("messages have string keys and finite numbers");
    encode_base64(&text, alphabet)
}
