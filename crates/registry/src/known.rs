//! Deployments known by name. Ours follow from a salt and are computed by `deploy`.

use alloy_primitives::{Address, address};
use atr_bindings::{
    ERC20_BALANCE_PREDICATE, ERC721_OWNER_PREDICATE, ERC1155_OWNER_PREDICATE,
    SUBSCRIPTION_PREDICATE, TRAIT_GATED_PREDICATE,
};

/// The registry of the public reference deployment, at the same address on every chain that has it.
pub const REFERENCE_REGISTRY: Address = address!("0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1");

/// Chains that have the reference deployment.
pub const REFERENCE_CHAINS: [u64; 6] = [1, 143, 360, 2741, 4663, 8453];

/// The predicates of the reference deployment, by the names they share with ours.
#[must_use]
pub const fn reference_predicates() -> [(&'static str, Address); 5] {
    [
        (
            ERC721_OWNER_PREDICATE.name(),
            address!("0xc8721c9A776958FfFfEb602DA1b708bf1D318379"),
        ),
        (
            ERC1155_OWNER_PREDICATE.name(),
            address!("0x77373Dc3c1AE9A1e937eF3e5E08F4807D47c7c11"),
        ),
        (
            SUBSCRIPTION_PREDICATE.name(),
            address!("0xCBe0cd9B1d99d95Baa9c58f2767246C52e461f25"),
        ),
        (
            TRAIT_GATED_PREDICATE.name(),
            address!("0x10abF07CfA34Bf22372C57f27e8bd9C2DCF93fA1"),
        ),
        (
            ERC20_BALANCE_PREDICATE.name(),
            address!("0x1a834FC48B5f6e119c62C12a98b32137bCFA77cD"),
        ),
    ]
}
