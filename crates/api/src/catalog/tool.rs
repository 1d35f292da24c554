//! One tool.

use atr_store::index::{ToolDetail, ToolKey, ToolState};

use super::{Catalog, Failure};
use crate::model::{
    Activity, ActivityEntry, HistoryEntry, Tool, VerificationReport, VerificationRequest, reference,
};

/// A tool with its verification, from one read: what the tool page of the explorer shows.
#[derive(Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct Overview {
    pub tool: Tool,
    pub verification: VerificationReport,
    /// The served manifest whose hash is the registered one.
    pub manifest: Option<Vec<u8>>,
    /// Newest first.
    pub history: Vec<HistoryEntry>,
}

/// Events of a tool that are shown.
const MAX_HISTORY: usize = 20;

impl Catalog {
    /// A registered tool, verified or not: `verified` says so.
    ///
    /// # Errors
    ///
    /// If the tool does not exist or is deregistered, or the database fails.
    pub async fn tool(&self, key: ToolKey) -> Result<Tool, Failure> {
        let detail = self.live(key).await?;
        let totals = self.store().usage_stats(key).await?;
        Ok(Tool::new(&detail, totals.into()))
    }

    /// A registered tool, with its verification, manifest and history.
    ///
    /// # Errors
    ///
    /// If the tool does not exist or is deregistered, or the database fails.
    pub async fn overview(&self, key: ToolKey) -> Result<Overview, Failure> {
        let detail = self.live(key).await?;
        let totals = self.store().usage_stats(key).await?;
        Ok(Overview {
            tool: Tool::new(&detail, totals.into()),
            verification: VerificationReport::new(&detail),
            history: self.history(key).await?,
            manifest: detail.manifest,
        })
    }

    /// Events of a tool on the chain, newest first. Of a deregistered tool as well.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn history(&self, key: ToolKey) -> Result<Vec<HistoryEntry>, Failure> {
        let events = self.store().history(key).await?;
        let newest = events.iter().rev().take(MAX_HISTORY);
        Ok(newest.map(HistoryEntry::new).collect())
    }

    /// Why a tool is, or is not, verified.
    ///
    /// # Errors
    ///
    /// If the tool does not exist or is deregistered, or the database fails.
    pub async fn verification(&self, key: ToolKey) -> Result<VerificationReport, Failure> {
        Ok(VerificationReport::new(&self.live(key).await?))
    }

    /// Makes a verification due now, at most once a minute for each tool.
    ///
    /// # Errors
    ///
    /// If the tool does not exist or is deregistered, was re-checked just now, or the database fails.
    pub async fn request_verification(&self, key: ToolKey) -> Result<VerificationRequest, Failure> {
        self.live(key).await?;
        // Tools that exist only: the number of keys is bounded by the index.
        if let Err(seconds) = self.0.rechecks.take(key) {
            return Err(Failure::TooMany { seconds });
        }
        if !self.store().request_verification(key, self.now()).await? {
            return Err(Failure::NotFound);
        }
        let (chain, registry) = (key.registry.chain_id, key.registry.address);
        Ok(VerificationRequest {
            tool_ref: reference(key),
            report: format!("/api/v2/tools/{chain}/{registry}/{}/verification", key.id),
        })
    }

    /// Verified usage of a tool, newest first. Of a deregistered tool as well.
    ///
    /// # Errors
    ///
    /// If the tool does not exist, or the database fails.
    pub async fn activity(
        &self,
        key: ToolKey,
        limit: u32,
        offset: u32,
    ) -> Result<Activity, Failure> {
        self.store().tool(key).await?.ok_or(Failure::NotFound)?;
        let mut entries = self.store().activity(key, limit + 1, offset).await?;
        let has_more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        Ok(Activity {
            activity: entries.iter().map(ActivityEntry::new).collect(),
            next: has_more.then(|| offset.saturating_add(limit).to_string()),
        })
    }

    async fn live(&self, key: ToolKey) -> Result<ToolDetail, Failure> {
        let detail = self.store().detail(key).await?.ok_or(Failure::NotFound)?;
        match detail.tool.state {
            ToolState::Live => Ok(detail),
            ToolState::Deregistered => Err(Failure::Gone {
                tool_ref: reference(key),
            }),
            ToolState::Undone => Err(Failure::NotFound),
        }
    }
}
