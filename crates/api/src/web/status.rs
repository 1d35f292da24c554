//! Chains and index.

use askama::Template;
use axum::{extract::State, response::Response};
use http::StatusCode;

use super::{response::page, view};
use crate::{
    Failure,
    model::{RegistryState, Status},
    server::AppState,
};

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    registries: Vec<Registry>,
    deregistered: u64,
    status: Status,
}

struct Registry {
    chain: String,
    behind: u64,
    state: RegistryState,
}

pub(super) async fn serve(State(state): State<AppState>) -> Result<Response, Failure> {
    let status = state.catalog.status().await?;
    let registries = status.registries.iter().map(|registry| Registry {
        chain: view::chain(&registry.registry_chain),
        behind: registry
            .head
            .saturating_sub(registry.block.unwrap_or_default()),
        state: registry.clone(),
    });
    let registered: u64 = status
        .registries
        .iter()
        .map(|registry| registry.tools)
        .sum();
    let live = status.pending + status.verified + status.failed + status.unknown;
    let status_page = StatusPage {
        deregistered: registered.saturating_sub(live),
        registries: registries.collect(),
        status,
    };
    Ok(page(StatusCode::OK, &status_page))
}
