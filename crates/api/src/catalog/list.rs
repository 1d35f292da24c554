//! Lists of tools.

use alloy_primitives::Address;
use atr_store::index::{AccessType, ListQuery, SortOrder, ToolKey, ToolRecord};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Catalog, Failure};
use crate::model::{ToolItem, ToolPage, is_verified};

/// Duplicates that are named in an item of a list.
const LISTED_DUPLICATES: usize = 5;

/// Order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "plain data")]
pub enum ListSort {
    #[default]
    Newest,
    Oldest,
}

/// Which tools to list. Filters combine with "and".
#[derive(Clone, Debug, Default, PartialEq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListParameters {
    /// By time of registration.
    #[param(inline, required = false)]
    pub sort_by: ListSort,
    /// `open`, `nft_gated`, `token_gated`, `subscription`, or `gated` for every tool with an access predicate.
    #[param(rename = "type", value_type = Option<String>)]
    pub access_types: Vec<AccessType>,
    /// EIP-155 chain id of the registry.
    #[param(value_type = Option<String>)]
    pub registry_chain: Option<u64>,
    /// Address of the creator.
    #[param(value_type = Option<String>)]
    pub creator: Option<Address>,
    /// A tag, in the manifest's spelling.
    pub tag: Option<String>,
    /// Also tools that are not verified. Agents should not use it.
    #[param(value_type = Option<bool>)]
    pub include_unverified: bool,
    /// Also deregistered tools; implies `include_unverified`.
    #[param(value_type = Option<bool>)]
    pub include_deregistered: bool,
    /// `onchain`. Other sources have no tools here.
    #[param(value_type = Option<String>)]
    pub source: Option<Source>,
    /// Maximum number of tools, 1 to 200 [default: 20].
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    pub limit: u32,
    /// `next` of the previous page.
    pub cursor: Option<String>,
}

/// Where tools come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Registries on chains: all tools of this index.
    Onchain,
    /// Catalogues that other services have.
    Other,
}

impl Catalog {
    /// Lists tools. Only verified ones, unless asked otherwise (O-06).
    ///
    /// # Errors
    ///
    /// If a parameter is invalid or the database fails.
    pub async fn list(&self, parameters: &ListParameters) -> Result<ToolPage, Failure> {
        if parameters.source == Some(Source::Other) {
            return Ok(ToolPage {
                tools: Vec::new(),
                next: None,
            });
        }
        let query = ListQuery {
            sort: match parameters.sort_by {
                ListSort::Newest => SortOrder::Newest,
                ListSort::Oldest => SortOrder::Oldest,
            },
            chain_id: parameters.registry_chain,
            registry: None,
            access_types: parameters.access_types.clone(),
            creator: parameters.creator,
            tag: parameters.tag.clone(),
            verified_only: !parameters.include_unverified && !parameters.include_deregistered,
            include_deregistered: parameters.include_deregistered,
            limit: parameters.limit,
            cursor: parameters.cursor.clone(),
        };
        let page = self.store().list(&query).await?;
        let mut tools = Vec::with_capacity(page.items.len());
        for tool in &page.items {
            debug_assert!(!query.verified_only || is_verified(tool));
            tools.push(ToolItem::new(tool, &self.listed_duplicates(tool).await?));
        }
        Ok(ToolPage {
            tools,
            next: page.next,
        })
    }

    /// The first duplicates, so that lists stay short (T-53).
    pub(super) async fn listed_duplicates(
        &self,
        tool: &ToolRecord,
    ) -> Result<Vec<ToolKey>, Failure> {
        if tool.duplicates == 0 {
            return Ok(Vec::new());
        }
        let mut duplicates = self.store().duplicates(tool.key).await?;
        duplicates.truncate(LISTED_DUPLICATES);
        Ok(duplicates)
    }
}
