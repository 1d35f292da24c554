//! Waiting without looking at a clock: how long was slept is all there is to know.

use std::time::Duration;

/// First wait between two questions; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(40);

/// How long to wait for a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitPolicy {
    /// Longest wait between two questions to the node.
    pub between_questions: Duration,
    /// After this long a transaction is sent again, at a higher fee if it needs one.
    pub before_a_nudge: Duration,
    /// After this long the run ends; the next one takes up the waiting.
    pub at_most: Duration,
}

impl Default for WaitPolicy {
    fn default() -> Self {
        Self {
            between_questions: Duration::from_secs(2),
            before_a_nudge: Duration::from_secs(20),
            at_most: Duration::from_secs(600),
        }
    }
}

/// One wait.
#[derive(Debug)]
pub struct Clock {
    patience: WaitPolicy,
    wait: Duration,
    slept: Duration,
    nudged: Duration,
}

impl Clock {
    /// Begins to wait.
    #[must_use]
    pub fn new(patience: WaitPolicy) -> Self {
        Self {
            patience,
            wait: FIRST_WAIT.min(patience.between_questions),
            slept: Duration::ZERO,
            nudged: Duration::ZERO,
        }
    }

    /// Sleeps a while; false when all patience is spent.
    pub async fn tick(&mut self) -> bool {
        if self.slept >= self.patience.at_most {
            return false;
        }
        tokio::time::sleep(self.wait).await;
        self.slept += self.wait;
        self.wait = (self.wait * 2).min(self.patience.between_questions);
        true
    }

    /// Whether it is time to remind the node.
    pub fn should_rebroadcast(&mut self) -> bool {
        let is_time = self.slept >= self.nudged + self.patience.before_a_nudge;
        if is_time {
            self.nudged = self.slept;
        }
        is_time
    }
}
