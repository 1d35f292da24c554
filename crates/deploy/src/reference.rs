//! The public reference deployment: at the same addresses on every chain that has it.

use alloy_primitives::{Address, B256, FixedBytes, b256};
use atr_bindings::{ACCESS_PREDICATE_ID, ERC165_ID, TOOL_REGISTRY, TOOL_REGISTRY_ID};
use atr_registry::{REFERENCE_REGISTRY, reference_predicates};

use crate::inspect::{Expected, Runtime};

/// What `version()` of that registry answers; its predicates promise no version.
const REFERENCE_VERSION: &str = "0.2";

/// The salt it was deployed under, through the same factory as ours.
pub(crate) const REFERENCE_SALT: B256 = B256::with_last_byte(1);

/// One contract of the reference deployment; they are named like ours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) address: Address,
    /// Compiled from its public sources (solc 0.8.28, optimizer runs 2³²−1); a test derives the address from it.
    pub(crate) init_code_hash: Option<B256>,
    /// Hash of the code that leaves behind.
    runtime_hash: Option<B256>,
}

/// Its contracts. Init code is known of the registry; for a predicate, name it with `--init-code-hash` or `--transaction`.
pub(crate) fn contracts() -> Vec<Known> {
    let registry = Known {
        name: TOOL_REGISTRY.name(),
        address: REFERENCE_REGISTRY,
        init_code_hash: Some(b256!(
            "0xad4f54f3e7dc4bc5edccd2cf6697336acdedb6dcd76f8abde2fecaa4058a4002"
        )),
        runtime_hash: Some(b256!(
            "0x2186387006f07e8a2e8099214c330e635dc5dcdfd0522df00d23ec0196c4a218"
        )),
    };
    let predicates = reference_predicates().map(|(name, address)| Known {
        name,
        address,
        init_code_hash: None,
        runtime_hash: None,
    });
    [registry].into_iter().chain(predicates).collect()
}

impl From<&Known> for Expected {
    fn from(known: &Known) -> Self {
        let is_registry = known.address == REFERENCE_REGISTRY;
        let interface_ids: [FixedBytes<4>; 2] = if is_registry {
            [ERC165_ID, TOOL_REGISTRY_ID]
        } else {
            [ERC165_ID, ACCESS_PREDICATE_ID]
        };
        Self {
            name: known.name.to_owned(),
            version: is_registry.then(|| REFERENCE_VERSION.to_owned()),
            registry: (!is_registry).then_some(REFERENCE_REGISTRY),
            interface_ids: interface_ids.into(),
            runtime: known.runtime_hash.map(Runtime::Hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FACTORY;

    #[test]
    fn an_address_follows_from_the_init_code_we_know() {
        let known = contracts()
            .into_iter()
            .filter_map(|known| Some((known.address, known.init_code_hash?)));
        let known: Vec<_> = known.collect();
        assert!(!known.is_empty());
        for (address, hash) in known {
            assert_eq!(FACTORY.create2(REFERENCE_SALT, hash), address);
        }
    }
}
