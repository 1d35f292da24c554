//! Queries and their results.

use crate::Standing;

/// Results beyond this rank cannot be requested: nobody reads them, and ranking them costs.
pub const MAX_WINDOW: usize = 1_000;

/// What to search. Every text is data: there is no query syntax.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchQuery {
    /// Words; empty for all tools.
    pub text: String,
    /// Conditions that every result meets.
    pub filters: Filters,
    /// Order within a standing: verified tools come first in any order.
    pub sort: Sort,
    /// Results to skip. `offset + limit` is at most [`MAX_WINDOW`].
    pub offset: usize,
    /// Maximum number of results.
    pub limit: usize,
}

/// Conditions, all of which hold for each result.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Filters {
    /// All of them, in any case.
    pub tags: Vec<String>,
    /// One of them; empty for all.
    pub access_types: Vec<String>,
    pub chain: Option<u64>,
    /// In lower case.
    pub creator: Option<String>,
    pub max_price: Option<MaxPrice>,
    /// Also tools that are not verified, after the verified ones.
    pub include_unverified: bool,
}

/// Free tools, and tools with a price in one of the assets of at most the amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaxPrice {
    /// As in [`crate::Price::asset`].
    pub assets: Vec<String>,
    /// In base units.
    pub amount: u64,
}

/// Order of results of the same standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By BM25; without words, the same as [`Self::Newest`].
    #[default]
    Relevance,
    /// By time of registration.
    Newest,
    /// By verified calls.
    MostUsed,
}

/// One page of results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// In order.
    pub hits: Vec<Hit>,
    /// Whether there are results after these, within [`MAX_WINDOW`].
    pub has_more: bool,
}

/// A result.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Hit {
    pub key: String,
    pub standing: Standing,
    /// BM25 score; 0 in other orders.
    pub score: f32,
}
