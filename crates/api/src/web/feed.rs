//! The tools of a creator as an Atom feed (RFC 4287). Verified tools only: programs read it.

use askama::Template;
use axum::{
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode};

use super::{
    creator::{address, tools},
    response::{FILE_CSP, document, site},
    view,
};
use crate::{Failure, server::AppState};

#[derive(Template)]
#[template(path = "feed.atom", escape = "html")]
struct Feed {
    site: String,
    creator: String,
    updated: String,
    entries: Vec<Entry>,
}

struct Entry {
    id: String,
    path: String,
    title: String,
    summary: String,
    registered: String,
}

pub(super) async fn serve(
    State(state): State<AppState>,
    Path(creator): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let creator = address(&creator)?;
    let found = tools(&state.catalog, creator, false, None).await?;
    let entries: Vec<_> = found
        .results
        .iter()
        .map(|tool| Entry {
            id: tool.trust.tool_ref.clone(),
            path: view::path(&tool.registry_chain, &tool.registry_addr, &tool.tool_id),
            title: view::name(&tool.name, &tool.tool_id),
            summary: tool.description.clone(),
            registered: tool.created_at.clone(),
        })
        .collect();
    let updated = entries.iter().map(|entry| entry.registered.clone()).max();
    let feed = Feed {
        site: site(&headers).unwrap_or_default(),
        creator: creator.to_string(),
        updated: updated.unwrap_or_else(|| crate::text::timestamp(0)),
        entries,
    };
    Ok(feed.render().map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |xml| document("application/atom+xml; charset=utf-8", FILE_CSP, xml),
    ))
}
