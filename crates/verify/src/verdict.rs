//! Result of a verification.

use alloy_primitives::{Address, B256};
use atr_ids::ToolRef;
use atr_manifest::{Findings, Manifest, ManifestSummary};
use atr_registry::ToolConfig;
use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::{Check, CheckResult, Failure, Pin, VerifiedTool, Window, evaluation::Evaluation};

/// Result of verifying a tool, with the evidence. A failed verification is a value, not an error.
///
/// The four checks show whether the manifest is the one its creator registered. The manifest rules show whether its content is
/// valid. Only this crate can create or change a verdict.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    #[serde(serialize_with = "as_text")]
    tool: ToolRef,
    status: Status,
    verified: bool,
    usable: bool,
    failing: Option<Check>,
    #[serde(serialize_with = "with_names")]
    checks: [CheckResult; 4],
    rules: Option<Findings>,
    pin: Option<Pin>,
    evidence: Evidence,
    #[serde(rename = "manifest")]
    summary: Option<ManifestSummary>,
    #[serde(skip)]
    manifest: Option<Box<Manifest>>,
}

/// Status of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All four checks passed.
    Verified,
    /// At least one check failed.
    Failed,
    /// A check was inconclusive. Treat the tool as not verified.
    Unknown,
    /// The creator deregistered the tool.
    Deregistered,
    /// The registry has not assigned this id.
    NeverRegistered,
}

/// Inputs of a verification.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Time of the verification, in seconds since 1970.
    pub checked_at: u64,
    /// The account that registered the tool.
    pub creator: Option<Address>,
    /// The registered `metadataURI`.
    pub metadata_uri: Option<String>,
    /// The registered hash.
    pub registered_hash: Option<B256>,
    /// The canonical hash of the served manifest.
    pub served_hash: Option<B256>,
    /// Length of the served manifest in bytes.
    pub manifest_bytes: Option<usize>,
    /// The access predicate. None if the tool is open or does not exist.
    pub access_predicate: Option<Address>,
    /// Whether the configuration was read a second time, because of a possible race with an update.
    pub read_twice: bool,
    /// How long the verdict may be cached. None unless the tool has a valid manifest.
    pub window: Option<Window>,
}

impl Evidence {
    pub(crate) fn new(config: &ToolConfig, checked_at: u64) -> Self {
        Self {
            checked_at,
            creator: Some(config.creator),
            metadata_uri: Some(config.metadata_uri.clone()),
            registered_hash: Some(config.manifest_hash),
            access_predicate: config.access_predicate,
            ..Self::default()
        }
    }
}

impl Verdict {
    /// The verdict on a tool that is not registered. `status` says why.
    pub(crate) fn not_registered(
        tool: ToolRef,
        status: Status,
        pin: Option<Pin>,
        evidence: Evidence,
    ) -> Self {
        let skipped = || CheckResult::skipped("the tool is not registered");
        Self {
            tool,
            status,
            verified: false,
            usable: false,
            failing: None,
            checks: [skipped(), skipped(), skipped(), skipped()],
            rules: None,
            pin,
            evidence,
            summary: None,
            manifest: None,
        }
    }

    pub(crate) fn new(
        tool: ToolRef,
        evaluation: Evaluation,
        pin: Option<Pin>,
        mut evidence: Evidence,
        window: impl FnOnce(&Manifest) -> Window,
    ) -> Self {
        let checks = evaluation.results.clone();
        let failing = Check::ALL
            .into_iter()
            .find(|check| checks[*check as usize].failure().is_some());
        let status = match failing.map(|check| &checks[check as usize]) {
            // A skipped check does not count as passed.
            None if checks.iter().all(CheckResult::is_passed) => Status::Verified,
            Some(CheckResult::Inconclusive(_)) => Status::Unknown,
            _ => Status::Failed,
        };
        evidence.served_hash = evaluation.served_hash.map(|hash| hash.to_b256());
        evidence.manifest_bytes = evaluation.bytes;
        let rules = evaluation.rules.clone();
        let summary = evaluation.summary.clone();
        let manifest = evaluation.into_manifest();
        evidence.window = manifest.as_ref().map(window);
        let pin_matches = pin.is_none_or(|pin| pin.matches);
        Self {
            tool,
            status,
            verified: status == Status::Verified,
            usable: manifest.is_some() && pin_matches,
            failing,
            checks,
            rules,
            pin,
            evidence,
            summary,
            manifest: manifest.map(Box::new),
        }
    }

    /// Reference of the tool.
    #[must_use]
    pub const fn tool(&self) -> ToolRef {
        self.tool
    }

    /// Status of the tool.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Whether all four checks passed.
    #[must_use]
    pub const fn is_verified(&self) -> bool {
        self.verified
    }

    /// Whether the tool is verified, its manifest follows the manifest rules, and the pin, if any, matches.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        self.usable
    }

    /// The first check in the ERC's order that failed or is inconclusive.
    #[must_use]
    pub const fn failing(&self) -> Option<Check> {
        self.failing
    }

    /// Findings of the manifest rules; none if there is no document.
    #[must_use]
    pub const fn rules(&self) -> Option<&Findings> {
        self.rules.as_ref()
    }

    /// The pinned hash, if the caller gave one.
    #[must_use]
    pub const fn pin(&self) -> Option<Pin> {
        self.pin
    }

    /// Inputs of the verification.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What the served manifest says about the tool; none if there is no document. A claim of its server, unless the tool
    /// is verified.
    #[must_use]
    pub const fn summary(&self) -> Option<&ManifestSummary> {
        self.summary.as_ref()
    }

    /// Result of one check.
    #[must_use]
    pub const fn check(&self, check: Check) -> &CheckResult {
        &self.checks[check as usize]
    }

    /// Failure of the check that [`Verdict::failing`] returns.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.check(self.failing?).failure()
    }

    /// Frees the manifest, for callers that only report. [`Verdict::into_verified`] fails afterwards.
    #[must_use]
    pub fn without_manifest(self) -> Self {
        Self {
            manifest: None,
            ..self
        }
    }

    /// Converts a usable verdict to a tool that may be invoked or shown to an agent. This is the only way to create a
    /// [`VerifiedTool`] (H-05).
    pub fn into_verified(self) -> Result<VerifiedTool, Box<Self>> {
        match self.manifest {
            Some(manifest) if self.usable => {
                Ok(VerifiedTool::new(self.tool, *manifest, self.evidence))
            }
            manifest => Err(Box::new(Self { manifest, ..self })),
        }
    }
}

fn as_text<S: Serializer>(tool: &ToolRef, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(tool)
}

/// Serializes each result with the name and number of its check.
fn with_names<S: Serializer>(checks: &[CheckResult; 4], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Named<'a> {
        number: u8,
        check: Check,
        #[serde(flatten)]
        result: &'a CheckResult,
    }
    let mut list = serializer.serialize_seq(Some(checks.len()))?;
    for (check, result) in Check::ALL.into_iter().zip(checks) {
        list.serialize_element(&Named {
            number: check.number(),
            check,
            result,
        })?;
    }
    list.end()
}
