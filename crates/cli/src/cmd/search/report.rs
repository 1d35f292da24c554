use atr_api::model::{SearchPage, SearchResult, VerificationStatus};
use serde::Serialize;

use crate::{
    outcome::Outcome,
    output::{Cell, Palette, Report, Table, Tone, count_noun},
};

#[derive(Debug, Serialize)]
pub(super) struct SearchReport {
    #[serde(flatten)]
    page: SearchPage,
    /// Whether tools that are not verified are included.
    #[serde(skip)]
    is_all: bool,
}

impl SearchReport {
    pub(super) const fn new(page: SearchPage, is_all: bool) -> Self {
        Self { page, is_all }
    }

    pub(super) const fn outcome(&self) -> Outcome {
        if !self.page.results.is_empty() {
            Outcome::Success
        } else if self.page.access_unknown.is_empty() {
            Outcome::Failure
        } else {
            Outcome::Unknown
        }
    }

    fn table(&self, palette: &Palette) -> String {
        let results = &self.page.results;
        if !self.is_all {
            let mut table = Table::new(["NAME", "PRICE", "ACCESS", "TOOL"]);
            for result in results {
                table.add_row([name(result), price(result), access(result), result.trust.tool_ref.clone()]);
            }
            return table.render(palette);
        }
        let mut table = Table::new(["STATUS", "NAME", "PRICE", "ACCESS", "TOOL"]);
        for result in results {
            table.add_row([
                status(result),
                name(result).into(),
                price(result).into(),
                access(result).into(),
                result.trust.tool_ref.clone().into(),
            ]);
        }
        table.render(palette)
    }
}

/// Names are untrusted; the table escapes them.
fn name(result: &SearchResult) -> String {
    match result.name.as_str() {
        "" => "?".to_owned(),
        name => name.to_owned(),
    }
}

fn status(result: &SearchResult) -> Cell {
    match result.trust.verification.status {
        VerificationStatus::Verified => Cell::new("verified", Tone::Good),
        VerificationStatus::Failed => Cell::new("failed", Tone::Bad),
        VerificationStatus::Unknown => Cell::new("unknown", Tone::Uncertain),
    }
}

/// The price that the creator prefers.
fn price(result: &SearchResult) -> String {
    let prices = result.pricing_recipients.as_deref().unwrap_or_default();
    let Some(first) = prices.first() else {
        return "free".to_owned();
    };
    let more = if prices.len() > 1 { ", …" } else { "" };
    match (&first.amount_per_call_usd, &first.asset_symbol) {
        (Some(amount), Some(symbol)) => format!("{amount} {symbol}{more}"),
        _ => format!("{} of {}{more}", first.amount_per_call, first.asset),
    }
}

fn access(result: &SearchResult) -> String {
    if result.trust.retired {
        return "retired".to_owned();
    }
    match result.trust.predicate_has_code {
        Some(false) => "not yet available".to_owned(),
        _ => result.trust.access_type.replace('_', "-"),
    }
}

impl Report for SearchReport {
    fn render(&self, palette: &Palette) -> String {
        let unknown = match self.page.access_unknown.as_slice() {
            [] => String::new(),
            tools => format!(
                "\naccess to {} could not be determined: {}\n",
                count_noun(tools.len(), "more tool"),
                tools.join(", ")
            ),
        };
        let Some(first) = self.page.results.first() else {
            let hint = if self.is_all { "" } else { "; --all includes tools that are not verified" };
            return format!("no matching tools{hint}\n{unknown}");
        };
        let more = match &self.page.next {
            Some(next) => format!("\nmore results: --cursor {next}\n"),
            None => String::new(),
        };
        let next = palette.next(&format!("atr tool inspect {}", first.trust.tool_ref));
        format!("{}{unknown}{more}{next}", self.table(palette))
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
