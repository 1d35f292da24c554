//! The explorer: pages for people, rendered on the server. They work without JavaScript.
//!
//! Text of manifests, contracts and queries is escaped by the templates; `|safe` is used for [`markdown::render`] only. Pages load
//! nothing from other hosts, and the content security policy forbids it as well.

mod badge;
mod call;
mod creator;
mod error;
mod feed;
mod home;
mod links;
mod markdown;
mod recheck;
mod requirement;
mod response;
mod schema;
mod status;
mod tool;
mod verification;
mod view;

use axum::{Router, routing::get};

pub(crate) use self::error::error_pages;
use crate::server::AppState;

const LLMS: &str = include_str!("../../templates/llms.txt");

/// The routes.
pub(crate) fn router() -> Router<AppState> {
    const TOOL: &str = "/tools/{registry_chain}/{registry_addr}/{tool_id}";
    Router::new()
        .route("/", get(home::serve))
        .route(TOOL, get(tool::serve))
        .route(&format!("{TOOL}/manifest"), get(tool::manifest))
        .route(
            &format!("{TOOL}/check"),
            get(verification::serve).post(recheck::request),
        )
        .route(&format!("{TOOL}/badge.svg"), get(badge::serve))
        .route("/check", get(verification::find))
        .route("/creators/{creator}", get(creator::serve))
        .route("/creators/{creator}/feed.atom", get(feed::serve))
        .route("/status", get(status::serve))
        .route(
            "/llms.txt",
            get(|| async { response::file("text/plain; charset=utf-8", LLMS) }),
        )
        .route(
            "/assets/style.css",
            get(|| async {
                response::file(
                    "text/css; charset=utf-8",
                    include_str!("../../assets/style.css"),
                )
            }),
        )
        .route(
            "/assets/explorer.js",
            get(|| async {
                response::file(
                    "text/javascript; charset=utf-8",
                    include_str!("../../assets/explorer.js"),
                )
            }),
        )
        .route(
            "/robots.txt",
            get(|| async {
                response::file("text/plain; charset=utf-8", "User-agent: *\nAllow: /\n")
            }),
        )
        .route(
            "/favicon.ico",
            get(|| async {
                response::file("image/svg+xml", include_str!("../../assets/icon.svg"))
            }),
        )
        .route(
            "/assets/icon.svg",
            get(|| async {
                response::file("image/svg+xml", include_str!("../../assets/icon.svg"))
            }),
        )
}
