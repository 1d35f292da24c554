//! Contracts and accounts of the predicates' scenarios.

use acceptance::signer::Signer;
use alloy_primitives::Address;
use alloy_sol_types::SolConstructor;
use atr_bindings::{COMPOSITE_PREDICATE, CompositePredicate};
use atr_harness::{
    CodeSource, Contracts, ERC1271Wallet, Fork, PlainERC20, PlainERC721, PlainERC1155,
    PlainERC7496, PlainSubscription, World,
    model::{Registry, layout},
};

use super::token_behaviors::TokenBehaviors;

/// A world after deployment. Deployed once per property.
#[derive(Debug)]
pub(crate) struct Actors {
    pub(crate) world: World,
    pub(crate) contracts: Contracts,
    /// A second composite, for nesting.
    pub(crate) inner: Address,
    pub(crate) creators: [Address; 2],
    pub(crate) signers: [Signer; 3],
    /// A smart account (ERC-1271) of the first signer.
    pub(crate) wallet: Address,
    pub(crate) erc20s: [Address; 2],
    pub(crate) erc721s: [Address; 3],
    /// ERC-721 with traits.
    pub(crate) erc7496: Address,
    pub(crate) erc1155s: [Address; 2],
    pub(crate) subscriptions: [Address; 2],
    /// An account without tokens; sends view calls.
    pub(crate) eoa: Address,
    /// Code of tokens that are not honest.
    pub(crate) behaviors: TokenBehaviors,
    /// The number of tools that were deregistered before.
    pub(crate) deregistered: usize,
    /// Whether the contracts have the committed bytecode.
    pub(crate) is_shipped: bool,
}

impl Actors {
    /// On the oldest fork.
    pub(crate) fn deploy() -> Self {
        Self::deploy_on(Fork::default())
    }

    pub(crate) fn deploy_on(fork: Fork) -> Self {
        Self::deploy_in(World::new(fork), &CodeSource::from_environment())
    }

    /// Deploys everything in an empty world.
    pub(crate) fn deploy_in(mut world: World, code: &CodeSource) -> Self {
        let contracts = Contracts::deploy(&mut world, code);
        let registry = contracts.registry;
        let constructor = CompositePredicate::constructorCall { registry }.abi_encode();
        let creation = [
            code.creation_code(&COMPOSITE_PREDICATE).to_vec(),
            constructor,
        ]
        .concat();
        let signers = ["ann", "bob", "cat"].map(Signer::from_name);
        for (signer, name) in signers.iter().zip(["ann", "bob", "cat"]) {
            world.name(signer.address, name);
        }
        let owner = ERC1271Wallet::constructorCall {
            owner: signers[0].address,
        };
        let wallet = [ERC1271Wallet::BYTECODE.to_vec(), owner.abi_encode()].concat();
        Self {
            inner: world.deploy("inner composite", creation),
            creators: ["creator of odd tools", "creator of even tools"]
                .map(|name| world.actor(name)),
            behaviors: TokenBehaviors::deploy(&mut world, signers[0].address),
            signers,
            wallet: world.deploy("wallet", wallet),
            erc20s: ["gold", "silver"].map(|name| world.deploy(name, PlainERC20::BYTECODE.clone())),
            erc721s: ["apes", "bees", "cows"]
                .map(|name| world.deploy(name, PlainERC721::BYTECODE.clone())),
            erc7496: world.deploy("erc7496", PlainERC7496::BYTECODE.clone()),
            erc1155s: ["prints", "books"]
                .map(|name| world.deploy(name, PlainERC1155::BYTECODE.clone())),
            subscriptions: ["club", "gym"]
                .map(|name| world.deploy(name, PlainSubscription::BYTECODE.clone())),
            eoa: world.actor("eoa"),
            deregistered: 0,
            is_shipped: *code == CodeSource::Committed,
            world,
            contracts,
        }
    }

    /// With the ids of so many tools already used.
    pub(crate) fn after_deregistrations(mut self, count: usize) -> Self {
        let registry = self.contracts.registry;
        let model = Registry::after_deregistrations(registry, count);
        for (slot, value) in layout::storage(&model) {
            self.world.set_storage(registry, slot, value);
        }
        self.deregistered = count;
        self
    }

    /// Accounts to check: three signers, the smart account, the zero address.
    pub(crate) fn accounts(&self) -> [Address; 5] {
        let [ann, bob, cat] = self.signers.each_ref().map(|signer| signer.address);
        [ann, bob, cat, self.wallet, Address::ZERO]
    }

    /// All tokens.
    pub(crate) fn tokens(&self) -> Vec<Address> {
        let by_kind: [&[Address]; 5] = [
            &self.erc20s,
            &self.erc721s,
            &[self.erc7496],
            &self.erc1155s,
            &self.subscriptions,
        ];
        by_kind.concat()
    }

    /// All predicates, composites last.
    pub(crate) fn predicates(&self) -> [Address; 10] {
        let at = &self.contracts;
        [
            at.erc721_owner,
            at.erc1155_owner,
            at.erc20_balance,
            at.subscription,
            at.trait_gated,
            at.merkle_allowlist,
            at.access_proof,
            at.always_deny,
            self.inner,
            at.composite,
        ]
    }
}
