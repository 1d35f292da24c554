//! A hash somebody relied on before.

use alloy_primitives::B256;
use serde::Serialize;

/// A pinned hash and whether the registry still commits to it (H-20). What it approved once says nothing of what came after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// The hash that was approved.
    pub hash: B256,
    /// Whether it is the registered one.
    pub holds: bool,
}
