use alloy_primitives::{Address, U256};
use atr_registry::ToolState;
use serde::Serialize;

use crate::output::{Palette, Report, Table};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListReport {
    pub(crate) chain_id: u64,
    pub(crate) registry: Address,
    /// Number of assigned ids, as a decimal string.
    pub(crate) count: String,
    pub(crate) tools: Vec<ListedTool>,
    /// First id of the next page.
    pub(crate) next: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedTool {
    pub(crate) id: String,
    pub(crate) tool: String,
    #[serde(flatten)]
    pub(crate) state: ToolState,
}

impl ListedTool {
    pub(crate) fn new(id: U256, tool: String, state: ToolState) -> Self {
        Self {
            id: id.to_string(),
            tool,
            state,
        }
    }

    fn row(&self) -> [String; 4] {
        let without_config = |state: &str| {
            [
                self.id.clone(),
                state.to_owned(),
                String::new(),
                String::new(),
            ]
        };
        match &self.state {
            ToolState::Deregistered => without_config("deregistered"),
            ToolState::NeverRegistered => without_config("never registered"),
            ToolState::Live(config) => [
                self.id.clone(),
                config.creator.to_string(),
                config
                    .access_predicate
                    .map_or_else(|| "open".to_owned(), |predicate| predicate.to_string()),
                // Untrusted.
                atr_ids::sanitize(&config.metadata_uri),
            ],
        }
    }
}

impl Report for ListReport {
    fn render(&self, palette: &Palette) -> String {
        let more = match &self.next {
            Some(next) => format!("\nnext page: --from {next}\n"),
            None => String::new(),
        };
        if self.tools.is_empty() {
            let message = if self.next.is_some() {
                "no matching tools in these ids"
            } else {
                "no matching tools"
            };
            return format!(
                "{message}; registry {} has {} ids\n{more}",
                self.registry, self.count
            );
        }
        let mut table =
            Table::new(["ID", "CREATOR", "PREDICATE", "MANIFEST"]).with_right_aligned(&[0]);
        for tool in &self.tools {
            table.add_row(tool.row());
        }
        table.render(palette) + &more
    }
}
