use alloy_primitives::Address;
use atr_registry::{LoggedEvent, ToolEvent};
use serde::Serialize;

use crate::output::{Palette, Report};

#[derive(Debug, Serialize)]
pub(crate) struct EventLine {
    pub(crate) tool: String,
    /// Whether a reorg removed the event.
    pub(crate) undone: bool,
    #[serde(flatten)]
    pub(crate) logged: LoggedEvent,
}

impl Report for EventLine {
    fn render(&self, palette: &Palette) -> String {
        let predicate = |predicate: &Option<Address>| match predicate {
            Some(predicate) => predicate.to_string(),
            None => "open".to_owned(),
        };
        // The creator is last, because the end of a long line is cut.
        let (verb, details) = match &self.logged.event {
            ToolEvent::Registered {
                creator,
                access_predicate,
                metadata_uri,
                ..
            } => (
                "registered",
                format!(
                    "{}, {}, by {creator}",
                    predicate(access_predicate),
                    atr_ids::sanitize(metadata_uri),
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
        let label = if self.undone { "undone" } else { "block" };
        let block = format!("{:<14}", format!("{label} {}", self.logged.block));
        let tool = format!("{:<8}", format!("tool {id}"));
        let verb = format!("{verb:<12}");
        let details = palette.fit(
            block.len() + tool.len() + verb.len() + 3,
            &details,
            abbreviate,
        );
        let (block, verb) = if self.undone {
            (palette.warning(&block), palette.warning(&verb))
        } else {
            (block, palette.heading(&verb))
        };
        let line = format!("{block} {tool} {verb} {details}");
        format!("{}\n", line.trim_end())
    }
}

/// Leaves out the parts that most manifest URLs have in common.
fn abbreviate(details: &str) -> String {
    let details = details.replacen("https://", "", 1);
    details.replacen("/.well-known/ai-tool/", "/…/", 1)
}
