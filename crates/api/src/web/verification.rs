//! "Check my tool": the verification report.

use askama::Template;
use axum::{
    extract::{Path, RawQuery, State},
    response::{IntoResponse, Redirect, Response},
};
use http::StatusCode;
use url::form_urlencoded;

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
    mark: Mark,
    report: VerificationReport,
    was_requested: bool,
    findings: Vec<String>,
    probe: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "find.html")]
struct FindPage {
    tool: String,
    error: bool,
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
    let report = state.catalog.verification(key).await?;
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
        mark: Mark::new(report.status),
        was_requested: parameter(query.as_deref(), "requested").is_some(),
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

/// Finds the report of a reference.
pub(super) async fn find(RawQuery(query): RawQuery) -> Response {
    let tool = parameter(query.as_deref(), "tool").unwrap_or_default();
    if let Some(key) = model::key(tool.trim()) {
        let registry = key.registry;
        let path = format!(
            "/tools/{}/{}/{}/check",
            registry.chain_id, registry.address, key.id
        );
        return Redirect::to(&path).into_response();
    }
    let is_invalid = !tool.is_empty();
    let status = if is_invalid {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    };
    page(
        status,
        &FindPage {
            tool,
            error: is_invalid,
        },
    )
}
