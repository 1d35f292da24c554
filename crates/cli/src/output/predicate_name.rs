//! Short names of the predicates of a registry.

use alloy_primitives::Address;
use atr_bindings::PredicateKind;
use atr_deploy::predicate_address;

/// The kind of a predicate of this registry; `None` for another predicate.
pub(crate) fn predicate_kind(registry: Address, predicate: Address) -> Option<PredicateKind> {
    PredicateKind::ALL
        .into_iter()
        .find(|kind| predicate_address(registry, *kind) == predicate)
}

/// The short name of a predicate of this registry, such as `erc721`; of another predicate its address.
pub(crate) fn predicate_name(registry: Address, predicate: Address) -> String {
    predicate_kind(registry, predicate).map_or_else(|| predicate.to_string(), PredicateKind::slug)
}

/// Name and address of a predicate of this registry; of another predicate only its address.
pub(crate) fn predicate_title(registry: Address, predicate: Address) -> String {
    let name = predicate_name(registry, predicate);
    let address = predicate.to_string();
    if name == address {
        return address;
    }
    format!("{name} ({address})")
}
