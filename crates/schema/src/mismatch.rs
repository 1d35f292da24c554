//! One way in which a call differs from its schema.

use atr_manifest::Pointer;
use jsonschema::ValidationError;
use serde::Serialize;

use crate::{MAX_RULE_CHARACTERS, message};

/// A place of a call that breaks a rule of its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// Where in the call.
    pub pointer: Pointer,
    /// Which rule: a JSON pointer from the root of the schema. Empty if it is not one rule that is broken.
    pub rule: String,
    /// What the rule asks for. The call's own values are left out of it: they may be secret, and as long as they like.
    pub message: String,
}

impl Mismatch {
    /// About the call as a whole.
    pub(crate) fn of_call(message: String) -> Self {
        Self {
            pointer: Pointer::root(),
            rule: String::new(),
            message,
        }
    }
}

impl From<ValidationError<'_>> for Mismatch {
    fn from(error: ValidationError<'_>) -> Self {
        Self {
            pointer: message::pointer(error.instance_path().as_str()),
            rule: atr_ids::excerpt_with_limit(error.schema_path().as_str(), MAX_RULE_CHARACTERS),
            message: message::bounded(&error.masked().to_string()),
        }
    }
}
