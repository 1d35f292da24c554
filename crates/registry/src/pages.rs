//! All tools of a registry, a page at a time.

use alloy_primitives::U256;

use crate::{Error, Registry, ToolState};

/// Most tools that are asked about in one go.
const PAGE: u64 = 500;

/// Most tools a walk over a whole registry takes. How many there are is the registry's own claim, and one that lies must not
/// keep us busy for ever.
pub const MAX_TOOLS: u64 = 1_000_000;

/// Tools of a registry in the order of their ids, all at one block. Nothing is asked before it is wanted.
#[derive(Clone, Debug)]
pub struct Pages {
    registry: Registry,
    count: U256,
    next: Option<u64>,
}

impl Registry {
    /// The tools from an id on. However many the registry claims, it is up to the caller how far to go.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or the address is no registry.
    pub async fn pages_from(&self, first: u64) -> Result<Pages, Error> {
        // A tool that is registered meanwhile belongs to the next walk.
        let registry = self.clone().at_block(self.block().await?);
        Ok(Pages {
            count: registry.tool_count().await?,
            registry,
            next: Some(first.max(1)),
        })
    }

    /// All tools, if there are not more than [`MAX_TOOLS`].
    ///
    /// # Errors
    ///
    /// When there are more, the node does not answer, or the address is no registry.
    pub async fn pages(&self) -> Result<Pages, Error> {
        let pages = self.pages_from(1).await?;
        if pages.count > U256::from(MAX_TOOLS) {
            return Err(Error::TooManyTools {
                count: pages.count,
                most: MAX_TOOLS,
            });
        }
        Ok(pages)
    }
}

impl Pages {
    /// Ids ever given, as the registry claims.
    #[must_use]
    pub const fn count(&self) -> U256 {
        self.count
    }

    /// The id the next page begins with; none at the end.
    #[must_use]
    pub fn next_id(&self) -> Option<u64> {
        self.next.filter(|next| U256::from(*next) <= self.count)
    }

    /// The next tools, as many as wanted or as one page holds; none at the end.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or the address is no registry.
    pub async fn next(&mut self, wanted: u64) -> Result<Vec<(U256, ToolState)>, Error> {
        let Some(first) = self.next_id() else {
            return Ok(Vec::new());
        };
        let size = wanted.clamp(1, PAGE);
        let last = first
            .saturating_add(size - 1)
            .min(self.count.saturating_to());
        let ids: Vec<_> = (first..=last).map(U256::from).collect();
        let states = self.registry.tools(&ids).await?;
        self.next = last.checked_add(1);
        Ok(ids.into_iter().zip(states).collect())
    }

    /// The next full page; none at the end.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or the address is no registry.
    pub async fn next_page(&mut self) -> Result<Vec<(U256, ToolState)>, Error> {
        self.next(PAGE).await
    }
}
