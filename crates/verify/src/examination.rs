//! All four checks on what was gathered, without asking anybody.

use atr_fetch::Error as FetchError;
use atr_ids::MetadataUri;
use atr_manifest::{Document, Findings, Manifest, ManifestHash, Policy, check};
use atr_registry::ToolConfig;

use crate::{Check, CheckResult, Failure, checks};

/// The four judgements and what was learnt on the way.
#[derive(Debug)]
pub(crate) struct Evaluation {
    pub(crate) judgements: [CheckResult; 4],
    /// Of what is served, if it has one.
    pub(crate) live_hash: Option<ManifestHash>,
    pub(crate) bytes: Option<usize>,
    /// The manifest's own rules, apart from the four checks; none if there is nothing to hold against them.
    pub(crate) rules: Option<Findings>,
    /// The document, for a second comparison.
    document: Option<Document>,
}

impl Evaluation {
    /// The place cannot be asked, so nothing else is looked at.
    pub(crate) fn of_place(failure: Failure) -> Self {
        let because = "no request is made to such a place";
        Self::only([
            CheckResult::not_reached(because),
            CheckResult::Failed(failure),
            CheckResult::not_reached("there is no manifest"),
            CheckResult::not_reached("there is no manifest"),
        ])
    }

    /// Judges what the door brought back against the registered configuration.
    pub(crate) fn of(
        config: &ToolConfig,
        uri: &MetadataUri,
        fetched: Result<Vec<u8>, FetchError>,
    ) -> Self {
        let bytes = match fetched {
            Ok(bytes) => bytes,
            Err(error @ FetchError::ForbiddenAddress { .. }) => {
                return Self::of_place(checks::origin::refused(uri, &error));
            }
            Err(error) => {
                let missing = || CheckResult::not_reached("there is no manifest");
                return Self::only([
                    checks::fetched::judge(uri, Err(&error)),
                    missing(),
                    missing(),
                    missing(),
                ]);
            }
        };
        let length = bytes.len();
        let was_fetched = checks::fetched::judge(uri, Ok(length));
        let mut examination = match Document::parse(bytes) {
            Ok(document) => Self::of_document(config, uri, was_fetched, document),
            Err(error) => {
                let unread =
                    || CheckResult::not_reached("the manifest cannot be read: see check 3");
                let fault = checks::hash::unhashable(Findings::from(&error).violations);
                let fault = CheckResult::Failed(fault);
                Self::only([was_fetched, unread(), fault, unread()])
            }
        };
        examination.bytes = Some(length);
        examination
    }

    fn of_document(
        config: &ToolConfig,
        uri: &MetadataUri,
        was_fetched: CheckResult,
        document: Document,
    ) -> Self {
        let mut rules = check(&document, Policy::consumer());
        let about_bytes = rules
            .violations
            .extract_if(.., |found| found.code.is_about_bytes());
        let about_bytes: Vec<_> = about_bytes.collect();
        let (live_hash, hash) = if about_bytes.is_empty() {
            let live = document.hash();
            let judged = checks::hash::judge(&document, live, config.manifest_hash);
            (Some(live), judged)
        } else {
            (
                None,
                CheckResult::Failed(checks::hash::unhashable(about_bytes)),
            )
        };
        Self {
            judgements: [
                was_fetched,
                checks::origin::judge(uri, &document),
                hash,
                checks::creator::judge(&document, config.creator),
            ],
            live_hash,
            bytes: None,
            rules: Some(rules),
            document: Some(document),
        }
    }

    const fn only(judgements: [CheckResult; 4]) -> Self {
        Self {
            judgements,
            live_hash: None,
            bytes: None,
            rules: None,
            document: None,
        }
    }

    /// Whether the hash was compared and differs: the one case that may be a race.
    pub(crate) fn has_other_hash(&self) -> bool {
        self.live_hash.is_some() && !self.judgement(Check::Hash).has_passed()
    }

    /// Compares the same bytes with a configuration that was read again, at the same place (H-16).
    pub(crate) fn compare_again(&mut self, config: &ToolConfig) {
        let (Some(document), Some(live)) = (&self.document, self.live_hash) else {
            return;
        };
        let hash = checks::hash::judge(document, live, config.manifest_hash);
        let creator = checks::creator::judge(document, config.creator);
        *self.judgement_mut(Check::Hash) = hash;
        *self.judgement_mut(Check::Creator) = creator;
    }

    /// The bytes cannot be held against anything: only that they were fetched still stands.
    pub(crate) fn set_aside(&mut self, failure: Failure) {
        let void = || CheckResult::not_reached("the registration changed meanwhile");
        *self.judgement_mut(Check::Origin) = void();
        *self.judgement_mut(Check::Hash) = CheckResult::Unknown(failure);
        *self.judgement_mut(Check::Creator) = void();
        self.rules = None;
    }

    fn judgement(&self, check: Check) -> &CheckResult {
        &self.judgements[check as usize]
    }

    const fn judgement_mut(&mut self, check: Check) -> &mut CheckResult {
        &mut self.judgements[check as usize]
    }

    /// The manifest, if all four checks hold and it keeps its own rules.
    pub(crate) fn into_manifest(self) -> Option<Manifest> {
        let all = self.judgements.iter().all(CheckResult::has_passed);
        let document = self.document.filter(|_| all)?;
        Manifest::try_new(document, Policy::consumer()).ok()
    }
}
