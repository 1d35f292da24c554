//! Batches of the event stream as batches of the store.

use std::collections::HashMap;

use alloy::providers::Provider;
use alloy_primitives::{B256, U64, keccak256};
use atr_ids::MetadataUri;
use atr_registry::{
    EventBatch, LoggedEvent, LoggedPredicateEvent, PredicateEvent, Registry, ToolEvent,
};
use atr_rpc::BlockRef;
use atr_store::index::{
    Batch, Block, Event, EventBlock, EventKind, RegistryKey, RegistryStatus, UriKey,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;

use crate::Error;

/// Requests for headers at a time.
const HEADER_REQUESTS: usize = 16;

/// Blocks behind the head from which a registry counts as followed.
const NEAR_HEAD: u64 = 64;

/// The time of a block.
#[derive(Debug, Deserialize)]
struct BlockTime {
    timestamp: U64,
}

/// Identifies a URI: equal for URIs that are equal after normalization (K-21).
pub(crate) fn uri_key(uri: &str) -> UriKey {
    let hash = match uri.parse::<MetadataUri>() {
        Ok(uri) => keccak256(uri.to_string()),
        // An invalid URI equals only itself.
        Err(_) => keccak256(uri),
    };
    let mut key = UriKey::default();
    key.copy_from_slice(&hash[..16]);
    key
}

/// Converts a batch. Reads the times of blocks that the logs do not have.
pub(crate) async fn convert(
    registry: &Registry,
    batch: &EventBatch,
    expected_version: u64,
    now: u64,
) -> Result<Batch, Error> {
    let tip = batch.tip();
    let mut times = Times::new(batch);
    times.complete(registry, batch, tip).await?;
    let blocks = group(batch, &times)?;
    let progress = batch.progress();
    let is_near = progress.position.saturating_add(NEAR_HEAD) >= progress.head;
    let checkpoint =
        serde_json::to_string(&batch.checkpoint()).map_err(|error| Error::Checkpoint {
            chain_id: registry.chain_id(),
            registry: registry.address(),
            reason: error.to_string(),
        })?;
    Ok(Batch {
        registry: RegistryKey {
            chain_id: registry.chain_id(),
            address: registry.address(),
        },
        expected_version,
        rewind: batch
            .rewind()
            .map(|rewind| rewind.to.map(|block| block.number)),
        blocks,
        tip: Block {
            number: tip.number,
            hash: tip.hash,
            time: times.of(tip.hash)?,
        },
        head: progress.head,
        checkpoint,
        status: if is_near {
            RegistryStatus::Following
        } else {
            RegistryStatus::Backfilling
        },
        now,
    })
}

/// Times of blocks by hash.
struct Times(HashMap<B256, Option<u64>>);

impl Times {
    fn new(batch: &EventBatch) -> Self {
        let added = batch
            .added
            .iter()
            .map(|logged| (logged.block_hash, logged.block_time));
        let predicates = batch.predicate_events.iter();
        let predicates = predicates.map(|logged| (logged.block_hash, logged.block_time));
        Self(added.chain(predicates).collect())
    }

    /// Requests what is missing.
    async fn complete(
        &mut self,
        registry: &Registry,
        batch: &EventBatch,
        tip: BlockRef,
    ) -> Result<(), Error> {
        debug_assert_eq!(batch.tip(), tip);
        self.0.entry(tip.hash).or_insert(None);
        let missing = self.0.iter().filter(|(_, time)| time.is_none());
        let missing: Vec<_> = missing.map(|(hash, _)| *hash).collect();
        let client = registry.provider().client();
        let requests = missing.into_iter().map(|hash| {
            let client = &client;
            async move {
                let block: Option<BlockTime> = client
                    .request("eth_getBlockByHash", (hash, false))
                    .await
                    .map_err(|error| {
                        atr_registry::Error::from(atr_rpc::rpc_error("eth_getBlockByHash")(error))
                    })?;
                let block = block.ok_or(Error::NoHeader { hash })?;
                Ok::<_, Error>((hash, Some(block.timestamp.to::<u64>())))
            }
        });
        let found: Vec<_> = stream::iter(requests)
            .buffer_unordered(HEADER_REQUESTS)
            .try_collect()
            .await?;
        self.0.extend(found);
        Ok(())
    }

    fn of(&self, hash: B256) -> Result<u64, Error> {
        self.0
            .get(&hash)
            .copied()
            .flatten()
            .ok_or(Error::NoHeader { hash })
    }
}

/// Events by block, in order.
fn group(batch: &EventBatch, times: &Times) -> Result<Vec<EventBlock>, Error> {
    let mut blocks: Vec<EventBlock> = Vec::new();
    let mut predicates = batch.predicate_events.iter().peekable();
    let mut push = |number: u64, hash: B256, event: Event| {
        match blocks.last_mut() {
            Some(last) if last.block.hash == hash => last.events.push(event),
            _ => blocks.push(EventBlock {
                block: Block {
                    number,
                    hash,
                    time: times.of(hash)?,
                },
                events: vec![event],
            }),
        }
        Ok::<_, Error>(())
    };
    for logged in &batch.added {
        let position = (logged.block, logged.log_index);
        while let Some(earlier) =
            predicates.next_if(|other| (other.block, other.log_index) < position)
        {
            push(earlier.block, earlier.block_hash, predicate_event(earlier))?;
        }
        push(logged.block, logged.block_hash, tool_event(logged))?;
    }
    for logged in predicates {
        push(logged.block, logged.block_hash, predicate_event(logged))?;
    }
    Ok(blocks)
}

fn tool_event(logged: &LoggedEvent) -> Event {
    let mut event = Event {
        kind: EventKind::Deregistered,
        log_index: logged.log_index,
        transaction: logged.transaction,
        address: None,
        tool_id: Some(logged.event.tool_id()),
        creator: None,
        predicate: None,
        metadata_uri: None,
        uri_key: None,
        manifest_hash: None,
        data: Vec::new(),
    };
    let set_metadata = |event: &mut Event, uri: &String, hash: B256| {
        event.uri_key = Some(uri_key(uri));
        event.metadata_uri = Some(uri.clone());
        event.manifest_hash = Some(hash);
    };
    match &logged.event {
        ToolEvent::Registered {
            creator,
            access_predicate,
            metadata_uri,
            manifest_hash,
            ..
        } => {
            event.kind = EventKind::Registered;
            event.creator = Some(*creator);
            event.predicate = *access_predicate;
            set_metadata(&mut event, metadata_uri, *manifest_hash);
        }
        ToolEvent::MetadataUpdated {
            metadata_uri,
            manifest_hash,
            ..
        } => {
            event.kind = EventKind::MetadataUpdated;
            set_metadata(&mut event, metadata_uri, *manifest_hash);
        }
        ToolEvent::PredicateUpdated {
            access_predicate, ..
        } => {
            event.kind = EventKind::PredicateUpdated;
            event.predicate = *access_predicate;
        }
        ToolEvent::Deregistered { .. } => {}
    }
    event
}

fn predicate_event(logged: &LoggedPredicateEvent) -> Event {
    let (kind, tool_id) = match logged.event {
        PredicateEvent::Configured { tool_id } => (EventKind::Configured, Some(tool_id)),
        PredicateEvent::Upgraded => (EventKind::Upgraded, None),
    };
    Event {
        kind,
        log_index: logged.log_index,
        transaction: logged.transaction,
        address: Some(logged.predicate),
        tool_id,
        creator: None,
        predicate: None,
        metadata_uri: None,
        uri_key: None,
        manifest_hash: None,
        data: logged.data.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_urls_have_the_same_key() {
        // K-21
        let key = uri_key("https://example.com/.well-known/ai-tool/a.json");
        assert_eq!(
            uri_key("https://EXAMPLE.com:443/.well-known/ai-tool/a.json"),
            key
        );
        assert_ne!(
            uri_key("https://example.com/.well-known/ai-tool/b.json"),
            key
        );
        assert_ne!(uri_key("not a URL"), uri_key("not a URL "));
    }
}
