//! A badge for other sites. It has no text of the manifest.

use askama::Template;
use axum::{
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use http::{HeaderName, HeaderValue, StatusCode};

use super::{
    response::{FILE_CSP, document},
    tool::ToolPath,
};
use crate::{Failure, model::VerificationStatus, rest::tool_key, server::AppState};

#[derive(Template)]
#[template(path = "badge.svg", escape = "html")]
struct Badge {
    words: &'static str,
    color: &'static str,
}

pub(super) async fn serve(
    State(state): State<AppState>,
    Path((chain, registry, id)): ToolPath,
) -> Result<Response, Failure> {
    let report = state
        .catalog
        .verification(tool_key(&chain, &registry, &id)?)
        .await;
    let (words, color) = match report {
        Ok(report) => match report.status {
            VerificationStatus::Verified => ("verified", "#166b41"),
            VerificationStatus::Failed => ("check failed", "#a62639"),
            VerificationStatus::Unknown if report.checked_at.is_some() => ("unknown", "#5b6472"),
            VerificationStatus::Unknown => ("not checked", "#5b6472"),
        },
        Err(Failure::Gone { .. }) => ("deregistered", "#5b6472"),
        Err(failure) => return Err(failure),
    };
    let badge = Badge { words, color };
    let Ok(svg) = badge.render() else {
        return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
    };
    let mut response = document("image/svg+xml", FILE_CSP, svg);
    response.headers_mut().insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    );
    Ok(response)
}
