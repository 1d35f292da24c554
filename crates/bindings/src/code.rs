//! Bytecode of a deployable contract.

use alloy_primitives::{B256, Bytes, keccak256};
use alloy_sol_types::SolConstructor;

use crate::Build;

/// The immutable that holds the registry's address. Our contracts have no other.
pub const REGISTRY_IMMUTABLE: &str = "REGISTRY";

/// Creation and runtime code of one contract, exactly as in the committed artifact.
#[derive(Clone, Copy, Debug)]
pub struct ContractCode {
    name: &'static str,
    creation: &'static Bytes,
    runtime: &'static Bytes,
}

impl ContractCode {
    pub(crate) const fn new(
        name: &'static str,
        creation: &'static Bytes,
        runtime: &'static Bytes,
    ) -> Self {
        Self {
            name,
            creation,
            runtime,
        }
    }

    /// Name of the contract; `name()` returns the same.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Creation code without constructor arguments.
    #[must_use]
    pub const fn creation(&self) -> &'static Bytes {
        self.creation
    }

    /// Runtime code as compiled. Immutables are zero; deployed code differs in those bytes.
    #[must_use]
    pub const fn runtime(&self) -> &'static Bytes {
        self.runtime
    }

    /// Compiler, sources and positions of the immutables.
    #[must_use]
    pub fn build(&self) -> &'static Build {
        Build::find(self.name)
    }

    /// Whether the constructor takes the registry's address. It takes nothing else.
    #[must_use]
    pub fn takes_registry(&self) -> bool {
        self.build().immutables().contains_key(REGISTRY_IMMUTABLE)
    }

    /// Init code: creation code followed by the encoded constructor arguments.
    #[must_use]
    pub fn creation_with(&self, arguments: &impl SolConstructor) -> Bytes {
        [self.creation.as_ref(), &arguments.abi_encode()]
            .concat()
            .into()
    }

    /// keccak256 of the creation code. It identifies the build; for a contract without constructor arguments it is also the
    /// init code hash of its CREATE2 address.
    #[must_use]
    pub fn creation_hash(&self) -> B256 {
        keccak256(self.creation)
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{address, bytes, hex};

    use super::*;

    alloy_sol_types::sol! {
        #[sol(bytecode = "0x6001", deployed_bytecode = "0x02")]
        contract Predicate {
            constructor(address registry);
        }
    }

    const PREDICATE: ContractCode = ContractCode::new(
        "Predicate",
        &Predicate::BYTECODE,
        &Predicate::DEPLOYED_BYTECODE,
    );

    #[test]
    fn constructor_arguments_follow_the_creation_code() {
        let registry = address!("0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1");
        assert_eq!(
            PREDICATE.creation_with(&Predicate::constructorCall { registry }),
            bytes!("0x6001000000000000000000000000265bb2dbfc0a8165c9a1941eb1372f349bad2cf1")
        );
    }

    #[test]
    fn the_creation_hash_covers_the_creation_code() {
        assert_eq!(PREDICATE.creation_hash(), keccak256(hex!("6001")));
    }
}
