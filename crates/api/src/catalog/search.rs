//! Search: candidates from the search index, confirmed in the database, access from the chain.

use std::time::Duration;

use alloy_primitives::{Address, U256, keccak256};
use atr_registry::Access as Granted;
use atr_search::{Filters, MaxPrice, SearchQuery, Sort};
use atr_store::index::{AccessType, ToolRecord, ToolState};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Catalog, Failure, list::Source};
use crate::model::{
    Access, SearchPage, SearchResult, access_type_name, costs_at_most, is_verified, key, reference,
};

/// Candidates that are read at once.
const PAGE: usize = 50;

/// Candidates for which access is checked in one request.
const MAX_CHECKED: usize = 400;

/// Size of the results of a page, as JSON. A page ends early beyond it.
const MAX_PAGE_BYTES: usize = 2 * 1024 * 1024;

/// Time to wait for other searches.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// References that are named in `access_unknown`.
const MAX_UNKNOWN: usize = 50;

/// Order of results. Verified tools come first in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "plain data")]
pub enum SearchSort {
    #[default]
    Relevance,
    Newest,
    MostUsed,
}

/// A maximum price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceLimit {
    /// CAIP-19; a price in any of them counts.
    pub assets: Vec<String>,
    /// In base units.
    pub amount: U256,
}

/// What to search. Filters combine with "and".
#[derive(Clone, Debug, Default, PartialEq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchParameters {
    /// Words, at most 512 characters. There is no query syntax.
    #[param(value_type = Option<String>)]
    pub query: String,
    /// EIP-155 chain id of the registry.
    #[param(value_type = Option<String>)]
    pub registry_chain: Option<u64>,
    /// Tags, all of them; repeated or separated by commas.
    #[param(value_type = Option<Vec<String>>)]
    pub tags: Vec<String>,
    /// `open`, `nft_gated`, `token_gated`, `subscription`, or `gated` for every tool with an access predicate.
    #[param(rename = "access_type", value_type = Option<String>)]
    pub access_types: Vec<AccessType>,
    /// Address of the creator.
    #[param(value_type = Option<String>)]
    pub creator: Option<Address>,
    /// `onchain`. Other sources have no tools here.
    #[param(value_type = Option<String>)]
    pub source: Option<Source>,
    /// Slug of a collection. The index has no slugs: there are no results.
    pub collection: Option<String>,
    /// Free tools and tools that cost at most this much: USDC such as `0.01`, or, with `price_asset`, in its base units.
    #[param(value_type = Option<String>)]
    pub max_price: Option<PriceLimit>,
    /// CAIP-19 id of the asset of `max_price` [default: USDC on any chain].
    #[param(value_type = Option<String>)]
    pub price_asset: (),
    /// Only tools that this account may call now, by the registry.
    #[param(value_type = Option<String>)]
    pub callable_by: Option<Address>,
    /// Also tools that are not verified, after the verified ones. Agents should not use it.
    #[param(value_type = Option<bool>)]
    pub include_unverified: bool,
    #[param(inline, required = false)]
    /// Order of results of the same verification.
    pub sort_by: SearchSort,
    /// With prices and access requirements [default: true].
    #[param(value_type = Option<bool>)]
    pub include_details: bool,
    /// Maximum number of results, 1 to 200 [default: 20].
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    pub limit: u32,
    /// `next` of the previous page.
    pub cursor: Option<String>,
}

impl SearchParameters {
    /// What a cursor belongs to: everything but the page.
    fn purpose(&self) -> Vec<u8> {
        let all = Self {
            cursor: None,
            limit: 0,
            include_details: false,
            ..self.clone()
        };
        [
            b"search".as_slice(),
            keccak256(format!("{all:?}")).as_slice(),
        ]
        .concat()
    }

    fn index_query(&self, offset: usize) -> SearchQuery {
        SearchQuery {
            text: self.query.clone(),
            filters: Filters {
                tags: self.tags.clone(),
                access_types: self
                    .access_types
                    .iter()
                    .map(|name| access_type_name(*name).to_owned())
                    .collect(),
                chain: self.registry_chain,
                creator: self.creator.map(|creator| format!("{creator:#x}")),
                max_price: self.max_price.as_ref().map(|price| MaxPrice {
                    assets: price.assets.clone(),
                    amount: price.amount.saturating_to(),
                }),
                include_unverified: self.include_unverified,
            },
            sort: match self.sort_by {
                SearchSort::Relevance => Sort::Relevance,
                SearchSort::Newest => Sort::Newest,
                SearchSort::MostUsed => Sort::MostUsed,
            },
            offset,
            limit: PAGE,
        }
    }

    /// Whether the database agrees: the search index can be behind, and its prices are not exact.
    fn accepts(&self, tool: &ToolRecord) -> bool {
        tool.state == ToolState::Live
            && (self.include_unverified || is_verified(tool))
            && (self.access_types.is_empty() || self.access_types.contains(&tool.access_type))
            && self.creator.is_none_or(|creator| creator == tool.creator)
            && self
                .max_price
                .as_ref()
                .is_none_or(|price| costs_at_most(tool, &price.assets, price.amount))
    }
}

impl Catalog {
    /// Searches. Only verified tools, unless asked otherwise (O-06).
    ///
    /// # Errors
    ///
    /// If a parameter is invalid, or the database or the search index fails.
    pub async fn search(&self, parameters: &SearchParameters) -> Result<SearchPage, Failure> {
        let mut page = SearchPage {
            results: Vec::new(),
            next: None,
            access_unknown: Vec::new(),
        };
        if parameters.source == Some(Source::Other) || parameters.collection.is_some() {
            return Ok(page);
        }
        let permit = tokio::time::timeout(MAX_WAIT, self.0.searches.acquire()).await;
        let Ok(Ok(_permit)) = permit else {
            return Err(Failure::TooMany { seconds: 5 });
        };
        let purpose = parameters.purpose();
        let mut bytes = 0;
        let mut offset = match &parameters.cursor {
            Some(cursor) => self.open_cursor(&purpose, cursor)?,
            None => 0,
        };
        let limit = parameters.limit as usize;
        let mut checked = 0;
        let mut has_more = true;
        while has_more
            && page.results.len() < limit
            && bytes < MAX_PAGE_BYTES
            && checked < MAX_CHECKED
        {
            let (records, more) = self.candidates(parameters, offset).await?;
            let granted = self.granted(parameters.callable_by, &records).await;
            has_more = more;
            let mut used = 0;
            for (record, access) in records.iter().zip(granted) {
                if page.results.len() == limit || bytes >= MAX_PAGE_BYTES {
                    has_more = true;
                    break;
                }
                used += 1;
                let Some(record) = record else { continue };
                match access {
                    Granted::Granted => {
                        let result = self.result(parameters, record).await?;
                        bytes += serde_json::to_vec(&result).map_or(0, |json| json.len());
                        page.results.push(result);
                    }
                    Granted::Unknown if page.access_unknown.len() < MAX_UNKNOWN => {
                        page.access_unknown.push(reference(record.key));
                    }
                    Granted::Unknown | Granted::Denied => {}
                }
            }
            offset += used;
            checked += used;
            if records.is_empty() {
                has_more = false;
            }
        }
        page.next = has_more.then(|| {
            let position = u64::try_from(offset).unwrap_or(u64::MAX).to_be_bytes();
            self.store().cursor_key().seal(&purpose, &position)
        });
        Ok(page)
    }

    fn open_cursor(&self, purpose: &[u8], cursor: &str) -> Result<usize, Failure> {
        let payload = self.store().cursor_key().open(purpose, cursor);
        let offset = payload.and_then(|payload| Some(u64::from_be_bytes(payload.try_into().ok()?)));
        offset
            .and_then(|offset| offset.try_into().ok())
            .ok_or_else(|| {
                Failure::invalid(
                    "cursor",
                    "must be `next` of the previous page, with the same filters",
                )
            })
    }

    /// The next candidates in order, `None` for those that the database does not confirm, and whether there are more.
    async fn candidates(
        &self,
        parameters: &SearchParameters,
        offset: usize,
    ) -> Result<(Vec<Option<ToolRecord>>, bool), Failure> {
        let (index, query) = (self.0.search.clone(), parameters.index_query(offset));
        let hits = tokio::task::spawn_blocking(move || index.search(&query));
        let hits = hits
            .await
            .map_err(|error| Failure::Unavailable(error.into()))??;
        let keys: Vec<_> = hits.hits.iter().filter_map(|hit| key(&hit.key)).collect();
        let records = self.store().tools(&keys).await?;
        let confirm = |record: Option<ToolRecord>| record.filter(|tool| parameters.accepts(tool));
        Ok((records.into_iter().map(confirm).collect(), hits.has_more))
    }

    /// Access of an account to each candidate; granted without an account.
    async fn granted(
        &self,
        account: Option<Address>,
        records: &[Option<ToolRecord>],
    ) -> Vec<Granted> {
        let Some(account) = account else {
            return vec![Granted::Granted; records.len()];
        };
        let gated: Vec<_> = records
            .iter()
            .flatten()
            .filter(|tool| tool.predicate.is_some())
            .map(|tool| tool.key)
            .collect();
        let mut answers = self
            .0
            .access
            .check(&self.0.nodes, account, &gated)
            .await
            .into_iter();
        let answer = |record: &Option<ToolRecord>| match record {
            Some(tool) if tool.predicate.is_some() => answers.next().unwrap_or(Granted::Unknown),
            _ => Granted::Granted,
        };
        records.iter().map(answer).collect()
    }

    async fn result(
        &self,
        parameters: &SearchParameters,
        tool: &ToolRecord,
    ) -> Result<SearchResult, Failure> {
        let duplicates = self.listed_duplicates(tool).await?;
        let access = match (parameters.include_details, tool.predicate) {
            (false, _) => None,
            (true, None) => Some(Access::new(tool, None)),
            (true, Some(_)) => {
                let detail = self.store().detail(tool.key).await?;
                Some(Access::new(
                    tool,
                    detail.as_ref().and_then(|detail| detail.access.as_ref()),
                ))
            }
        };
        Ok(SearchResult::new(
            tool,
            &duplicates,
            access.map(Access::shortened),
        ))
    }
}
