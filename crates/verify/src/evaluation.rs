//! The four checks on a registration and a fetch result. No I/O.

use atr_fetch::Error as FetchError;
use atr_ids::MetadataUri;
use atr_manifest::{
    CheckedDocument, Document, Findings, Manifest, ManifestHash, ManifestSummary, Policy,
};
use atr_registry::ToolConfig;

use crate::{Check, CheckResult, Failure, checks};

const NO_MANIFEST: &str = "no manifest";

/// Results of the four checks, and the data they produced.
#[derive(Debug)]
pub(crate) struct Evaluation {
    pub(crate) results: [CheckResult; 4],
    /// Canonical hash of the served manifest; none if it has no canonical form.
    pub(crate) served_hash: Option<ManifestHash>,
    /// Length of the served manifest in bytes.
    pub(crate) bytes: Option<usize>,
    /// Findings of the manifest rules that are not about bytes; none if there is no document.
    pub(crate) rules: Option<Findings>,
    /// What the document says about the tool.
    pub(crate) summary: Option<ManifestSummary>,
    checked: Option<CheckedDocument>,
}

impl Evaluation {
    /// `metadataURI` is invalid or must not be requested, so only the origin check has a result.
    pub(crate) fn without_request(failure: Failure) -> Self {
        Self::from_results([
            CheckResult::skipped("not requested: metadataURI failed check 2"),
            CheckResult::Failed(failure),
            CheckResult::skipped(NO_MANIFEST),
            CheckResult::skipped(NO_MANIFEST),
        ])
    }

    pub(crate) fn new(
        config: &ToolConfig,
        uri: &MetadataUri,
        fetched: Result<Vec<u8>, FetchError>,
    ) -> Self {
        let bytes = match fetched {
            Ok(bytes) => bytes,
            Err(error @ FetchError::ForbiddenAddress { .. }) => {
                return Self::without_request(checks::origin::forbidden_address(uri, &error));
            }
            Err(error) => {
                return Self::from_results([
                    checks::fetch::check(uri, Err(&error)),
                    CheckResult::skipped(NO_MANIFEST),
                    CheckResult::skipped(NO_MANIFEST),
                    CheckResult::skipped(NO_MANIFEST),
                ]);
            }
        };
        let length = bytes.len();
        let fetch = checks::fetch::check(uri, Ok(length));
        let mut evaluation = match Document::parse(bytes) {
            Ok(document) => Self::from_document(config, uri, fetch, document),
            Err(error) => {
                let skipped =
                    || CheckResult::skipped("the manifest cannot be parsed (see check 3)");
                let failure = checks::hash::unhashable(Findings::from(&error).violations);
                Self::from_results([fetch, skipped(), CheckResult::Failed(failure), skipped()])
            }
        };
        evaluation.bytes = Some(length);
        evaluation
    }

    fn from_document(
        config: &ToolConfig,
        uri: &MetadataUri,
        fetch: CheckResult,
        document: Document,
    ) -> Self {
        // The only run of the manifest rules in a verification: `into_manifest` reuses the findings.
        let checked = CheckedDocument::new(document, Policy::consumer());
        let document = checked.document();
        let mut rules = checked.findings().clone();
        let byte_violations: Vec<_> = rules
            .violations
            .extract_if(.., |violation| violation.code.is_about_bytes())
            .collect();
        let (served_hash, hash) = if byte_violations.is_empty() {
            let served = document.hash();
            let hash = checks::hash::check(document, served, config.manifest_hash);
            (Some(served), hash)
        } else {
            let failure = checks::hash::unhashable(byte_violations);
            (None, CheckResult::Failed(failure))
        };
        Self {
            results: [
                fetch,
                checks::origin::check(uri, document),
                hash,
                checks::creator::check(document, config.creator),
            ],
            served_hash,
            bytes: None,
            rules: Some(rules),
            summary: Some(ManifestSummary::new(document)),
            checked: Some(checked),
        }
    }

    const fn from_results(results: [CheckResult; 4]) -> Self {
        Self {
            results,
            served_hash: None,
            bytes: None,
            rules: None,
            summary: None,
            checked: None,
        }
    }

    /// Whether the hashes were compared and differ. Only this result can be a race with an update.
    pub(crate) fn is_hash_mismatch(&self) -> bool {
        self.served_hash.is_some() && !self.results[Check::Hash as usize].is_passed()
    }

    /// Compares the same bytes with a configuration that was read again and has the same `metadataURI` (H-16).
    pub(crate) fn compare_again(&mut self, config: &ToolConfig) {
        let (Some(checked), Some(served)) = (&self.checked, self.served_hash) else {
            return;
        };
        let document = checked.document();
        self.results[Check::Hash as usize] =
            checks::hash::check(document, served, config.manifest_hash);
        self.results[Check::Creator as usize] = checks::creator::check(document, config.creator);
    }

    /// Discards every result but the fetch, because the registration changed meanwhile.
    pub(crate) fn invalidate(&mut self, failure: Failure) {
        let skipped = || CheckResult::skipped("the registration changed during verification");
        self.results[Check::Origin as usize] = skipped();
        self.results[Check::Hash as usize] = CheckResult::Inconclusive(failure);
        self.results[Check::Creator as usize] = skipped();
        self.rules = None;
        self.summary = None;
    }

    /// The manifest, if all four checks passed and it follows the manifest rules.
    pub(crate) fn into_manifest(self) -> Option<Manifest> {
        let is_verified = self.results.iter().all(CheckResult::is_passed);
        let checked = self.checked.filter(|_| is_verified)?;
        checked.into_manifest().ok()
    }
}
