//! Waiting for transactions. Only the time spent sleeping counts, so a slow node does not shorten the wait.

use std::time::Duration;

/// First interval between two polls; it doubles.
const FIRST_INTERVAL: Duration = Duration::from_millis(40);

/// How to wait for a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitPolicy {
    /// Blocks to wait for, with the block of the transaction.
    pub confirmations: u64,
    /// Blocks without inclusion after which the fee is raised.
    pub raise_blocks: u64,
    /// Blocks that a node can be behind another node of the same provider.
    pub lag_blocks: u64,
    /// Longest interval between two polls.
    pub max_poll_interval: Duration,
    /// Interval after which a pending transaction is sent again.
    pub rebroadcast_interval: Duration,
    /// Total wait. The transaction can still be included afterwards.
    pub timeout: Duration,
}

impl Default for WaitPolicy {
    fn default() -> Self {
        Self {
            confirmations: 1,
            raise_blocks: 5,
            lag_blocks: 5,
            max_poll_interval: Duration::from_secs(2),
            rebroadcast_interval: Duration::from_secs(20),
            timeout: Duration::from_secs(600),
        }
    }
}

/// The state of one wait.
#[derive(Debug)]
pub struct PollTimer {
    policy: WaitPolicy,
    interval: Duration,
    elapsed: Duration,
    last_broadcast: Duration,
}

impl PollTimer {
    /// Starts a wait.
    #[must_use]
    pub fn new(policy: WaitPolicy) -> Self {
        Self {
            policy,
            interval: FIRST_INTERVAL.min(policy.max_poll_interval),
            elapsed: Duration::ZERO,
            last_broadcast: Duration::ZERO,
        }
    }

    /// Sleeps until the next poll; `false` after the timeout.
    pub async fn sleep(&mut self) -> bool {
        if self.elapsed >= self.policy.timeout {
            return false;
        }
        tokio::time::sleep(self.interval).await;
        self.elapsed += self.interval;
        self.interval = (self.interval * 2).min(self.policy.max_poll_interval);
        true
    }

    /// Time spent sleeping.
    pub(super) const fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Whether the rebroadcast interval has passed since the last `true`.
    pub fn should_rebroadcast(&mut self) -> bool {
        let is_due = self.elapsed >= self.last_broadcast + self.policy.rebroadcast_interval;
        if is_due {
            self.last_broadcast = self.elapsed;
        }
        is_due
    }
}
