//! The registry, the predicates and their environment.

use alloy_primitives::{Address, U256};

use super::{
    CallResult, Environment, Registry,
    predicates::{
        AccessProof, AlwaysDeny, Composite, Erc20Balance, Erc721Owner, Erc1155Owner,
        MerkleAllowlist, Predicate, Subscription, TraitGated, view,
    },
};
use crate::Contracts;

/// The model of all contracts of a world.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct ChainModel {
    pub(super) address: Address,
    pub registry: Registry,
    pub environment: Environment,
}

impl ChainModel {
    /// The registry and the nine predicates after deployment.
    #[must_use]
    pub fn new(contracts: &Contracts) -> Self {
        let registry = contracts.registry;
        let mut chain = Self {
            address: registry,
            registry: Registry::new(registry),
            environment: Environment::default(),
        };
        let at = contracts;
        chain.add(at.access_proof, AccessProof::new(at.access_proof, registry));
        chain.add(at.always_deny, AlwaysDeny);
        chain.add(at.composite, Composite::new(at.composite, registry));
        chain.add(
            at.erc1155_owner,
            Erc1155Owner::new(at.erc1155_owner, registry),
        );
        chain.add(
            at.erc20_balance,
            Erc20Balance::new(at.erc20_balance, registry),
        );
        chain.add(at.erc721_owner, Erc721Owner::new(at.erc721_owner, registry));
        chain.add(
            at.merkle_allowlist,
            MerkleAllowlist::new(at.merkle_allowlist, registry),
        );
        chain.add(
            at.subscription,
            Subscription::new(at.subscription, registry),
        );
        chain.add(at.trait_gated, TraitGated::new(at.trait_gated, registry));
        chain
    }

    /// Adds a predicate.
    pub fn add(&mut self, address: Address, predicate: impl Predicate + 'static) {
        self.environment
            .predicates
            .insert(address, Box::new(predicate));
    }

    /// Calls the registry or a predicate.
    ///
    /// # Panics
    ///
    /// On a call to another contract: tests set the state of tokens directly.
    pub fn call(&mut self, from: Address, to: Address, value: U256, data: &[u8]) -> CallResult {
        if to == self.address {
            return self.registry.call(from, value, data, &self.environment);
        }
        if !value.is_zero() {
            return CallResult::reverts_without_data();
        }
        if let Some(predicate) = self.environment.predicates.get(&to)
            && let Some(result) = view(&**predicate, data, self.environment.context())
        {
            return result;
        }
        // Taken out of the map while it changes. None of the contracts it calls calls it back.
        let mut predicate = self
            .environment
            .predicates
            .remove(&to)
            .expect("the callee is a predicate");
        let context = self.environment.context();
        let result = predicate.configure(from, data, &self.registry, context);
        self.environment.predicates.insert(to, predicate);
        result.unwrap_or_else(|revert| revert)
    }
}
