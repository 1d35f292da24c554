//! What is indexed of a tool.

/// Text of a document beyond this is not indexed: a manifest has at most 1 MiB, and the index is for finding tools, not for archives.
pub const MAX_TEXT_BYTES: usize = 16 * 1024;

/// Prices of a document beyond these are not indexed; the caller compares the exact prices of its results.
pub const MAX_PRICES: usize = 16;

/// A tool as it is searched. All text is untrusted.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "plain data")]
pub struct SearchDocument {
    /// Unique: the reference of the tool.
    pub key: String,
    pub chain: u64,
    /// In lower case.
    pub creator: String,
    pub name: String,
    pub display_name: String,
    pub description: String,
    pub tags: Vec<String>,
    /// Names of the properties of the input and output schemas.
    pub properties: Vec<String>,
    pub access_type: String,
    /// Empty: calls are free.
    pub prices: Vec<Price>,
    pub standing: Standing,
    /// Seconds since 1970.
    pub created_at: u64,
    /// Verified calls.
    pub uses: u64,
}

/// Price of a call in one asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// Identifier of the asset, compared as it is.
    pub asset: String,
    /// In base units; larger amounts are indexed as the largest number.
    pub amount: u64,
}

/// Verification of a tool. The order is the order of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// All four checks passed.
    Verified,
    /// Not checked yet, or a check was inconclusive.
    #[default]
    Unknown,
    /// A check failed.
    Failed,
}

impl Standing {
    pub(crate) const ALL: [Self; 3] = [Self::Verified, Self::Unknown, Self::Failed];

    pub(crate) const fn number(self) -> u64 {
        self as u64
    }
}
