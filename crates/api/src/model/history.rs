use atr_store::index::{EventKind, StoredEvent};

use crate::text;

/// An event of a tool on the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct HistoryEntry {
    pub kind: EventKind,
    pub at: String,
    pub block: u64,
    pub transaction: String,
    /// The new value, of an event that changes one.
    pub manifest_hash: Option<String>,
    pub metadata_uri: Option<String>,
    pub predicate: Option<String>,
}

impl HistoryEntry {
    pub(crate) fn new(stored: &StoredEvent) -> Self {
        let event = &stored.event;
        Self {
            kind: event.kind,
            at: text::timestamp(stored.block.time),
            block: stored.block.number,
            transaction: event.transaction.to_string(),
            manifest_hash: event.manifest_hash.map(|hash| hash.to_string()),
            metadata_uri: event
                .metadata_uri
                .as_deref()
                .map(|uri| text::line(uri, text::MAX_URL)),
            predicate: event.predicate.map(|address| address.to_string()),
        }
    }
}
