//! Requirements that read call data.

use alloy_primitives::{Address, B256, Bytes};
use atr_registry::{
    Introspection, Requirement, RequirementKind, predicates::merkle_allowlist::Allowlist,
};

/// The requirements, those of nested lists included. Predicates that read call data are never negated.
fn all(introspection: &Introspection) -> Vec<&Requirement> {
    fn collect<'a>(requirements: &'a [Requirement], found: &mut Vec<&'a Requirement>) {
        for requirement in requirements {
            match &requirement.decoded {
                RequirementKind::Nested { requirements, .. } => collect(requirements, found),
                _ => found.push(requirement),
            }
        }
    }
    let mut found = Vec::new();
    if let Introspection::Known { requirements, .. } = introspection {
        collect(requirements, &mut found);
    }
    found
}

/// The Merkle root that a predicate reports.
pub(super) fn allowlist_root(introspection: &Introspection) -> Option<B256> {
    let mut requirements = all(introspection).into_iter();
    requirements.find_map(|requirement| match &requirement.decoded {
        RequirementKind::Allowlist(allowlist) => Some(allowlist.root),
        _ => None,
    })
}

/// Why access is denied, if the call data is the reason.
pub(super) fn denial(
    introspection: &Introspection,
    account: Address,
    data: &Bytes,
    list: Option<&Allowlist>,
) -> Option<String> {
    if let Some(list) = list {
        return match allowlist_root(introspection) {
            Some(root) if root != list.root() => Some(format!(
                "the list has root {}, and the predicate {root}: it is the list of another tool, or changed",
                list.root()
            )),
            _ if list.proof(account).is_none() => Some("the account is not on the list".to_owned()),
            _ => None,
        };
    }
    if !data.is_empty() {
        return None;
    }
    let mut requirements = all(introspection).into_iter();
    requirements.find_map(|requirement| {
        let missing = match &requirement.decoded {
            RequirementKind::Allowlist(_) => "no proof given: add --allowlist FILE",
            RequirementKind::Trait(_) => "no token id given: add it with --data, ABI-encoded",
            RequirementKind::AccessProof(_) => {
                "no signature given: add it with --data, ABI-encoded"
            }
            _ => return None,
        };
        Some(missing.to_owned())
    })
}
