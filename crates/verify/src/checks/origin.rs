//! Check 2: `metadataURI` is the well-known place on the endpoint's origin.

use atr_ids::{HttpsUrl, MetadataUri, excerpt};
use atr_manifest::{Document, Value};

use crate::{CheckResult, Failure};

const WELL_KNOWN: &str = "https://<host>/.well-known/ai-tool/<slug>.json";

/// The place, if the text is one. Needs no manifest, so it comes before any request (H-02, T-34).
pub(crate) fn place(text: &str) -> Result<MetadataUri, Box<Failure>> {
    text.parse().map_err(|error: atr_ids::Error| {
        let failure = Failure::new(
            "metadata-uri",
            format!("{}: {error}", excerpt(text)),
            format!("{WELL_KNOWN}, with nothing before or after"),
            "the place is not the well-known one, where only the endpoint's operator can put a manifest",
            "serve the manifest at the well-known place of the endpoint's origin, and register that",
        );
        Box::new(failure.then_update(Some(WELL_KNOWN)))
    })
}

/// The place is well-formed and must not be asked: its name leads into a private network (T-34).
pub(crate) fn refused(uri: &MetadataUri, error: &atr_fetch::Error) -> Failure {
    Failure::new(
        error.code(),
        error.to_string(),
        format!("only public addresses behind {}", uri.origin()),
        "the name leads into a private network; asking it could reach what is not public",
        "publish the manifest on a public host; to reach one of your own, allow it with --allow-host <host>:<port>",
    )
}

/// Judges the endpoint against the place: same scheme, host and port, after normalising both.
pub(crate) fn judge(uri: &MetadataUri, document: &Document) -> CheckResult {
    let origin = uri.origin();
    let endpoint = document.root().get("endpoint").and_then(Value::as_str);
    let Some(endpoint) = endpoint else {
        let failure = Failure::new(
            "endpoint-missing",
            "the manifest has no `endpoint` that is a text",
            format!("`endpoint` on {origin}"),
            "the manifest is incomplete, or something else is served",
            "add `endpoint`",
        );
        return CheckResult::Failed(failure.then_update(None));
    };
    match endpoint.parse::<HttpsUrl>() {
        Ok(endpoint) if uri.binds(&endpoint) => CheckResult::passed(format!("both on {origin}")),
        Ok(endpoint) => {
            let there = MetadataUri::new(endpoint.origin().clone(), uri.slug().clone());
            let failure = Failure::new(
                "origin-mismatch",
                format!("endpoint on {}", endpoint.origin()),
                format!("endpoint on {origin}, where the manifest is"),
                "the tool has moved, or somebody describes an endpoint that is not theirs",
                format!("serve the manifest at {there}, and register that"),
            );
            CheckResult::Failed(failure.then_update(Some(&there.to_string())))
        }
        Err(error) => {
            let failure = Failure::new(
                "endpoint-url",
                format!("endpoint {}: {error}", excerpt(endpoint)),
                format!("an https URL on {origin}"),
                "the endpoint is not an https URL as the ERC reads them",
                "correct `endpoint`",
            );
            CheckResult::Failed(failure.then_update(None))
        }
    }
}
