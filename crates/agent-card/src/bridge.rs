//! Conversion from and to other descriptions of agents: A2A Agent Cards 1.0 and ERC-8004 registration files.
//!
//! An exported document contains the whole card in a place that its format defines for extensions, so importing it again gives
//! the same card. What the other format cannot express, and what the card does not have, is reported.

mod a2a;
mod draft;
mod erc8004;

use atr_manifest::Pointer;
use serde::Serialize;

pub use a2a::{A2aInterface, EXTENSION_URI, export_a2a, import_a2a};
pub use draft::{Draft, canonical_schemas};
pub use erc8004::{
    CARD_SERVICE, Erc8004Options, REGISTRATION_TYPE, Registration, check_registration,
    export_erc8004, import_erc8004,
};

/// A document of another format, or a card, and what differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Converted {
    /// The new document.
    pub document: serde_json::Value,
    /// What was left out, assumed, or is contradictory. Empty if nothing was lost.
    pub differences: Vec<Difference>,
}

impl Converted {
    /// The document as indented JSON with a final newline. Members are in the order of their names.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = format!("{:#}", self.document);
        text.push('\n');
        text
    }
}

/// One difference between the two documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Stable machine-readable code: `not-expressible`, `dropped`, `missing`, `assumed` or `contradicts-card`.
    pub code: &'static str,
    /// Location in the source, or for `missing` and `assumed` in the result.
    pub pointer: Pointer,
    /// One sentence.
    pub message: String,
}

impl Difference {
    fn new(code: &'static str, pointer: &str, message: impl Into<String>) -> Self {
        let tokens = pointer.split('/').skip(1);
        Self {
            code,
            pointer: tokens.fold(Pointer::root(), Pointer::member),
            message: message.into(),
        }
    }
}

/// Why a document cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// The source is not a JSON object, or too deeply nested.
    #[error("the document is not a JSON object that can be converted")]
    NotAnObject,
    /// A member that the conversion needs.
    #[error("the member {0} is missing or has another type")]
    Member(&'static str),
}

/// The document as a JSON value. `None` if it is not an object, or nested too deeply for the JSON library.
fn object(
    document: &atr_manifest::Document,
) -> Result<serde_json::Map<String, serde_json::Value>, BridgeError> {
    match serde_json::from_str(document.text()) {
        Ok(serde_json::Value::Object(object)) => Ok(object),
        _ => Err(BridgeError::NotAnObject),
    }
}
