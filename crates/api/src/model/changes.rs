use atr_store::index::{Change, ChangeKind, ToolState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ToolItem, VerificationStatus,
    tool::{is_verified, reference},
};
use crate::text;

/// The last change of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct ToolChange {
    /// Increases with every change.
    pub sequence: u64,
    /// `registered`, `metadata_updated`, `predicate_updated`, `deregistered`, `undone` (the registration left the chain), `reorged`,
    /// `verification`, `access`, `usage` or `rebuilt`.
    #[serde(rename = "type")]
    pub kind: String,
    pub changed_at: String,
    pub tool_ref: String,
    /// Whether followers should forget the tool: it is deregistered or undone.
    pub removed: bool,
    /// Treat anything but `verified` as not verified.
    pub verification: VerificationStatus,
    /// The tool after the change; absent if it is undone, and if it is not verified, unless `include_unverified` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolItem>,
}

/// A page of changes. Each tool appears once, with its last change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangePage {
    #[expect(missing_docs, reason = "plain data")]
    pub changes: Vec<ToolChange>,
    /// The cursor to continue with, also when there is nothing new yet.
    pub next: String,
    /// Whether there were more changes at the time of the request.
    pub has_more: bool,
}

impl ToolChange {
    pub(crate) fn new(change: &Change, include_unverified: bool) -> Self {
        let kind = match change.kind {
            ChangeKind::Registered => "registered",
            ChangeKind::MetadataUpdated => "metadata_updated",
            ChangeKind::PredicateUpdated => "predicate_updated",
            ChangeKind::Deregistered => "deregistered",
            ChangeKind::Undone => "undone",
            ChangeKind::Reorged => "reorged",
            ChangeKind::Verification => "verification",
            ChangeKind::Access => "access",
            ChangeKind::Usage => "usage",
            ChangeKind::Rebuilt => "rebuilt",
        };
        let state = change.tool.state;
        Self {
            sequence: change.seq,
            kind: kind.to_owned(),
            changed_at: text::timestamp(change.at),
            tool_ref: reference(change.tool.key),
            removed: state != ToolState::Live,
            verification: change.tool.status.into(),
            tool: (state != ToolState::Undone && (include_unverified || is_verified(&change.tool)))
                .then(|| ToolItem::new(&change.tool, &[])),
        }
    }
}
