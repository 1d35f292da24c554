//! A tool that may be invoked.

use atr_ids::ToolRef;
use atr_manifest::Manifest;

use crate::{Evidence, INVOKING_CEILING_SECONDS, Verdict, Window};

/// A tool whose four checks hold and whose manifest keeps its rules. Made by [`Verdict::into_verified`] alone, so whoever
/// asks for one cannot be handed another.
///
/// That it may be invoked does not mean that everybody may: the predicate decides on that, whatever the manifest hints
/// (E-29).
#[derive(Clone, Debug)]
pub struct VerifiedTool {
    tool: ToolRef,
    manifest: Manifest,
    evidence: Evidence,
}

impl VerifiedTool {
    pub(crate) const fn new(tool: ToolRef, manifest: Manifest, evidence: Evidence) -> Self {
        Self {
            tool,
            manifest,
            evidence,
        }
    }

    /// Which tool.
    #[must_use]
    pub const fn tool(&self) -> ToolRef {
        self.tool
    }

    /// Its manifest, as its creator committed to it.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What that rests on.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Whether it may be taken out of a cache (H-10); never after 24 hours, whatever the policy, because it may be invoked
    /// (H-12). After that, verify again.
    ///
    /// With a window of 0, which paid tools ask for, that is never: such a tool is used right after it was verified, and not
    /// kept.
    #[must_use]
    pub fn is_fresh(&self, now: u64) -> bool {
        let Some(window) = self.evidence.window else {
            return false;
        };
        let seconds = window.seconds.min(INVOKING_CEILING_SECONDS);
        Window { seconds, ..window }.holds(self.evidence.checked_at, now)
    }
}

impl TryFrom<Verdict> for VerifiedTool {
    type Error = Box<Verdict>;

    fn try_from(verdict: Verdict) -> Result<Self, Self::Error> {
        verdict.into_verified()
    }
}
