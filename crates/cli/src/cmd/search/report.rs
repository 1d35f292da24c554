//! Results of `atr search`. A server can be anyone's: all its text is escaped.

use atr_api::model::{PricingRecipient, SearchPage, SearchResult, VerificationStatus};
use serde::Serialize;

use crate::{
    outcome::Outcome,
    output::{Cell, Palette, Report, Table, Tone, count_noun, escape_line},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchReport {
    results: Vec<FoundTool>,
    /// Cursor of the next page.
    next: Option<String>,
    /// Tools that matched, but for which the chain gave no answer.
    access_unknown: Vec<String>,
    /// Whether tools that are not verified are included.
    #[serde(skip)]
    is_all: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundTool {
    tool: String,
    name: String,
    description: String,
    tags: Vec<String>,
    creator: String,
    endpoint_domain: String,
    verified: bool,
    status: VerificationStatus,
    failing_check: Option<String>,
    access_type: String,
    /// `false`: the tool is not yet available.
    predicate_has_code: Option<bool>,
    predicate_is_proxy: Option<bool>,
    retired: bool,
    duplicates: u64,
    usage_count: u64,
    created_at: String,
    /// `false`: a tool without prices is not free.
    price_known: bool,
    prices: Vec<PriceView>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PriceView {
    /// In base units.
    amount: String,
    /// CAIP-19.
    asset: String,
    recipient: String,
    /// In words, such as `0.01 USDC`.
    text: String,
}

impl From<SearchResult> for FoundTool {
    fn from(result: SearchResult) -> Self {
        let trust = result.trust;
        let prices = result.pricing_recipients.unwrap_or_default().into_iter();
        Self {
            tool: trust.tool_ref,
            name: result.name,
            description: result.description,
            tags: result.tags,
            creator: result.creator,
            endpoint_domain: result.endpoint_domain,
            verified: trust.verified,
            status: trust.verification.status,
            failing_check: trust.verification.failing_check,
            access_type: trust.access_type,
            predicate_has_code: trust.predicate_has_code,
            predicate_is_proxy: trust.predicate_is_proxy,
            retired: trust.retired,
            duplicates: trust.duplicates,
            usage_count: trust.usage_count,
            created_at: result.created_at,
            price_known: result.price_known,
            prices: prices.map(PriceView::from).collect(),
        }
    }
}

impl From<PricingRecipient> for PriceView {
    fn from(price: PricingRecipient) -> Self {
        let text = match (&price.amount_per_call_usd, &price.asset_symbol) {
            (Some(amount), Some(symbol)) => format!("{amount} {symbol}"),
            _ => format!("{} of {}", price.amount_per_call, price.asset),
        };
        Self {
            amount: price.amount_per_call,
            asset: price.asset_id,
            recipient: price.recipient,
            text,
        }
    }
}

impl SearchReport {
    pub(super) fn new(page: SearchPage, is_all: bool) -> Self {
        Self {
            results: page.results.into_iter().map(FoundTool::from).collect(),
            next: page.next,
            access_unknown: page.access_unknown,
            is_all,
        }
    }

    pub(super) const fn outcome(&self) -> Outcome {
        if !self.results.is_empty() {
            Outcome::Success
        } else if self.access_unknown.is_empty() {
            Outcome::Failure
        } else {
            Outcome::Unknown
        }
    }

    fn table(&self, palette: &Palette) -> String {
        let results = &self.results;
        if !self.is_all {
            let mut table = Table::new(["NAME", "PRICE", "ACCESS", "TOOL"]);
            for result in results {
                table.add_row([
                    name(result),
                    price(result),
                    access(result),
                    result.tool.clone(),
                ]);
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
                result.tool.clone().into(),
            ]);
        }
        table.render(palette)
    }
}

/// Names are untrusted; the table escapes them.
fn name(result: &FoundTool) -> String {
    match result.name.as_str() {
        "" => "?".to_owned(),
        name => name.to_owned(),
    }
}

fn status(result: &FoundTool) -> Cell {
    match result.status {
        VerificationStatus::Verified => Cell::new("verified", Tone::Good),
        VerificationStatus::Failed => Cell::new("failed", Tone::Bad),
        VerificationStatus::Unknown => Cell::new("unknown", Tone::Uncertain),
    }
}

/// The price that the creator prefers.
fn price(result: &FoundTool) -> String {
    match result.prices.as_slice() {
        _ if !result.price_known => "not known".to_owned(),
        [] => "free".to_owned(),
        [price] => price.text.clone(),
        [price, ..] => format!("{}, …", price.text),
    }
}

fn access(result: &FoundTool) -> String {
    if result.retired {
        return "retired".to_owned();
    }
    match result.predicate_has_code {
        Some(false) => "not yet available".to_owned(),
        _ => result.access_type.replace('_', "-"),
    }
}

impl Report for SearchReport {
    fn render(&self, palette: &Palette) -> String {
        let unknown = match self.access_unknown.as_slice() {
            [] => String::new(),
            tools => format!(
                "\naccess to {} could not be determined: {}\n",
                count_noun(tools.len(), "more tool"),
                escape_line(&tools.join(", "))
            ),
        };
        let Some(first) = self.results.first() else {
            let hint = if self.is_all {
                ""
            } else {
                "; --all includes tools that are not verified"
            };
            return format!("no matching tools{hint}\n{unknown}");
        };
        let more = match &self.next {
            Some(next) => format!(
                "\nmore results: the same command with --cursor={}\n",
                escape_line(next)
            ),
            None => String::new(),
        };
        let next = palette.next(&format!("atr tool inspect {}", escape_line(&first.tool)));
        format!("{}{unknown}{more}{next}", self.table(palette))
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
