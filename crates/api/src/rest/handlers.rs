//! Handlers: parameters in, responses out.

use axum::{
    Json,
    body::Bytes,
    extract::{Path, RawQuery, State},
    response::{IntoResponse, Response},
};
use http::StatusCode;

use super::{
    Problem,
    parameters::{Query, Start, tool_key},
};
use crate::{
    Catalog, Failure,
    catalog::{ListParameters, SearchParameters},
    model::{
        Activity, ChangePage, SearchPage, Status, Tool, ToolPage, UsageReceipt, UsageReport,
        VerificationReport, VerificationRequest,
    },
    server::AppState,
};

type ToolPath = Path<(String, String, String)>;

/// List tools by time of registration
///
/// Verified tools only, unless `include_unverified` is set.
#[utoipa::path(get, path = "/api/v2/tools", operation_id = "list_tools", tag = "tools", params(ListParameters),
    responses((status = 200, body = ToolPage), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn list_tools(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Json<ToolPage>, Failure> {
    let parameters = Query::parse(query.as_deref()).list()?;
    Ok(Json(state.catalog.list(&parameters).await?))
}

/// Search tools
///
/// Verified tools only, unless `include_unverified` is set. Verified tools come first in any order; ranks never follow ids.
#[utoipa::path(get, path = "/api/v2/tools/search", operation_id = "search_tools", tag = "tools", params(SearchParameters),
    responses((status = 200, body = SearchPage), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn search_tools(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Json<SearchPage>, Failure> {
    let parameters = Query::parse(query.as_deref()).search()?;
    Ok(Json(state.catalog.search(&parameters).await?))
}

/// Get a tool
///
/// Any registered tool: `verified` says whether its description can be trusted to be its creator's.
#[utoipa::path(get, path = "/api/v2/tools/{registry_chain}/{registry_addr}/{tool_id}", operation_id = "get_tool", tag = "tools",
    params(("registry_chain" = String, Path, description = "EIP-155 chain id"),
        ("registry_addr" = String, Path, description = "address of the registry"), ("tool_id" = String, Path, description = "decimal id")),
    responses((status = 200, body = Tool), (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 410, body = Problem, content_type = "application/problem+json", description = "deregistered")))]
pub(super) async fn get_tool(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
) -> Result<Json<Tool>, Failure> {
    Ok(Json(
        state
            .catalog
            .tool(tool_key(&chain, &registry, &id)?)
            .await?,
    ))
}

/// Why a tool is, or is not, verified
#[utoipa::path(get, path = "/api/v2/tools/{registry_chain}/{registry_addr}/{tool_id}/verification", operation_id = "get_verification", tag = "tools",
    params(("registry_chain" = String, Path), ("registry_addr" = String, Path), ("tool_id" = String, Path)),
    responses((status = 200, body = VerificationReport), (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 410, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn get_verification(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
) -> Result<Json<VerificationReport>, Failure> {
    Ok(Json(
        state
            .catalog
            .verification(tool_key(&chain, &registry, &id)?)
            .await?,
    ))
}

/// Ask for a re-check of a tool, at most once a minute
#[utoipa::path(post, path = "/api/v2/tools/{registry_chain}/{registry_addr}/{tool_id}/verification", operation_id = "request_verification", tag = "tools",
    params(("registry_chain" = String, Path), ("registry_addr" = String, Path), ("tool_id" = String, Path)),
    responses((status = 202, body = VerificationRequest), (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 429, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn request_verification(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
) -> Result<(StatusCode, Json<VerificationRequest>), Failure> {
    let request = state
        .catalog
        .request_verification(tool_key(&chain, &registry, &id)?)
        .await?;
    Ok((StatusCode::ACCEPTED, Json(request)))
}

/// Verified usage of a tool, newest first
#[utoipa::path(get, path = "/api/v2/tools/{registry_chain}/{registry_addr}/{tool_id}/activity", operation_id = "get_tool_activity", tag = "tools",
    params(("registry_chain" = String, Path), ("registry_addr" = String, Path), ("tool_id" = String, Path),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 100, description = "[default: 25]"),
        ("offset" = Option<u32>, Query, description = "[default: 0]")),
    responses((status = 200, body = Activity), (status = 404, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn get_tool_activity(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
    RawQuery(query): RawQuery,
) -> Result<Json<Activity>, Failure> {
    let key = tool_key(&chain, &registry, &id)?;
    let query = Query::parse(query.as_deref());
    let activity = state
        .catalog
        .activity(key, query.limit(100, 25)?, query.offset()?);
    Ok(Json(activity.await?))
}

/// Report that a tool was called
///
/// The proof is verified before it counts, and counts once. An API key is not needed.
#[utoipa::path(post, path = "/api/v2/tools/usage", operation_id = "report_tool_usage", tag = "tools", request_body = UsageReport,
    responses((status = 200, body = UsageReceipt), (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn report_tool_usage(
    State(state): State<AppState>,
    body: Bytes,
) -> Result<Json<UsageReceipt>, Failure> {
    let report: UsageReport = serde_json::from_slice(&body)
        .map_err(|error| Failure::invalid("body", format!("must be a usage report: {error}")))?;
    let receipt = state.catalog.report_usage(&report).await?;
    state.metrics.usage(receipt.verified);
    Ok(Json(receipt))
}

/// Changes of tools, deregistrations included
///
/// Each tool appears once, with its last change. Continue with `cursor` = `next`. Of a tool that is not verified, only the reference and
/// the verification status are given, unless `include_unverified` is set.
#[utoipa::path(get, path = "/api/v2/tools/changes", operation_id = "list_changes", tag = "tools",
    params(("updated_since" = Option<String>, Query, description = "RFC 3339 in UTC, or seconds since 1970 [default: everything]"),
        ("cursor" = Option<String>, Query, description = "`next` of the previous page"),
        ("include_unverified" = Option<bool>, Query, description = "with the data of tools that are not verified [default: false]"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 200, description = "[default: 100]")),
    responses((status = 200, body = ChangePage), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn list_changes(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Json<ChangePage>, Failure> {
    let query = Query::parse(query.as_deref());
    let after = position(&state.catalog, query.start()?).await?;
    let (limit, include_unverified) = (query.limit(200, 100)?, query.include_unverified()?);
    let changes = state.catalog.changes(after, limit, include_unverified);
    Ok(Json(changes.await?))
}

pub(super) async fn position(catalog: &Catalog, start: Start) -> Result<u64, Failure> {
    match start {
        Start::After(sequence) => Ok(sequence),
        Start::Since(time) => catalog.sequence_before(time).await,
    }
}

/// State of the index
#[utoipa::path(get, path = "/api/v2/status", operation_id = "get_status", tag = "index", responses((status = 200, body = Status)))]
pub(super) async fn get_status(State(state): State<AppState>) -> Result<Json<Status>, Failure> {
    Ok(Json(state.catalog.status().await?))
}

/// `/readyz`: whether the database answers and the search index has caught up once.
pub(crate) async fn ready(State(state): State<AppState>) -> Response {
    let is_caught_up = state.is_caught_up();
    match state.catalog.store().last_seq().await {
        Ok(_) if is_caught_up => (StatusCode::OK, "ready\n").into_response(),
        Ok(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the search index is catching up\n",
        )
            .into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the database is not available\n",
            )
                .into_response()
        }
    }
}
