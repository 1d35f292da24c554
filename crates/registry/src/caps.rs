//! How much of a stranger's list of requirements is read.

use serde::Serialize;

/// Limits on introspection. The defaults are the ERC's (I-09); who raises them must still tell "over the limit" from
/// "denied" (I-10), which [`Introspection`](crate::Introspection) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntrospectionLimits {
    /// Entries in the list.
    pub entries: usize,
    /// Bytes of `data` in one entry.
    pub data_bytes: usize,
    /// Bytes of `label` in one entry.
    pub label_bytes: usize,
    /// How deep lists within lists are followed.
    pub depth: usize,
    /// Entries of all lists within the list. Their offsets may all lead to the same bytes, so their sizes limit nothing.
    pub nested_entries: usize,
    /// Gas of the `eth_call` that asks for the list (I-11). Also bounds how much a predicate can return.
    pub gas: u64,
}

/// Gas for the list of requirements: some four thousand cold storage words, and memory for a megabyte and a half.
pub const INTROSPECTION_GAS: u64 = 10_000_000;

/// Gas for a diagnostic question: a name, a version, an interface. Far more than the 30,000 of the registry's own probe:
/// a call pays for its own data first, and gas does not mean the same on every chain.
pub const DIAGNOSTIC_GAS: u64 = 1_000_000;

/// Longest `name()` and `version()` in bytes; beyond it they count as not implemented (I-12).
pub const MAX_NAME_BYTES: usize = 256;

impl Default for IntrospectionLimits {
    fn default() -> Self {
        Self {
            entries: 256,
            data_bytes: 4096,
            label_bytes: 256,
            depth: 8,
            nested_entries: 1024,
            gas: INTROSPECTION_GAS,
        }
    }
}

/// Which limit a list went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Number of entries.
    Entries,
    /// Bytes of one entry's `data`.
    Data,
    /// Bytes of one entry's `label`.
    Label,
    /// Lists within lists.
    Depth,
    /// Entries of all lists within the list.
    NestedEntries,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Entries => "entries",
            Self::Data => "bytes of data in an entry",
            Self::Label => "bytes of label in an entry",
            Self::Depth => "levels of lists",
            Self::NestedEntries => "entries of lists within the list",
        })
    }
}
