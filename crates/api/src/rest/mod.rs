//! REST: `/api/v2/…` as existing clients of the Agent Tool Registry call it, and what the ERC asks of indexers.

mod events;
mod handlers;
mod openapi;
mod parameters;
mod problem;

use axum::{
    Router,
    routing::{get, post},
};

pub use openapi::document as openapi_document;
pub use problem::Problem;

use crate::{Failure, catalog::SearchParameters, server::AppState};

pub(crate) use handlers::ready;
pub(crate) use parameters::{address as parse_address, tool_key};
pub(crate) use problem::{respond as problem_response, too_many};

/// Reads the parameters of a search from the query of a URL.
///
/// # Errors
///
/// If a parameter is invalid.
pub fn search_parameters(query: &str) -> Result<SearchParameters, Failure> {
    parameters::Query::parse(Some(query)).search()
}

/// The routes. Cross-cutting behavior (limits, compression, request ids) is added by [`crate::server`].
pub(crate) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/v2/tools", get(handlers::list_tools))
        .route("/api/v2/tools/search", get(handlers::search_tools))
        .route("/api/v2/tools/usage", post(handlers::report_tool_usage))
        .route("/api/v2/tools/changes", get(handlers::list_changes))
        .route("/api/v2/tools/events", get(events::follow_changes))
        .route(
            "/api/v2/tools/{registry_chain}/{registry_addr}/{tool_id}",
            get(handlers::get_tool),
        )
        .route(
            "/api/v2/tools/{registry_chain}/{registry_addr}/{tool_id}/activity",
            get(handlers::get_tool_activity),
        )
        .route(
            "/api/v2/tools/{registry_chain}/{registry_addr}/{tool_id}/verification",
            get(handlers::get_verification).post(handlers::request_verification),
        )
        .route("/api/v2/status", get(handlers::get_status))
        .route("/api/openapi.json", get(openapi::serve))
}
