//! The page of a tool.

use askama::Template;
use atr_manifest::AttestationEvidence;
use atr_store::index::EventKind;
use axum::{
    extract::{Path, State},
    response::Response,
};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::{
    call::Commands,
    links::{self, Icon, Link},
    markdown, requirement,
    response::{FILE_CSP, document, page, site},
    schema::{self, Table},
    view::{self, Mark, Tier},
};
use crate::{
    Failure,
    catalog::Overview,
    model::{self, CheckOutcome, HistoryEntry, PricingRecipient, Tool, VerificationReport},
    rest::tool_key,
    server::AppState,
    text,
};

pub(super) type ToolPath = Path<(String, String, String)>;

/// Characters of the manifest that the page shows; the rest is in a file of its own.
const MAX_RAW: usize = 3_000;

#[derive(Template)]
#[template(path = "tool.html")]
struct ToolPage {
    path: String,
    /// Scheme, host and path, for the badge.
    url: Option<String>,
    name: String,
    initial: String,
    hue: u8,
    icon: Option<Icon>,
    mark: Mark,
    tool: Tool,
    report: VerificationReport,
    chain: String,
    price: String,
    prices: Vec<Price>,
    access: &'static str,
    description: String,
    endpoint: Option<Link>,
    source: Option<Link>,
    inputs: Table,
    outputs: Table,
    requirements: Vec<requirement::RequirementLine>,
    /// The first check that did not pass.
    failing: Option<CheckOutcome>,
    /// The creator that the manifest names, if it is another one.
    other_creator: Option<String>,
    commands: Commands,
    tier: Option<Tier>,
    flags: Vec<String>,
    history: Vec<Event>,
    diff: Vec<Difference>,
    raw: Option<String>,
    duplicates: Vec<(String, String)>,
}

struct Price {
    amount: String,
    chain: String,
    chain_id: String,
    asset: String,
    recipient: String,
    protocol: String,
}

struct Event {
    words: &'static str,
    entry: HistoryEntry,
}

struct Difference {
    member: String,
    before: String,
    after: String,
}

impl Price {
    fn new(price: &PricingRecipient) -> Self {
        let amount = match &price.amount_per_call_usd {
            Some(amount) => format!("{amount} USDC"),
            None => format!("{} base units", text::line(&price.amount_per_call, 80)),
        };
        Self {
            amount,
            chain: view::chain(&price.payment_chain),
            chain_id: price.payment_chain.clone(),
            asset: text::line(&price.asset, 128),
            recipient: text::line(&price.recipient, 128),
            protocol: price.protocol.clone(),
        }
    }
}

const fn words(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Registered => "Registered",
        EventKind::MetadataUpdated => "Manifest changed",
        EventKind::PredicateUpdated => "Access predicate changed",
        EventKind::Deregistered => "Deregistered",
        EventKind::Configured => "Access configuration changed",
        EventKind::Upgraded => "Access predicate upgraded",
    }
}

/// Facts that a caller should know, in words.
fn flags(tool: &Tool) -> Vec<String> {
    let trust = &tool.item.trust;
    let mut flags: Vec<_> = trust
        .risks
        .iter()
        .map(|risk| format!("{} (since {})", risk.detail, view::date(&risk.since)))
        .collect();
    let mut add = |applies: bool, words: &str| {
        if applies {
            flags.push(words.to_owned())
        }
    };
    add(
        trust.predicate_has_code == Some(false),
        "The access predicate has no code: nobody can call the tool yet.",
    );
    add(
        trust.predicate_is_proxy == Some(true),
        "The access predicate can be upgraded: its owner can change who may call.",
    );
    add(
        trust.predicate_upgraded_at.is_some(),
        "The access predicate was upgraded.",
    );
    add(
        trust.predicate_advertises_interface == Some(false),
        "The access predicate does not declare the standard interface.",
    );
    add(
        trust.retired,
        "The access predicate denies every account: the tool is paused.",
    );
    add(
        trust.duplicates > 0,
        "Other tools are registered with the same manifest URL.",
    );
    flags
}

fn differences(diff: Option<&Value>) -> Vec<Difference> {
    let members = diff
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(20);
    let member = |value: &Value, name: &str| {
        text::line(value.get(name).and_then(Value::as_str).unwrap_or("–"), 200)
    };
    members
        .map(|value| Difference {
            member: member(value, "member"),
            before: member(value, "before"),
            after: member(value, "after"),
        })
        .collect()
}

impl ToolPage {
    fn new(overview: Overview, site: Option<String>) -> Self {
        let Overview {
            tool,
            verification: report,
            manifest,
            history,
        } = overview;
        let item = &tool.item;
        let name = view::name(&tool.name, &item.tool_id);
        let price = view::price(
            &tool.pricing_recipients,
            tool.price_known,
            &item.registry_chain,
        );
        let example = schema::example(tool.inputs.as_ref());
        let manifest = manifest.as_deref().and_then(model::manifest::parse);
        Self {
            path: view::path(&item.registry_chain, &item.registry_addr, &item.tool_id),
            initial: view::initial(&name),
            hue: view::hue(&item.trust.tool_ref),
            icon: tool.image_url.as_deref().map(links::icon),
            mark: Mark::of_report(&report),
            failing: report
                .checks
                .iter()
                .find(|check| check.outcome == "failed" || check.outcome == "inconclusive")
                .cloned(),
            other_creator: tool
                .creator_address
                .clone()
                .filter(|address| !address.eq_ignore_ascii_case(&item.creator)),
            url: site.map(|site| {
                let path = view::path(&item.registry_chain, &item.registry_addr, &item.tool_id);
                format!("{site}{path}")
            }),
            chain: view::chain(&item.registry_chain),
            price: price.text,
            prices: tool
                .pricing_recipients
                .iter()
                .take(10)
                .map(Price::new)
                .collect(),
            access: view::access(&item.trust.access_type),
            description: markdown::render(&tool.description),
            endpoint: tool.endpoint.as_deref().and_then(links::https),
            source: links::https(&item.metadata_uri),
            inputs: schema::table(tool.inputs.as_ref()),
            outputs: schema::table(tool.outputs.as_ref()),
            requirements: requirement::lines(&tool.access.requirements, &item.registry_chain),
            commands: Commands::new(
                &item.trust.tool_ref,
                tool.endpoint.as_deref(),
                &example,
                price.max_amount.as_deref(),
            ),
            tier: Tier::new(&item.trust, AttestationEvidence::NotChecked),
            flags: flags(&tool),
            history: history
                .into_iter()
                .map(|entry| Event {
                    words: words(entry.kind),
                    entry,
                })
                .collect(),
            diff: differences(report.diff.as_ref()),
            raw: manifest.map(|manifest| text::paragraphs(&format!("{manifest:#}"), MAX_RAW)),
            duplicates: item
                .trust
                .duplicates_of
                .iter()
                .take(10)
                .filter_map(|reference| {
                    let key = model::key(reference)?;
                    let registry = key.registry;
                    Some((
                        format!(
                            "/tools/{}/{}/{}",
                            registry.chain_id, registry.address, key.id
                        ),
                        reference.clone(),
                    ))
                })
                .collect(),
            name,
            tool,
            report,
        }
    }
}

pub(super) async fn serve(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let overview = state
        .catalog
        .overview(tool_key(&chain, &registry, &id)?)
        .await?;
    let tool_page = ToolPage::new(overview, site(&headers));
    Ok(page(StatusCode::OK, &tool_page))
}

/// The stored manifest, as text that nothing interprets.
pub(super) async fn manifest(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
) -> Result<Response, Failure> {
    let overview = state
        .catalog
        .overview(tool_key(&chain, &registry, &id)?)
        .await?;
    let manifest = overview.manifest.ok_or(Failure::NotFound)?;
    Ok(document("text/plain; charset=utf-8", FILE_CSP, manifest))
}
