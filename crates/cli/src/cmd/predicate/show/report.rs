use alloy_primitives::Address;
use atr_registry::{ConfigurationState, PredicateGas};
use serde::Serialize;

use crate::{
    cmd::predicate::{
        effect::Effect,
        stipend::{describe_stipends, stipend_unit},
    },
    output::{Palette, PredicateView, Report, grouped},
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
    /// Gas that the predicate reports.
    pub(crate) gas: Option<PredicateGas>,
    /// The terms of a composite, in order across clauses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) terms: Vec<TermView>,
    /// Whether the access predicate uses the inspected one; `None` for an open tool.
    #[serde(skip)]
    pub(crate) effect: Option<Effect>,
    /// The configuration in words.
    #[serde(skip)]
    pub(crate) description: Vec<String>,
}

/// A term of a composite.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TermView {
    pub(crate) predicate: Address,
    /// Short name, or the address.
    pub(crate) name: String,
    pub(crate) negate: bool,
    /// Gas of the term; `None` if the composite does not report it.
    pub(crate) stipend: Option<u64>,
    /// Gas that the predicate reports to need.
    pub(crate) gas_needed: Option<u64>,
    pub(crate) configured: bool,
}

impl TermView {
    fn render(&self) -> String {
        let not = if self.negate { "not " } else { "" };
        let address = self.predicate.to_string();
        let title = if self.name == address {
            format!("{not}{address}")
        } else {
            format!("{not}{} {address}", self.name)
        };
        if !self.configured {
            return format!("{title}: not configured for this tool, so its result is unknown");
        }
        let parts = [
            self.stipend.map(|gas| format!("{} gas", grouped(gas))),
            self.gas_needed
                .map(|gas| format!("needs {} gas", grouped(gas))),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return title;
        }
        format!("{title}: {}", parts.join(", "))
    }
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
        text += &labelled("configured", &self.description);
        let terms: Vec<_> = self.terms.iter().map(TermView::render).collect();
        text += &labelled("terms", &terms);
        if let Some(gas) = self.gas {
            let unit = predicate.info.kind().map_or("call", stipend_unit);
            let stipends = gas
                .stipends
                .map(|stipends| describe_stipends(stipends, unit));
            text += &labelled("gas limit", &stipends.into_iter().collect::<Vec<_>>());
            let needed = gas.needed.map(grouped);
            text += &labelled("gas needed", &needed.into_iter().collect::<Vec<_>>());
        }
        text += &predicate.render_requirements();
        if let Some(warning) = self.effect.and_then(Effect::inactive_warning) {
            text += &format!("{} {warning}\n", palette.warning("warning:"));
        }
        text + &predicate.render_warnings(palette)
    }
}

/// Lines under one label.
fn labelled(label: &str, lines: &[String]) -> String {
    let lines = lines.iter().enumerate();
    let lines = lines.map(|(index, line)| {
        let label = if index == 0 { label } else { "" };
        format!("{label:<10}  {line}\n")
    });
    lines.collect()
}
