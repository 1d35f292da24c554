//! Limits on reading an untrusted predicate's requirements.

use serde::Serialize;

/// Limits on introspection. The defaults of an entry are the ERC's (I-09). A list over a limit is reported as
/// [`Introspection::OverLimit`](crate::Introspection::OverLimit), never as denied access (I-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntrospectionLimits {
    /// Entries of one list.
    pub entries: usize,
    /// Bytes of `data` in one entry.
    pub data_bytes: usize,
    /// Bytes of `label` in one entry.
    pub label_bytes: usize,
    /// Depth of nested lists.
    pub depth: usize,
    /// Entries of all nested lists together. Needed because their offsets can point to the same bytes.
    pub nested_entries: usize,
    /// Bytes of `data` and `label` of all entries together, nested ones included. Offsets can point to the same bytes, so a small
    /// return value can decode to a large list.
    pub total_bytes: usize,
    /// Gas of the `eth_call` (I-11). It also bounds the size of the return data.
    pub gas: u64,
}

/// Gas for `getRequirements`: about 4,000 cold storage slots, or 1.5 MB of memory.
pub const INTROSPECTION_GAS: u64 = 10_000_000;

/// Gas for `name()`, `version()`, `REGISTRY()` and `supportsInterface`. Higher than the registry's 30,000, because gas prices
/// differ between chains and the limit includes the intrinsic gas of the call.
pub const DIAGNOSTIC_GAS: u64 = 1_000_000;

/// Maximum size of `name()` and `version()`. Longer values count as not implemented (I-12).
pub const MAX_NAME_BYTES: usize = 256;

impl Default for IntrospectionLimits {
    fn default() -> Self {
        Self {
            entries: 256,
            data_bytes: 4096,
            label_bytes: 256,
            depth: 8,
            nested_entries: 1024,
            total_bytes: 64 * 1024,
            gas: INTROSPECTION_GAS,
        }
    }
}

/// A field of [`IntrospectionLimits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "documented on IntrospectionLimits")]
pub enum Limit {
    Entries,
    Data,
    Label,
    Depth,
    NestedEntries,
    TotalBytes,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Entries => "entries",
            Self::Data => "bytes of data in one entry",
            Self::Label => "bytes of label in one entry",
            Self::Depth => "levels of nesting",
            Self::NestedEntries => "entries in nested lists",
            Self::TotalBytes => "bytes of data and labels in all entries",
        })
    }
}
