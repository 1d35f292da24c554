//! A manifest that is about to be registered.

use alloy_primitives::Address;
use atr_ids::{HttpsUrl, MetadataUri};
use atr_manifest::{CheckedDocument, Document, Findings, Manifest, Policy, Value};
use serde::Serialize;

use crate::{Check, CheckResult, Failure, ManifestSource, Remedy, checks};

/// A served manifest that passes every check a registration must pass.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The manifest URL, to be registered as `metadataURI`.
    pub uri: MetadataUri,
    /// The manifest served there.
    pub manifest: Manifest,
}

/// Why a manifest must not be registered: consumers would reject the tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    /// Checks that would fail, in order.
    pub checks: Vec<FailedCheck>,
    /// Findings of the producer rules; none if there is no document.
    pub rules: Option<Findings>,
    /// Whether a retry can succeed, because the manifest could not be fetched.
    pub is_retryable: bool,
    /// Whether nothing is known about the manifest: the server was not reached.
    #[serde(skip)]
    pub is_unreached: bool,
}

/// A check that would fail.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct FailedCheck {
    pub check: Check,
    #[serde(flatten)]
    pub failure: Failure,
}

impl Candidate {
    /// Fetches a manifest and runs the checks of consumers and the producer rules on it.
    ///
    /// Without a signer, as in a dry run, `creatorAddress` is not compared. A host that is not ASCII is converted to A-labels (T-19).
    pub async fn fetch(
        source: &impl ManifestSource,
        metadata_uri: &str,
        signer: Option<Address>,
    ) -> Result<Self, Box<Rejection>> {
        let mismatch = |document: &Document| signer_mismatch(document, signer?);
        Self::fetch_checked(source, metadata_uri, mismatch).await
    }

    /// As [`Self::fetch`], for a tool that is registered: `creatorAddress` must be its creator, which cannot change.
    pub async fn fetch_update(
        source: &impl ManifestSource,
        metadata_uri: &str,
        creator: Address,
    ) -> Result<Self, Box<Rejection>> {
        let mismatch = |document: &Document| creator_mismatch(document, creator);
        Self::fetch_checked(source, metadata_uri, mismatch).await
    }

    async fn fetch_checked(
        source: &impl ManifestSource,
        metadata_uri: &str,
        mismatch: impl Fn(&Document) -> Option<Failure>,
    ) -> Result<Self, Box<Rejection>> {
        let normalized = HttpsUrl::from_unicode(metadata_uri).map(|url| url.to_string());
        let uri = checks::origin::parse_uri(normalized.as_deref().unwrap_or(metadata_uri))
            .map_err(|failure| Rejection::from_failure(Check::Origin, *failure))?;
        let bytes = match source.manifest(&uri).await {
            Ok(bytes) => bytes,
            Err(error @ atr_fetch::Error::ForbiddenAddress { .. }) => {
                let failure = checks::origin::forbidden_address(&uri, &error);
                let mut rejection = Rejection::from_failure(Check::Origin, failure);
                rejection.is_unreached = true;
                return Err(rejection);
            }
            Err(error) => {
                let failure = checks::fetch::failure(&uri, &error);
                let mut rejection = Rejection::from_failure(Check::Fetch, failure);
                rejection.is_retryable = error.is_retryable();
                rejection.is_unreached = error.is_retryable() || is_unreached(&error);
                return Err(rejection);
            }
        };
        Self::check(uri, bytes, mismatch)
    }

    fn check(
        uri: MetadataUri,
        bytes: Vec<u8>,
        mismatch: impl Fn(&Document) -> Option<Failure>,
    ) -> Result<Self, Box<Rejection>> {
        let document = Document::parse(bytes).map_err(|error| {
            let violations = Findings::from(&error).violations;
            Rejection::from_failure(Check::Hash, checks::hash::unhashable(violations))
        })?;
        let mut failed = Vec::new();
        if let CheckResult::Failed(failure) = checks::origin::check(&uri, &document) {
            failed.push((Check::Origin, failure));
        }
        if let Some(failure) = mismatch(&document) {
            failed.push((Check::Creator, failure));
        }
        let checked = CheckedDocument::new(document, Policy::producer());
        if !failed.is_empty() {
            return Err(Rejection::new(failed, Some(checked.into_findings())));
        }
        let manifest = checked
            .into_manifest()
            .map_err(|findings| Rejection::new(Vec::new(), Some(findings)))?;
        Ok(Self { uri, manifest })
    }
}

/// Whether no connection to the server of the manifest was made.
const fn is_unreached(error: &atr_fetch::Error) -> bool {
    matches!(
        error,
        atr_fetch::Error::NoAddress { .. }
            | atr_fetch::Error::Tls { .. }
            | atr_fetch::Error::Setup { .. }
    )
}

/// `creatorAddress`; `None` if it is malformed, which the rules report.
fn creator_address(document: &Document) -> Option<Address> {
    let text = document.root().get("creatorAddress");
    atr_ids::parse_address(text.and_then(Value::as_str)?).ok()
}

/// H-19: a registration by an account other than `creatorAddress` can never pass check 4.
fn signer_mismatch(document: &Document, signer: Address) -> Option<Failure> {
    let address = creator_address(document).filter(|address| *address != signer)?;
    Some(Failure::new(
        "signer-mismatch",
        format!("signer {signer:#x}"),
        format!("{address:#x}, the manifest's `creatorAddress`"),
        "only `creatorAddress` can register a tool that verifies",
        format!(
            "sign with {address:#x}, or set `creatorAddress` to \"{signer:#x}\" and serve the new manifest"
        ),
    ))
}

/// H-19: with another `creatorAddress` than the tool's creator, the updated tool can never pass check 4.
fn creator_mismatch(document: &Document, creator: Address) -> Option<Failure> {
    let address = creator_address(document).filter(|address| *address != creator)?;
    Some(Failure::new(
        "creator-mismatch",
        format!("{address:#x} in the manifest"),
        format!("{creator:#x}, the registered creator"),
        "the creator of a tool cannot change, so a manifest with another `creatorAddress` never verifies",
        format!(
            "set `creatorAddress` to \"{creator:#x}\" and serve the new manifest, or register a new tool from {address:#x}"
        ),
    ))
}

impl Rejection {
    fn from_failure(check: Check, failure: Failure) -> Box<Self> {
        Self::new(vec![(check, failure)], None)
    }

    fn new(checks: Vec<(Check, Failure)>, rules: Option<Findings>) -> Box<Self> {
        let checks = checks.into_iter().map(|(check, mut failure)| {
            // Before registration there is nothing to update.
            failure.remedy.take_if(|remedy| {
                !matches!(
                    remedy,
                    Remedy::AllowHost { .. } | Remedy::TrustCertificate { .. }
                )
            });
            FailedCheck { check, failure }
        });
        Box::new(Self {
            checks: checks.collect(),
            rules,
            is_retryable: false,
            is_unreached: false,
        })
    }
}
