//! How much of another's time and bytes we are willing to take.

use std::time::Duration;

/// Caps on one request. A door is opened with them and every request through it keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the whole request: connecting, sending, waiting, reading.
    pub time: Duration,
    /// For the body of the answer, as it arrives.
    pub bytes: usize,
}

impl Limits {
    /// For a manifest: the mebibyte it may have (I-01), and ten seconds.
    pub const MANIFEST: Self = Self {
        time: Duration::from_secs(10),
        bytes: 1024 * 1024,
    };
}

impl Default for Limits {
    /// Thirty seconds and eight mebibytes: slower than any healthy service, larger than any answer we ask for.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            bytes: 8 * 1024 * 1024,
        }
    }
}
