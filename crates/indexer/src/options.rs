//! Settings.

use std::{num::NonZeroUsize, time::Duration};

use atr_registry::LogStreamOptions;

/// Settings of an indexer.
#[derive(Clone, Debug)]
pub struct IndexerOptions {
    /// Time between two looks at the head of a chain.
    pub poll_interval: Duration,
    /// Reorgs and lag of nodes.
    pub stream: LogStreamOptions,
    /// Time until a failed request to a node is repeated; doubled each time up to [`Self::max_retry_delay`].
    pub retry_delay: Duration,
    /// The longest time between two tries. A registry that halted because events are missing is tried again after it.
    pub max_retry_delay: Duration,
    /// Predicates whose events are followed, most used first. The filter of `eth_getLogs` contains them all.
    pub max_watched_predicates: u32,
    /// `None`: tools are not verified.
    pub verification: Option<VerificationOptions>,
}

impl Default for IndexerOptions {
    fn default() -> Self {
        Self {
            poll_interval: Duration::from_secs(2),
            stream: LogStreamOptions::default(),
            retry_delay: Duration::from_secs(1),
            max_retry_delay: Duration::from_secs(60),
            max_watched_predicates: 200,
            verification: Some(VerificationOptions::default()),
        }
    }
}

/// Settings of the verification queue.
#[derive(Clone, Debug)]
pub struct VerificationOptions {
    /// Verifications at a time.
    pub concurrency: NonZeroUsize,
    /// Verifications at a time with the same host.
    pub per_host: NonZeroUsize,
    /// Age up to which a result counts, in seconds, at most a day; a manifest's `maxAge` can shorten it. It is checked again at half of it.
    pub max_age: u64,
    /// Time until an inconclusive verification is repeated, in seconds; doubled each time up to [`Self::max_age`]. No tool is verified more
    /// often by itself.
    pub retry_delay: u64,
    /// Updates after a longer silence count as a risk (K-12), in seconds.
    pub inactivity_period: u64,
    /// Whether gated and priced tools are called once without credentials, to compare the 402 with the manifest's prices.
    pub probes_prices: bool,
}

impl Default for VerificationOptions {
    fn default() -> Self {
        const fn nonzero(value: usize) -> NonZeroUsize {
            match NonZeroUsize::new(value) {
                Some(value) => value,
                None => NonZeroUsize::MIN,
            }
        }
        Self {
            concurrency: nonzero(16),
            per_host: nonzero(2),
            max_age: 24 * 60 * 60,
            retry_delay: 60,
            inactivity_period: 180 * 24 * 60 * 60,
            probes_prices: false,
        }
    }
}
