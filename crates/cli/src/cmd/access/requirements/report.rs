//! What it takes to use a tool.

use atr_registry::Introspection;
use serde::Serialize;

use crate::output::GateView;
use crate::{
    outcome::Outcome,
    output::{Palette, Report},
};

/// What a tool's predicate says it takes.
#[derive(Debug, Serialize)]
pub(crate) struct RequirementsReport {
    pub(crate) tool: String,
    /// Whether everyone is let in.
    pub(crate) open: bool,
    pub(crate) gate: Option<GateView>,
}

impl RequirementsReport {
    /// A list that cannot be read says nothing about who is let in.
    pub(crate) const fn outcome(&self) -> Outcome {
        match &self.gate {
            None => Outcome::Yes,
            Some(gate) => match gate.requirements {
                Introspection::Known { .. } => Outcome::Yes,
                _ => Outcome::Unknown,
            },
        }
    }
}

impl Report for RequirementsReport {
    fn human(&self, palette: &Palette) -> String {
        let tool = format!("{:<10}  {}\n", "tool", self.tool);
        match &self.gate {
            None => format!("{tool}{:<10}  none: open to everyone\n", "gate"),
            Some(gate) => format!(
                "{tool}{:<10}  {}\n{}{}",
                "gate",
                gate.title(),
                gate.requirements("it takes"),
                gate.warnings(palette)
            ),
        }
    }
}
