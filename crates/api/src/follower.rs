//! Keeps the search index up to date from the change feed, and tells followers that there is something new.

use std::{path::Path, sync::Arc, time::Duration};

use atr_search::{Change as Put, Opened, Price, SearchDocument, SearchIndex, Standing};
use atr_store::index::{Change, IndexStore, ToolRecord, ToolState, VerificationStatus};
use tokio::sync::watch;

use crate::model::{access_type_name, asset_key, reference};

/// Changes that are read at once.
const PAGE: u32 = 1_000;

/// Changes of one commit of the index while it catches up.
const MAX_COMMIT: usize = 20_000;

/// How often the feed is read when nothing is new.
const INTERVAL: Duration = Duration::from_millis(500);

/// Longest wait after an error.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Why a step failed. It is repeated.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum FollowerError {
    #[error(transparent)]
    Store(#[from] atr_store::Error),
    #[error(transparent)]
    Search(#[from] atr_search::Error),
    #[error("the search index stopped working")]
    Stopped,
}

/// The search index of a database: in a folder, or in memory. Each process needs one of its own; in memory it is built anew.
///
/// # Errors
///
/// If the folder cannot be used, or another process writes an index that belongs to another database.
pub fn open_search_index(
    store: &dyn IndexStore,
    folder: Option<&Path>,
) -> Result<SearchIndex, atr_search::Error> {
    // The key is random for each database.
    let database = store.cursor_key().seal(b"search index", b"");
    let Some(folder) = folder else {
        return SearchIndex::in_memory(&database);
    };
    let (index, opened) = SearchIndex::open(folder, &database)?;
    if let Opened::Rebuilt(reason) = opened {
        tracing::warn!(reason, "the search index is built anew");
    }
    Ok(index)
}

/// Follows the change feed of the database.
#[derive(Debug)]
pub struct Follower {
    store: Arc<dyn IndexStore>,
    index: Arc<SearchIndex>,
    latest: watch::Sender<u64>,
}

impl Follower {
    /// A follower of the database that writes the index.
    #[must_use]
    pub fn new(store: Arc<dyn IndexStore>, index: Arc<SearchIndex>) -> Self {
        let sequence = u64::try_from(index.sequence()).unwrap_or_default();
        Self {
            store,
            index,
            latest: watch::Sender::new(sequence),
        }
    }

    /// The last number of the feed that the index contains.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.latest.subscribe()
    }

    /// Follows until the future is dropped.
    pub async fn run(&self) {
        let mut wait = INTERVAL;
        loop {
            match self.catch_up().await {
                Ok(()) => wait = INTERVAL,
                Err(error) => {
                    tracing::warn!(%error, "the search index could not be updated");
                    wait = (2 * wait).min(MAX_WAIT);
                }
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Applies all changes that the feed has now.
    ///
    /// # Errors
    ///
    /// If the database or the index fails. Calling again continues.
    pub async fn catch_up(&self) -> Result<(), FollowerError> {
        loop {
            let mut sequence = u64::try_from(self.index.sequence()).unwrap_or_default();
            let mut puts = Vec::new();
            let mut is_end = false;
            while !is_end && puts.len() < MAX_COMMIT {
                let changes = self.store.changes_since(sequence, PAGE).await?;
                is_end = changes.len() < PAGE as usize;
                if let Some(last) = changes.last() {
                    sequence = last.seq;
                }
                puts.extend(changes.iter().map(put));
            }
            if !puts.is_empty() {
                let index = self.index.clone();
                let applied = tokio::task::spawn_blocking(move || {
                    index.apply(puts, i64::try_from(sequence).unwrap_or(i64::MAX))
                });
                applied.await.map_err(|_| FollowerError::Stopped)??;
            }
            self.latest
                .send_if_modified(|latest| std::mem::replace(latest, sequence) != sequence);
            if is_end {
                return Ok(());
            }
        }
    }
}

fn put(change: &Change) -> Put {
    match change.tool.state {
        ToolState::Live => Put::Put(Box::new(document(&change.tool))),
        ToolState::Deregistered | ToolState::Undone => Put::Remove(reference(change.tool.key)),
    }
}

/// What the index has of a tool.
pub(crate) fn document(tool: &ToolRecord) -> SearchDocument {
    let listing = tool.listing.clone().unwrap_or_default();
    SearchDocument {
        key: reference(tool.key),
        chain: tool.key.registry.chain_id,
        creator: format!("{:#x}", tool.creator),
        name: listing.name.unwrap_or_default(),
        display_name: String::new(),
        description: listing.description.unwrap_or_default(),
        tags: listing.tags,
        properties: listing.properties,
        access_type: access_type_name(tool.access_type).to_owned(),
        prices: listing
            .prices
            .iter()
            .map(|price| Price {
                asset: asset_key(&price.asset),
                amount: price.amount.parse().unwrap_or(u64::MAX),
            })
            .collect(),
        standing: match tool.status {
            VerificationStatus::Verified => Standing::Verified,
            VerificationStatus::Pending | VerificationStatus::Unknown => Standing::Unknown,
            VerificationStatus::Failed => Standing::Failed,
        },
        created_at: tool.registered.time,
        uses: tool.usage_count,
    }
}
