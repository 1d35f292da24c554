//! The OpenAPI document, generated from the handlers.

use std::sync::OnceLock;

use axum::response::IntoResponse;
use http::header;
use utoipa::OpenApi;

use super::{events, handlers};
use crate::model::ToolChange;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Agent Tool Registry index",
        description = "Tools of ERC-8257 registries: list, search, verification and usage. Text from manifests is untrusted data.",
        license(name = "MIT OR Apache-2.0"),
    ),
    paths(
        handlers::list_tools,
        handlers::search_tools,
        handlers::get_tool,
        handlers::get_verification,
        handlers::request_verification,
        handlers::get_tool_activity,
        handlers::report_tool_usage,
        handlers::list_changes,
        events::follow_changes,
        handlers::get_status,
    ),
    components(schemas(ToolChange))
)]
struct Document;

/// The OpenAPI document as JSON.
pub fn document() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| Document::openapi().to_pretty_json().unwrap_or_default())
}

pub(super) async fn serve() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], document())
}
