//! Decoding of revert data.

use std::fmt;

use alloy_primitives::Bytes;
use alloy_sol_types::{Revert, SolError};
use atr_bindings::IToolRegistry;
use serde::Serialize;

use crate::predicates;

/// Why a call reverts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RevertReason {
    /// Name of the custom error, such as `NotToolCreator`; `None` if it is not an error of our contracts.
    pub error: Option<&'static str>,
    /// The error in plain English, escaped for display.
    pub message: String,
    /// The revert data.
    pub data: Bytes,
}

impl fmt::Display for RevertReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.error {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

impl RevertReason {
    /// Decodes revert data; `message` is the node's message, used if the data is not recognized.
    pub fn decode(data: Bytes, message: &str) -> Self {
        let known = registry_error(&data).or_else(|| predicates::decode_error(&data));
        let (error, message) = match known {
            Some((name, message)) => (Some(name), message),
            None => match Revert::abi_decode(&data) {
                Ok(revert) => (
                    None,
                    format!("reverted with \"{}\"", atr_ids::excerpt(&revert.reason)),
                ),
                Err(_) => (None, message.to_owned()),
            },
        };
        Self {
            error,
            message,
            data,
        }
    }
}

/// Returns the name and message of the first custom error that `$data` decodes to.
macro_rules! decode_errors {
    ($data:ident; $($contract:ident::$error:ident($decoded:pat) => $message:expr;)*) => {{
        $(
            if let Ok($decoded) = <$contract::$error as alloy_sol_types::SolError>::abi_decode($data) {
                return Some((stringify!($error), $message.to_string()));
            }
        )*
        None
    }};
}
pub(crate) use decode_errors;

fn registry_error(data: &[u8]) -> Option<(&'static str, String)> {
    decode_errors! { data;
        IToolRegistry::ToolNotFound(e) => format!("tool {} does not exist", e.toolId);
        IToolRegistry::ToolIsDeregistered(e) => format!("tool {} is deregistered", e.toolId);
        IToolRegistry::NotToolCreator(e) => format!("{} is not the creator of tool {}", e.caller, e.toolId);
        IToolRegistry::InvalidMetadataURI(_) => "the metadataURI is empty or longer than 2,048 bytes";
        IToolRegistry::InvalidManifestHash(_) => "the manifest hash is zero";
        IToolRegistry::InvalidAccessPredicate(e) =>
            format!("{} supports ERC-165 but does not declare IAccessPredicate", e.predicate);
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, U256};

    use super::*;

    #[test]
    fn a_known_error_is_decoded_with_its_name() {
        let error = IToolRegistry::NotToolCreator {
            toolId: U256::from(7),
            caller: Address::ZERO,
        };
        let reason = RevertReason::decode(error.abi_encode().into(), "execution reverted");
        assert_eq!(reason.error, Some("NotToolCreator"));
        assert_eq!(
            reason.to_string(),
            "0x0000000000000000000000000000000000000000 is not the creator of tool 7 (NotToolCreator)"
        );
    }

    #[test]
    fn an_unknown_error_shows_the_revert_string_or_the_message() {
        let revert = Revert::from("no \u{1b}[31m").abi_encode();
        assert_eq!(
            RevertReason::decode(revert.into(), "x").to_string(),
            "reverted with \"no \\u{1b}[31m\""
        );
        assert_eq!(
            RevertReason::decode(Bytes::new(), "out of gas").to_string(),
            "out of gas"
        );
    }
}
