//! Determines answers: collects keys for a short time and sends their calls in one batch.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use alloy::eips::BlockId;
use alloy_primitives::{Address, Bytes};
use atr_registry::{Access, Registry, ToolState};
use atr_rpc::{BlockView, CallResult, Error, Head, Node, call_batch};
use tokio::{sync::Semaphore, time::timeout};

use super::{
    AccessConfig, AccessOutcome, AccessQuery, AccessUnknown, delegation,
    epoch::{Epoch, Key, Slot},
};
use crate::breaker::Breaker;

/// Keys in one batch; each has one call or two. Nodes limit batches to about a hundred.
const MAX_KEYS: usize = 40;

/// Batches that wait for a node at the same time.
const MAX_CONCURRENT: usize = 8;

#[derive(Debug)]
pub(super) struct Batcher {
    chain_id: u64,
    node: Node,
    delegate_registry: Address,
    timeout: Duration,
    window: Duration,
    queue: Mutex<Queue>,
    concurrent: Arc<Semaphore>,
    breaker: Breaker,
    /// The node does not support block hashes in `eth_call` (EIP-1898).
    by_number: AtomicBool,
    rounds: AtomicU64,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: Vec<Job>,
    is_collecting: bool,
}

/// A key whose answer is to be determined. When it is dropped without an answer, its answer is unknown.
#[derive(Debug)]
struct Job {
    epoch: Arc<Epoch>,
    question: AccessQuery,
    slot: Arc<Slot>,
}

impl Job {
    fn resolve(&self, outcome: AccessOutcome) {
        let is_transient = matches!(
            outcome,
            AccessOutcome::Unknown(
                AccessUnknown::NodeUnavailable | AccessUnknown::BlockUnavailable
            )
        );
        if is_transient {
            self.epoch.forget(&Key::new(&self.question), &self.slot);
        }
        // Fails only if the answer is known already.
        let _ = self.slot.set(outcome);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.slot.initialized() {
            self.resolve(AccessOutcome::Unknown(AccessUnknown::NodeUnavailable));
        }
    }
}

type Results = Vec<Result<CallResult, Error>>;

impl Batcher {
    pub(super) fn new(config: &AccessConfig) -> Self {
        Self {
            chain_id: config.chain_id,
            node: config.node.clone(),
            delegate_registry: config.delegate_registry,
            timeout: config.timeout,
            window: config.batch_window,
            queue: Mutex::default(),
            concurrent: Arc::new(Semaphore::new(MAX_CONCURRENT)),
            breaker: Breaker::new(3, Duration::from_secs(1)),
            by_number: AtomicBool::new(false),
            rounds: AtomicU64::new(0),
        }
    }

    pub(super) fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Determines the answer in a task of its own: the request that asked first may be cancelled, others wait for it.
    pub(super) fn push(
        self: &Arc<Self>,
        epoch: &Arc<Epoch>,
        question: &AccessQuery,
        slot: &Arc<Slot>,
    ) {
        let mut queue = self.queue();
        queue.jobs.push(Job {
            epoch: epoch.clone(),
            question: question.clone(),
            slot: slot.clone(),
        });
        if !queue.is_collecting {
            queue.is_collecting = true;
            tokio::spawn(self.clone().send_queue());
        }
    }

    async fn send_queue(self: Arc<Self>) {
        loop {
            tokio::time::sleep(self.window).await;
            // Never closed.
            let Ok(permit) = self.concurrent.clone().acquire_owned().await else {
                return;
            };
            let jobs = self.next_jobs();
            if jobs.is_empty() {
                return;
            }
            let batcher = self.clone();
            tokio::spawn(async move {
                batcher.determine(jobs).await;
                drop(permit);
            });
        }
    }

    /// Jobs of the same block. Ends collecting if there are none.
    fn next_jobs(&self) -> Vec<Job> {
        let mut queue = self.queue();
        let Some(first) = queue.jobs.first() else {
            queue.is_collecting = false;
            return Vec::new();
        };
        let epoch = first.epoch.clone();
        let mut taken = 0;
        let jobs = queue.jobs.extract_if(.., |job| {
            let is_taken = taken < MAX_KEYS && Arc::ptr_eq(&job.epoch, &epoch);
            taken += usize::from(is_taken);
            is_taken
        });
        jobs.collect()
    }

    async fn determine(&self, jobs: Vec<Job>) {
        let Some(epoch) = jobs.first().map(|job| job.epoch.clone()) else {
            return;
        };
        if !self.breaker.allows() {
            return;
        }
        let mut calls = Vec::new();
        // Predicates that are not known for this block.
        let mut tools = BTreeSet::new();
        for Job { question, .. } in &jobs {
            let (registry, id) = (question.tool.registry(), question.tool.id());
            calls.push((
                registry,
                Registry::access_call(id, question.account, &question.data),
            ));
            if let Some(agent) = question.agent {
                let call = delegation::call(agent, question.account);
                calls.push((self.delegate_registry, call));
            }
            if epoch.predicate(registry, id).is_none() {
                tools.insert(question.tool);
            }
        }
        for tool in &tools {
            calls.push((tool.registry(), Registry::tool_call(tool.id())));
        }
        let results = self.call(epoch.head, &calls).await;
        let is_answered = |results: &Results| results.iter().any(Result::is_ok);
        self.breaker.record(results.as_ref().is_ok_and(is_answered));
        let mut results = match results {
            Ok(results) => results.into_iter(),
            Err(reason) => {
                for job in &jobs {
                    job.resolve(AccessOutcome::Unknown(reason.clone()));
                }
                return;
            }
        };
        let answers: Vec<_> = jobs
            .iter()
            .map(|job| {
                let access = results.next();
                let delegation = job.question.agent.and_then(|_| results.next());
                (access, delegation)
            })
            .collect();
        for (tool, result) in tools.iter().zip(results) {
            let registry = self.registry(tool.registry());
            let state = result.ok();
            let state = state.and_then(|result| registry.tool_state(tool.id(), &result).ok());
            if let Some(ToolState::Live(config)) = state {
                epoch.set_predicate(tool.registry(), tool.id(), config.access_predicate);
            }
        }
        for (job, (access, delegation)) in jobs.iter().zip(answers) {
            job.resolve(self.outcome(job, access, delegation));
        }
    }

    fn outcome(
        &self,
        job: &Job,
        access: Option<Result<CallResult, Error>>,
        delegation: Option<Result<CallResult, Error>>,
    ) -> AccessOutcome {
        use AccessOutcome::Unknown;
        if job.question.agent.is_some() {
            let result = match delegation {
                Some(Ok(result)) => result,
                other => return Unknown(reason(other.and_then(Result::err).as_ref())),
            };
            match delegation::decode(&result) {
                Some(true) => {}
                Some(false) => return AccessOutcome::NotDelegated,
                None => return Unknown(AccessUnknown::DelegationFailed),
            }
        }
        let result = match access {
            Some(Ok(result)) => result,
            other => return Unknown(reason(other.and_then(Result::err).as_ref())),
        };
        let tool = job.question.tool;
        match self
            .registry(tool.registry())
            .decode_access(tool.id(), &result)
        {
            Ok(Access::Granted) => AccessOutcome::Granted,
            Ok(Access::Denied) => AccessOutcome::Denied {
                predicate: job.epoch.predicate(tool.registry(), tool.id()).flatten(),
            },
            Ok(Access::Unknown) => Unknown(AccessUnknown::PredicateFailed),
            Err(atr_registry::Error::ToolNotFound { .. }) => Unknown(AccessUnknown::ToolNotFound),
            Err(atr_registry::Error::ToolIsDeregistered { .. }) => {
                Unknown(AccessUnknown::ToolDeregistered)
            }
            Err(_) => Unknown(AccessUnknown::NotARegistry),
        }
    }

    fn registry(&self, address: Address) -> Registry {
        Registry::new(self.node.provider().clone(), address, self.chain_id)
    }

    async fn call(&self, head: Head, calls: &[(Address, Bytes)]) -> Result<Results, AccessUnknown> {
        let unavailable = AccessUnknown::NodeUnavailable;
        let results = timeout(self.timeout, self.call_at(head, calls)).await;
        results.unwrap_or(Err(unavailable))
    }

    async fn call_at(
        &self,
        head: Head,
        calls: &[(Address, Bytes)],
    ) -> Result<Results, AccessUnknown> {
        if !self.by_number.load(Ordering::Relaxed) {
            let block = BlockId::hash_canonical(head.hash);
            let results = self.send(block, calls).await?;
            let mut errors = results.iter().filter_map(|result| result.as_ref().err());
            if !errors.any(rejects_block_hash) {
                return Ok(results);
            }
            tracing::info!("the node does not support block hashes in eth_call; using numbers");
            self.by_number.store(true, Ordering::Relaxed);
        }
        let results = self.send(BlockId::number(head.number), calls).await?;
        // The state was that of the head only if the number still belongs to its hash.
        match self.node.block_hash(head.number).await {
            Ok(Some(hash)) if hash == head.hash => Ok(results),
            Ok(_) => Err(AccessUnknown::BlockUnavailable),
            Err(error) => Err(reason(Some(&error))),
        }
    }

    async fn send(
        &self,
        block: BlockId,
        calls: &[(Address, Bytes)],
    ) -> Result<Results, AccessUnknown> {
        self.rounds.fetch_add(1, Ordering::Relaxed);
        let view = BlockView {
            provider: self.node.provider(),
            block,
        };
        call_batch(view, calls).await.map_err(|error| {
            tracing::warn!(chain = self.chain_id, %error, "an access check failed");
            AccessUnknown::NodeUnavailable
        })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A node that responds with an error may not have the block.
fn reason(error: Option<&Error>) -> AccessUnknown {
    match error {
        Some(Error::Node { source, .. }) if source.is_error_resp() => {
            AccessUnknown::BlockUnavailable
        }
        _ => AccessUnknown::NodeUnavailable,
    }
}

fn rejects_block_hash(error: &Error) -> bool {
    /// JSON-RPC: invalid parameters.
    const INVALID_PARAMS: i64 = -32602;
    let Error::Node { source, .. } = error else {
        return false;
    };
    source.as_error_resp().is_some_and(|payload| {
        payload.code == INVALID_PARAMS || payload.message.contains("invalid argument")
    })
}
