//! A manifest that is about to be registered.

use alloy_primitives::Address;
use atr_ids::{HttpsUrl, MetadataUri};
use atr_manifest::{Document, Findings, Manifest, Policy, Value, check};
use serde::Serialize;

use crate::{Check, CheckResult, Failure, Manifests, checks};

/// A manifest as it is served, fit to be registered by the one who wants to.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Where it is served.
    pub uri: MetadataUri,
    /// What is served there.
    pub manifest: Manifest,
}

/// Why a manifest must not be registered: once it were, consumers would refuse the tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    /// The checks that would fail, in order.
    pub checks: Vec<FailedCheck>,
    /// The publisher's rules, as far as there is a manifest to hold against them.
    pub rules: Option<Findings>,
    /// Whether that may pass by itself: the manifest could not be fetched for now.
    pub is_retryable: bool,
}

/// A check that would fail.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedCheck {
    /// Which.
    pub check: Check,
    /// Why.
    #[serde(flatten)]
    pub failure: Failure,
}

impl Candidate {
    /// Fetches what is served at a place and holds it to everything consumers will hold it to, and to the publisher's rules.
    ///
    /// Without a signer, as in a plan for later, nobody is held against `creatorAddress`. Letters other than ASCII in the host become A-labels, as writers should have it (T-19).
    pub async fn fetch(
        manifests: &impl Manifests,
        place: &str,
        signer: Option<Address>,
    ) -> Result<Self, Box<Rejection>> {
        let normal = HttpsUrl::from_unicode(place).map(|url| url.to_string());
        let uri = checks::origin::place(normal.as_deref().unwrap_or(place));
        let uri = uri.map_err(|failure| Rejection::of(Check::Origin, *failure))?;
        let bytes = match manifests.manifest(&uri).await {
            Ok(bytes) => bytes,
            Err(error @ atr_fetch::Error::ForbiddenAddress { .. }) => {
                return Err(Rejection::of(
                    Check::Origin,
                    checks::origin::refused(&uri, &error),
                ));
            }
            Err(error) => {
                let judged = checks::fetched::judge(&uri, Err(&error));
                let failure = judged.failure().cloned();
                let failure = failure.expect("an error of the door never passes");
                let mut refusal = Rejection::of(Check::Fetched, failure);
                refusal.is_retryable = error.is_retryable();
                return Err(refusal);
            }
        };
        Self::judge(uri, bytes, signer)
    }

    fn judge(
        uri: MetadataUri,
        bytes: Vec<u8>,
        signer: Option<Address>,
    ) -> Result<Self, Box<Rejection>> {
        let document = Document::parse(bytes).map_err(|error| {
            let violations = Findings::from(&error).violations;
            Rejection::of(Check::Hash, checks::hash::unhashable(violations))
        })?;
        let rules = check(&document, Policy::producer());
        let mut refused = Vec::new();
        if let CheckResult::Failed(failure) = checks::origin::judge(&uri, &document) {
            refused.push((Check::Origin, failure));
        }
        if let Some(failure) = signer.and_then(|signer| signer_differs(&document, signer)) {
            refused.push((Check::Creator, failure));
        }
        if !refused.is_empty() || !rules.is_valid() {
            return Err(Rejection::new(refused, Some(rules)));
        }
        let manifest = Manifest::try_new(document, Policy::producer());
        let manifest = manifest.map_err(|rules| Rejection::new(Vec::new(), Some(rules)))?;
        Ok(Self { uri, manifest })
    }
}

/// H-19: what another than `creatorAddress` registers fails check 4 for ever. What is wrong with the member itself is told by
/// the rules.
fn signer_differs(document: &Document, signer: Address) -> Option<Failure> {
    let named = document.root().get("creatorAddress");
    let named = named.and_then(Value::as_str)?;
    let address = atr_ids::parse_address(named).ok()?;
    (address != signer).then(|| {
        Failure::new(
            "signer-mismatch",
            format!("signer {signer:#x}"),
            format!("{address:#x}, the manifest's `creatorAddress`"),
            "only the account the manifest names can register it",
            format!(
                "sign with {address:#x}, or set `creatorAddress` to \"{signer:#x}\" and serve that"
            ),
        )
    })
}

impl Rejection {
    fn of(check: Check, failure: Failure) -> Box<Self> {
        Self::new(vec![(check, failure)], None)
    }

    fn new(checks: Vec<(Check, Failure)>, rules: Option<Findings>) -> Box<Self> {
        let checks = checks.into_iter().map(|(check, failure)| FailedCheck {
            check,
            // Nothing is registered yet that could be brought up to date.
            failure: Failure {
                command: None,
                ..failure
            },
        });
        Box::new(Self {
            checks: checks.collect(),
            rules,
            is_retryable: false,
        })
    }
}
