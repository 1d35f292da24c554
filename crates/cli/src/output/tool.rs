//! What a tool is: name, endpoint, price and access in words.

use std::collections::BTreeSet;

use alloy_primitives::{Address, U256};
use atr_manifest::ManifestSummary;
use atr_registry::Registry;
use atr_verify::{Status, Verdict};
use serde::Serialize;

use super::{
    PredicateView, Tokens, count_noun, field,
    tokens::{tokens_of_prices, tokens_of_requirements},
};

/// What the manifest does not say: the access predicate, and the tokens of prices.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolDetails {
    /// `None` for an open tool, and if it could not be read.
    pub(crate) predicate: Option<PredicateView>,
    /// Why the predicate could not be read.
    pub(crate) predicate_error: Option<String>,
    /// The tokens of prices.
    tokens: Tokens,
    /// Number of tools in the registry, for a tool that was never registered.
    #[serde(skip)]
    count: Option<U256>,
}

impl ToolDetails {
    pub(crate) async fn fetch(registry: &Registry, verdict: &Verdict) -> Self {
        let address = verdict.evidence().access_predicate;
        let id = verdict.tool().id();
        let predicate = PredicateView::fetch_optional(registry, address, id).await;
        let (predicate, predicate_error) = match predicate {
            Ok(predicate) => (predicate, None),
            // The verdict is valid without it.
            Err(error) => (None, Some(error.to_string())),
        };
        let count = match verdict.status() {
            Status::NeverRegistered => registry.tool_count().await.ok(),
            _ => None,
        };
        Self {
            predicate,
            predicate_error,
            tokens: price_tokens(registry, verdict.summary()).await,
            count,
        }
    }

    /// `2 tools`, for a tool that was never registered.
    pub(crate) fn tool_count(&self) -> Option<String> {
        let count = self.count?;
        let count = usize::try_from(count);
        Some(count.map_or_else(
            |_| "more tools".to_owned(),
            |count| count_noun(count, "tool"),
        ))
    }

    /// Endpoint, price and access of a registered tool.
    pub(crate) fn render(&self, summary: Option<&ManifestSummary>) -> String {
        let mut text = String::new();
        if let Some(summary) = summary {
            for (label, value) in describe_manifest(summary, &self.tokens) {
                text += &field(label, &value);
            }
        }
        text + &field("access", &self.access().join("\n"))
    }

    /// Who may call the tool.
    fn access(&self) -> Vec<String> {
        match (&self.predicate, &self.predicate_error) {
            (Some(predicate), _) => predicate.describe_requirements(),
            (None, Some(error)) => vec![format!("unknown: {error}")],
            (None, None) => vec!["open to everyone".to_owned()],
        }
    }
}

/// The tokens of the prices of a manifest.
pub(crate) async fn price_tokens(registry: &Registry, summary: Option<&ManifestSummary>) -> Tokens {
    let prices = summary.map_or(&[][..], |summary| &summary.prices);
    let tokens = tokens_of_prices(prices, registry.chain_id());
    Tokens::fetch(registry, tokens).await
}

/// The tokens of prices and requirements of several tools.
pub(crate) fn tokens_of<'a>(
    summary: Option<&ManifestSummary>,
    requirements: impl IntoIterator<Item = &'a atr_registry::Introspection>,
    chain_id: u64,
) -> BTreeSet<Address> {
    let prices = summary.map_or(&[][..], |summary| &summary.prices);
    let mut tokens = tokens_of_prices(prices, chain_id);
    for introspection in requirements {
        tokens.extend(tokens_of_requirements(introspection));
    }
    tokens
}

/// Labels and values of endpoint and price.
pub(crate) fn describe_manifest(
    summary: &ManifestSummary,
    tokens: &Tokens,
) -> Vec<(&'static str, String)> {
    let endpoint = summary.endpoint.as_deref().map(atr_ids::sanitize);
    vec![
        ("endpoint", endpoint.unwrap_or_else(|| "none".to_owned())),
        ("price", describe_prices(summary, tokens).join("\n")),
    ]
}

/// One line per price.
fn describe_prices(summary: &ManifestSummary, tokens: &Tokens) -> Vec<String> {
    let mut lines: Vec<_> = summary
        .prices
        .iter()
        .enumerate()
        .map(|(index, price)| {
            let or = if index == 0 { "" } else { "or " };
            format!(
                "{or}{} per call ({}), paid to {}",
                tokens.price(price),
                atr_ids::excerpt(&price.protocol),
                recipient(price.recipient.address())
            )
        })
        .collect();
    if summary.has_invalid_prices {
        lines.push("unknown: `pricing` has invalid entries".to_owned());
    }
    if lines.is_empty() {
        lines.push("free".to_owned());
    }
    lines
}

/// With the checksum, as all addresses of a report.
fn recipient(text: &str) -> String {
    let address = text.parse::<Address>();
    address.map_or_else(|_| atr_ids::excerpt(text), |address| address.to_string())
}

/// The first price, for a table.
pub(crate) fn price_in_brief(summary: &ManifestSummary, tokens: &Tokens) -> String {
    match summary.prices.as_slice() {
        [] if summary.has_invalid_prices => "unknown".to_owned(),
        [] => "free".to_owned(),
        [price] => tokens.price_without_chain(price),
        [price, ..] => format!("{} or other", tokens.price_without_chain(price)),
    }
}
