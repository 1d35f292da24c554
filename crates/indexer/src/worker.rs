//! Works off the queue of verifications and evaluations.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use atr_ids::MetadataUri;
use atr_store::index::{Job, JobKind, ToolKey};
use tokio::task::JoinSet;

use crate::{
    Error, IndexedRegistry, Indexer, Report, access,
    indexer::{Stop, pause},
    verification,
};

/// How long a job is leased, in seconds: longer than any fetch.
const LEASE: u64 = 300;

/// Time between two looks at the queue.
const INTERVAL: Duration = Duration::from_millis(500);

/// Seconds until a job is due again that could not be done: the node failed, or its host is busy.
const BUSY_DELAY: u64 = 2;
const NODE_DELAY: u64 = 30;

/// What a task did.
struct Done {
    job: Job,
    host: String,
    result: Result<(), Error>,
}

/// Runs until shutdown; with `once`, until nothing is due.
pub(crate) async fn run(indexer: Indexer, mut stop: Stop, once: bool) -> Result<(), Error> {
    let Some(options) = indexer.options.verification.clone() else {
        return Ok(());
    };
    let owner = format!("{}", std::process::id());
    let mut tasks: JoinSet<Done> = JoinSet::new();
    let mut hosts: HashMap<String, usize> = HashMap::new();
    // Jobs that were given back in this run; with `once` they are not tried again.
    let mut failed: HashSet<(ToolKey, JobKind)> = HashSet::new();
    // Jobs that wait for their host.
    let mut waiting: HashSet<(ToolKey, JobKind)> = HashSet::new();
    while !*stop.borrow() {
        let free = options.concurrency.get().saturating_sub(tasks.len());
        let free = u32::try_from(free).unwrap_or(u32::MAX);
        let mut started = 0;
        for kind in [JobKind::Access, JobKind::Verification] {
            let time = indexer.now();
            let jobs = match indexer
                .store
                .claim(kind, &owner, free, time, time + LEASE)
                .await
            {
                Ok(jobs) => jobs,
                Err(error) => {
                    tracing::warn!(%error, "cannot read the queue");
                    if once {
                        return Err(error.into());
                    }
                    Vec::new()
                }
            };
            for job in jobs {
                let registry = indexer
                    .registries
                    .iter()
                    .find(|registry| registry.key() == job.key.registry);
                let host = host(&job);
                let in_use = hosts.entry(host.clone()).or_default();
                let is_given_up = once && failed.contains(&(job.key, kind));
                waiting.remove(&(job.key, kind));
                match registry {
                    Some(registry)
                        if !is_given_up
                            && (kind == JobKind::Access || *in_use < options.per_host.get()) =>
                    {
                        *in_use += 1;
                        started += 1;
                        tasks.spawn(work(indexer.clone(), registry.clone(), job, host));
                    }
                    // Another registry of the database, which this process does not index.
                    None => give_back(&indexer, &job, NODE_DELAY).await,
                    Some(_) if is_given_up => give_back(&indexer, &job, NODE_DELAY).await,
                    Some(_) => {
                        waiting.insert((job.key, kind));
                        give_back(&indexer, &job, BUSY_DELAY).await;
                    }
                }
            }
        }
        let is_idle = started == 0 && tasks.is_empty();
        if once
            && is_idle
            && waiting.is_empty()
            && indexer.store.status(indexer.now()).await?.due_jobs == 0
        {
            return Ok(());
        }
        tokio::select! {
            Some(done) = tasks.join_next() => {
                if let Ok(done) = done {
                    finish(&indexer, done, &mut hosts, &mut failed).await;
                }
            }
            is_running = pause(&mut stop, INTERVAL) => if !is_running { break },
        }
        while let Some(Ok(done)) = tasks.try_join_next() {
            finish(&indexer, done, &mut hosts, &mut failed).await;
        }
        hosts.retain(|_, count| *count > 0);
    }
    Ok(())
}

/// Verifications of one host share its limit.
fn host(job: &Job) -> String {
    match job.kind {
        JobKind::Verification => {
            let uri = job.metadata_uri.parse::<MetadataUri>();
            uri.map_or_else(|_| String::new(), |uri| uri.to_url().origin().to_string())
        }
        JobKind::Access => format!("chain {}", job.key.registry.chain_id),
    }
}

async fn give_back(indexer: &Indexer, job: &Job, delay: u64) {
    if let Err(error) = indexer
        .store
        .release(job.key, job.kind, indexer.now() + delay)
        .await
    {
        // The lease ends by itself.
        tracing::warn!(%error, "a job was not given back");
    }
}

async fn work(indexer: Indexer, registry: IndexedRegistry, job: Job, host: String) -> Done {
    let result = match job.kind {
        JobKind::Verification => verification::run(&indexer, &registry.registry, &job).await,
        JobKind::Access => access::run(&indexer, &registry.registry, &job)
            .await
            .map(|()| None),
    };
    let result = result.map(|status| {
        if let Some(status) = status {
            indexer.observer.report(&Report::Verified {
                tool: job.key,
                status,
            });
        }
    });
    Done { job, host, result }
}

async fn finish(
    indexer: &Indexer,
    done: Done,
    hosts: &mut HashMap<String, usize>,
    failed: &mut HashSet<(ToolKey, JobKind)>,
) {
    if let Some(count) = hosts.get_mut(&done.host) {
        *count = count.saturating_sub(1);
    }
    if let Err(error) = done.result {
        tracing::warn!(tool = ?done.job.key, %error, "a tool could not be examined; trying again later");
        failed.insert((done.job.key, done.job.kind));
        give_back(indexer, &done.job, NODE_DELAY).await;
    }
}
