//! Strict base64 in the alphabet of each header (T-49).

use std::fmt;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD},
};

use super::MAX_HEADER_BYTES;
use crate::DecodeError;

/// An alphabet of RFC 4648.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// `+` and `/`: x402 headers.
    Standard,
    /// `-` and `_`: `Authorization` headers.
    UrlSafe,
}

impl fmt::Display for Alphabet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard => "base64",
            Self::UrlSafe => "base64url",
        })
    }
}

/// Decodes a header value. Padding may be absent; partial padding, characters of the other alphabet, spaces, and bits after the
/// last byte are rejected, so that one message has one text (but for its padding).
pub fn decode_base64(text: &[u8], alphabet: Alphabet) -> Result<Vec<u8>, DecodeError> {
    if text.is_empty() {
        return Err(DecodeError::Empty);
    }
    if text.len() > MAX_HEADER_BYTES {
        return Err(DecodeError::TooLarge {
            bytes: text.len(),
            maximum: MAX_HEADER_BYTES,
        });
    }
    let engine = match (alphabet, text.ends_with(b"=")) {
        (Alphabet::Standard, true) => STANDARD,
        (Alphabet::Standard, false) => STANDARD_NO_PAD,
        (Alphabet::UrlSafe, true) => URL_SAFE,
        (Alphabet::UrlSafe, false) => URL_SAFE_NO_PAD,
    };
    engine
        .decode(text)
        .map_err(|_| DecodeError::Base64 { alphabet })
}

/// Encodes a header value: with padding in the standard alphabet, without in the URL-safe one.
#[must_use]
pub fn encode_base64(bytes: &[u8], alphabet: Alphabet) -> String {
    match alphabet {
        Alphabet::Standard => STANDARD.encode(bytes),
        Alphabet::UrlSafe => URL_SAFE_NO_PAD.encode(bytes),
    }
}
