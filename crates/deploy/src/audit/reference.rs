//! The public reference deployment, at the same addresses on every chain that has it.

use alloy_primitives::{Address, B256, FixedBytes, b256};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID, PredicateKind, TOOL_REGISTRY, TOOL_REGISTRY_ID,
};
use atr_registry::{REFERENCE_REGISTRY, predicates::reference_address};

use super::check::{Expected, Runtime};

/// `version()` of the registry. Its predicates have none.
const REFERENCE_VERSION: &str = "0.2";

/// The salt. The factory is the same as ours.
pub(super) const REFERENCE_SALT: B256 = B256::with_last_byte(1);

/// A contract of the reference deployment, with the same name as ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferenceContract {
    pub(super) name: &'static str,
    pub(super) address: Address,
    /// Compiled from its public sources (solc 0.8.28, optimizer runs 2³²−1). A test derives the address from it.
    pub(super) init_code_hash: Option<B256>,
    /// keccak256 of the runtime code.
    runtime_hash: Option<B256>,
}

/// All contracts. The init code of the predicates is unknown.
pub(super) fn contracts() -> Vec<ReferenceContract> {
    let registry = ReferenceContract {
        name: TOOL_REGISTRY.name(),
        address: REFERENCE_REGISTRY,
        init_code_hash: Some(b256!(
            "0xad4f54f3e7dc4bc5edccd2cf6697336acdedb6dcd76f8abde2fecaa4058a4002"
        )),
        runtime_hash: Some(b256!(
            "0x2186387006f07e8a2e8099214c330e635dc5dcdfd0522df00d23ec0196c4a218"
        )),
    };
    let predicates = PredicateKind::ALL.into_iter().filter_map(|kind| {
        Some(ReferenceContract {
            name: kind.name(),
            address: reference_address(kind)?,
            init_code_hash: None,
            runtime_hash: None,
        })
    });
    [registry].into_iter().chain(predicates).collect()
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
            name: contract.name.to_owned(),
            version: is_registry.then(|| REFERENCE_VERSION.to_owned()),
            registry: (!is_registry).then_some(REFERENCE_REGISTRY),
            interface_ids: interface_ids.into(),
            runtime: contract.runtime_hash.map(Runtime::Hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FACTORY;

    #[test]
    fn the_known_init_code_determines_the_address() {
        let known: Vec<_> = contracts()
            .into_iter()
            .filter_map(|contract| Some((contract.address, contract.init_code_hash?)))
            .collect();
        assert!(!known.is_empty());
        for (address, hash) in known {
            assert_eq!(FACTORY.create2(REFERENCE_SALT, hash), address);
        }
    }
}
