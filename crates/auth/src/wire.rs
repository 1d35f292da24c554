//! Encodings that all messages share: base64, strict JSON, decimal numbers, hex.

mod base64;
pub(crate) mod read;
pub(crate) mod write;

pub use self::base64::{Alphabet, decode_base64, encode_base64};

/// A JSON value. Decoders build it from a strictly parsed document, never with serde.
pub type Json = serde_json::Value;

/// A JSON object.
pub type JsonObject = serde_json::Map<String, Json>;

/// Maximum length of a header that is decoded. Servers limit all headers of a request to about this size.
pub const MAX_HEADER_BYTES: usize = 16 * 1024;
