//! Check 3: the bytes keep the rules for hashing, and hash to the onchain value.

use alloy_primitives::{B256, keccak256};
use atr_manifest::{Document, ManifestHash, Violation};

use crate::{CheckResult, Failure};

/// The bytes have no hash to compare: they break a rule that comes before the canonical form.
pub(crate) fn unhashable(violations: Vec<Violation>) -> Failure {
    let observed = violations.iter().map(ToString::to_string);
    let observed = observed.collect::<Vec<_>>().join("; ");
    let failure = Failure::new(
        "bytes",
        observed,
        "UTF-8 without byte-order mark, JSON with one reading, texts in NFC, hex digits in lower case",
        "the file was written in a way that two readers may read differently",
        "correct what is listed; `atr manifest validate` lists it too",
    );
    Failure {
        violations,
        ..failure.then_update(None)
    }
}

/// Judges the hash. A mismatch may be a race with an update: see [`crate::Verifier`] for the one look more.
pub(crate) fn judge(document: &Document, live: ManifestHash, onchain: B256) -> CheckResult {
    if live.word() == onchain {
        return CheckResult::passed(live.to_string());
    }
    let failure = Failure::new(
        "hash-mismatch",
        format!("{live} of what is served"),
        format!("{onchain:#x} as registered"),
        cause(document, onchain),
        "if what is served is right, commit to it; if not, serve what was registered",
    );
    CheckResult::Failed(failure.then_update(None))
}

fn cause(document: &Document, onchain: B256) -> &'static str {
    let raw = document.text();
    // What most often goes wrong when somebody hashes by hand.
    if keccak256(raw) == onchain || keccak256(raw.trim_end()) == onchain {
        return "the registered hash is that of the file, not that of its canonical form (RFC 8785)";
    }
    "the manifest was changed after it was registered, or another file is served"
}
