//! The form that asks for a re-check. Only from our own pages.

use axum::{
    extract::{Path, State},
    response::{IntoResponse, Redirect, Response},
};
use http::{HeaderMap, StatusCode, header};
use url::Url;

use super::{tool::ToolPath, view};
use crate::{
    Failure,
    rest::{Problem, problem_response, tool_key},
    server::AppState,
};

/// Whether a browser says that the request comes from this site. Other clients have the API.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let origin = text(header::ORIGIN.as_str()).and_then(|origin| Url::parse(origin).ok());
    let (Some(origin), Some(host)) = (origin, text(header::HOST.as_str())) else {
        return false;
    };
    let authority = origin.host_str().map(|name| match origin.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    });
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

pub(super) async fn request(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    if !is_same_origin(&headers) {
        let detail = "the form was sent by another site; open the report and ask again, or use POST /api/v2/tools/…/verification";
        return Ok(problem_response(Problem::new(
            StatusCode::FORBIDDEN,
            "cross-site-request",
            detail,
        )));
    }
    let key = tool_key(&chain, &registry, &id)?;
    let query = match state.catalog.request_verification(key).await {
        Ok(_) => format!("requested={}", state.catalog.now()),
        Err(Failure::TooMany { seconds }) => format!("wait={seconds}"),
        Err(failure) => return Err(failure),
    };
    let registry = key.registry;
    let path = view::path(
        &registry.chain_id.to_string(),
        &registry.address.to_string(),
        &key.id.to_string(),
    );
    Ok(Redirect::to(&format!("{path}/check?{query}")).into_response())
}
