//! A predicate and what it is configured to.

use alloy_primitives::Address;
use atr_registry::Configuration;
use serde::Serialize;

use super::super::{configuration::configuration_lines, configure::decides_on_nobody};
use crate::output::{GateView, Palette, Report};

/// Who decides on access to a tool, and by what.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShowReport {
    pub(crate) tool: String,
    /// Whether everyone is let in.
    pub(crate) open: bool,
    /// Who decides, which need not be the one that was asked about.
    pub(crate) access_predicate: Option<Address>,
    pub(crate) gate: Option<GateView>,
    /// Of predicates of a make we know.
    pub(crate) configuration: Option<Configuration>,
}

impl Report for ShowReport {
    fn human(&self, palette: &Palette) -> String {
        let mut text = format!("{:<10}  {}\n", "tool", self.tool);
        let Some(gate) = &self.gate else {
            return text + &format!("{:<10}  none: open to everyone\n", "predicate");
        };
        text += &format!("{:<10}  {}\n", "predicate", gate.title());
        if let Some(hash) = gate.predicate.code_hash {
            text += &format!("{:<10}  {hash}\n", "code hash");
        }
        if let Some(registry) = gate.predicate.registry {
            text += &format!("{:<10}  {registry}\n", "serves");
        }
        if let Some(configuration) = &self.configuration {
            for (place, line) in configuration_lines(configuration).iter().enumerate() {
                let heading = if place == 0 { "rule" } else { "" };
                text += &format!("{heading:<10}  {line}\n");
            }
        }
        text += &gate.requirements("it takes");
        if let Some(warning) = decides_on_nobody(self.access_predicate, gate.predicate.address) {
            text += &format!("{} {warning}\n", palette.warning("warning:"));
        }
        text + &gate.warnings(palette)
    }
}
