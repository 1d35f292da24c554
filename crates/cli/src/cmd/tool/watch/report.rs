use alloy_primitives::Address;
use atr_registry::{LoggedEvent, ToolEvent};
use serde::Serialize;

use crate::output::{Palette, Report};

#[derive(Debug, Serialize)]
pub(crate) struct EventLine {
    pub(crate) tool: String,
    #[serde(flatten)]
    pub(crate) logged: LoggedEvent,
}

impl Report for EventLine {
    fn render(&self, palette: &Palette) -> String {
        let predicate = |predicate: &Option<Address>| match predicate {
            Some(predicate) => predicate.to_string(),
            None => "open".to_owned(),
        };
        let (verb, details) = match &self.logged.event {
            ToolEvent::Registered {
                creator,
                access_predicate,
                metadata_uri,
                ..
            } => (
                "registered",
                format!(
                    "by {creator}, {}, {}",
                    predicate(access_predicate),
                    atr_ids::sanitize(metadata_uri)
                ),
            ),
            ToolEvent::MetadataUpdated {
                metadata_uri,
                manifest_hash,
                ..
            } => (
                "updated",
                format!("{}, hash {manifest_hash}", atr_ids::sanitize(metadata_uri)),
            ),
            ToolEvent::PredicateUpdated {
                access_predicate, ..
            } => (
                "predicate",
                format!("set to {}", predicate(access_predicate)),
            ),
            ToolEvent::Deregistered { .. } => ("deregistered", String::new()),
        };
        let id = self.logged.event.tool_id();
        let line = format!(
            "block {:<9} tool {id:<6} {} {details}",
            self.logged.block,
            palette.heading(&format!("{verb:<12}"))
        );
        format!("{}\n", line.trim_end())
    }
}
