//! A tool that may be invoked.

use atr_ids::ToolRef;
use atr_manifest::Manifest;

use crate::{Evidence, INVOKING_CEILING_SECONDS, Verdict, Window};

/// A tool whose four checks passed and whose manifest follows the manifest rules. Only [`Verdict::into_verified`] creates one.
///
/// Verification does not grant access: only the access predicate decides, not the manifest's access hint (E-29).
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

    /// Reference of the tool.
    #[must_use]
    pub const fn tool(&self) -> ToolRef {
        self.tool
    }

    /// The manifest that the onchain hash commits to.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Inputs of the verification.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Whether a cached value may still be used at `now`, in seconds since 1970 (H-10). Always false after 24 hours, whatever
    /// the policy, because the tool may be invoked (H-12).
    ///
    /// A window of 0, as paid tools request it, is never fresh: use the tool right after verification and do not cache it.
    #[must_use]
    pub fn is_fresh(&self, now: u64) -> bool {
        let Some(window) = self.evidence.window else {
            return false;
        };
        let seconds = window.seconds.min(INVOKING_CEILING_SECONDS);
        Window { seconds, ..window }.is_fresh(self.evidence.checked_at, now)
    }
}

impl TryFrom<Verdict> for VerifiedTool {
    type Error = Box<Verdict>;

    fn try_from(verdict: Verdict) -> Result<Self, Self::Error> {
        verdict.into_verified()
    }
}
