//! The latest block, as the gate knows it.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use atr_rpc::{Error, Head, Node};
use tokio::time::{Instant, timeout};

use super::{AccessConfig, AccessUnknown, HeadPolicy, epoch::Epoch};

/// After a failed request for the head, the next one waits this long.
const FAILURE_DELAY: Duration = Duration::from_millis(500);

/// Without checks for this long, polling stops.
const IDLE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct HeadTracker {
    chain_id: u64,
    node: Node,
    second_node: Option<Node>,
    policy: HeadPolicy,
    timeout: Duration,
    state: Mutex<State>,
    /// Held while the head is requested.
    polling: tokio::sync::Mutex<()>,
    is_following: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    epoch: Option<Arc<Epoch>>,
    /// Head number of the second node.
    second: Option<u64>,
    last_poll: Option<Poll>,
    last_use: Option<Instant>,
}

#[derive(Clone, Debug)]
struct Poll {
    started: Instant,
    finished: Instant,
    failure: Option<AccessUnknown>,
}

impl HeadTracker {
    pub(super) fn new(config: &AccessConfig) -> Self {
        Self {
            chain_id: config.chain_id,
            node: config.node.clone(),
            second_node: config.second_node.clone(),
            policy: config.head,
            timeout: config.timeout,
            state: Mutex::default(),
            polling: tokio::sync::Mutex::default(),
            is_following: AtomicBool::new(false),
        }
    }

    /// The current block. Requests it unless that was done recently.
    pub(super) async fn epoch(self: &Arc<Self>, now: u64) -> Result<Arc<Epoch>, AccessUnknown> {
        let arrived = Instant::now();
        if !self.is_recent(arrived) {
            let _guard = self.polling.lock().await;
            // Another request may have polled in the meantime.
            if !self.is_recent(arrived) {
                self.poll().await;
            }
        }
        self.follow();
        self.judge(now)
    }

    /// Forces the next check to request the head.
    pub(super) fn invalidate(&self) {
        self.state().last_poll = None;
    }

    fn is_recent(&self, arrived: Instant) -> bool {
        let mut state = self.state();
        state.last_use = Some(arrived);
        let Some(poll) = &state.last_poll else {
            return false;
        };
        let max_age = match poll.failure {
            Some(_) => FAILURE_DELAY,
            // Twice: the background task needs some time for each request.
            None => self.policy.poll_interval * 2,
        };
        poll.started >= arrived || (!max_age.is_zero() && poll.finished.elapsed() <= max_age)
    }

    fn judge(&self, now: u64) -> Result<Arc<Epoch>, AccessUnknown> {
        let state = self.state();
        if let Some(failure) = state
            .last_poll
            .as_ref()
            .and_then(|poll| poll.failure.clone())
        {
            return Err(failure);
        }
        let Some(epoch) = &state.epoch else {
            return Err(AccessUnknown::NodeUnavailable);
        };
        let age = now.saturating_sub(epoch.head.timestamp);
        if let Some(limit) = self.policy.max_age.map(|limit| limit.as_secs())
            && age > limit
        {
            return Err(AccessUnknown::HeadTooOld { age, limit });
        }
        let behind = state.second.unwrap_or(0).saturating_sub(epoch.head.number);
        if behind > self.policy.max_lag {
            return Err(AccessUnknown::NodeBehind { blocks: behind });
        }
        Ok(epoch.clone())
    }

    async fn poll(&self) {
        let started = Instant::now();
        let second = async {
            match &self.second_node {
                Some(node) => self.request(node).await.ok(),
                None => None,
            }
        };
        let (head, second) = tokio::join!(self.request(&self.node), second);
        let mut state = self.state();
        state.second = second.map(|head| head.number);
        let failure = match head {
            Ok(head) => {
                state.advance(head, self.policy.max_age);
                None
            }
            Err(failure) => {
                tracing::warn!(chain = self.chain_id, reason = %failure, "cannot read the head of the chain");
                Some(failure)
            }
        };
        state.last_poll = Some(Poll {
            started,
            finished: Instant::now(),
            failure,
        });
    }

    async fn request(&self, node: &Node) -> Result<Head, AccessUnknown> {
        match timeout(self.timeout, node.head(self.chain_id)).await {
            Ok(Ok(head)) => Ok(head),
            Ok(Err(Error::WrongChain { expected, found })) => {
                Err(AccessUnknown::WrongChain { expected, found })
            }
            Ok(Err(_)) | Err(_) => Err(AccessUnknown::NodeUnavailable),
        }
    }

    /// Starts polling in the background, so that checks do not wait for the head. Ends when there are no checks for a while, or
    /// the tracker is dropped.
    fn follow(self: &Arc<Self>) {
        if self.policy.poll_interval.is_zero() || self.is_following.swap(true, Ordering::Relaxed) {
            return;
        }
        let (tracker, interval) = (Arc::downgrade(self), self.policy.poll_interval);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(interval).await;
                let Some(tracker) = Weak::upgrade(&tracker) else {
                    return;
                };
                let last_use = tracker.state().last_use;
                if last_use.is_none_or(|last_use| last_use.elapsed() > IDLE) {
                    tracker.is_following.store(false, Ordering::Relaxed);
                    return;
                }
                // A check may be polling already.
                if let Ok(_guard) = tracker.polling.try_lock() {
                    tracker.poll().await;
                }
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Moves to a new head. A lower head usually comes from a node that is behind; taking it would undo a revocation, so it is
    /// ignored until the current head was not extended for the maximum age.
    fn advance(&mut self, head: Head, max_age: Option<Duration>) {
        if let Some(epoch) = &self.epoch {
            let is_current = epoch.head.hash == head.hash;
            let is_expired = max_age.is_none_or(|limit| epoch.seen.elapsed() > limit);
            if is_current || (head.number < epoch.head.number && !is_expired) {
                return;
            }
        }
        self.epoch = Some(Arc::new(Epoch::new(head)));
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;

    use super::*;

    fn head(number: u64, hash: u8) -> Head {
        Head {
            number,
            hash: B256::repeat_byte(hash),
            timestamp: 0,
        }
    }

    fn current(state: &State) -> Head {
        state.epoch.as_ref().unwrap().head
    }

    #[tokio::test(start_paused = true)]
    async fn a_lower_head_is_ignored_until_the_current_one_is_old() {
        let (mut state, limit) = (State::default(), Some(Duration::from_secs(60)));
        state.advance(head(8, 8), limit);
        state.advance(head(7, 7), limit);
        assert_eq!(current(&state), head(8, 8));
        tokio::time::advance(Duration::from_secs(61)).await;
        state.advance(head(7, 7), limit);
        assert_eq!(current(&state), head(7, 7));
    }

    #[tokio::test(start_paused = true)]
    async fn another_block_of_the_same_height_replaces_the_head() {
        let (mut state, limit) = (State::default(), Some(Duration::from_secs(60)));
        state.advance(head(8, 8), limit);
        let first = state.epoch.clone().unwrap();
        state.advance(head(8, 8), limit);
        assert!(Arc::ptr_eq(&first, state.epoch.as_ref().unwrap()));
        state.advance(head(8, 9), limit);
        assert_eq!(current(&state), head(8, 9));
    }
}
