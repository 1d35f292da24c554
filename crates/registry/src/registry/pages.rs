//! Iteration over the tools of a registry.

use alloy_primitives::U256;
use atr_ids::HttpsUrl;

use crate::{Error, Registry, ToolConfig, ToolState};

/// Maximum tools per page.
const PAGE_SIZE: u64 = 500;

/// Maximum tools of a full scan. The count comes from the registry, which can be malicious.
pub const MAX_TOOLS: u64 = 1_000_000;

/// The tools of a registry by ascending id, all at one block. Each page is requested when it is needed.
#[derive(Clone, Debug)]
pub struct ToolPages {
    registry: Registry,
    count: U256,
    next: Option<u64>,
}

impl Registry {
    /// The tools from an id on. The caller decides where to stop.
    ///
    /// # Errors
    ///
    /// When an RPC request fails or the address is not a registry.
    pub async fn pages_from(&self, first: u64) -> Result<ToolPages, Error> {
        // Pinned to one block: tools registered during the scan are not included.
        let registry = self.clone().at_block(self.block().await?);
        Ok(ToolPages {
            count: registry.tool_count().await?,
            registry,
            next: Some(first.max(1)),
        })
    }

    /// All tools.
    ///
    /// # Errors
    ///
    /// When the registry claims more than [`MAX_TOOLS`], an RPC request fails, or the address is not a registry.
    pub async fn pages(&self) -> Result<ToolPages, Error> {
        let pages = self.pages_from(1).await?;
        if pages.count > U256::from(MAX_TOOLS) {
            return Err(Error::TooManyTools {
                count: pages.count,
                limit: MAX_TOOLS,
            });
        }
        Ok(pages)
    }

    /// The registered tools with this `metadataURI`, by a full scan. URLs are compared in normalized form (G1 to G3).
    ///
    /// # Errors
    ///
    /// As [`Self::pages`].
    pub async fn tools_by_metadata_uri(
        &self,
        metadata_uri: &str,
    ) -> Result<Vec<(U256, ToolConfig)>, Error> {
        let wanted = metadata_uri.parse::<HttpsUrl>().ok();
        // An invalid URI equals only itself.
        let is_wanted = |uri: &str| {
            uri == metadata_uri || (wanted.is_some() && uri.parse::<HttpsUrl>().ok() == wanted)
        };
        let mut pages = self.pages().await?;
        let mut found = Vec::new();
        loop {
            let page = pages.next_page().await?;
            if page.is_empty() {
                return Ok(found);
            }
            let live = page
                .into_iter()
                .filter_map(|(id, state)| Some((id, state.into_config()?)));
            found.extend(live.filter(|(_, config)| is_wanted(&config.metadata_uri)));
        }
    }
}

impl ToolPages {
    /// The highest tool id, as claimed by the registry.
    #[must_use]
    pub const fn count(&self) -> U256 {
        self.count
    }

    /// First id of the next page; `None` at the end.
    #[must_use]
    pub fn next_id(&self) -> Option<u64> {
        self.next.filter(|next| U256::from(*next) <= self.count)
    }

    /// The next tools, at most `count` and at most one page; empty at the end.
    ///
    /// # Errors
    ///
    /// When an RPC request fails or the address is not a registry.
    pub async fn next(&mut self, count: u64) -> Result<Vec<(U256, ToolState)>, Error> {
        let Some(first) = self.next_id() else {
            return Ok(Vec::new());
        };
        let size = count.clamp(1, PAGE_SIZE);
        let last = first
            .saturating_add(size - 1)
            .min(self.count.saturating_to());
        let ids: Vec<_> = (first..=last).map(U256::from).collect();
        let states = self.registry.tools(&ids).await?;
        self.next = last.checked_add(1);
        Ok(ids.into_iter().zip(states).collect())
    }

    /// The next page; empty at the end.
    ///
    /// # Errors
    ///
    /// As [`Self::next`].
    pub async fn next_page(&mut self) -> Result<Vec<(U256, ToolState)>, Error> {
        self.next(PAGE_SIZE).await
    }
}
