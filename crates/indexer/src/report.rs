//! What an indexer tells its caller while it runs.

use std::{fmt, sync::Arc};

use atr_store::index::{RegistryKey, ToolKey, VerificationStatus};

/// How far a registry was indexed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// First block.
    pub first: u64,
    /// The last block that was indexed.
    pub position: u64,
    /// The latest block of the node.
    pub head: u64,
    /// Events since the program started.
    pub events: u64,
    /// Events per second since the program started.
    pub events_per_second: f64,
    /// Estimate; `None` if nothing was read yet.
    pub seconds_left: Option<f64>,
}

/// Something happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "plain data")]
pub enum Report {
    /// A batch was written.
    Progress {
        registry: RegistryKey,
        progress: Progress,
    },
    /// Blocks left the chain.
    Reorg {
        registry: RegistryKey,
        undone_events: u64,
    },
    /// All blocks were read.
    CaughtUp { registry: RegistryKey, block: u64 },
    /// The node or the database failed; the operation is repeated.
    Retrying {
        registry: RegistryKey,
        error: String,
    },
    /// Indexing of a registry stopped.
    Halted {
        registry: RegistryKey,
        reason: String,
    },
    /// A tool was verified.
    Verified {
        tool: ToolKey,
        status: VerificationStatus,
    },
    /// Another process indexes; this one waits for the lock.
    Waiting,
}

/// Receives reports.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(&Report) + Send + Sync>);

impl Observer {
    /// Calls a function for every report. It must not block.
    pub fn new(function: impl Fn(&Report) + Send + Sync + 'static) -> Self {
        Self(Arc::new(function))
    }

    pub(crate) fn report(&self, report: &Report) {
        tracing::debug!(?report);
        (self.0)(report);
    }
}

impl Default for Observer {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}
