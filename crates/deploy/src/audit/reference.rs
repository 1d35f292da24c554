//! The public reference deployment, at the same addresses on every chain that has it.

use alloy_primitives::{Address, B256, FixedBytes, b256};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID, PredicateKind, TOOL_REGISTRY, TOOL_REGISTRY_ID,
};
use atr_registry::{REFERENCE_REGISTRY, predicates::reference_address};

use super::check::{Expected, Identity, Runtime};

/// The salt. The factory is the same as ours.
pub(super) const REFERENCE_SALT: B256 = B256::with_last_byte(1);

/// A contract of the reference deployment, with the same name as ours.
///
/// The hashes are of the public sources, compiled with solc 0.8.28, optimizer runs 2³²−1, for Cancun, without a metadata hash.
/// The address follows from the init code, which a test checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferenceContract {
    pub(super) name: &'static str,
    pub(super) address: Address,
    version: &'static str,
    pub(super) init_code_hash: B256,
    /// keccak256 of the runtime code.
    runtime_hash: B256,
}

/// All contracts.
pub(super) fn contracts() -> Vec<ReferenceContract> {
    let registry = ReferenceContract {
        name: TOOL_REGISTRY.name(),
        address: REFERENCE_REGISTRY,
        version: "0.2",
        init_code_hash: b256!("0xad4f54f3e7dc4bc5edccd2cf6697336acdedb6dcd76f8abde2fecaa4058a4002"),
        runtime_hash: b256!("0x2186387006f07e8a2e8099214c330e635dc5dcdfd0522df00d23ec0196c4a218"),
    };
    let predicates = PredicateKind::ALL.into_iter().filter_map(predicate);
    [registry].into_iter().chain(predicates).collect()
}

/// `None` if the reference deployment does not have the predicate.
fn predicate(kind: PredicateKind) -> Option<ReferenceContract> {
    let (version, init_code_hash, runtime_hash) = match kind {
        PredicateKind::Erc721 => (
            "0.2",
            b256!("0xf2e2132be109cec0a6b338dfaa9c9887e3fe17d70689925e3605f6ac7776e795"),
            b256!("0xc09115ce9377161f71f36a73e1aa44a84f5899de0c4015c4a4cf5102f5614406"),
        ),
        PredicateKind::Erc1155 => (
            "0.2",
            b256!("0xaa77f4b8633860f269ff2a96a6656fa008ce1588ebfc5eb7b64f080eec5ac666"),
            b256!("0xe3b5185074d62d84ab223f777b500323900843798c2b400c4eda712ae6555ed1"),
        ),
        PredicateKind::Subscription => (
            "0.2",
            b256!("0x87db51cdfb8c71e16e3579151e4cb4d60f723c3f9769bdf6f6c847b6a8843d30"),
            b256!("0x084220952c560e3f890ff7ee75755d4f75fad6fc4bc581f16f73e4677b4aa115"),
        ),
        PredicateKind::Trait => (
            "0.1",
            b256!("0x734d6753146c55eb87515d4322be837cf3c26b20e19bf24e910c2dae5563dab9"),
            b256!("0x3fe41d34b46a6665cd7c99e04134b2a986e2a5cb020886c12a309c8e44cd02ea"),
        ),
        PredicateKind::Erc20 => (
            "0.1",
            b256!("0xf4d30d0b0f4294f3a6a5a854f67b9cee68b85b5178725463c87676b5940d93db"),
            b256!("0x7b637969e6d0e5a4ccbcf0b184da69f4a5c771775174b07c69a6a1d0980d8bcd"),
        ),
        _ => return None,
    };
    Some(ReferenceContract {
        name: kind.name(),
        address: reference_address(kind)?,
        version,
        init_code_hash,
        runtime_hash,
    })
}

impl From<&ReferenceContract> for Expected {
    fn from(contract: &ReferenceContract) -> Self {
        let is_registry = contract.address == REFERENCE_REGISTRY;
        let interface_ids: [FixedBytes<4>; 2] = if is_registry {
            [ERC165_ID, TOOL_REGISTRY_ID]
        } else {
            [ERC165_ID, ACCESS_PREDICATE_ID]
        };
        Self {
            identity: Some(Identity {
                name: contract.name.to_owned(),
                version: contract.version.to_owned(),
                interface_ids: interface_ids.into(),
            }),
            registry: (!is_registry).then_some(REFERENCE_REGISTRY),
            runtime: Runtime::Hash(contract.runtime_hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FACTORY;

    #[test]
    fn every_address_follows_from_the_init_code() {
        let contracts = contracts();
        for contract in &contracts {
            let address = FACTORY.create2(REFERENCE_SALT, contract.init_code_hash);
            assert_eq!(address, contract.address, "{}", contract.name);
        }
        let with_address = PredicateKind::ALL.into_iter().filter_map(reference_address);
        assert_eq!(contracts.len(), 1 + with_address.count());
    }
}
