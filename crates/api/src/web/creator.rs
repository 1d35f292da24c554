//! The tools of a creator.

use alloy_primitives::Address;
use askama::Template;
use axum::{
    extract::{Path, RawQuery, State},
    response::Response,
};
use http::StatusCode;
use url::form_urlencoded;

use super::{response::page, view::Card};
use crate::{
    Catalog, Failure,
    catalog::{SearchParameters, SearchSort},
    model::SearchPage,
    rest::parse_address,
    server::AppState,
};

#[derive(Template)]
#[template(path = "creator.html")]
struct CreatorPage {
    creator: String,
    cards: Vec<Card>,
    next: Option<String>,
}

pub(super) fn address(text: &str) -> Result<Address, Failure> {
    let rule = "must be 0x and 40 hexadecimal digits";
    parse_address(text).ok_or_else(|| Failure::invalid("creator", rule))
}

/// Newest first.
pub(super) async fn tools(
    catalog: &Catalog,
    creator: Address,
    include_unverified: bool,
    cursor: Option<String>,
) -> Result<SearchPage, Failure> {
    let parameters = SearchParameters {
        creator: Some(creator),
        sort_by: SearchSort::Newest,
        include_unverified,
        include_details: true,
        limit: 20,
        cursor,
        ..SearchParameters::default()
    };
    catalog.search(&parameters).await
}

pub(super) async fn serve(
    State(state): State<AppState>,
    Path(creator): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let creator = address(&creator)?;
    let query = query.unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let cursor = pairs
        .find(|(name, _)| name == "cursor")
        .map(|(_, value)| value.into_owned());
    // People see all tools of a creator, each with its mark (O-06).
    let found = tools(&state.catalog, creator, true, cursor).await?;
    let creator_page = CreatorPage {
        creator: creator.to_string(),
        cards: found
            .results
            .iter()
            .map(|result| Card::new(result, state.catalog.now()))
            .collect(),
        next: found
            .next
            .map(|cursor| form_urlencoded::byte_serialize(cursor.as_bytes()).collect()),
    };
    Ok(page(StatusCode::OK, &creator_page))
}
