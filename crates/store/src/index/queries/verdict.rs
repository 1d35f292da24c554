//! When a stored verdict counts. Every read of a tool's status comes through here.

use crate::index::{RegistryStatus, VerificationStatus};

/// Joins the verdict `v` of the tool `t`: the one of its URI, hash and creator.
macro_rules! verdict_of_tool {
    () => {
        "v.registry_id = t.registry_id AND v.tool_id = t.tool_id AND v.manifest_hash = t.manifest_hash \
         AND v.uri = t.uri AND v.creator = t.creator"
    };
}
pub(super) use verdict_of_tool;

/// A verdict that [`verdict_of_tool`] found.
#[derive(Clone, Copy)]
pub(super) struct StoredVerdict {
    pub(super) status: VerificationStatus,
    pub(super) fresh_until: u64,
}

/// The status that a tool has now. `shown` is the one of its row, with which lists and counts select.
pub(super) fn status(
    shown: VerificationStatus,
    verdict: Option<StoredVerdict>,
    registry: RegistryStatus,
    now: u64,
) -> VerificationStatus {
    use VerificationStatus::{Pending, Unknown, Verified};
    match verdict {
        _ if shown == Pending => Pending,
        None => Pending,
        Some(verdict) if verdict.status != Verified => verdict.status,
        Some(verdict) => {
            // K-04, H-10: the registry's code is the pinned one, and the verdict is not too old.
            let counts = shown == Verified
                && registry != RegistryStatus::CodeChanged
                && now <= verdict.fresh_until;
            if counts { Verified } else { Unknown }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_counts_only_while_it_is_fresh_and_the_registry_is_trusted() {
        use RegistryStatus::{CodeChanged, Following, Halted};
        use VerificationStatus::{Failed, Pending, Unknown, Verified};
        let verdict = |status| {
            Some(StoredVerdict {
                status,
                fresh_until: 10,
            })
        };
        assert_eq!(status(Verified, verdict(Verified), Following, 10), Verified);
        assert_eq!(status(Verified, verdict(Verified), Halted, 10), Verified);
        assert_eq!(status(Verified, verdict(Verified), Following, 11), Unknown);
        assert_eq!(status(Verified, verdict(Verified), CodeChanged, 1), Unknown);
        assert_eq!(status(Verified, None, Following, 1), Pending);
        assert_eq!(status(Verified, verdict(Failed), Following, 1), Failed);
        assert_eq!(status(Pending, verdict(Verified), Following, 1), Pending);
    }
}
