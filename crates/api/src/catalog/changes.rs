//! The change feed.

use super::{Catalog, Failure};
use crate::model::{ChangePage, ToolChange};

impl Catalog {
    /// Changes after a number of the feed, with the data of verified tools only unless asked otherwise (O-06).
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn changes(
        &self,
        after: u64,
        limit: u32,
        include_unverified: bool,
    ) -> Result<ChangePage, Failure> {
        let mut changes = self.store().changes_since(after, limit + 1).await?;
        let has_more = changes.len() > limit as usize;
        changes.truncate(limit as usize);
        Ok(ChangePage {
            next: changes
                .last()
                .map_or(after, |change| change.seq)
                .to_string(),
            changes: changes
                .iter()
                .map(|change| ToolChange::new(change, include_unverified))
                .collect(),
            has_more,
        })
    }

    /// The number of the feed after which all changes since a time come.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn sequence_before(&self, time: u64) -> Result<u64, Failure> {
        Ok(self.store().seq_at(time).await?.saturating_sub(1))
    }
}
