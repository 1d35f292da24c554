//! Check 1: the manifest is served at `metadataURI`.

use atr_fetch::Error;
use atr_ids::MetadataUri;

use crate::{CheckResult, Failure};

/// Judges what the door brought back. Every failure leaves the tool unverified (H-07); whether asking again may help is
/// all that differs.
pub(crate) fn judge(uri: &MetadataUri, fetched: Result<usize, &Error>) -> CheckResult {
    let error = match fetched {
        Ok(bytes) => return CheckResult::passed(format!("{bytes} bytes from {uri}")),
        Err(error) => error,
    };
    let expected = format!("status 200 and the whole manifest, straight from {uri}");
    let failure = Failure::new(
        error.code(),
        error.to_string(),
        expected,
        cause(error),
        fix(error, uri),
    );
    if error.is_retryable() || is_ours(error) {
        CheckResult::Unknown(failure)
    } else if matches!(error, Error::Redirect { .. }) {
        CheckResult::Failed(failure.then_update(Some("<new place>")))
    } else {
        CheckResult::Failed(failure)
    }
}

/// Nobody was asked: the fault is on this side.
const fn is_ours(error: &Error) -> bool {
    matches!(error, Error::Setup { .. })
}

fn cause(error: &Error) -> &'static str {
    match error {
        Error::Redirect { .. } => {
            "the server sends readers elsewhere, which would defeat the commitment"
        }
        Error::Status { status: 404 | 410 } => "nothing is served at the registered place",
        Error::TooLarge { .. } | Error::AnnouncedTooLarge { .. } => {
            "something else than a manifest is served there"
        }
        Error::Tls { .. } => "the certificate is not for this name, not trusted, or expired",
        Error::Setup { .. } => {
            "this machine cannot tell whom to trust: it has no root certificates"
        }
        error if error.is_retryable() => "the server or the network is down or slow",
        _ => "the server does not answer as one that serves a document",
    }
}

fn fix(error: &Error, uri: &MetadataUri) -> String {
    if is_ours(error) {
        return "install the system's root certificates (the package ca-certificates), then verify again".to_owned();
    }
    if error.is_retryable() {
        return format!("see that `curl -sS {uri}` answers, then verify again");
    }
    if matches!(error, Error::Redirect { .. }) {
        return format!(
            "serve the manifest itself at {uri}; if it has moved for good, register the new place"
        );
    }
    format!("see that `curl -sS -o /dev/null -w '%{{http_code}}' {uri}` prints 200")
}
