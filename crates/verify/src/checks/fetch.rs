//! Check 1: the manifest is served at `metadataURI`.

use atr_fetch::Error;
use atr_ids::MetadataUri;

use crate::{CheckResult, Failure, Remedy};

/// `fetched` is the length of the body in bytes. No error verifies the tool (H-07); an error is inconclusive if a retry can
/// succeed or if the cause is local.
pub(crate) fn check(uri: &MetadataUri, fetched: Result<usize, &Error>) -> CheckResult {
    match fetched {
        Ok(bytes) => CheckResult::passed(format!("{bytes} bytes from {uri}")),
        Err(error) if error.is_retryable() || is_local(error) => {
            CheckResult::Inconclusive(failure(uri, error))
        }
        Err(error @ Error::Redirect { .. }) => {
            let remedy = Remedy::UpdateMetadataUri { metadata_uri: None };
            CheckResult::Failed(failure(uri, error).with_remedy(remedy))
        }
        Err(error) => CheckResult::Failed(failure(uri, error)),
    }
}

pub(crate) fn failure(uri: &MetadataUri, error: &Error) -> Failure {
    let failure = Failure::new(
        error.code(),
        error.to_string(),
        format!("status 200 with a complete body from {uri}, without a redirect"),
        cause(error),
        fix(error, uri),
    );
    match error {
        Error::Tls { .. } => failure.with_remedy(Remedy::TrustCertificate {
            host: host_and_port(uri),
        }),
        _ => failure,
    }
}

/// As an allowed host is written.
pub(crate) fn host_and_port(uri: &MetadataUri) -> String {
    let origin = uri.origin();
    format!("{}:{}", origin.host(), origin.port().unwrap_or(443))
}

/// Whether the request failed on this machine, before it was sent.
const fn is_local(error: &Error) -> bool {
    matches!(error, Error::Setup { .. })
}

fn cause(error: &Error) -> &'static str {
    match error {
        Error::Redirect { .. } => "the server redirects; ERC-8257 does not allow redirects",
        Error::Status { status: 404 | 410 } => "no manifest is served at its URL",
        Error::TooLarge { .. } | Error::ContentLengthTooLarge { .. } => {
            "the response is larger than a manifest can be"
        }
        Error::Tls { .. } => {
            "the TLS certificate has expired, is not trusted, or is for another host"
        }
        Error::Setup { .. } => "this machine has no root certificates",
        Error::NoAddress { .. } => "the host name is wrong, or its DNS records are missing",
        error if error.is_retryable() => "connection failed or timed out",
        _ => "the server does not return a document",
    }
}

fn fix(error: &Error, uri: &MetadataUri) -> String {
    if is_local(error) {
        return "install the system's root certificates (package ca-certificates), then verify again".to_owned();
    }
    if error.is_retryable() {
        return format!("make sure the server responds at {uri}, then verify again");
    }
    if matches!(error, Error::Redirect { .. }) {
        return format!("serve the manifest at {uri} without a redirect, or register its new URL");
    }
    match error {
        Error::Tls { .. } => {
            "use a certificate for this host, signed by a trusted authority and not expired"
                .to_owned()
        }
        Error::NoAddress { .. } => "correct the host name, or add its DNS records".to_owned(),
        _ => format!("serve the manifest at {uri} with status 200"),
    }
}
