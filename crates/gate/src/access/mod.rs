//! Access checks, exact per block.
//!
//! An answer belongs to one block: every call of a check runs on the state of the block hash that was the head when the request
//! arrived. Answers are cached for that block only, so a change on the chain takes effect with the next block the gate sees.
//!
//! - Requests with the same key share one answer, also while it is being determined.
//! - Keys that arrive within a short window share one JSON-RPC batch.
//! - A block that a reorg removed is another hash: its answers are gone with it.
//! - A head that is too old, behind a second node or on another chain makes every answer unknown.

mod batch;
mod delegation;
mod epoch;
mod head;
mod signature;
mod undeployed;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use alloy_primitives::{Address, B256, Bytes};
use atr_ids::ToolRef;
use atr_registry::{Introspection, Registry};
use atr_rpc::{ChainProfile, Head, Node};
use tokio::sync::OnceCell;

pub use delegation::DELEGATE_REGISTRY;

use self::{
    batch::Batcher,
    epoch::{Epoch, Key},
    head::HeadTracker,
};

/// Default timeout of an access check.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How old the head may be, and how often it is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadPolicy {
    /// Time between two requests for the head while there are checks. Zero: every check requests the head.
    pub poll_interval: Duration,
    /// A head with an older timestamp makes every answer unknown. `None`: no limit, for chains without a regular block time.
    pub max_age: Option<Duration>,
    /// How many blocks the head may be behind the head of the second node.
    pub max_lag: u64,
}

impl HeadPolicy {
    /// The default for a chain: the head is requested twice per block, may be ten blocks and at least one minute old, and may be
    /// five seconds and at least three blocks behind.
    #[must_use]
    pub fn for_chain(chain: &ChainProfile) -> Self {
        let block = chain.block_time;
        let poll_interval = (block / 2).clamp(Duration::from_millis(200), Duration::from_secs(2));
        if block.is_zero() {
            return Self {
                poll_interval,
                max_age: None,
                max_lag: 3,
            };
        }
        let blocks = Duration::from_secs(5).as_millis() / block.as_millis();
        Self {
            poll_interval,
            max_age: Some((block * 10).max(Duration::from_secs(60))),
            max_lag: u64::try_from(blocks).unwrap_or(u64::MAX).max(3),
        }
    }
}

/// Where and how to check access on one chain.
#[derive(Clone, Debug)]
pub struct AccessConfig {
    /// EIP-155 chain id. A node on another chain makes every answer unknown.
    pub chain_id: u64,
    /// The node that answers.
    pub node: Node,
    /// A second node, only to notice that the first is behind. Without an answer of the second, the first is believed.
    pub second_node: Option<Node>,
    /// The delegation registry (delegate.xyz version 2).
    pub delegate_registry: Address,
    /// Policy for the age of the head.
    pub head: HeadPolicy,
    /// For a request to the node, with its retries.
    pub timeout: Duration,
    /// How long a key waits for others to share its batch.
    pub batch_window: Duration,
    /// Maximum number of cached answers of a block.
    pub max_entries: usize,
}

impl AccessConfig {
    /// The defaults for a chain.
    #[must_use]
    pub fn new(chain_id: u64, node: Node) -> Self {
        Self {
            chain_id,
            node,
            second_node: None,
            delegate_registry: DELEGATE_REGISTRY,
            head: HeadPolicy::for_chain(&ChainProfile::of(chain_id)),
            timeout: TIMEOUT,
            batch_window: Duration::from_millis(1),
            max_entries: 100_000,
        }
    }
}

/// What to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessQuery {
    /// The tool. Its chain must be that of the checker.
    pub tool: ToolRef,
    /// The account that the predicate decides on.
    pub account: Address,
    /// The account that calls on behalf of `account`. It needs a delegation.
    pub agent: Option<Address>,
    /// Passed to the predicate. Public: the node sees it, so it must not contain secrets (C-19).
    pub data: Bytes,
}

/// Result of a check and the block it holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessResult {
    /// The result.
    pub outcome: AccessOutcome,
    /// `None` if the head is not known.
    pub block: Option<Head>,
}

/// Result of a check. It does not authenticate the account (C-16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessOutcome {
    /// The tool is open, or its predicate grants access; the agent has a delegation.
    Granted,
    /// The predicate denies access.
    Denied {
        /// The predicate, if the registry returned it.
        predicate: Option<Address>,
    },
    /// The account has not delegated to the agent.
    NotDelegated,
    /// Access could not be determined. Never to be treated as granted.
    Unknown(AccessUnknown),
}

/// Why access could not be determined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum AccessUnknown {
    #[error("the node did not respond")]
    NodeUnavailable,
    #[error("the node does not have the block any more")]
    BlockUnavailable,
    #[error("the node is on chain {found}, expected chain {expected}")]
    WrongChain { expected: u64, found: u64 },
    #[error("the node's latest block is {age} s old, the limit is {limit} s")]
    HeadTooOld { age: u64, limit: u64 },
    #[error("the node is {blocks} blocks behind another node")]
    NodeBehind { blocks: u64 },
    #[error("the access predicate failed")]
    PredicateFailed,
    #[error("the delegation registry failed")]
    DelegationFailed,
    #[error("the tool is not registered")]
    ToolNotFound,
    #[error("the tool is deregistered")]
    ToolDeregistered,
    #[error("the registry does not behave like an ERC-8257 registry")]
    NotARegistry,
}

/// Checks access on one chain. Cheap to clone; clones share cache and head.
#[derive(Clone, Debug)]
pub struct AccessChecker {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: AccessConfig,
    heads: Arc<HeadTracker>,
    batcher: Arc<Batcher>,
    requirements: Mutex<HashMap<ToolRef, CachedRequirements>>,
}

/// Requirements of a predicate at a block.
#[derive(Clone, Debug)]
struct CachedRequirements {
    block: B256,
    predicate: Address,
    value: Arc<OnceCell<Option<Arc<Introspection>>>>,
}

impl AccessChecker {
    /// Creates a checker. Sends nothing yet.
    #[must_use]
    pub fn new(config: AccessConfig) -> Self {
        let inner = Inner {
            heads: Arc::new(HeadTracker::new(&config)),
            batcher: Arc::new(Batcher::new(&config)),
            requirements: Mutex::default(),
            config,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &AccessConfig {
        &self.inner.config
    }

    /// Checks access at the head of the chain. `now` is in seconds since 1970.
    pub async fn check(&self, question: &AccessQuery, now: u64) -> AccessResult {
        let mut rejected = None;
        loop {
            let epoch = match self.inner.heads.epoch(now).await {
                Ok(epoch) => epoch,
                Err(reason) => return AccessResult::unknown(reason, None),
            };
            if rejected == Some(epoch.head.hash) {
                return AccessResult::unknown(AccessUnknown::NodeUnavailable, Some(epoch.head));
            }
            let outcome = self.outcome(&epoch, question).await;
            if outcome != AccessOutcome::Unknown(AccessUnknown::BlockUnavailable)
                || rejected.is_some()
            {
                return AccessResult {
                    outcome,
                    block: Some(epoch.head),
                };
            }
            // A reorg removed the block, or another node behind the same URL does not have it yet.
            rejected = Some(epoch.head.hash);
            self.inner.heads.invalidate();
        }
    }

    async fn outcome(&self, epoch: &Arc<Epoch>, question: &AccessQuery) -> AccessOutcome {
        let (slot, is_new) = epoch.slot(&Key::new(question), self.inner.config.max_entries);
        if is_new {
            self.inner.batcher.push(epoch, question, &slot);
        }
        slot.wait().await.clone()
    }

    /// The head that checks use now, requested if it is not known.
    ///
    /// # Errors
    ///
    /// If answers are unknown now.
    pub async fn head(&self, now: u64) -> Result<Head, AccessUnknown> {
        self.inner.heads.epoch(now).await.map(|epoch| epoch.head)
    }

    /// Number of requests for access that were sent to the node; a batch counts once.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.inner.batcher.rounds()
    }

    /// The requirements of a tool's predicate, for messages to denied callers. Requested once per block; `None` if they cannot
    /// be read.
    pub async fn requirements(
        &self,
        tool: ToolRef,
        predicate: Address,
        block: Head,
    ) -> Option<Arc<Introspection>> {
        let cell = {
            let mut cache = self.inner.requirements.lock();
            let cache = cache.as_mut().unwrap_or_else(PoisonError::get_mut);
            let entry = cache.entry(tool).or_insert_with(|| CachedRequirements {
                block: block.hash,
                predicate,
                value: Arc::default(),
            });
            if (entry.block, entry.predicate) != (block.hash, predicate) {
                *entry = CachedRequirements {
                    block: block.hash,
                    predicate,
                    value: Arc::default(),
                };
            }
            entry.value.clone()
        };
        let config = &self.inner.config;
        let read = cell.get_or_init(|| async {
            let provider = config.node.provider().clone();
            let registry = Registry::new(provider, tool.registry(), config.chain_id);
            let registry = registry.at_block(block.number);
            let read = registry.requirements(predicate, tool.id());
            let read = tokio::time::timeout(config.timeout, read).await;
            read.ok().and_then(Result::ok).map(Arc::new)
        });
        read.await.clone()
    }
}

impl AccessResult {
    const fn unknown(reason: AccessUnknown, block: Option<Head>) -> Self {
        Self {
            outcome: AccessOutcome::Unknown(reason),
            block,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_policy_follows_the_block_time() {
        let policy = |id| HeadPolicy::for_chain(&ChainProfile::of(id));
        let mainnet = policy(1);
        assert_eq!(mainnet.poll_interval, Duration::from_secs(2));
        assert_eq!(mainnet.max_age, Some(Duration::from_secs(120)));
        assert_eq!(mainnet.max_lag, 3);
        let base = policy(8453);
        assert_eq!(base.poll_interval, Duration::from_secs(1));
        assert_eq!(base.max_age, Some(Duration::from_secs(60)));
        let monad = policy(143);
        assert_eq!(monad.poll_interval, Duration::from_millis(200));
        assert_eq!(monad.max_lag, 12);
        assert_eq!(policy(31337).max_age, None);
    }
}
