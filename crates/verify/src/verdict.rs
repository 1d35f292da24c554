//! What is known of a tool once it was looked at.

use alloy_primitives::{Address, B256};
use atr_ids::ToolRef;
use atr_manifest::{Findings, Manifest};
use atr_registry::ToolConfig;
use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::{Check, CheckResult, Failure, Pin, VerifiedTool, Window, examination::Evaluation};

/// The answer to "is this tool what it claims to be?", with the evidence. A value, not an error: looking succeeded.
///
/// Two things are kept apart: the four checks say whether the manifest is the one the creator committed to; the manifest's
/// own rules say whether it is one that may be relied on. Nobody outside can put one together or change one.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Which tool.
    #[serde(serialize_with = "as_text")]
    tool: ToolRef,
    /// The answer in one word.
    status: Status,
    /// Whether all four checks hold.
    verified: bool,
    /// Whether they do, and the manifest keeps its own rules, and a pinned hash is the registered one.
    usable: bool,
    /// The first check in the ERC's order that does not hold or could not be told.
    failing: Option<Check>,
    /// The four checks, in order.
    #[serde(serialize_with = "with_names")]
    checks: [CheckResult; 4],
    /// The manifest's own rules, as far as there is a manifest to hold against them.
    rules: Option<Findings>,
    /// The hash somebody relied on before, and whether it still is the registered one.
    pin: Option<Pin>,
    /// What was seen.
    evidence: Evidence,
    #[serde(skip)]
    manifest: Option<Box<Manifest>>,
}

/// The answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All four checks hold.
    Verified,
    /// One of them does not.
    Unverified,
    /// Could not find out for now. To be treated as unverified.
    Unknown,
    /// The creator has taken the tool back.
    Deregistered,
    /// The registry has never assigned this id.
    NeverRegistered,
}

/// What was seen, and when.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// When, in seconds since 1970.
    pub checked_at: u64,
    /// Who registered the tool.
    pub creator: Option<Address>,
    /// Where the registry says the manifest is.
    pub metadata_uri: Option<String>,
    /// What the registry says it hashes to.
    pub onchain_hash: Option<B256>,
    /// What it hashes to.
    pub live_hash: Option<B256>,
    /// How long the manifest is, in bytes as served.
    pub manifest_bytes: Option<usize>,
    /// Who decides on access; none means that the tool is open, or is not there.
    pub access_predicate: Option<Address>,
    /// Whether the configuration was read a second time, because an update may have come in between.
    pub read_twice: bool,
    /// For how long the verdict may be relied on.
    pub window: Option<Window>,
}

impl Evidence {
    pub(crate) fn of(config: &ToolConfig, checked_at: u64) -> Self {
        Self {
            checked_at,
            creator: Some(config.creator),
            metadata_uri: Some(config.metadata_uri.clone()),
            onchain_hash: Some(config.manifest_hash),
            access_predicate: config.access_predicate,
            ..Self::default()
        }
    }
}

impl Verdict {
    /// There is no such tool, or no longer.
    pub(crate) fn of_absent(
        tool: ToolRef,
        status: Status,
        pin: Option<Pin>,
        evidence: Evidence,
    ) -> Self {
        let nothing = || CheckResult::not_reached("there is no such tool");
        Self {
            tool,
            status,
            verified: false,
            usable: false,
            failing: None,
            checks: [nothing(), nothing(), nothing(), nothing()],
            rules: None,
            pin,
            evidence,
            manifest: None,
        }
    }

    pub(crate) fn of(
        tool: ToolRef,
        examination: Evaluation,
        pin: Option<Pin>,
        mut evidence: Evidence,
        window: impl FnOnce(&Manifest) -> Window,
    ) -> Self {
        let checks = examination
            .judgements
            .clone()
            .map(|judgement| judgement.about(tool));
        let failing = Check::ALL
            .into_iter()
            .find(|check| checks[*check as usize].failure().is_some());
        let status = match failing.map(|check| &checks[check as usize]) {
            // Only what passed counts: a check that was left out is none that holds.
            None if checks.iter().all(CheckResult::has_passed) => Status::Verified,
            Some(CheckResult::Unknown(_)) => Status::Unknown,
            _ => Status::Unverified,
        };
        evidence.live_hash = examination.live_hash.map(|hash| hash.word());
        evidence.manifest_bytes = examination.bytes;
        let rules = examination.rules.clone();
        let manifest = examination.into_manifest();
        evidence.window = manifest.as_ref().map(window);
        let holds = pin.is_none_or(|pin| pin.holds);
        Self {
            tool,
            status,
            verified: status == Status::Verified,
            usable: manifest.is_some() && holds,
            failing,
            checks,
            rules,
            pin,
            evidence,
            manifest: manifest.map(Box::new),
        }
    }

    /// Which tool.
    #[must_use]
    pub const fn tool(&self) -> ToolRef {
        self.tool
    }

    /// The answer in one word.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Whether all four checks hold.
    #[must_use]
    pub const fn is_verified(&self) -> bool {
        self.verified
    }

    /// Whether they do, and the manifest keeps its own rules, and a pinned hash is the registered one.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        self.usable
    }

    /// The first check in the ERC's order that does not hold or could not be told.
    #[must_use]
    pub const fn failing(&self) -> Option<Check> {
        self.failing
    }

    /// The manifest's own rules, as far as there is a manifest to hold against them.
    #[must_use]
    pub const fn rules(&self) -> Option<&Findings> {
        self.rules.as_ref()
    }

    /// The hash somebody relied on before, and whether it still is the registered one.
    #[must_use]
    pub const fn pin(&self) -> Option<Pin> {
        self.pin
    }

    /// What was seen.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What came of one check.
    #[must_use]
    pub const fn check(&self, check: Check) -> &CheckResult {
        &self.checks[check as usize]
    }

    /// Why the first failing check does not hold.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.check(self.failing?).failure()
    }

    /// The tool to invoke or to show to an agent, if it is one. There is no other way to get one (H-05).
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

/// Each judgement with the name and number of its check.
fn with_names<S: Serializer>(checks: &[CheckResult; 4], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Named<'a> {
        number: u8,
        check: Check,
        #[serde(flatten)]
        judgement: &'a CheckResult,
    }
    let mut list = serializer.serialize_seq(Some(checks.len()))?;
    for (check, judgement) in Check::ALL.into_iter().zip(checks) {
        list.serialize_element(&Named {
            number: check.number(),
            check,
            judgement,
        })?;
    }
    list.end()
}
