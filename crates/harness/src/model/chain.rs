//! Everything at once: the registry, the predicates, and whom they ask.

use alloy_primitives::{Address, U256};

use super::{
    Neighbours, Registry, Reply,
    predicates::{
        AccessProof, AlwaysDeny, Composite, Erc20Balance, Erc721Owner, Erc1155Owner,
        MerkleAllowlist, Predicate, Subscription, TraitGated, view,
    },
};
use crate::Contracts;

/// What the contracts of a world must do, all of them together.
#[derive(Clone, Debug)]
pub struct Chain {
    pub(super) address: Address,
    /// The registry.
    pub registry: Registry,
    /// Everyone else, and what block it is.
    pub neighbours: Neighbours,
}

impl Chain {
    /// The registry and the nine predicates, as they are when they were just deployed.
    #[must_use]
    pub fn new(contracts: &Contracts) -> Self {
        let registry = contracts.registry;
        let mut chain = Self {
            address: registry,
            registry: Registry::new(registry),
            neighbours: Neighbours::default(),
        };
        let at = contracts;
        chain.add(at.access_proof, AccessProof::new(at.access_proof));
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

    /// There is a predicate here now.
    pub fn add(&mut self, address: Address, predicate: impl Predicate + 'static) {
        self.neighbours
            .predicates
            .insert(address, Box::new(predicate));
    }

    /// Makes a call to the registry or a predicate.
    ///
    /// # Panics
    ///
    /// When it is a call to anyone else: tokens are told what happens to them, they do not work it out.
    pub fn call(&mut self, from: Address, to: Address, value: U256, data: &[u8]) -> Reply {
        if to == self.address {
            return self.registry.call(from, value, data, &self.neighbours);
        }
        if !value.is_zero() {
            return Reply::reverts_silently();
        }
        if let Some(predicate) = self.neighbours.predicates.get(&to)
            && let Some(reply) = view(&**predicate, data, self.neighbours.around())
        {
            return reply;
        }
        // Taken out while it is set up: it looks around, and none of those it asks asks it back.
        let mut predicate = self.neighbours.predicates.remove(&to).expect("a predicate");
        let around = self.neighbours.around();
        let ended = predicate.set(from, data, &self.registry, around);
        self.neighbours.predicates.insert(to, predicate);
        ended.unwrap_or_else(|refusal| refusal)
    }
}
