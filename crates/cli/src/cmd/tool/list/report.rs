//! Tools of a registry, a row each.

use alloy_primitives::{Address, U256};
use atr_registry::ToolState;
use serde::Serialize;

use crate::output::{Palette, Report, Table};

/// Some tools of a registry.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListReport {
    pub(crate) chain_id: u64,
    pub(crate) registry: Address,
    /// Ids ever given; a decimal string, as every id is.
    pub(crate) count: String,
    pub(crate) tools: Vec<ListedTool>,
    /// The id to go on from; none at the end.
    pub(crate) next: Option<String>,
}

/// One tool.
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
        let gone = |state: &str| {
            [
                self.id.clone(),
                state.to_owned(),
                String::new(),
                String::new(),
            ]
        };
        match &self.state {
            ToolState::Deregistered => gone("removed"),
            ToolState::NeverRegistered => gone("never registered"),
            ToolState::Live(config) => [
                self.id.clone(),
                config.creator.to_string(),
                config
                    .access_predicate
                    .map_or_else(|| "open".to_owned(), |gate| gate.to_string()),
                // A stranger's words.
                atr_ids::shown(&config.metadata_uri),
            ],
        }
    }
}

impl Report for ListReport {
    fn human(&self, palette: &Palette) -> String {
        let more = match &self.next {
            Some(next) => format!("\nmore: --from {next}\n"),
            None => String::new(),
        };
        if self.tools.is_empty() {
            let none = if self.next.is_some() {
                "no tools so far"
            } else {
                "no tools"
            };
            return format!(
                "{none}: {} ids were given in {}\n{more}",
                self.count, self.registry
            );
        }
        let mut table = Table::new(["ID", "CREATOR", "GATE", "MANIFEST"]).with_numbers_in(&[0]);
        for tool in &self.tools {
            table.add(tool.row());
        }
        table.human(palette) + &more
    }
}
