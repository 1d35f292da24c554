//! Check 2: `metadataURI` is the well-known URI on the endpoint's origin.

use atr_ids::{HttpsUrl, MetadataUri, excerpt};
use atr_manifest::{Document, Value};

use crate::{CheckResult, Failure, Remedy};

const WELL_KNOWN: &str = "https://<host>/.well-known/ai-tool/<slug>.json";

/// Parses `metadataURI`. This needs no manifest, so it runs before any request (H-02, T-34).
pub(crate) fn parse_uri(text: &str) -> Result<MetadataUri, Box<Failure>> {
    text.parse().map_err(|error: atr_ids::Error| {
        let failure = Failure::new(
            "metadata-uri",
            format!("{}: {error}", excerpt(text)),
            WELL_KNOWN,
            "metadataURI is not a well-known URL, which only the operator of the endpoint's origin can serve",
            "serve the manifest at the well-known URL on the endpoint's origin, and register that URL",
        );
        Box::new(failure.with_remedy(Remedy::UpdateMetadataUri { metadata_uri: None }))
    })
}

/// The failure of a host that resolves to an address that is not public (T-34).
pub(crate) fn forbidden_address(uri: &MetadataUri, error: &atr_fetch::Error) -> Failure {
    let origin = uri.origin();
    let failure = Failure::new(
        error.code(),
        error.to_string(),
        format!("{origin} resolves to public addresses only"),
        "the host resolves to an address that is not public; SSRF protection blocks the request",
        "serve the manifest on a public host, or allow this host if it is yours",
    );
    failure.with_remedy(Remedy::AllowHost {
        host: super::fetch::host_and_port(uri),
    })
}

/// Check 2 for a document: compares the endpoint's origin with that of `metadataURI`. Scheme, host and port, both normalized.
#[must_use]
pub fn check(uri: &MetadataUri, document: &Document) -> CheckResult {
    let origin = uri.origin();
    let endpoint = document.root().get("endpoint").and_then(Value::as_str);
    let Some(endpoint) = endpoint else {
        let failure = Failure::new(
            "endpoint-missing",
            "`endpoint` is missing or not a string",
            format!("`endpoint` on {origin}"),
            "the manifest is incomplete, or another document is served",
            "add `endpoint`",
        );
        return CheckResult::Failed(failure.with_remedy(Remedy::UpdateHash));
    };
    match endpoint.parse::<HttpsUrl>() {
        Ok(endpoint) if uri.is_same_origin(&endpoint) => {
            CheckResult::passed(format!("both on {origin}"))
        }
        Ok(endpoint) => {
            let expected = MetadataUri::new(endpoint.origin().clone(), uri.slug().clone());
            let failure = Failure::new(
                "origin-mismatch",
                format!("endpoint on {}", endpoint.origin()),
                format!("endpoint on {origin}, the manifest's origin"),
                "the tool moved, or the manifest describes an endpoint of another operator",
                format!("serve the manifest at {expected}, and register that URL"),
            );
            CheckResult::Failed(failure.with_remedy(Remedy::UpdateMetadataUri {
                metadata_uri: Some(expected.to_string()),
            }))
        }
        Err(error) => {
            let failure = Failure::new(
                "endpoint-url",
                format!("endpoint {}: {error}", excerpt(endpoint)),
                format!("an https URL on {origin}"),
                "`endpoint` is not an https URL as ERC-8257 § 6 defines it",
                "correct `endpoint`",
            );
            CheckResult::Failed(failure.with_remedy(Remedy::UpdateHash))
        }
    }
}
