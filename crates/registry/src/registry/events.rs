//! Events of a registry.

use alloy::rpc::types::{Filter, Log};
use alloy_primitives::{Address, B256, LogData, U256};
use alloy_sol_types::{SolEvent, SolEventInterface};
use atr_bindings::IToolRegistry::{
    AccessPredicateUpdated, IToolRegistryEvents, ToolDeregistered, ToolMetadataUpdated,
    ToolRegistered,
};
use serde::Serialize;

use super::predicate_events;
use crate::{Registry, json};

const EVENTS: [B256; 4] = [
    ToolRegistered::SIGNATURE_HASH,
    ToolMetadataUpdated::SIGNATURE_HASH,
    AccessPredicateUpdated::SIGNATURE_HASH,
    ToolDeregistered::SIGNATURE_HASH,
];

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
    /// Time of the block in seconds since 1970, if the node adds it to logs.
    #[serde(skip)]
    pub block_time: Option<u64>,
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
    /// The logs with events of tools.
    pub(super) fn event_filter(&self) -> Filter {
        let filter = Filter::new().address(self.address());
        filter.event_signature(EVENTS.to_vec())
    }

    /// The logs with events of tools, and with configurations and upgrades of predicates.
    pub(super) fn event_filter_with(&self, predicates: &[Address]) -> Filter {
        if predicates.is_empty() {
            return self.event_filter();
        }
        let mut addresses = vec![self.address()];
        addresses.extend_from_slice(predicates);
        let mut events = EVENTS.to_vec();
        events.extend(predicate_events::signatures());
        Filter::new().address(addresses).event_signature(events)
    }
}

impl LoggedEvent {
    /// `None` for pending logs and other events.
    pub(super) fn decode(log: &Log) -> Option<Self> {
        Some(Self {
            event: ToolEvent::decode_log(log.data())?,
            block: log.block_number?,
            block_hash: log.block_hash?,
            transaction: log.transaction_hash?,
            log_index: log.log_index?,
            block_time: log.block_timestamp,
        })
    }
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
