//! Follows one registry.

use std::time::Duration;

use alloy::{eips::BlockId, providers::Provider};
use alloy_primitives::{Address, B256, U256, keccak256};
use atr_registry::{Poll, StartBlock, ToolEventStream};
use atr_rpc::{BlockRef, Checkpoint};
use atr_store::index::{JobKind, ListQuery, NewRegistry, RegistryRecord, RegistryStatus};

use tokio::time::Instant;

use crate::{
    Error, IndexedRegistry, Indexer, Progress, Report, batch,
    indexer::{Stop, pause},
};

/// Looks at a chain without a new block before the code hash is read again.
const CODE_CHECK_POLLS: u32 = 30;

/// Failures in a row before [`once`] gives up.
const MAX_FAILURES: u32 = 5;

/// Indexes up to the head of the chain.
pub(crate) async fn once(
    indexer: Indexer,
    registry: IndexedRegistry,
    mut stop: Stop,
) -> Result<(), Error> {
    let mut failures = 0;
    loop {
        let mut follower = match Follower::start(&indexer, &registry).await {
            Ok(follower) => follower,
            Err(error) => return Err(halt(&indexer, &registry, error).await),
        };
        loop {
            match follower.step().await {
                Ok(Step::CaughtUp) => return Ok(()),
                Ok(Step::Progress) => failures = 0,
                Ok(Step::Wait) => {
                    if !pause(&mut stop, indexer.options.poll_interval).await {
                        return Ok(());
                    }
                }
                Err(error) if error.is_retryable() && failures < MAX_FAILURES => {
                    failures += 1;
                    report_retry(&indexer, &registry, &error);
                    if !pause(&mut stop, delay(&indexer, failures)).await {
                        return Ok(());
                    }
                    break;
                }
                Err(error) if error.is_missing_events() && !follower.is_repairing => {
                    follower.read_again().await?;
                }
                Err(error) => return Err(halt(&indexer, &registry, error).await),
            }
        }
    }
}

/// Indexes until shutdown.
pub(crate) async fn forever(
    indexer: Indexer,
    registry: IndexedRegistry,
    mut stop: Stop,
) -> Result<(), Error> {
    let mut failures = 0;
    while !*stop.borrow() {
        let result = follow(&indexer, &registry, &mut stop, &mut failures).await;
        let Err(error) = result else { return Ok(()) };
        failures += 1;
        let wait = if error.is_permanent() {
            halt(&indexer, &registry, error).await;
            // The other registries continue.
            let _ = stop.wait_for(|stop| *stop).await;
            return Ok(());
        } else if error.is_missing_events() {
            halt(&indexer, &registry, error).await;
            indexer.options.max_retry_delay
        } else {
            report_retry(&indexer, &registry, &error);
            delay(&indexer, failures)
        };
        if !pause(&mut stop, wait).await {
            return Ok(());
        }
    }
    Ok(())
}

async fn follow(
    indexer: &Indexer,
    registry: &IndexedRegistry,
    stop: &mut Stop,
    failures: &mut u32,
) -> Result<(), Error> {
    let mut follower = Follower::start(indexer, registry).await?;
    while !*stop.borrow() {
        match follower.step().await {
            Ok(Step::Progress) => *failures = 0,
            Ok(Step::CaughtUp | Step::Wait) => {
                if !pause(stop, indexer.options.poll_interval).await {
                    return Ok(());
                }
            }
            Err(error) if error.is_missing_events() && !follower.is_repairing => {
                follower.read_again().await?;
            }
            // The stream is as it was before.
            Err(error @ Error::Registry(_))
                if !error.is_permanent() && !error.is_missing_events() =>
            {
                *failures += 1;
                report_retry(indexer, registry, &error);
                if !pause(stop, delay(indexer, *failures)).await {
                    return Ok(());
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn delay(indexer: &Indexer, failures: u32) -> Duration {
    let factor = 1 << failures.saturating_sub(1).min(16);
    let delay = indexer.options.retry_delay.saturating_mul(factor);
    delay.min(indexer.options.max_retry_delay)
}

fn report_retry(indexer: &Indexer, registry: &IndexedRegistry, error: &Error) {
    let error = with_sources(error);
    tracing::warn!(error, "indexing failed; trying again");
    indexer.observer.report(&Report::Retrying {
        registry: registry.key(),
        error,
    });
}

/// An error with its causes.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
        source = error.source();
    }
    text
}

/// Records why a registry is not indexed further. Returns the error.
async fn halt(indexer: &Indexer, registry: &IndexedRegistry, error: Error) -> Error {
    let reason = with_sources(&error);
    let status = match error {
        Error::CodeChanged { .. } => RegistryStatus::CodeChanged,
        _ => RegistryStatus::Halted,
    };
    let stored =
        indexer
            .store
            .set_status(registry.key(), status, Some(&reason), None, indexer.now());
    // The registry is not stored if it could not be read at all.
    if let Err(error) = stored.await {
        tracing::debug!(%error, "the reason was not stored");
    }
    indexer.observer.report(&Report::Halted {
        registry: registry.key(),
        reason,
    });
    error
}

enum Step {
    /// A batch was written.
    Progress,
    /// All blocks were read.
    CaughtUp,
    /// The node does not have all data yet.
    Wait,
}

struct Follower<'a> {
    indexer: &'a Indexer,
    registry: &'a IndexedRegistry,
    stream: ToolEventStream,
    record: RegistryRecord,
    watched: Vec<Address>,
    /// [`Indexer::terms_version`] that `watched` includes.
    terms_version: u64,
    /// Whether blocks are read again because events were missing.
    is_repairing: bool,
    idle_polls: u32,
    started: Instant,
    first_position: Option<u64>,
    events: u64,
}

impl<'a> Follower<'a> {
    async fn start(indexer: &'a Indexer, registry: &'a IndexedRegistry) -> Result<Self, Error> {
        let contract = &registry.registry;
        let known = indexer.store.registry(registry.key()).await?;
        let (code_hash, proxy_indicators) = match known {
            Some(record) => (
                code_hash(registry, BlockId::latest())
                    .await?
                    .unwrap_or(record.code_hash),
                record.proxy_indicators,
            ),
            None => {
                let info = contract.info().await?;
                (
                    info.code_hash,
                    serde_json::to_string(&info.proxy_indicators).unwrap_or_default(),
                )
            }
        };
        let new = NewRegistry {
            key: registry.key(),
            name: registry.name.clone(),
            is_canonical: registry.is_canonical,
            first_block: registry.first_block,
            code_hash,
            proxy_indicators,
        };
        let record = indexer.store.register(&new, indexer.now()).await?;
        check_code(registry, &record, code_hash)?;
        let options = indexer.options.stream;
        let stream = match &record.checkpoint {
            None => {
                contract
                    .events(StartBlock::Number(record.first_block), options)
                    .await?
            }
            Some(text) => {
                let checkpoint = serde_json::from_str(text).map_err(|error| Error::Checkpoint {
                    chain_id: contract.chain_id(),
                    registry: contract.address(),
                    reason: error.to_string(),
                })?;
                contract.events_after(checkpoint, options)
            }
        };
        let mut follower = Self {
            indexer,
            registry,
            stream,
            record,
            watched: Vec::new(),
            terms_version: 0,
            is_repairing: false,
            idle_polls: 0,
            started: Instant::now(),
            first_position: None,
            events: 0,
        };
        follower.watch_predicates().await?;
        Ok(follower)
    }

    /// K-03: follows the predicates in use.
    async fn watch_predicates(&mut self) -> Result<(), Error> {
        let limit = self.indexer.options.max_watched_predicates;
        self.terms_version = self.indexer.terms_version();
        let mut predicates = self
            .indexer
            .store
            .predicates_in_use(self.registry.key(), limit)
            .await?;
        predicates.sort_unstable();
        if predicates != self.watched {
            self.stream.watch_predicates(&predicates);
            self.watched = predicates;
        }
        Ok(())
    }

    /// Follows the predicates that evaluations found. They are evaluated again: they may have changed between the evaluation and the
    /// last block that was read without them.
    async fn watch_terms(&mut self) -> Result<(), Error> {
        if self.terms_version == self.indexer.terms_version() {
            return Ok(());
        }
        let before = self.watched.clone();
        self.watch_predicates().await?;
        let is_new = |predicate: &&Address| before.binary_search(predicate).is_err();
        let new: Vec<_> = self.watched.iter().filter(is_new).copied().collect();
        let (store, key) = (&self.indexer.store, self.registry.key());
        Ok(store.request_evaluation(key, &new).await?)
    }

    async fn step(&mut self) -> Result<Step, Error> {
        self.watch_terms().await?;
        self.read_missing().await?;
        let batch = match self.stream.poll().await? {
            Poll::Batch(batch) => *batch,
            Poll::CaughtUp => {
                self.idle_polls += 1;
                if self.idle_polls >= CODE_CHECK_POLLS {
                    self.idle_polls = 0;
                    self.check_code(BlockId::latest()).await?;
                }
                if self.record.status != RegistryStatus::Following {
                    self.set_following().await?;
                }
                let block = self.record.tip.map_or(0, |tip| tip.number);
                self.indexer.observer.report(&Report::CaughtUp {
                    registry: self.registry.key(),
                    block,
                });
                return Ok(Step::CaughtUp);
            }
            Poll::Behind { .. } => return Ok(Step::Wait),
        };
        let written = batch::convert(
            &self.registry.registry,
            &batch,
            self.record.version,
            self.indexer.now(),
        )
        .await?;
        // K-04: nothing is written that another contract emitted.
        if written.status == RegistryStatus::Following {
            self.check_code(BlockId::hash(written.tip.hash)).await?;
        }
        let applied = self.indexer.store.apply(&written).await?;
        self.record.version = applied.version;
        self.record.tip = Some(written.tip);
        self.record.status = written.status;
        let has_new_predicates = batch.added.iter().any(|logged| {
            let predicate = logged.event.access_predicate().flatten();
            predicate.is_some_and(|predicate| self.watched.binary_search(&predicate).is_err())
        });
        let progress = batch.progress();
        self.stream.commit(batch);
        self.is_repairing = false;
        self.events += applied.added_events;
        if written.rewind.is_some() {
            self.indexer.observer.report(&Report::Reorg {
                registry: self.registry.key(),
                undone_events: applied.undone_events,
            });
        }
        if has_new_predicates {
            self.watch_predicates().await?;
        }
        let progress = self.progress(progress.first, progress.position, progress.head);
        self.indexer.observer.report(&Report::Progress {
            registry: self.registry.key(),
            progress,
        });
        Ok(Step::Progress)
    }

    async fn set_following(&mut self) -> Result<(), Error> {
        let (store, key) = (&self.indexer.store, self.registry.key());
        let head = self.record.tip.map(|tip| tip.number);
        store
            .set_status(
                key,
                RegistryStatus::Following,
                None,
                head,
                self.indexer.now(),
            )
            .await?;
        self.record.status = RegistryStatus::Following;
        Ok(())
    }

    async fn check_code(&self, block: BlockId) -> Result<(), Error> {
        match code_hash(self.registry, block).await? {
            Some(found) => check_code(self.registry, &self.record, found),
            // A new chain, or a reorg below the deployment: the events are gone too.
            None => Ok(()),
        }
    }

    /// Reads all blocks after the last registration again: a pruned node may have answered without their events.
    async fn read_again(&mut self) -> Result<(), Error> {
        self.is_repairing = true;
        let contract = &self.registry.registry;
        let options = self.indexer.options.stream;
        let mut checkpoint = self.stream.checkpoint();
        let last = self.last_registration().await?;
        tracing::warn!(
            ?last,
            "events are missing; reading the blocks after the last registration again"
        );
        self.stream = match last {
            None => {
                contract
                    .events(StartBlock::Number(self.record.first_block), options)
                    .await?
            }
            Some((block, id)) => {
                checkpoint.blocks = Checkpoint {
                    is_pruned: true,
                    blocks: vec![block],
                    ..checkpoint.blocks
                };
                checkpoint.last_id = Some(id);
                contract.events_after(checkpoint, options)
            }
        };
        self.stream.watch_predicates(&self.watched);
        Ok(())
    }

    /// Reads the blocks from the last event of a tool on again, if the registry says something else about the tool than its events: the
    /// node left out logs of a range.
    async fn read_missing(&mut self) -> Result<(), Error> {
        let Some((tool, block, is_again)) = self.indexer.missing.next(self.registry.key()) else {
            return Ok(());
        };
        let contract = &self.registry.registry;
        if is_again {
            return Err(Error::ToolDiffers {
                chain_id: contract.chain_id(),
                registry: contract.address(),
                tool: tool.id,
                block,
            });
        }
        tracing::warn!(tool = %tool.id, block, "an event of a tool is missing; reading the blocks since its last one again");
        self.is_repairing = true;
        let options = self.indexer.options.stream;
        self.stream = contract.events(StartBlock::Number(block), options).await?;
        self.stream.watch_predicates(&self.watched);
        // Says whether the event is there now.
        let (store, now) = (&self.indexer.store, self.indexer.now());
        store.release(tool, JobKind::Verification, now).await?;
        Ok(())
    }

    /// The newest tool of the registry.
    async fn last_registration(&self) -> Result<Option<(BlockRef, U256)>, Error> {
        let mut query = ListQuery {
            registry: Some(self.registry.key()),
            include_deregistered: true,
            limit: 1,
            ..ListQuery::default()
        };
        loop {
            let page = self.indexer.store.list(&query).await?;
            if let Some(tool) = page.items.first() {
                let block = BlockRef {
                    number: tool.registered.number,
                    hash: tool.registered.hash,
                };
                return Ok(Some((block, tool.key.id)));
            }
            match page.next {
                Some(next) => query.cursor = Some(next),
                None => return Ok(None),
            }
        }
    }

    fn progress(&mut self, first: u64, position: u64, head: u64) -> Progress {
        let start = *self
            .first_position
            .get_or_insert(self.record.first_block.max(first).min(position));
        let seconds = self.started.elapsed().as_secs_f64().max(1e-6);
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let (events, read, left) = (
            self.events as f64,
            position.saturating_sub(start) as f64,
            head.saturating_sub(position) as f64,
        );
        Progress {
            first,
            position,
            head,
            events: self.events,
            events_per_second: events / seconds,
            seconds_left: (read > 0.0).then(|| left * seconds / read),
        }
    }
}

fn check_code(
    registry: &IndexedRegistry,
    record: &RegistryRecord,
    found: B256,
) -> Result<(), Error> {
    if found == record.code_hash {
        return Ok(());
    }
    Err(Error::CodeChanged {
        chain_id: registry.registry.chain_id(),
        registry: registry.registry.address(),
        pinned: record.code_hash,
        found,
    })
}

/// Hash of the registry's code; `None` without code.
async fn code_hash(registry: &IndexedRegistry, block: BlockId) -> Result<Option<B256>, Error> {
    let contract = &registry.registry;
    let code = contract
        .provider()
        .get_code_at(contract.address())
        .block_id(block)
        .await;
    let code =
        code.map_err(|error| atr_registry::Error::from(atr_rpc::rpc_error("eth_getCode")(error)))?;
    Ok((!code.is_empty()).then(|| keccak256(&code)))
}
