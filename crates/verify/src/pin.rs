//! A pinned manifest hash.

use alloy_primitives::B256;
use serde::Serialize;

/// A hash the caller approved earlier, and whether it still is the registered hash (H-20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// The approved hash.
    pub hash: B256,
    /// Whether the registered hash equals the approved hash.
    pub matches: bool,
}
