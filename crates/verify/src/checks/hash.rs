//! Check 3: the bytes are valid for hashing, and the canonical hash equals the onchain hash.

use alloy_primitives::{B256, keccak256};
use atr_manifest::{Document, ManifestHash, Violation};

use crate::{CheckResult, Failure, Remedy};

/// The failure of bytes that have no canonical hash.
pub(crate) fn unhashable(violations: Vec<Violation>) -> Failure {
    let observed: Vec<_> = violations.iter().map(ToString::to_string).collect();
    let failure = Failure::new(
        "bytes",
        observed.join("; "),
        "UTF-8 without a byte-order mark, unambiguous JSON, strings in NFC, lower-case hex",
        "parsers can read the file in different ways, so it has no canonical hash",
        "fix the listed violations",
    );
    Failure {
        violations,
        ..failure.with_remedy(Remedy::UpdateHash)
    }
}

/// Compares the served hash with the onchain hash. A mismatch can be a race with an update; [`crate::Verifier`] rereads the
/// registry once.
pub(crate) fn check(document: &Document, served: ManifestHash, onchain: B256) -> CheckResult {
    if served.to_b256() == onchain {
        return CheckResult::passed(served.to_string());
    }
    let failure = Failure::new(
        "hash-mismatch",
        format!("{served}, the hash of the served manifest"),
        format!("{onchain:#x}, the registered hash"),
        cause(document, onchain),
        "register the hash of the served manifest, or serve the registered manifest again",
    );
    CheckResult::Failed(failure.with_remedy(Remedy::UpdateHash))
}

fn cause(document: &Document, onchain: B256) -> &'static str {
    let raw = document.text();
    // The usual mistake: hashing the file instead of its canonical form.
    if keccak256(raw) == onchain || keccak256(raw.trim_end()) == onchain {
        return "the registered hash is the hash of the file, not of its canonical form (RFC 8785)";
    }
    "the manifest changed after registration, or another file is served"
}
