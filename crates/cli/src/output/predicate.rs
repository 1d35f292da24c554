//! What stands between an account and a tool, as far as can be seen from outside.

use std::fmt::Write;

use alloy_primitives::{Address, U256};
use atr_registry::{Error, Introspection, PredicateInfo, Registry};
use serde::Serialize;

use super::requirement_lines;
use crate::output::Palette;

/// A predicate: its marks, what should be known of it, what it says it takes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GateView {
    pub(crate) predicate: PredicateInfo,
    predicate_is_proxy: bool,
    warnings: Vec<String>,
    /// A hint: the predicate decides.
    pub(crate) requirements: Introspection,
}

impl GateView {
    /// Looks at the predicate of a tool.
    pub(crate) async fn look(
        registry: &Registry,
        predicate: Address,
        tool_id: U256,
    ) -> Result<Self, Error> {
        let facts = registry.predicate(predicate).await?;
        let warnings = facts.warnings(registry.address());
        Ok(Self {
            requirements: registry.requirements(predicate, tool_id).await?,
            predicate_is_proxy: facts.is_proxy(),
            warnings: warnings.iter().map(ToString::to_string).collect(),
            predicate: facts,
        })
    }

    /// Looks at the predicate of a tool, if it has one.
    pub(crate) async fn of_tool(
        registry: &Registry,
        predicate: Option<Address>,
        tool_id: U256,
    ) -> Result<Option<Self>, Error> {
        match predicate {
            Some(predicate) => Self::look(registry, predicate, tool_id).await.map(Some),
            None => Ok(None),
        }
    }

    /// The predicate in a few words.
    pub(crate) fn title(&self) -> String {
        self.predicate.title()
    }

    /// What it takes, under a heading.
    pub(crate) fn requirements(&self, heading: &str) -> String {
        let mut text = String::new();
        for (place, line) in requirement_lines(&self.requirements).iter().enumerate() {
            let heading = if place == 0 { heading } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{heading:<10}  {line}");
        }
        text
    }

    pub(crate) fn warnings(&self, palette: &Palette) -> String {
        let warnings = self.warnings.iter();
        let lines = warnings.map(|warning| format!("{} {warning}\n", palette.warning("warning:")));
        lines.collect()
    }
}
