//! Shutdown of a server in two steps: connections finish their requests; after a deadline they are dropped.

use std::future::Future;

use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Tasks of a server that outlive a request: connections and tunnels. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    tasks: TaskTracker,
    closing: CancellationToken,
    dropped: CancellationToken,
}

impl Drain {
    /// Starts a task that shutdown waits for.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// Completes when connections should finish.
    pub async fn closing(&self) {
        self.closing.cancelled().await;
    }

    /// Whether connections should finish.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Completes when connections must end.
    pub async fn dropped(&self) {
        self.dropped.cancelled().await;
    }

    /// Asks connections to finish.
    pub(crate) fn close(&self) {
        self.closing.cancel();
        self.tasks.close();
    }

    /// Waits for all tasks.
    pub(crate) async fn finished(&self) {
        self.tasks.wait().await;
    }

    /// Ends all tasks at once, and returns how many there were.
    pub(crate) async fn drop_all(&self) -> usize {
        let tasks = self.tasks.len();
        self.dropped.cancel();
        self.tasks.wait().await;
        tasks
    }
}
