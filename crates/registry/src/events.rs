//! What a registry has told: the events of its tools.

use alloy::{
    providers::Provider,
    rpc::types::{Filter, Log},
    transports::{TransportError, TransportErrorKind},
};
use alloy_primitives::{Address, B256, LogData, U256};
use alloy_sol_types::{SolEvent, SolEventInterface};
use atr_bindings::IToolRegistry::{
    AccessPredicateUpdated, IToolRegistryEvents, ToolDeregistered, ToolMetadataUpdated,
    ToolRegistered,
};
use serde::Serialize;

use crate::{Error, Registry, decimal, error::failed};

/// Most blocks in one question for logs; nodes allow between a thousand and a few ten thousand.
const BLOCKS_PER_QUESTION: u64 = 10_000;

/// Something happened to a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "event",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum ToolEvent {
    /// It was registered.
    Registered {
        /// The tool.
        #[serde(serialize_with = "decimal::serialize")]
        tool_id: U256,
        /// Who registered it.
        creator: Address,
        /// Who decides on access; none lets everyone in.
        access_predicate: Option<Address>,
        /// Where the manifest is.
        metadata_uri: String,
        /// The manifest's hash.
        manifest_hash: B256,
    },
    /// The manifest's place or hash changed.
    MetadataUpdated {
        /// The tool.
        #[serde(serialize_with = "decimal::serialize")]
        tool_id: U256,
        /// Where the manifest is from now on.
        metadata_uri: String,
        /// The manifest's hash from now on.
        manifest_hash: B256,
    },
    /// Another predicate decides.
    PredicateUpdated {
        /// The tool.
        #[serde(serialize_with = "decimal::serialize")]
        tool_id: U256,
        /// Who decides from now on; none lets everyone in.
        access_predicate: Option<Address>,
    },
    /// It was removed.
    Deregistered {
        /// The tool.
        #[serde(serialize_with = "decimal::serialize")]
        tool_id: U256,
    },
}

/// An event and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedEvent {
    /// What happened.
    #[serde(flatten)]
    pub event: ToolEvent,
    /// The block's number.
    pub block: u64,
    /// The block's hash: the same number may be another block after a reorganisation.
    pub block_hash: B256,
    /// The transaction.
    pub transaction: B256,
    /// Its place among the block's logs.
    pub log_index: u64,
}

impl ToolEvent {
    /// The tool it happened to.
    #[must_use]
    pub const fn tool_id(&self) -> U256 {
        match self {
            Self::Registered { tool_id, .. }
            | Self::MetadataUpdated { tool_id, .. }
            | Self::PredicateUpdated { tool_id, .. }
            | Self::Deregistered { tool_id } => *tool_id,
        }
    }

    /// The event in a log; none if it is another contract's business.
    #[must_use]
    pub fn of_log(log: &LogData) -> Option<Self> {
        let some = |address: Address| Some(address).filter(|address| !address.is_zero());
        let event = IToolRegistryEvents::decode_raw_log(log.topics(), &log.data).ok()?;
        Some(match event {
            IToolRegistryEvents::ToolRegistered(event) => Self::Registered {
                tool_id: event.toolId,
                creator: event.creator,
                access_predicate: some(event.accessPredicate),
                metadata_uri: event.metadataURI,
                manifest_hash: event.manifestHash,
            },
            IToolRegistryEvents::ToolMetadataUpdated(event) => Self::MetadataUpdated {
                tool_id: event.toolId,
                metadata_uri: event.newURI,
                manifest_hash: event.newHash,
            },
            IToolRegistryEvents::AccessPredicateUpdated(event) => Self::PredicateUpdated {
                tool_id: event.toolId,
                access_predicate: some(event.newPredicate),
            },
            IToolRegistryEvents::ToolDeregistered(event) => Self::Deregistered {
                tool_id: event.toolId,
            },
        })
    }
}

impl Registry {
    /// Everything the registry told in these blocks, both included, in order. Asks in ranges, and in smaller ones where
    /// the node refuses.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or refuses even a single block.
    pub async fn events(&self, from_block: u64, to_block: u64) -> Result<Vec<LoggedEvent>, Error> {
        let mut events = Vec::new();
        let (mut start, mut span) = (from_block, BLOCKS_PER_QUESTION);
        while start <= to_block {
            let end = to_block.min(start.saturating_add(span - 1));
            match self.logs(start, end).await {
                Ok(logs) => {
                    events.extend(logs.iter().filter_map(logged));
                    let Some(next) = end.checked_add(1) else {
                        break;
                    };
                    start = next;
                    // A crowded stretch is behind us, perhaps.
                    span = (span * 2).min(BLOCKS_PER_QUESTION);
                }
                Err(error) if end > start && asks_for_less(&error) => {
                    tracing::info!(%error, start, end, "the node refuses the range; asking for half of it");
                    span = (end - start).div_ceil(2);
                }
                Err(error) => return Err(failed("eth_getLogs")(error)),
            }
        }
        Ok(events)
    }

    async fn logs(&self, start: u64, end: u64) -> Result<Vec<Log>, TransportError> {
        let filter = Filter::new()
            .address(self.address())
            .event_signature(vec![
                ToolRegistered::SIGNATURE_HASH,
                ToolMetadataUpdated::SIGNATURE_HASH,
                AccessPredicateUpdated::SIGNATURE_HASH,
                ToolDeregistered::SIGNATURE_HASH,
            ])
            .from_block(start)
            .to_block(end);
        self.provider().get_logs(&filter).await
    }
}

/// Whether a smaller range may get an answer: the node said no, or its answer was too much for the way.
fn asks_for_less(error: &TransportError) -> bool {
    let is_http = |kind: &TransportErrorKind| matches!(kind, TransportErrorKind::HttpError(http) if http.status != 401);
    error.is_error_resp() || error.is_deser_error() || error.as_transport_err().is_some_and(is_http)
}

/// Logs of a block that is still being made have no place yet, and those of one that was undone have none any more.
fn logged(log: &Log) -> Option<LoggedEvent> {
    if log.removed {
        return None;
    }
    Some(LoggedEvent {
        event: ToolEvent::of_log(log.data())?,
        block: log.block_number?,
        block_hash: log.block_hash?,
        transaction: log.transaction_hash?,
        log_index: log.log_index?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tool_id_is_a_decimal_string_in_json() {
        let event = ToolEvent::Deregistered {
            tool_id: U256::from(7),
        };
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(json, r#"{"event":"deregistered","toolId":"7"}"#);
    }

    proptest! {
        #[test]
        fn whatever_a_registry_logs_is_read_back(id: [u8; 32], uri in ".{0,60}", hash: [u8; 32], creator: [u8; 20]) {
            let event = ToolRegistered {
                toolId: U256::from_be_bytes(id),
                creator: creator.into(),
                accessPredicate: Address::ZERO,
                metadataURI: uri.clone(),
                manifestHash: hash.into(),
            };
            let read = ToolEvent::of_log(&event.encode_log_data());
            prop_assert_eq!(read, Some(ToolEvent::Registered {
                tool_id: U256::from_be_bytes(id),
                creator: creator.into(),
                access_predicate: None,
                metadata_uri: uri,
                manifest_hash: hash.into(),
            }));
        }

        #[test]
        fn no_log_makes_it_panic(data in prop::collection::vec(any::<u8>(), 0..200), words: [[u8; 32]; 3]) {
            for signature in [ToolRegistered::SIGNATURE_HASH, ToolMetadataUpdated::SIGNATURE_HASH] {
                let topics = [[signature].as_slice(), &words.map(B256::from)].concat();
                let _ = ToolEvent::of_log(&LogData::new_unchecked(topics, data.clone().into()));
            }
        }
    }
}
