use alloy_primitives::Address;
use atr_registry::ConfigurationState;
use serde::Serialize;

use crate::{
    cmd::predicate::{configuration::describe_configuration, configure::inactive_warning},
    output::{Palette, PredicateView, Report},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShowReport {
    pub(crate) tool: String,
    /// Whether the tool has no access predicate.
    pub(crate) open: bool,
    /// The access predicate of the tool.
    pub(crate) access_predicate: Option<Address>,
    /// The inspected predicate; not the access predicate if `--predicate` selects another.
    pub(crate) predicate: Option<PredicateView>,
    /// `None` for unknown predicates.
    pub(crate) configuration: Option<ConfigurationState>,
}

impl Report for ShowReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = format!("{:<10}  {}\n", "tool", self.tool);
        let Some(predicate) = &self.predicate else {
            return text + &format!("{:<10}  none: open to everyone\n", "predicate");
        };
        text += &format!("{:<10}  {}\n", "predicate", predicate.title());
        if let Some(hash) = predicate.info.code_hash {
            text += &format!("{:<10}  {hash}\n", "code hash");
        }
        if let Some(registry) = predicate.info.registry {
            text += &format!("{:<10}  {registry}\n", "registry");
        }
        if let Some(configuration) = &self.configuration {
            for (index, line) in describe_configuration(configuration).iter().enumerate() {
                let label = if index == 0 { "configured" } else { "" };
                text += &format!("{label:<10}  {line}\n");
            }
        }
        text += &predicate.render_requirements();
        if let Some(warning) = inactive_warning(self.access_predicate, predicate.info.address) {
            text += &format!("{} {warning}\n", palette.warning("warning:"));
        }
        text + &predicate.render_warnings(palette)
    }
}
