//! The registry and the predicates.

use alloy_primitives::Address;
use alloy_sol_types::SolValue;
use atr_bindings as bindings;
use bindings::ContractCode;

use crate::{CodeSource, World};

macro_rules! define_contracts {
    (
        configurable { $($configurable:tt)* }
        stateless { $($stateless:tt)* }
    ) => {
        define_contracts! { @rows $($configurable)* $($stateless)* }
    };
    (@rows $(
        $module:ident, $kind:ident, $contract:ident, $code:ident, $artifact:literal, $reads_call_data:literal,
        [$($requirement:ident)?], $doc:literal;
    )*) => {
        /// Addresses of the registry and its predicates.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each is the contract of its name")]
        pub struct Contracts {
            pub registry: Address,
            $(pub $module: Address,)*
        }

        impl Contracts {
            /// Deploys all contracts with the bytecode of `code`.
            pub fn deploy(world: &mut World, code: &CodeSource) -> Self {
                let registry = deploy(world, code, &bindings::TOOL_REGISTRY, Address::ZERO);
                $(let $module = deploy(world, code, &bindings::$code, registry);)*
                Self { registry, $($module,)* }
            }
        }
    };
}

bindings::for_each_predicate!(define_contracts);

/// `registry` is the constructor argument of the contracts that take one.
fn deploy(
    world: &mut World,
    code: &CodeSource,
    contract: &ContractCode,
    registry: Address,
) -> Address {
    let mut creation = code.creation_code(contract).to_vec();
    if contract.takes_registry() {
        creation.extend(registry.abi_encode());
    }
    world.deploy(contract.name(), creation)
}
