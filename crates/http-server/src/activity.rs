//! Requests of a connection, for its idle timeout.

use std::{sync::Arc, time::Duration};

use tokio::{sync::watch, time::timeout};

#[derive(Clone, Copy, Debug, Default)]
struct Requests {
    active: usize,
    total: u64,
}

/// Counts the requests of one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    requests: Arc<watch::Sender<Requests>>,
}

/// A request in progress: its connection is not idle.
#[derive(Debug)]
pub struct ActiveRequest {
    requests: Arc<watch::Sender<Requests>>,
}

impl Activity {
    pub(crate) fn begin(&self) -> ActiveRequest {
        self.requests.send_modify(|requests| {
            requests.active += 1;
            requests.total += 1;
        });
        ActiveRequest {
            requests: self.requests.clone(),
        }
    }

    /// Completes if no request arrives within `first`, or no further request within `idle`.
    pub(crate) async fn is_idle(&self, first: Duration, idle: Duration) {
        let mut requests = self.requests.subscribe();
        loop {
            // The sender lives as long as `self`.
            let total = match requests.wait_for(|requests| requests.active == 0).await {
                Ok(requests) => requests.total,
                Err(_) => return,
            };
            let limit = if total == 0 { first } else { idle };
            if timeout(limit, requests.changed()).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.requests.send_modify(|requests| requests.active -= 1);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const FIRST: Duration = Duration::from_secs(10);
    const IDLE: Duration = Duration::from_secs(75);

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_without_requests_only() {
        let activity = Activity::default();
        let start = Instant::now();
        activity.is_idle(FIRST, IDLE).await;
        assert_eq!(start.elapsed(), FIRST);

        let request = activity.begin();
        let idle = activity.is_idle(FIRST, IDLE);
        tokio::pin!(idle);
        assert!(timeout(Duration::from_secs(3600), &mut idle).await.is_err());
        drop(request);
        let start = Instant::now();
        idle.await;
        assert_eq!(start.elapsed(), IDLE);
    }
}
