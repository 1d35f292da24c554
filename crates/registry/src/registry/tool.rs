//! The state of a tool.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolInterface};
use atr_bindings::IToolRegistry::{IToolRegistryErrors, getToolConfigCall};
use atr_ids::MAX_METADATA_URI_BYTES;
use serde::Serialize;

use crate::abi::{AbiSlice, Malformed};
use atr_rpc::CallResult;

/// The state of a tool id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum ToolState {
    /// Registered.
    Live(ToolConfig),
    /// Deregistered by its creator, permanently.
    Deregistered,
    /// The id was never assigned.
    NeverRegistered,
}

impl ToolState {
    /// The configuration of a registered tool.
    #[must_use]
    pub fn into_config(self) -> Option<ToolConfig> {
        match self {
            Self::Live(config) => Some(config),
            Self::Deregistered | Self::NeverRegistered => None,
        }
    }
}

/// The on-chain configuration of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct ToolConfig {
    pub creator: Address,
    /// Registries do not validate it. Bytes that are not UTF-8 become U+FFFD, which no valid manifest URL contains. A value
    /// longer than the ERC's 2,048 bytes, which never verifies, is truncated and ends with U+FFFD.
    pub metadata_uri: String,
    /// keccak256 of the canonical manifest.
    pub manifest_hash: B256,
    /// `None`: open access.
    pub access_predicate: Option<Address>,
}

/// Appended to a truncated URI.
const TRUNCATION_MARK: char = char::REPLACEMENT_CHARACTER;

/// Call data of `getToolConfig`.
pub(super) fn call_data(id: U256) -> Bytes {
    getToolConfigCall { toolId: id }.abi_encode().into()
}

/// Decodes the result of `getToolConfig`. The error is the reason why it is not the result of a registry.
pub(super) fn decode_state(id: U256, result: &CallResult) -> Result<ToolState, String> {
    match result {
        CallResult::Returned(bytes) if bytes.is_empty() => {
            Err("getToolConfig() returned no data".to_owned())
        }
        CallResult::Returned(bytes) => decode_config(bytes)
            .map(ToolState::Live)
            .map_err(|error| format!("getToolConfig() returned invalid data: {error}")),
        CallResult::Failed { data, message } => match IToolRegistryErrors::abi_decode(data) {
            Ok(IToolRegistryErrors::ToolNotFound(error)) if error.toolId == id => {
                Ok(ToolState::NeverRegistered)
            }
            Ok(IToolRegistryErrors::ToolIsDeregistered(error)) if error.toolId == id => {
                Ok(ToolState::Deregistered)
            }
            _ => Err(format!(
                "getToolConfig() failed with an unexpected error: {message}"
            )),
        },
    }
}

fn decode_config(bytes: &[u8]) -> Result<ToolConfig, Malformed> {
    let fields = AbiSlice::new(bytes).dynamic(0)?;
    let uri = fields.dynamic(1)?.bytes()?;
    Ok(ToolConfig {
        creator: fields.address(0)?,
        metadata_uri: decode_uri(uri),
        manifest_hash: fields.bytes32(2)?,
        access_predicate: Some(fields.address(3)?).filter(|predicate| !predicate.is_zero()),
    })
}

fn decode_uri(uri: &[u8]) -> String {
    match uri.get(..=MAX_METADATA_URI_BYTES) {
        Some(_) => {
            let mut text = String::from_utf8_lossy(&uri[..MAX_METADATA_URI_BYTES]).into_owned();
            text.push(TRUNCATION_MARK);
            text
        }
        None => String::from_utf8_lossy(uri).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;
    use alloy_sol_types::SolError;
    use atr_bindings::IToolRegistry;
    use atr_ids::HttpsUrl;
    use proptest::prelude::*;

    use super::*;

    fn encoded(config: &ToolConfig) -> CallResult {
        let bytes = getToolConfigCall::abi_encode_returns(&IToolRegistry::ToolConfig {
            creator: config.creator,
            metadataURI: config.metadata_uri.clone(),
            manifestHash: config.manifest_hash,
            accessPredicate: config.access_predicate.unwrap_or_default(),
        });
        CallResult::Returned(bytes.into())
    }

    proptest! {
        #[test]
        fn encoded_configurations_decode_to_themselves(uri in ".{0,80}", creator: [u8; 20], hash: [u8; 32], predicate: Option<[u8; 20]>) {
            let config = ToolConfig {
                creator: creator.into(),
                metadata_uri: uri,
                manifest_hash: hash.into(),
                access_predicate: predicate.map(Address::from).filter(|address| !address.is_zero()),
            };
            prop_assert_eq!(decode_state(U256::ONE, &encoded(&config)), Ok(ToolState::Live(config)));
        }

        #[test]
        fn decoding_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode_state(U256::ONE, &CallResult::Returned(bytes.clone().into()));
            let _ = decode_state(U256::ONE, &CallResult::Failed { data: bytes.into(), message: String::new() });
        }
    }

    #[test]
    fn distinguishes_deregistered_from_never_registered_tools() {
        let failed = |data: Vec<u8>| CallResult::Failed {
            data: data.into(),
            message: "execution reverted".to_owned(),
        };
        let id = U256::from(7);
        let not_found = IToolRegistry::ToolNotFound { toolId: id }.abi_encode();
        assert_eq!(
            decode_state(id, &failed(not_found.clone())),
            Ok(ToolState::NeverRegistered)
        );
        let deregistered = IToolRegistry::ToolIsDeregistered { toolId: id }.abi_encode();
        assert_eq!(
            decode_state(id, &failed(deregistered)),
            Ok(ToolState::Deregistered)
        );
        assert!(decode_state(U256::from(8), &failed(not_found)).is_err());
        assert!(decode_state(id, &failed(Vec::new())).is_err());
        assert!(decode_state(id, &CallResult::Returned(Bytes::new())).is_err());
    }

    #[test]
    fn a_metadata_uri_that_is_not_utf8_is_decoded_lossily() {
        let config = ToolConfig {
            creator: address!("0x0000000000000000000000000000000000000001"),
            metadata_uri: "https://x".to_owned(),
            manifest_hash: B256::ZERO,
            access_predicate: None,
        };
        let CallResult::Returned(bytes) = encoded(&config) else {
            unreachable!()
        };
        let mut bytes = bytes.to_vec();
        let start = bytes
            .windows(5)
            .position(|window| window == b"https")
            .unwrap();
        bytes[start] = 0xff;
        let state = decode_state(U256::ONE, &CallResult::Returned(bytes.into())).unwrap();
        assert_eq!(
            state.into_config().unwrap().metadata_uri,
            "\u{fffd}ttps://x"
        );
    }

    #[test]
    fn a_metadata_uri_that_is_too_long_is_truncated_and_marked() {
        const START: &str = "https://a.example/";
        for (size, expected) in [(2048, 2048), (2049, 2048), (1 << 20, 2048)] {
            let uri = format!("{START}{}", "a".repeat(size - START.len()));
            let decoded = decode_uri(uri.as_bytes());
            assert_eq!(decoded.trim_end_matches(TRUNCATION_MARK), &uri[..expected]);
            assert_eq!(decoded.ends_with(TRUNCATION_MARK), size > expected);
            // A truncated URI must not parse as a different valid URL.
            assert_eq!(
                decoded.parse::<HttpsUrl>().is_ok(),
                size == expected,
                "{size}"
            );
        }
    }
}
