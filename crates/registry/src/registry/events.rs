//! Events of a registry.

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

use crate::{Error, Registry, error::rpc_error, json};

/// Initial block range of one `eth_getLogs` request. Nodes allow between a thousand and a few ten thousand.
const BLOCKS_PER_REQUEST: u64 = 10_000;

/// An event of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "event",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[expect(missing_docs, reason = "named after the events of the ERC")]
pub enum ToolEvent {
    Registered {
        #[serde(serialize_with = "json::decimal")]
        tool_id: U256,
        creator: Address,
        /// `None`: open access.
        access_predicate: Option<Address>,
        metadata_uri: String,
        manifest_hash: B256,
    },
    MetadataUpdated {
        #[serde(serialize_with = "json::decimal")]
        tool_id: U256,
        metadata_uri: String,
        manifest_hash: B256,
    },
    PredicateUpdated {
        #[serde(serialize_with = "json::decimal")]
        tool_id: U256,
        /// `None`: open access.
        access_predicate: Option<Address>,
    },
    Deregistered {
        #[serde(serialize_with = "json::decimal")]
        tool_id: U256,
    },
}

/// An event with its position in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct LoggedEvent {
    #[serde(flatten)]
    pub event: ToolEvent,
    /// Block number.
    pub block: u64,
    /// Block hash. After a reorg, another block can have the same number.
    pub block_hash: B256,
    /// Transaction hash.
    pub transaction: B256,
    /// Index of the log in the block.
    pub log_index: u64,
}

impl ToolEvent {
    /// The tool of the event.
    #[must_use]
    pub const fn tool_id(&self) -> U256 {
        match self {
            Self::Registered { tool_id, .. }
            | Self::MetadataUpdated { tool_id, .. }
            | Self::PredicateUpdated { tool_id, .. }
            | Self::Deregistered { tool_id } => *tool_id,
        }
    }

    /// The events that a contract emitted, from the logs of a transaction.
    #[must_use]
    pub fn of_contract(contract: Address, logs: &[Log]) -> Vec<Self> {
        let own = logs.iter().filter(|log| log.address() == contract);
        own.filter_map(|log| Self::decode_log(log.data())).collect()
    }

    /// Decodes a log; `None` if it is not an event of a registry.
    #[must_use]
    pub fn decode_log(log: &LogData) -> Option<Self> {
        let nonzero = |address: Address| Some(address).filter(|address| !address.is_zero());
        let event = IToolRegistryEvents::decode_raw_log(log.topics(), &log.data).ok()?;
        Some(match event {
            IToolRegistryEvents::ToolRegistered(event) => Self::Registered {
                tool_id: event.toolId,
                creator: event.creator,
                access_predicate: nonzero(event.accessPredicate),
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
                access_predicate: nonzero(event.newPredicate),
            },
            IToolRegistryEvents::ToolDeregistered(event) => Self::Deregistered {
                tool_id: event.toolId,
            },
        })
    }
}

impl Registry {
    /// All events from `from_block` to `to_block`, inclusive, in order. Splits the range where the node rejects it.
    ///
    /// # Errors
    ///
    /// When an RPC request fails, even for a single block.
    pub async fn events(&self, from_block: u64, to_block: u64) -> Result<Vec<LoggedEvent>, Error> {
        let mut events = Vec::new();
        let (mut start, mut span) = (from_block, BLOCKS_PER_REQUEST);
        while start <= to_block {
            let end = to_block.min(start.saturating_add(span - 1));
            match self.logs(start, end).await {
                Ok(logs) => {
                    events.extend(logs.iter().filter_map(decode));
                    let Some(next) = end.checked_add(1) else {
                        break;
                    };
                    start = next;
                    // Grow the range again: later blocks may have fewer logs.
                    span = (span * 2).min(BLOCKS_PER_REQUEST);
                }
                Err(error) if end > start && can_succeed_with_smaller_range(&error) => {
                    tracing::info!(%error, start, end, "the node rejected the block range; halving it");
                    span = (end - start).div_ceil(2);
                }
                Err(error) => return Err(rpc_error("eth_getLogs")(error)),
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

/// Whether the error can be caused by the size of the range or of the response.
pub(super) fn can_succeed_with_smaller_range(error: &TransportError) -> bool {
    let is_http = |kind: &TransportErrorKind| matches!(kind, TransportErrorKind::HttpError(http) if http.status != 401);
    error.is_error_resp() || error.is_deser_error() || error.as_transport_err().is_some_and(is_http)
}

/// `None` for logs that are pending or removed by a reorg, and for other events.
pub(super) fn decode(log: &Log) -> Option<LoggedEvent> {
    if log.removed {
        return None;
    }
    Some(LoggedEvent {
        event: ToolEvent::decode_log(log.data())?,
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
    fn a_tool_id_serializes_as_a_decimal_string() {
        let event = ToolEvent::Deregistered {
            tool_id: U256::from(7),
        };
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(json, r#"{"event":"deregistered","toolId":"7"}"#);
    }

    proptest! {
        #[test]
        fn encoded_events_decode_to_themselves(id: [u8; 32], uri in ".{0,60}", hash: [u8; 32], creator: [u8; 20]) {
            let event = ToolRegistered {
                toolId: U256::from_be_bytes(id),
                creator: creator.into(),
                accessPredicate: Address::ZERO,
                metadataURI: uri.clone(),
                manifestHash: hash.into(),
            };
            let read = ToolEvent::decode_log(&event.encode_log_data());
            prop_assert_eq!(read, Some(ToolEvent::Registered {
                tool_id: U256::from_be_bytes(id),
                creator: creator.into(),
                access_predicate: None,
                metadata_uri: uri,
                manifest_hash: hash.into(),
            }));
        }

        #[test]
        fn decoding_a_log_never_panics(data in prop::collection::vec(any::<u8>(), 0..200), topics: [[u8; 32]; 3]) {
            for signature in [ToolRegistered::SIGNATURE_HASH, ToolMetadataUpdated::SIGNATURE_HASH] {
                let topics = [[signature].as_slice(), &topics.map(B256::from)].concat();
                let _ = ToolEvent::decode_log(&LogData::new_unchecked(topics, data.clone().into()));
            }
        }
    }
}
