//! The bytes of a deployable contract.

use alloy_primitives::{B256, Bytes, keccak256};
use alloy_sol_types::SolConstructor;

use crate::Build;

/// Creation and runtime code of one contract, exactly as the committed artifact has them.
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

    /// Name of the contract, which is also what its `name()` answers.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Creation code. It is the whole init code only of a contract whose constructor takes no arguments.
    #[must_use]
    pub const fn creation(&self) -> &'static Bytes {
        self.creation
    }

    /// Runtime code as the compiler gives it: where the contract has immutables, the chain's copy differs in those bytes.
    #[must_use]
    pub const fn runtime(&self) -> &'static Bytes {
        self.runtime
    }

    /// How it was compiled: the compiler, the sources, where its immutables are.
    #[must_use]
    pub fn build(&self) -> &'static Build {
        Build::of(self.name)
    }

    /// Init code for a constructor that takes arguments: creation code, then the arguments.
    #[must_use]
    pub fn creation_with(&self, arguments: &impl SolConstructor) -> Bytes {
        [self.creation.as_ref(), &arguments.abi_encode()]
            .concat()
            .into()
    }

    /// Hash of the creation code: which build of the contract this is, and, for a contract without constructor
    /// arguments, what its CREATE2 address follows from.
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
    fn the_hash_is_that_of_the_creation_code() {
        assert_eq!(PREDICATE.creation_hash(), keccak256(hex!("6001")));
    }
}
