//! What is deployed, and where it will be: known before anyone is asked.

use std::sync::LazyLock;

use alloy_primitives::{Address, B256, Bytes, FixedBytes, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::{
    ACCESS_PREDICATE_ID, ACCESS_PROOF_PREDICATE, CONTRACTS, ContractCode, ERC165_ID,
    MERKLE_ALLOWLIST_PREDICATE, READS_CALL_DATA_ID, TOOL_REGISTRY, TOOL_REGISTRY_ID,
    TRAIT_GATED_PREDICATE,
};

use crate::{Error, FACTORY};

/// The immutable that holds the registry, and the only one our contracts have.
const REGISTRY_IMMUTABLE: &str = "REGISTRY";

/// What `version()` of all our contracts answers.
pub(crate) const VERSION: &str = "1.0";

/// Predicates whose answer depends on the call data.
static READ_CALL_DATA: LazyLock<[&str; 3]> = LazyLock::new(|| {
    [
        ACCESS_PROOF_PREDICATE.name(),
        MERKLE_ALLOWLIST_PREDICATE.name(),
        TRAIT_GATED_PREDICATE.name(),
    ]
});

/// The registry and the predicates that serve it, under one salt.
#[derive(Clone, Debug)]
pub struct Suite {
    salt: B256,
    registry: Address,
    targets: Vec<Target>,
}

/// One contract to be deployed: its init code and, following from it, its address.
#[derive(Clone, Debug)]
pub struct Target {
    code: &'static ContractCode,
    arguments: Bytes,
    init_code: Bytes,
    address: Address,
    registry: Address,
}

impl Suite {
    /// Everything there is, the registry first: predicates are given its predicted address.
    #[must_use]
    pub fn new(salt: B256) -> Self {
        let registry = FACTORY.create2(salt, TOOL_REGISTRY.creation_hash());
        Self::serving(salt, registry, CONTRACTS.into_iter())
    }

    /// The predicates alone, for a registry that exists already.
    #[must_use]
    pub fn for_registry(salt: B256, registry: Address) -> Self {
        let is_predicate = |code: &&ContractCode| code.name() != TOOL_REGISTRY.name();
        Self::serving(salt, registry, CONTRACTS.into_iter().filter(is_predicate))
    }

    fn serving(
        salt: B256,
        registry: Address,
        codes: impl Iterator<Item = &'static ContractCode>,
    ) -> Self {
        let mut targets: Vec<_> = codes
            .map(|code| Target::new(code, salt, registry))
            .collect();
        targets.sort_by_key(|target| (target.name() != TOOL_REGISTRY.name(), target.name()));
        Self {
            salt,
            registry,
            targets,
        }
    }

    /// The same addresses, some of the contracts.
    ///
    /// # Errors
    ///
    /// When a name is not one of ours.
    pub fn only(mut self, names: &[impl AsRef<str>]) -> Result<Self, Error> {
        for name in names.iter().map(AsRef::as_ref) {
            if !self.targets.iter().any(|target| target.name() == name) {
                return Err(Error::UnknownContract {
                    name: name.to_owned(),
                    known: self.targets.iter().map(Target::name).collect(),
                });
            }
        }
        let wanted = |target: &Target| names.iter().any(|name| name.as_ref() == target.name());
        self.targets.retain(wanted);
        Ok(self)
    }

    /// The salt.
    #[must_use]
    pub const fn salt(&self) -> B256 {
        self.salt
    }

    /// The registry the predicates serve.
    #[must_use]
    pub const fn registry(&self) -> Address {
        self.registry
    }

    /// The contracts, in the order they are deployed.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }
}

impl Target {
    /// A contract of ours under a salt, for a registry.
    #[must_use]
    pub fn new(code: &'static ContractCode, salt: B256, registry: Address) -> Self {
        let arguments: Bytes = if takes_registry(code) {
            registry.abi_encode().into()
        } else {
            Bytes::new()
        };
        let init_code: Bytes = [code.creation().as_ref(), &arguments].concat().into();
        Self {
            address: FACTORY.create2(salt, keccak256(&init_code)),
            code,
            arguments,
            init_code,
            registry,
        }
    }

    /// Name of the contract.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.code.name()
    }

    /// The contract's code and how it was compiled.
    #[must_use]
    pub const fn code(&self) -> &'static ContractCode {
        self.code
    }

    /// Where it will be.
    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// Creation code and constructor arguments.
    #[must_use]
    pub const fn init_code(&self) -> &Bytes {
        &self.init_code
    }

    /// What the address follows from, and what whoever pins the contract must pin: runtime code does not tell what the
    /// constructor wrote into storage.
    #[must_use]
    pub fn init_code_hash(&self) -> B256 {
        keccak256(&self.init_code)
    }

    /// The constructor's arguments, encoded.
    #[must_use]
    pub const fn arguments(&self) -> &Bytes {
        &self.arguments
    }

    /// The registry it was built for, if its constructor takes one.
    #[must_use]
    pub fn registry(&self) -> Option<Address> {
        takes_registry(self.code).then_some(self.registry)
    }

    /// The runtime code as it will be on the chain: the compiler's, with every immutable written in.
    #[must_use]
    pub fn runtime(&self) -> Bytes {
        let mut code = self.code.runtime().to_vec();
        let word = self.registry.into_word();
        for range in self.code.build().immutables().values().flatten() {
            code[range.start..range.start + range.length].copy_from_slice(word.as_slice());
        }
        code.into()
    }

    /// The interfaces it must claim through ERC-165.
    #[must_use]
    pub fn interface_ids(&self) -> Vec<FixedBytes<4>> {
        if self.name() == TOOL_REGISTRY.name() {
            return vec![ERC165_ID, TOOL_REGISTRY_ID];
        }
        let reads = READ_CALL_DATA.contains(&self.name());
        [ERC165_ID, ACCESS_PREDICATE_ID]
            .into_iter()
            .chain(reads.then_some(READS_CALL_DATA_ID))
            .collect()
    }
}

fn takes_registry(code: &ContractCode) -> bool {
    code.build().immutables().contains_key(REGISTRY_IMMUTABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_every_contract_once_and_the_registry_first() {
        let suite = Suite::new(B256::ZERO);
        assert_eq!(suite.targets().len(), CONTRACTS.len());
        assert_eq!(suite.targets()[0].name(), TOOL_REGISTRY.name());
        assert_eq!(suite.targets()[0].address(), suite.registry());
    }

    #[test]
    fn only_the_registry_is_an_immutable_of_ours_and_it_is_one_word() {
        for code in CONTRACTS {
            for (name, ranges) in code.build().immutables() {
                assert_eq!(name, REGISTRY_IMMUTABLE, "{}", code.name());
                assert!(ranges.iter().all(|range| range.length == 32));
            }
        }
    }

    #[test]
    fn the_registry_is_in_init_code_and_runtime_of_those_that_take_it() {
        let suite = Suite::new(B256::ZERO);
        let word = suite.registry().into_word();
        let mut takers = 0;
        for target in suite.targets() {
            let runtime = target.runtime();
            let inside = runtime.windows(32).any(|window| window == word.as_slice());
            assert_eq!(inside, target.registry().is_some(), "{}", target.name());
            assert_eq!(target.init_code().ends_with(word.as_slice()), inside);
            takers += usize::from(inside);
        }
        assert!(takers > 0);
    }

    #[test]
    fn another_salt_moves_every_address() {
        let (zero, one) = (Suite::new(B256::ZERO), Suite::new(B256::with_last_byte(1)));
        for (left, right) in zero.targets().iter().zip(one.targets()) {
            assert_ne!(left.address(), right.address());
        }
    }

    #[test]
    fn a_registry_that_exists_takes_the_place_of_ours() {
        let registry = Address::repeat_byte(7);
        let suite = Suite::for_registry(B256::ZERO, registry);
        assert_eq!(suite.targets().len(), CONTRACTS.len() - 1);
        for target in suite.targets() {
            assert_eq!(target.registry().unwrap_or(registry), registry);
        }
    }

    #[test]
    fn a_name_that_is_not_ours_is_refused() {
        let suite = Suite::new(B256::ZERO);
        assert_eq!(
            suite.clone().only(&["ToolRegistry"]).unwrap().targets()[0].address(),
            suite.registry()
        );
        let error = suite.only(&["Registry"]).unwrap_err().to_string();
        assert!(error.contains("`Registry`") && error.contains("ToolRegistry"));
    }
}
