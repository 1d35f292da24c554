//! Works off the queue of verifications and evaluations.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use alloy_primitives::Address;
use atr_ids::MetadataUri;
use atr_store::index::{Claim, Job, JobClass, JobKind, ToolKey, VerificationStatus};
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

/// Classes of verifications, with their shares of the workers in eighths. A class cannot use the share of another: servers that accept
/// connections and never answer delay only tools of the same class.
const SHARES: [(JobClass, usize); 5] = [
    (JobClass::Status(VerificationStatus::Pending), 3),
    (JobClass::Status(VerificationStatus::Verified), 2),
    (JobClass::Status(VerificationStatus::Failed), 1),
    (JobClass::Status(VerificationStatus::Unknown), 1),
    (JobClass::Requested, 1),
];

/// What a task did.
struct Done {
    job: Job,
    host: String,
    result: Result<(), Error>,
}

/// Jobs that run.
#[derive(Default)]
struct Running {
    hosts: HashMap<String, usize>,
    classes: HashMap<Option<JobClass>, usize>,
    creators: HashMap<(Option<JobClass>, Address), usize>,
}

impl Running {
    fn of_class(&self, class: Option<JobClass>) -> usize {
        self.classes.get(&class).copied().unwrap_or_default()
    }

    /// Whether a creator has half of the workers of a class, and so its share.
    fn is_busy(&self, job: &Job, workers: usize) -> bool {
        let of_creator = self.creators.get(&(job.class, job.creator));
        of_creator.is_some_and(|count| *count >= creator_share(workers))
    }

    fn busy_creators(&self, class: Option<JobClass>, workers: usize) -> Vec<Address> {
        let busy = self
            .creators
            .iter()
            .filter(|((of, _), count)| *of == class && **count >= creator_share(workers));
        busy.map(|((_, creator), _)| *creator).collect()
    }

    fn add(&mut self, job: &Job, host: &str) {
        *self.hosts.entry(host.to_owned()).or_default() += 1;
        *self.classes.entry(job.class).or_default() += 1;
        *self.creators.entry((job.class, job.creator)).or_default() += 1;
    }

    fn remove(&mut self, job: &Job, host: &str) {
        let decrease = |count: &mut usize| *count = count.saturating_sub(1);
        self.hosts.get_mut(host).map(decrease);
        self.classes.get_mut(&job.class).map(decrease);
        self.creators
            .get_mut(&(job.class, job.creator))
            .map(decrease);
        self.hosts.retain(|_, count| *count > 0);
        self.creators.retain(|_, count| *count > 0);
    }
}

fn creator_share(workers: usize) -> usize {
    (workers / 2).max(1)
}

/// Runs until shutdown; with `once`, until nothing is due.
pub(crate) async fn run(indexer: Indexer, mut stop: Stop, once: bool) -> Result<(), Error> {
    let Some(options) = indexer.options.verification.clone() else {
        return Ok(());
    };
    let all = options.concurrency.get();
    let shares = SHARES.map(|(class, share)| {
        let workers = (all * share / 8).max(1);
        (JobKind::Verification, Some(class), workers)
    });
    let mut tasks: JoinSet<Done> = JoinSet::new();
    let mut running = Running::default();
    // Jobs that were given back in this run; with `once` they are not tried again.
    let mut failed: HashSet<(ToolKey, JobKind)> = HashSet::new();
    // Jobs that wait for their host or creator.
    let mut waiting: HashSet<(ToolKey, JobKind)> = HashSet::new();
    while !*stop.borrow() {
        let mut started = 0;
        for (kind, class, workers) in [(JobKind::Access, None, all)].into_iter().chain(shares) {
            let free = workers.saturating_sub(running.of_class(class));
            if free == 0 {
                continue;
            }
            let time = indexer.now();
            let busy_creators = match kind {
                JobKind::Access => Vec::new(),
                JobKind::Verification => running.busy_creators(class, workers),
            };
            let claim = Claim {
                kind,
                class,
                busy_creators: &busy_creators,
                limit: u32::try_from(free).unwrap_or(u32::MAX),
                now: time,
                until: time + LEASE,
            };
            let jobs = match indexer.store.claim(&claim).await {
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
                let in_use = running.hosts.get(&host).copied().unwrap_or_default();
                let has_worker = kind == JobKind::Access
                    || (in_use < options.per_host.get() && !running.is_busy(&job, workers));
                let is_given_up = once && failed.contains(&(job.key, kind));
                waiting.remove(&(job.key, kind));
                match registry {
                    Some(registry) if !is_given_up && has_worker => {
                        running.add(&job, &host);
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
                    finish(&indexer, done, &mut running, &mut failed).await;
                }
            }
            is_running = pause(&mut stop, INTERVAL) => if !is_running { break },
        }
        while let Some(Ok(done)) = tasks.try_join_next() {
            finish(&indexer, done, &mut running, &mut failed).await;
        }
    }
    Ok(())
}

/// Verifications of one host share its limit, on all ports.
fn host(job: &Job) -> String {
    match job.kind {
        JobKind::Verification => {
            let uri = job.metadata_uri.parse::<MetadataUri>();
            uri.map_or_else(|_| String::new(), |uri| uri.origin().host().to_string())
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
    running: &mut Running,
    failed: &mut HashSet<(ToolKey, JobKind)>,
) {
    running.remove(&done.job, &done.host);
    if let Err(error) = done.result {
        tracing::warn!(tool = ?done.job.key, %error, "a tool could not be examined; trying again later");
        failed.insert((done.job.key, done.job.kind));
        give_back(indexer, &done.job, NODE_DELAY).await;
    }
}
