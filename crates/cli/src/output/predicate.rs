//! Access predicate of a tool.

use std::fmt::Write;

use alloy_primitives::{Address, U256};
use atr_registry::{ConfigurationWarning, Error, Introspection, PredicateInfo, Registry};
use serde::Serialize;

use super::{
    Palette, Tokens, predicate_title, requirements::describe_requirements,
    tokens::tokens_of_requirements,
};

/// A predicate with its warnings and reported requirements.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PredicateView {
    #[serde(flatten)]
    pub(crate) info: PredicateInfo,
    is_proxy: bool,
    warnings: Vec<String>,
    /// As reported by the predicate; informative only.
    pub(crate) requirements: Introspection,
    /// The tokens of the requirements.
    tokens: Tokens,
}

impl PredicateView {
    pub(crate) async fn fetch(
        registry: &Registry,
        predicate: Address,
        tool_id: U256,
    ) -> Result<Self, Error> {
        let info = registry.predicate_info(predicate).await?;
        let warnings = info.warnings(registry.address());
        let mut warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        warnings.extend(configuration_warnings(registry, &info, tool_id).await?);
        let requirements = registry.requirements(predicate, tool_id).await?;
        let tokens = Tokens::fetch(registry, tokens_of_requirements(&requirements)).await;
        Ok(Self {
            requirements,
            tokens,
            is_proxy: info.is_proxy(),
            warnings,
            info,
        })
    }

    /// `None` for an open tool.
    pub(crate) async fn fetch_optional(
        registry: &Registry,
        predicate: Option<Address>,
        tool_id: U256,
    ) -> Result<Option<Self>, Error> {
        match predicate {
            Some(predicate) => Self::fetch(registry, predicate, tool_id).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn title(&self) -> String {
        self.info.title()
    }

    /// One line per requirement.
    pub(crate) fn describe_requirements(&self) -> Vec<String> {
        describe_requirements(&self.requirements, &self.tokens)
    }

    /// The requirements under the label `requires`.
    pub(crate) fn render_requirements(&self) -> String {
        let mut text = String::new();
        for (index, line) in self.describe_requirements().iter().enumerate() {
            let label = if index == 0 { "requires" } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{label:<10}  {line}");
        }
        text
    }

    pub(crate) fn render_warnings(&self, palette: &Palette) -> String {
        let warnings = self.warnings.iter();
        let lines = warnings.map(|warning| format!("{} {warning}\n", palette.warning("warning:")));
        lines.collect()
    }
}

/// Warnings about the configuration of a predicate for a tool.
pub(crate) async fn configuration_warnings(
    registry: &Registry,
    info: &PredicateInfo,
    tool_id: U256,
) -> Result<Vec<String>, Error> {
    let Some(kind) = info.kind().filter(|_| info.has_code) else {
        return Ok(Vec::new());
    };
    let warnings = registry.configuration_warnings(info.address, kind, tool_id);
    let warnings = warnings.await?.into_iter().map(|warning| match warning {
        ConfigurationWarning::Term { predicate, warning } => {
            let title = predicate_title(registry.address(), predicate);
            format!("term {title} {warning}")
        }
        warning => format!("the predicate {warning}"),
    });
    Ok(warnings.collect())
}
