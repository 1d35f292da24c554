//! Something that happened to a tool, on one line.

use alloy_primitives::Address;
use atr_registry::{LoggedEvent, ToolEvent};
use serde::Serialize;

use crate::output::{Palette, Report};

/// One event.
#[derive(Debug, Serialize)]
pub(crate) struct EventLine {
    pub(crate) tool: String,
    #[serde(flatten)]
    pub(crate) logged: LoggedEvent,
}

impl Report for EventLine {
    fn human(&self, palette: &Palette) -> String {
        let gate = |predicate: &Option<Address>| match predicate {
            Some(predicate) => format!("gate {predicate}"),
            None => "open".to_owned(),
        };
        let (verb, what) = match &self.logged.event {
            ToolEvent::Registered {
                creator,
                access_predicate,
                metadata_uri,
                ..
            } => (
                "registered",
                format!(
                    "by {creator}, {}, {}",
                    gate(access_predicate),
                    atr_ids::shown(metadata_uri)
                ),
            ),
            ToolEvent::MetadataUpdated {
                metadata_uri,
                manifest_hash,
                ..
            } => (
                "updated",
                format!("{}, hash {manifest_hash}", atr_ids::shown(metadata_uri)),
            ),
            ToolEvent::PredicateUpdated {
                access_predicate, ..
            } => ("gate set", gate(access_predicate)),
            ToolEvent::Deregistered { .. } => ("removed", String::new()),
        };
        let id = self.logged.event.tool_id();
        let line = format!(
            "block {:<9} tool {id:<6} {} {what}",
            self.logged.block,
            palette.heading(&format!("{verb:<10}"))
        );
        format!("{}\n", line.trim_end())
    }
}
