//! The state of a tool from its events.

use alloy_primitives::{Address, B256};

use super::types::{ChangeKind, Event, EventKind, ToolState, UriKey};

/// The part of a tool that events define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Projection {
    pub(super) state: ToolState,
    pub(super) creator: Address,
    pub(super) uri: Vec<u8>,
    pub(super) uri_key: UriKey,
    pub(super) manifest_hash: B256,
    pub(super) predicate: Option<Address>,
    pub(super) registered_block: i64,
    pub(super) registered_at: i64,
    pub(super) updated_block: i64,
    pub(super) updates: i64,
}

/// What an event changes.
pub(super) struct Input<'a> {
    pub(super) kind: EventKind,
    pub(super) creator: Option<Address>,
    pub(super) predicate: Option<Address>,
    pub(super) uri: Option<&'a [u8]>,
    pub(super) uri_key: Option<UriKey>,
    pub(super) manifest_hash: Option<B256>,
    pub(super) block_id: i64,
    pub(super) time: i64,
}

impl<'a> Input<'a> {
    pub(super) fn new(event: &'a Event, block_id: i64, time: i64) -> Self {
        Self {
            kind: event.kind,
            creator: event.creator,
            predicate: event.predicate,
            uri: event.metadata_uri.as_ref().map(String::as_bytes),
            uri_key: event.uri_key,
            manifest_hash: event.manifest_hash,
            block_id,
            time,
        }
    }
}

/// Applies the next event. An event of a tool whose registration is not in the index is ignored.
pub(super) fn apply(tool: &mut Option<Projection>, event: &Input<'_>) {
    if event.kind == EventKind::Registered {
        *tool = Some(Projection {
            state: ToolState::Live,
            creator: event.creator.unwrap_or_default(),
            uri: event.uri.unwrap_or_default().to_vec(),
            uri_key: event.uri_key.unwrap_or_default(),
            manifest_hash: event.manifest_hash.unwrap_or_default(),
            predicate: event.predicate,
            registered_block: event.block_id,
            registered_at: event.time,
            updated_block: event.block_id,
            updates: 0,
        });
        return;
    }
    let Some(tool) = tool else { return };
    match event.kind {
        EventKind::MetadataUpdated => {
            tool.uri = event.uri.unwrap_or_default().to_vec();
            tool.uri_key = event.uri_key.unwrap_or_default();
            tool.manifest_hash = event.manifest_hash.unwrap_or_default();
            tool.updates += 1;
        }
        EventKind::PredicateUpdated => {
            tool.predicate = event.predicate;
            tool.updates += 1;
        }
        EventKind::Deregistered => tool.state = ToolState::Deregistered,
        // The configuration of a predicate is not part of the tool.
        EventKind::Registered | EventKind::Configured | EventKind::Upgraded => return,
    }
    tool.updated_block = event.block_id;
}

/// The entry of the change feed after these events of a tool.
pub(super) fn change_kind(kind: EventKind) -> ChangeKind {
    match kind {
        EventKind::Registered => ChangeKind::Registered,
        EventKind::MetadataUpdated => ChangeKind::MetadataUpdated,
        EventKind::PredicateUpdated => ChangeKind::PredicateUpdated,
        EventKind::Deregistered => ChangeKind::Deregistered,
        EventKind::Configured | EventKind::Upgraded => ChangeKind::Access,
    }
}

/// The columns in which two projections differ, for people.
pub(super) fn difference(
    stored: Option<&Projection>,
    computed: Option<&Projection>,
) -> Option<String> {
    let (stored, computed) = match (stored, computed) {
        (None, None) => return None,
        (Some(_), None) => return Some("stored, but not in the events".to_owned()),
        (None, Some(_)) => return Some("in the events, but not stored".to_owned()),
        (Some(stored), Some(computed)) => (stored, computed),
    };
    let mut columns = Vec::new();
    macro_rules! compare {
        ($($column:ident),*) => {
            $(if stored.$column != computed.$column {
                columns.push(format!(
                    "{}: stored {:?}, computed {:?}",
                    stringify!($column),
                    stored.$column,
                    computed.$column
                ));
            })*
        };
    }
    compare!(
        state,
        creator,
        uri,
        uri_key,
        manifest_hash,
        predicate,
        registered_block,
        registered_at,
        updated_block,
        updates
    );
    (!columns.is_empty()).then(|| columns.join("; "))
}
