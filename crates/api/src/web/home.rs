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
    /// The parameter of `error`.
    invalid: String,
    active: Vec<(&'static str, String, String)>,
    /// Query of the same words without filters, with all tools.
    everything: String,
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

    /// The filters that are set: name, value, and the query without it.
    fn active(&self, query: &str) -> Vec<(&'static str, String, String)> {
        let with_name = |name: &'static str| {
            let labels = [
                ("access_type", "Who may call", &self.access_type),
                ("registry_chain", "Chain", &self.registry_chain),
                ("max_price", "At most", &self.max_price),
                ("tags", "Tags", &self.tags),
                ("callable_by", "Callable by", &self.callable_by),
            ];
            labels.into_iter().find(|(key, ..)| *key == name)
        };
        let names = [
            "access_type",
            "registry_chain",
            "max_price",
            "tags",
            "callable_by",
        ];
        let mut active: Vec<_> = names
            .into_iter()
            .filter_map(with_name)
            .filter(|(_, _, value)| !value.is_empty())
            .map(|(name, label, value)| {
                let shown = match name {
                    "registry_chain" => view::chain(value),
                    "access_type" => view::access(value).to_owned(),
                    "max_price" => format!("{value} USDC"),
                    "callable_by" => view::short(value),
                    _ => value.clone(),
                };
                (label, shown, without(query, name))
            })
            .collect();
        if self.include_unverified {
            let rest = without(query, "include_unverified");
            active.push(("Also", "not verified".to_owned(), rest));
        }
        active
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

/// The query without a parameter.
fn without(query: &str, removed: &str) -> String {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let pairs =
        pairs.filter(|(name, value)| name != removed && name != "cursor" && !value.is_empty());
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
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

/// The label of a field of the form.
fn label(parameter: &str) -> &str {
    match parameter {
        "max_price" => "Highest price",
        "registry_chain" => "Chain",
        "access_type" => "Who may call",
        "callable_by" => "Callable by",
        "tags" => "Tags",
        "query" => "Search",
        other => other,
    }
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
        active: form.active(&query),
        everything: form_urlencoded::Serializer::new(String::new())
            .append_pair("query", &form.query)
            .append_pair("include_unverified", "true")
            .finish(),
        form,
        chains: chains
            .into_iter()
            .map(|id| (view::chain(&id), id))
            .collect(),
        cards: Vec::new(),
        next: None,
        access_unknown: 0,
        error: None,
        invalid: String::new(),
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
            home.cards = found
                .results
                .iter()
                .map(|result| Card::new(result, state.catalog.now()))
                .collect();
            home.next = found.next.map(|cursor| with_cursor(&query, &cursor));
            home.access_unknown = found.access_unknown.len();
            StatusCode::OK
        }
        Err(Failure::Invalid { parameter, rule }) => {
            let label = label(&parameter);
            home.invalid.clone_from(&parameter);
            home.error = Some(format!("{} {rule}.", crate::text::line(label, 64)));
            StatusCode::BAD_REQUEST
        }
        Err(failure) => return Err(failure),
    };
    Ok(page(status, &home))
}
