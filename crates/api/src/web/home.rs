//! Search and filters.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    response::{IntoResponse, Redirect, Response},
};
use http::StatusCode;
use url::form_urlencoded;

use super::{
    response::page,
    view::{self, Card},
};
use crate::{Failure, model, rest, server::AppState};

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    form: Form,
    chains: Vec<(String, String)>,
    cards: Vec<Card>,
    /// Query of the next page.
    next: Option<String>,
    access_unknown: usize,
    error: Option<String>,
    is_start: bool,
    verified: u64,
    others: u64,
    registries: usize,
}

/// What the form contained; shown again.
#[derive(Default)]
struct Form {
    query: String,
    access_type: String,
    registry_chain: String,
    tags: String,
    max_price: String,
    callable_by: String,
    sort_by: String,
    include_unverified: bool,
}

impl Form {
    fn new(query: &str) -> Self {
        let mut form = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = crate::text::line(&value, 512);
            match &*name {
                "query" => form.query = value,
                "access_type" => form.access_type = value,
                "registry_chain" => form.registry_chain = value,
                "tags" => form.tags = value,
                "max_price" => form.max_price = value,
                "callable_by" => form.callable_by = value,
                "sort_by" => form.sort_by = value,
                "include_unverified" => form.include_unverified = matches!(&*value, "true" | "1"),
                _ => {}
            }
        }
        form
    }

    fn has_filter(&self) -> bool {
        [
            &self.access_type,
            &self.registry_chain,
            &self.tags,
            &self.max_price,
            &self.callable_by,
        ]
        .iter()
        .any(|value| !value.is_empty())
            || self.include_unverified
    }
}

/// The same parameters with another cursor.
fn with_cursor(query: &str, cursor: &str) -> String {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let pairs = pairs.filter(|(name, value)| name != "cursor" && !value.is_empty());
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .append_pair("cursor", cursor)
        .finish()
}

/// The page of a reference or an address, as people paste them into a search.
fn direct(query: &str) -> Option<String> {
    let query = query.trim();
    if let Some(key) = model::key(query) {
        let registry = key.registry;
        return Some(format!(
            "/tools/{}/{}/{}",
            registry.chain_id, registry.address, key.id
        ));
    }
    let creator = rest::parse_address(query).filter(|_| query.len() == 42)?;
    Some(format!("/creators/{creator}"))
}

pub(super) async fn serve(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let form = Form::new(&query);
    if let Some(path) = direct(&form.query) {
        return Ok(Redirect::to(&path).into_response());
    }
    let status = state.catalog.status().await?;
    let mut chains: Vec<_> = status
        .registries
        .iter()
        .map(|registry| registry.registry_chain.clone())
        .collect();
    chains.sort_unstable();
    chains.dedup();
    let mut home = Home {
        is_start: query.is_empty(),
        form,
        chains: chains
            .into_iter()
            .map(|id| (view::chain(&id), id))
            .collect(),
        cards: Vec::new(),
        next: None,
        access_unknown: 0,
        error: None,
        verified: status.verified,
        others: status.pending + status.failed + status.unknown,
        registries: status.registries.len(),
    };
    let found = match rest::search_parameters(&query) {
        Ok(mut parameters) => {
            // A start page lists the newest tools.
            if home.is_start {
                parameters.sort_by = crate::catalog::SearchSort::Newest;
            }
            state.catalog.search(&parameters).await
        }
        Err(failure) => Err(failure),
    };
    let status = match found {
        Ok(found) => {
            home.cards = found.results.iter().map(Card::new).collect();
            home.next = found.next.map(|cursor| with_cursor(&query, &cursor));
            home.access_unknown = found.access_unknown.len();
            StatusCode::OK
        }
        Err(Failure::Invalid { parameter, rule }) => {
            home.error = Some(format!(
                "{} {rule}.",
                crate::text::line(&parameter.replace('_', " "), 64)
            ));
            StatusCode::BAD_REQUEST
        }
        Err(failure) => return Err(failure),
    };
    Ok(page(status, &home))
}
