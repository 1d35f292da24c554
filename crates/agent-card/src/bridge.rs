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
    /// The document as indented JSON with a final newline. The members of a card are in the order of the specification.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Some(members) = self.document.as_object() else {
            return format!("{:#}\n", self.document);
        };
        let position = |name: &str| {
            let order = MEMBER_ORDER.split(' ');
            order.enumerate().find(|(_, member)| *member == name)
        };
        let mut names: Vec<_> = members.keys().collect();
        names.sort_by_key(|name| (position(name).map_or(usize::MAX, |(at, _)| at), *name));
        let lines = names.into_iter().map(|name| {
            let value = format!("{:#}", members[name]).replace('\n', "\n  ");
            format!("  {}: {value}", serde_json::Value::from(name.as_str()))
        });
        format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"))
    }
}

/// Members of cards, A2A cards and registration files in reading order.
const MEMBER_ORDER: &str = "$schema $id type id slug name display_name description owner ens version status class implements schemas \
    schemas_mirror entry image supportedInterfaces services skills capabilities meta networks license created_at updated_at";

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
