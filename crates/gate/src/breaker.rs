//! Circuit breaker: stops sending requests to a server that does not respond.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Opens after `threshold` failures in a row. While open, one request per `cooldown` is allowed, to find out whether the server
/// responds again.
#[derive(Debug)]
pub(crate) struct Breaker {
    threshold: u32,
    cooldown: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    retry_at: Option<Instant>,
}

impl Breaker {
    pub(crate) fn new(threshold: u32, cooldown: Duration) -> Self {
        Self {
            threshold,
            cooldown,
            state: Mutex::default(),
        }
    }

    /// Whether a request may be sent now.
    pub(crate) fn allows(&self) -> bool {
        let mut state = self.state();
        if state.failures < self.threshold {
            return true;
        }
        let now = Instant::now();
        let is_due = state.retry_at.is_none_or(|retry_at| now >= retry_at);
        if is_due {
            // The next request waits another cooldown, even if this one is never completed.
            state.retry_at = Some(now + self.cooldown);
        }
        is_due
    }

    /// Whether requests are being refused.
    pub(crate) fn is_open(&self) -> bool {
        self.state().failures >= self.threshold
    }

    pub(crate) fn record(&self, is_success: bool) {
        let mut state = self.state();
        if is_success {
            *state = State::default();
            return;
        }
        state.failures = state.failures.saturating_add(1);
        state.retry_at = Some(Instant::now() + self.cooldown);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn opens_after_failures_and_tries_once_per_cooldown() {
        let breaker = Breaker::new(2, Duration::from_secs(1));
        breaker.record(false);
        assert!(breaker.allows() && !breaker.is_open());
        breaker.record(false);
        assert!(breaker.is_open() && !breaker.allows());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(breaker.allows());
        // The trial is not completed yet.
        assert!(!breaker.allows());
        breaker.record(true);
        assert!(breaker.allows() && !breaker.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn a_success_resets_the_count() {
        let breaker = Breaker::new(2, Duration::from_secs(1));
        for _ in 0..3 {
            breaker.record(false);
            breaker.record(true);
        }
        assert!(breaker.allows());
    }
}
