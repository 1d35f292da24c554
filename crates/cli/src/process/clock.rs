//! System clock. Libraries take the time as a parameter.

use std::time::{SystemTime, UNIX_EPOCH};

/// Unix time in seconds.
#[expect(clippy::disallowed_methods, reason = "the only caller")]
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
