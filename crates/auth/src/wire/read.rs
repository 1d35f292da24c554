//! Typed reading of strictly parsed JSON.

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use atr_ids::{excerpt, parse_decimal};
use atr_manifest::{Document, Kind, Value};

use super::{Json, JsonObject};
use crate::DecodeError;

/// A JSON object whose members are read by name. Members of value `null` count as absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<'a>(Value<'a>);

impl<'a> Object<'a> {
    pub(crate) fn new(value: Value<'a>) -> Result<Self, DecodeError> {
        if value.kind() == Kind::Object {
            Ok(Self(value))
        } else {
            Err(wrong_type(value, "an object"))
        }
    }

    pub(crate) fn root(document: &'a Document) -> Result<Self, DecodeError> {
        Self::new(document.root())
    }

    pub(crate) fn get(self, name: &str) -> Option<Value<'a>> {
        self.0
            .get(name)
            .filter(|member| member.kind() != Kind::Null)
    }

    pub(crate) fn required(self, name: &str) -> Result<Value<'a>, DecodeError> {
        // A member that is null reports its type, not that it is missing.
        self.0.get(name).ok_or_else(|| DecodeError::Missing {
            field: self.0.pointer().member(name),
        })
    }

    pub(crate) fn object(self, name: &str) -> Result<Self, DecodeError> {
        Self::new(self.required(name)?)
    }

    pub(crate) fn string(self, name: &str) -> Result<&'a str, DecodeError> {
        string(self.required(name)?)
    }

    pub(crate) fn boolean(self, name: &str) -> Result<bool, DecodeError> {
        let value = self.required(name)?;
        value
            .as_bool()
            .ok_or_else(|| wrong_type(value, "a boolean"))
    }

    /// The elements of an array.
    pub(crate) fn array(self, name: &str) -> Result<impl Iterator<Item = Value<'a>>, DecodeError> {
        let value = self.required(name)?;
        if value.kind() == Kind::Array {
            Ok(value.elements())
        } else {
            Err(wrong_type(value, "an array"))
        }
    }

    pub(crate) fn optional<T>(
        self,
        name: &str,
        read: impl FnOnce(Value<'a>) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        self.get(name).map(read).transpose()
    }

    pub(crate) fn optional_string(self, name: &str) -> Result<Option<String>, DecodeError> {
        self.optional(name, |value| string(value).map(str::to_owned))
    }

    /// The content of a string. Other types count as absent.
    pub(crate) fn text(self, name: &str) -> Option<String> {
        self.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    pub(crate) fn address(self, name: &str) -> Result<Address, DecodeError> {
        address(self.required(name)?)
    }

    pub(crate) fn uint256(self, name: &str) -> Result<U256, DecodeError> {
        uint256(self.required(name)?)
    }

    /// All members but the named ones.
    pub(crate) fn rest(self, names: &[&str]) -> JsonObject {
        self.0
            .members()
            .filter(|(name, _)| !names.contains(name))
            .map(|(name, value)| (name.to_owned(), json(value)))
            .collect()
    }
}

pub(crate) fn wrong_type(value: Value<'_>, expected: &'static str) -> DecodeError {
    DecodeError::Type {
        field: value.pointer(),
        expected,
        found: value.kind(),
    }
}

pub(crate) fn invalid(value: Value<'_>, expected: &'static str) -> DecodeError {
    let found = value.as_str().or_else(|| value.number_text());
    DecodeError::Value {
        field: value.pointer(),
        expected,
        found: excerpt(found.unwrap_or_default()),
    }
}

pub(crate) fn string(value: Value<'_>) -> Result<&str, DecodeError> {
    value.as_str().ok_or_else(|| wrong_type(value, "a string"))
}

/// A decimal string without sign, leading zeros and spaces, up to 2^256-1.
pub(crate) fn uint256(value: Value<'_>) -> Result<U256, DecodeError> {
    parse_decimal(string(value)?).map_err(|_| invalid(value, "a uint256 in decimal"))
}

/// A JSON number that is a `u64`, written as an integer.
pub(crate) fn integer(value: Value<'_>) -> Result<u64, DecodeError> {
    let text = value
        .number_text()
        .ok_or_else(|| wrong_type(value, "an integer"))?;
    text.parse().map_err(|_| invalid(value, "an integer"))
}

/// Bytes of a text of `0x` and exactly `2 * N` hex digits.
fn fixed_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.strip_prefix("0x")?;
    let mut bytes = [0; N];
    // The length first: `hex` strips a second prefix.
    if digits.len() != 2 * N {
        return None;
    }
    hex::decode_to_slice(digits, &mut bytes).ok()?;
    Some(bytes)
}

/// An address in any case.
pub(crate) fn parse_address(text: &str) -> Option<Address> {
    fixed_hex(text).map(Address::new)
}

pub(crate) fn address(value: Value<'_>) -> Result<Address, DecodeError> {
    parse_address(string(value)?).ok_or_else(|| invalid(value, "an address"))
}

pub(crate) fn bytes32(value: Value<'_>) -> Result<B256, DecodeError> {
    let bytes = fixed_hex(string(value)?).map(B256::new);
    bytes.ok_or_else(|| invalid(value, "32 bytes in hex"))
}

/// Bytes of any length of a text of `0x` and hex digits.
pub(crate) fn parse_bytes(text: &str) -> Option<Bytes> {
    let digits = text.strip_prefix("0x")?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex
        .then(|| hex::decode(digits).ok().map(Bytes::from))
        .flatten()
}

pub(crate) fn bytes(value: Value<'_>) -> Result<Bytes, DecodeError> {
    parse_bytes(string(value)?).ok_or_else(|| invalid(value, "bytes in hex"))
}

pub(crate) fn object(value: Value<'_>) -> Result<JsonObject, DecodeError> {
    Ok(Object::new(value)?.rest(&[]))
}

/// Copies a value. The parser limits the depth, and thereby the recursion.
pub(crate) fn json(value: Value<'_>) -> Json {
    match value.kind() {
        Kind::Null => Json::Null,
        Kind::Boolean => Json::Bool(value.as_bool().unwrap_or_default()),
        Kind::Number => number(value),
        Kind::String => Json::String(value.as_str().unwrap_or_default().to_owned()),
        Kind::Array => value.elements().map(json).collect(),
        Kind::Object => value
            .members()
            .map(|(name, member)| (name.to_owned(), json(member)))
            .collect(),
    }
}

/// An integer if the text is one, so that it is compared and printed exactly.
fn number(value: Value<'_>) -> Json {
    let text = value.number_text().unwrap_or_default();
    if let Ok(integer) = text.parse::<u64>() {
        return integer.into();
    }
    if let Ok(integer) = text.parse::<i64>() {
        return integer.into();
    }
    value.as_f64().unwrap_or_default().into()
}
