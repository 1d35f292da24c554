//! The contracts to deploy and their addresses, computed offline.

use alloy_primitives::{Address, B256, Bytes, FixedBytes, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::{
    ACCESS_PREDICATE_ID, CONTRACTS, ContractCode, ERC165_ID, PredicateKind, READS_CALL_DATA_ID,
    REGISTRATION_SCRIPT, REGISTRY_IMMUTABLE, TOOL_REGISTRY, TOOL_REGISTRY_ID,
};
use atr_registry::{REFERENCE_REGISTRY, predicates::reference_address};

use crate::{Error, FACTORY};

/// `version()` of all our contracts.
pub(crate) const VERSION: &str = "1.0";

/// Contracts that a suite has only if they are named.
static PERIPHERY: [&ContractCode; 1] = [&REGISTRATION_SCRIPT];

/// The address of `RegistrationScript` on every chain, with the zero salt. It works with any registry.
#[must_use]
pub fn registration_script_address() -> Address {
    Target::new(&REGISTRATION_SCRIPT, B256::ZERO, Address::ZERO).address()
}

/// The address of a predicate of a registry: in the reference deployment for the reference registry if it has the predicate,
/// otherwise where this crate deploys it with the zero salt.
#[must_use]
pub fn predicate_address(registry: Address, kind: PredicateKind) -> Address {
    match reference_address(kind) {
        Some(address) if registry == REFERENCE_REGISTRY => address,
        _ => Target::new(kind.code(), B256::ZERO, registry).address(),
    }
}

/// The registry and its predicates, with one salt.
#[derive(Clone, Debug)]
pub struct Suite {
    salt: B256,
    registry: Address,
    targets: Vec<Target>,
}

/// A contract to deploy.
#[derive(Clone, Debug)]
pub struct Target {
    code: &'static ContractCode,
    arguments: Bytes,
    init_code: Bytes,
    address: Address,
    registry: Address,
}

impl Suite {
    /// All contracts. The registry comes first; the predicates take its predicted address.
    #[must_use]
    pub fn new(salt: B256) -> Self {
        let registry = FACTORY.create2(salt, TOOL_REGISTRY.creation_hash());
        Self::with_contracts(salt, registry, CONTRACTS.into_iter())
    }

    /// Only the predicates, for an existing registry.
    #[must_use]
    pub fn for_registry(salt: B256, registry: Address) -> Self {
        let is_predicate = |code: &&ContractCode| code.name() != TOOL_REGISTRY.name();
        Self::with_contracts(salt, registry, CONTRACTS.into_iter().filter(is_predicate))
    }

    fn with_contracts(
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

    /// Keeps only the contracts with these names, which can be those of the periphery. Addresses do not change.
    ///
    /// # Errors
    ///
    /// When a name is unknown.
    pub fn only(mut self, names: &[impl AsRef<str>]) -> Result<Self, Error> {
        let (salt, registry) = (self.salt, self.registry);
        let periphery = PERIPHERY.map(|code| Target::new(code, salt, registry));
        self.targets.extend(periphery);
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

    /// The CREATE2 salt.
    #[must_use]
    pub const fn salt(&self) -> B256 {
        self.salt
    }

    /// The registry of the predicates.
    #[must_use]
    pub const fn registry(&self) -> Address {
        self.registry
    }

    /// The contracts in deployment order.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }
}

impl Target {
    /// A contract with a salt. The registry is used if the constructor takes it.
    #[must_use]
    pub fn new(code: &'static ContractCode, salt: B256, registry: Address) -> Self {
        let arguments: Bytes = if code.takes_registry() {
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

    /// Contract name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.code.name()
    }

    /// Bytecode and build record.
    #[must_use]
    pub const fn code(&self) -> &'static ContractCode {
        self.code
    }

    /// CREATE2 address.
    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// Creation code followed by constructor arguments.
    #[must_use]
    pub const fn init_code(&self) -> &Bytes {
        &self.init_code
    }

    /// keccak256 of the init code. Pin this to identify the contract: runtime code does not show what the constructor wrote to
    /// storage.
    #[must_use]
    pub fn init_code_hash(&self) -> B256 {
        keccak256(&self.init_code)
    }

    /// Encoded constructor arguments.
    #[must_use]
    pub const fn arguments(&self) -> &Bytes {
        &self.arguments
    }

    /// The registry passed to the constructor, if it takes one.
    #[must_use]
    pub fn registry(&self) -> Option<Address> {
        self.code.takes_registry().then_some(self.registry)
    }

    /// The deployed runtime code: as compiled, with immutables filled in.
    #[must_use]
    pub fn runtime(&self) -> Bytes {
        let mut code = self.code.runtime().to_vec();
        for (name, ranges) in self.code.build().immutables() {
            // The only other immutable is the contract's own address.
            let address = if name == REGISTRY_IMMUTABLE {
                self.registry
            } else {
                self.address
            };
            for range in ranges {
                let bytes = &mut code[range.start..range.start + range.length];
                bytes.copy_from_slice(address.into_word().as_slice());
            }
        }
        code.into()
    }

    /// Whether it is the registry or a predicate, which have `name()`, `version()` and ERC-165.
    #[must_use]
    pub fn is_core(&self) -> bool {
        CONTRACTS.iter().any(|code| code.name() == self.name())
    }

    /// The interfaces that the contract declares through ERC-165.
    #[must_use]
    pub fn interface_ids(&self) -> Vec<FixedBytes<4>> {
        let Some(kind) = PredicateKind::from_name(self.name()) else {
            return vec![ERC165_ID, TOOL_REGISTRY_ID];
        };
        [ERC165_ID, ACCESS_PREDICATE_ID]
            .into_iter()
            .chain(kind.reads_call_data().then_some(READS_CALL_DATA_ID))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;
    use atr_bindings::REGISTRY_IMMUTABLE;

    use super::*;

    #[test]
    fn a_predicate_address_depends_on_the_registry() {
        assert_eq!(
            predicate_address(REFERENCE_REGISTRY, PredicateKind::Erc721),
            address!("0xc8721c9A776958FfFfEb602DA1b708bf1D318379")
        );
        let suite = Suite::new(B256::ZERO);
        let deployed = suite
            .targets()
            .iter()
            .find(|target| target.name() == PredicateKind::Erc721.name());
        let ours = predicate_address(suite.registry(), PredicateKind::Erc721);
        assert_eq!(ours, deployed.unwrap().address());
        let other = predicate_address(Address::repeat_byte(1), PredicateKind::Erc721);
        assert_ne!(ours, other);
    }

    #[test]
    fn has_every_contract_once_and_the_registry_first() {
        let suite = Suite::new(B256::ZERO);
        assert_eq!(suite.targets().len(), CONTRACTS.len());
        assert_eq!(suite.targets()[0].name(), TOOL_REGISTRY.name());
        assert_eq!(suite.targets()[0].address(), suite.registry());
    }

    #[test]
    fn the_registry_is_the_only_immutable_and_has_32_bytes() {
        for code in CONTRACTS {
            for (name, ranges) in code.build().immutables() {
                assert_eq!(name, REGISTRY_IMMUTABLE, "{}", code.name());
                assert!(ranges.iter().all(|range| range.length == 32));
            }
        }
    }

    #[test]
    fn init_code_and_runtime_contain_the_registry_if_the_constructor_takes_it() {
        let suite = Suite::new(B256::ZERO);
        let word = suite.registry().into_word();
        let mut count = 0;
        for target in suite.targets() {
            let runtime = target.runtime();
            let inside = runtime.windows(32).any(|window| window == word.as_slice());
            assert_eq!(inside, target.registry().is_some(), "{}", target.name());
            assert_eq!(target.init_code().ends_with(word.as_slice()), inside);
            count += usize::from(inside);
        }
        assert!(count > 0);
    }

    #[test]
    fn every_address_depends_on_the_salt() {
        let (first, second) = (Suite::new(B256::ZERO), Suite::new(B256::with_last_byte(1)));
        for (left, right) in first.targets().iter().zip(second.targets()) {
            assert_ne!(left.address(), right.address());
        }
    }

    #[test]
    fn predicates_can_be_deployed_for_an_existing_registry() {
        let registry = Address::repeat_byte(7);
        let suite = Suite::for_registry(B256::ZERO, registry);
        assert_eq!(suite.targets().len(), CONTRACTS.len() - 1);
        for target in suite.targets() {
            assert_eq!(target.registry().unwrap_or(registry), registry);
        }
    }

    #[test]
    fn rejects_an_unknown_contract_name() {
        let suite = Suite::new(B256::ZERO);
        assert_eq!(
            suite.clone().only(&["ToolRegistry"]).unwrap().targets()[0].address(),
            suite.registry()
        );
        let error = suite.only(&["Registry"]).unwrap_err().to_string();
        assert!(error.contains("`Registry`") && error.contains("ToolRegistry"));
        assert!(error.contains("RegistrationScript"), "{error}");
    }

    #[test]
    fn the_script_is_deployed_only_if_it_is_named_and_knows_its_own_address() {
        let is_script = |target: &Target| !target.is_core();
        let suite = Suite::new(B256::ZERO);
        assert!(!suite.targets().iter().any(is_script));
        let suite = suite.only(&["RegistrationScript"]).unwrap();
        let [script] = suite.targets() else {
            panic!("{suite:?}");
        };
        assert_eq!(script.address(), registration_script_address());
        let word = script.address().into_word();
        let runtime = script.runtime();
        assert!(runtime.windows(32).any(|window| window == word.as_slice()));
    }
}
