//! The ten contracts, deployed.

use alloy_primitives::Address;
use alloy_sol_types::SolConstructor;
use atr_bindings as bindings;
use bindings::ContractCode;

use crate::{CodeSource, World};

/// Addresses of the registry and the nine predicates that serve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the contract of its name")]
pub struct Contracts {
    pub registry: Address,
    pub access_proof: Address,
    pub always_deny: Address,
    pub composite: Address,
    pub erc1155_owner: Address,
    pub erc20_balance: Address,
    pub erc721_owner: Address,
    pub merkle_allowlist: Address,
    pub subscription: Address,
    pub trait_gated: Address,
}

impl Contracts {
    /// Deploys all ten, from the bytes `code` names.
    pub fn install(world: &mut World, code: &CodeSource) -> Self {
        let registry = deploy(world, code, &bindings::TOOL_REGISTRY, None);
        let mut serving = |contract| deploy(world, code, contract, Some(registry));
        Self {
            registry,
            composite: serving(&bindings::COMPOSITE_PREDICATE),
            erc1155_owner: serving(&bindings::ERC1155_OWNER_PREDICATE),
            erc20_balance: serving(&bindings::ERC20_BALANCE_PREDICATE),
            erc721_owner: serving(&bindings::ERC721_OWNER_PREDICATE),
            merkle_allowlist: serving(&bindings::MERKLE_ALLOWLIST_PREDICATE),
            subscription: serving(&bindings::SUBSCRIPTION_PREDICATE),
            trait_gated: serving(&bindings::TRAIT_GATED_PREDICATE),
            access_proof: deploy(world, code, &bindings::ACCESS_PROOF_PREDICATE, None),
            always_deny: deploy(world, code, &bindings::ALWAYS_DENY_PREDICATE, None),
        }
    }
}

fn deploy(
    world: &mut World,
    code: &CodeSource,
    contract: &ContractCode,
    registry: Option<Address>,
) -> Address {
    let mut creation = code.creation_of(contract).to_vec();
    if let Some(registry) = registry {
        // Every predicate with settings has this one constructor.
        creation.extend(bindings::CompositePredicate::constructorCall { registry }.abi_encode());
    }
    world.deploy(contract.name(), creation)
}
