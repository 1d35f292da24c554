//! The public reference deployment of ERC-8257. The addresses of its predicates are in [`crate::predicates`].

use alloy_primitives::{Address, address};

/// The registry, at the same address on every chain that has it.
pub const REFERENCE_REGISTRY: Address = address!("0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1");

/// Chains with the reference deployment.
pub const REFERENCE_CHAINS: [u64; 6] = [1, 143, 360, 2741, 4663, 8453];
