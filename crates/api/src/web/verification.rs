//! "Check my tool": the verification report.

use askama::Template;
use atr_store::index::ToolKey;
use axum::{
    extract::{Path, RawQuery, State},
    response::{IntoResponse, Redirect, Response},
};
use http::StatusCode;
use url::{Url, form_urlencoded};

use super::{
    response::page,
    tool::ToolPath,
    view::{self, Mark},
};
use crate::{
    Failure,
    model::{self, VerificationReport},
    rest::tool_key,
    server::AppState,
    text,
};

#[derive(Template)]
#[template(path = "check.html")]
struct CheckPage {
    path: String,
    chain: String,
    mark: Mark,
    name: String,
    report: VerificationReport,
    request: Option<Recheck>,
    /// The certificate is of a check that fetched the manifest, which need not be the last one.
    is_fetched: bool,
    findings: Vec<String>,
    probe: Option<&'static str>,
}

/// A request for a re-check, as the form redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recheck {
    /// The page reloads itself.
    Pending,
    Complete,
    /// Too early; the seconds to wait.
    Wait(u64),
}

impl Recheck {
    /// A page that is open for longer does not reload itself.
    const MAX_SECONDS: u64 = 60;

    fn new(query: Option<&str>, report: &VerificationReport, now: u64) -> Option<Self> {
        let seconds = |name| parameter(query, name)?.parse::<u64>().ok();
        if let Some(wait) = seconds("wait") {
            return Some(Self::Wait(wait.min(Self::MAX_SECONDS)));
        }
        let requested = seconds("requested")?;
        let checked = report.checked_at.as_deref().and_then(text::parse_time);
        if checked.is_some_and(|checked| checked >= requested) {
            return Some(Self::Complete);
        }
        (now.abs_diff(requested) < Self::MAX_SECONDS).then_some(Self::Pending)
    }
}

#[derive(Template)]
#[template(path = "find.html")]
struct FindPage {
    tool: String,
    error: bool,
    /// Whether an id is enough: one registry is indexed.
    has_ids: bool,
}

fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let (_, value) = pairs.find(|(key, _)| key == name)?;
    Some(text::line(&value, 256))
}

/// Violations of the manifest rules: the texts of the report.
fn findings(rules: Option<&serde_json::Value>) -> Vec<String> {
    let lists = ["violations", "errors", "warnings"].into_iter();
    let lists = lists.filter_map(|name| rules?.get(name)?.as_array());
    let findings = lists.flatten().take(20).map(|finding| {
        let message = finding
            .get("message")
            .or_else(|| finding.get("detail"))
            .and_then(|text| text.as_str());
        let path = finding
            .get("path")
            .or_else(|| finding.get("pointer"))
            .and_then(|text| text.as_str());
        match (path, message) {
            (Some(path), Some(message)) if !path.is_empty() => format!("{path}: {message}"),
            (_, Some(message)) => message.to_owned(),
            _ => finding.to_string(),
        }
    });
    findings.map(|finding| text::line(&finding, 300)).collect()
}

pub(super) async fn serve(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let key = tool_key(&chain, &registry, &id)?;
    let overview = state.catalog.overview(key).await?;
    let report = overview.verification;
    let probe = report
        .price_probe
        .as_ref()
        .and_then(|probe| probe.get("result")?.as_str());
    let check = CheckPage {
        path: view::path(
            &key.registry.chain_id.to_string(),
            &key.registry.address.to_string(),
            &key.id.to_string(),
        ),
        chain: key.registry.chain_id.to_string(),
        mark: Mark::of_report(&report),
        name: view::name(&overview.tool.name, &overview.tool.item.tool_id),
        request: Recheck::new(query.as_deref(), &report, state.catalog.now()),
        is_fetched: report
            .checks
            .first()
            .is_some_and(|check| check.outcome == "passed"),
        findings: findings(report.rules.as_ref()),
        probe: probe.map(|result| match result {
            "honest" => "The endpoint asks for the price that the manifest states.",
            "differs" => "The endpoint asks for another price than the manifest states.",
            "no-price" => "The endpoint asks for no payment, although the manifest states a price.",
            _ => "The price of the endpoint could not be read.",
        }),
        report,
    };
    Ok(page(StatusCode::OK, &check))
}

/// The tool of a reference, of the URL of a page, or of an id if one registry is indexed.
async fn tool_of(state: &AppState, text: &str) -> Result<Option<ToolKey>, Failure> {
    if let Some(key) = model::key(text) {
        return Ok(Some(key));
    }
    if let Ok(url) = Url::parse(text) {
        let parts: Vec<_> = url.path().split('/').collect();
        return Ok(match parts.as_slice() {
            ["", "tools", chain, registry, id, ..] => tool_key(chain, registry, id).ok(),
            _ => None,
        });
    }
    let status = state.catalog.status().await?;
    let [registry] = status.registries.as_slice() else {
        return Ok(None);
    };
    let id = text.trim_start_matches('#');
    Ok(tool_key(&registry.registry_chain, &registry.registry_addr, id).ok())
}

/// Finds the report of a tool.
pub(super) async fn find(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let tool = parameter(query.as_deref(), "tool").unwrap_or_default();
    if let Some(key) = tool_of(&state, tool.trim()).await? {
        let registry = key.registry;
        let path = format!(
            "/tools/{}/{}/{}/check",
            registry.chain_id, registry.address, key.id
        );
        return Ok(Redirect::to(&path).into_response());
    }
    let is_invalid = !tool.is_empty();
    let status = if is_invalid {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    };
    let find = FindPage {
        tool,
        error: is_invalid,
        has_ids: state.catalog.status().await?.registries.len() == 1,
    };
    Ok(page(status, &find))
}
