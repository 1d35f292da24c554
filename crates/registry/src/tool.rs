//! What a registry says about one tool.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolInterface};
use atr_bindings::IToolRegistry::{IToolRegistryErrors, getToolConfigCall};
use serde::Serialize;

use crate::{
    abi::{Encoded, Malformed},
    view::Answer,
};

/// A tool id's state. An id that was never given and one whose tool is gone are different answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum ToolState {
    /// The tool is there.
    Live(ToolConfig),
    /// Its creator removed it, for good.
    Deregistered,
    /// No tool ever had this id.
    NeverRegistered,
}

impl ToolState {
    /// The configuration, of a tool that is there.
    #[must_use]
    pub fn live(self) -> Option<ToolConfig> {
        match self {
            Self::Live(config) => Some(config),
            Self::Deregistered | Self::NeverRegistered => None,
        }
    }
}

/// What the chain knows about a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolConfig {
    /// The account that registered it.
    pub creator: Address,
    /// Where the manifest is served. Registries do not check its form: bytes that are not UTF-8 show as U+FFFD, which no
    /// valid address of a manifest has. The ERC allows 2,048 bytes; a longer one can never verify, and what a hostile registry
    /// tells must not fill our memory: it is cut there, and U+FFFD stands at the cut.
    pub metadata_uri: String,
    /// keccak256 of the canonical manifest.
    pub manifest_hash: B256,
    /// Who decides on access; none lets everyone in.
    pub access_predicate: Option<Address>,
}

/// Longest URI in bytes that a registry takes.
const MAX_URI_BYTES: usize = 2048;

/// Stands where a URI was cut.
const CUT: char = char::REPLACEMENT_CHARACTER;

/// The question about one tool.
pub(crate) fn question(id: U256) -> Bytes {
    getToolConfigCall { toolId: id }.abi_encode().into()
}

/// The state behind a registry's answer, or what is wrong with the answer.
pub(crate) fn state(id: U256, answer: &Answer) -> Result<ToolState, String> {
    match answer {
        Answer::Returned(bytes) if bytes.is_empty() => {
            Err("it does not answer getToolConfig".to_owned())
        }
        Answer::Returned(bytes) => config(bytes)
            .map(ToolState::Live)
            .map_err(|why| format!("it answers getToolConfig with something else: {why}")),
        Answer::Failed { data, message } => match IToolRegistryErrors::abi_decode(data) {
            Ok(IToolRegistryErrors::ToolNotFound(error)) if error.toolId == id => {
                Ok(ToolState::NeverRegistered)
            }
            Ok(IToolRegistryErrors::ToolIsDeregistered(error)) if error.toolId == id => {
                Ok(ToolState::Deregistered)
            }
            _ => Err(format!(
                "getToolConfig fails in a way no registry's does: {message}"
            )),
        },
    }
}

fn config(bytes: &[u8]) -> Result<ToolConfig, Malformed> {
    let fields = Encoded::new(bytes).tail(0)?;
    let uri = fields.tail(1)?.content()?;
    Ok(ToolConfig {
        creator: fields.address(0)?,
        metadata_uri: readable(uri),
        manifest_hash: fields.word(2)?,
        access_predicate: Some(fields.address(3)?).filter(|predicate| !predicate.is_zero()),
    })
}

fn readable(uri: &[u8]) -> String {
    match uri.get(..=MAX_URI_BYTES) {
        Some(_) => {
            let mut kept = String::from_utf8_lossy(&uri[..MAX_URI_BYTES]).into_owned();
            kept.push(CUT);
            kept
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

    fn encoded(config: &ToolConfig) -> Answer {
        let bytes = getToolConfigCall::abi_encode_returns(&IToolRegistry::ToolConfig {
            creator: config.creator,
            metadataURI: config.metadata_uri.clone(),
            manifestHash: config.manifest_hash,
            accessPredicate: config.access_predicate.unwrap_or_default(),
        });
        Answer::Returned(bytes.into())
    }

    proptest! {
        #[test]
        fn whatever_encodes_decodes_to_itself(uri in ".{0,80}", creator: [u8; 20], hash: [u8; 32], predicate: Option<[u8; 20]>) {
            let config = ToolConfig {
                creator: creator.into(),
                metadata_uri: uri,
                manifest_hash: hash.into(),
                access_predicate: predicate.map(Address::from).filter(|address| !address.is_zero()),
            };
            prop_assert_eq!(state(U256::ONE, &encoded(&config)), Ok(ToolState::Live(config)));
        }

        #[test]
        fn no_answer_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = state(U256::ONE, &Answer::Returned(bytes.clone().into()));
            let _ = state(U256::ONE, &Answer::Failed { data: bytes.into(), message: String::new() });
        }
    }

    #[test]
    fn gone_and_never_there_are_told_apart_and_other_reverts_are_neither() {
        let failed = |data: Vec<u8>| Answer::Failed {
            data: data.into(),
            message: "execution reverted".to_owned(),
        };
        let id = U256::from(7);
        let never = IToolRegistry::ToolNotFound { toolId: id }.abi_encode();
        assert_eq!(
            state(id, &failed(never.clone())),
            Ok(ToolState::NeverRegistered)
        );
        let gone = IToolRegistry::ToolIsDeregistered { toolId: id }.abi_encode();
        assert_eq!(state(id, &failed(gone)), Ok(ToolState::Deregistered));
        assert!(state(U256::from(8), &failed(never)).is_err());
        assert!(state(id, &failed(Vec::new())).is_err());
        assert!(state(id, &Answer::Returned(Bytes::new())).is_err());
    }

    #[test]
    fn a_uri_that_is_no_text_does_not_hide_the_tool() {
        let config = ToolConfig {
            creator: address!("0x0000000000000000000000000000000000000001"),
            metadata_uri: "https://x".to_owned(),
            manifest_hash: B256::ZERO,
            access_predicate: None,
        };
        let Answer::Returned(bytes) = encoded(&config) else {
            unreachable!()
        };
        let mut bytes = bytes.to_vec();
        let at = bytes
            .windows(5)
            .position(|window| window == b"https")
            .unwrap();
        bytes[at] = 0xff;
        let state = state(U256::ONE, &Answer::Returned(bytes.into())).unwrap();
        assert_eq!(state.live().unwrap().metadata_uri, "\u{fffd}ttps://x");
    }

    #[test]
    fn a_uri_that_is_too_long_is_cut_and_marked() {
        const START: &str = "https://a.example/";
        for (size, kept) in [(2048, 2048), (2049, 2048), (1 << 20, 2048)] {
            let uri = format!("{START}{}", "a".repeat(size - START.len()));
            let shown = readable(uri.as_bytes());
            assert_eq!(shown.trim_end_matches(CUT), &uri[..kept]);
            assert_eq!(shown.ends_with(CUT), size > kept);
            // Whoever reads it as an address is refused, not led to the place it would be without its end.
            assert_eq!(shown.parse::<HttpsUrl>().is_ok(), size == kept, "{size}");
        }
    }
}
