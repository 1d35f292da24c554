//! Who plays: creators, accounts with keys, a wallet, tokens of every kind.

use alloy_primitives::Address;
use alloy_sol_types::SolConstructor;
use atr_bindings::{COMPOSITE_PREDICATE, CompositePredicate};
use atr_harness::{
    CodeSource, Contracts, ERC1271Wallet, Fork, PlainERC20, PlainERC721, PlainERC1155,
    PlainERC7496, PlainSubscription, World,
};

use super::{signer::Signer, voices::Voices};

/// A world in which everyone is there and nothing has happened. Deployed once for all tries of a property.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) world: World,
    pub(crate) contracts: Contracts,
    /// A second composite, which may be a term of the first.
    pub(crate) inner: Address,
    pub(crate) creators: [Address; 2],
    pub(crate) signers: [Signer; 3],
    /// A contract account that the first signer owns.
    pub(crate) wallet: Address,
    pub(crate) coins: [Address; 2],
    pub(crate) collections: [Address; 3],
    /// An ERC-721 collection with traits.
    pub(crate) relics: Address,
    pub(crate) editions: [Address; 2],
    pub(crate) passes: [Address; 2],
    /// An address where nothing is.
    pub(crate) nowhere: Address,
    /// What tokens say that are not honest.
    pub(crate) voices: Voices,
    /// Whether the contracts are those we ship.
    pub(crate) is_shipped: bool,
}

impl Cast {
    /// On the oldest fork.
    pub(crate) fn gather() -> Self {
        Self::gather_on(Fork::default())
    }

    pub(crate) fn gather_on(fork: Fork) -> Self {
        Self::gather_in(World::new(fork), &CodeSource::from_environment())
    }

    /// In a world in which nothing has happened yet.
    pub(crate) fn gather_in(mut world: World, code: &CodeSource) -> Self {
        let contracts = Contracts::install(&mut world, code);
        let registry = contracts.registry;
        let constructor = CompositePredicate::constructorCall { registry }.abi_encode();
        let creation = [code.creation_of(&COMPOSITE_PREDICATE).to_vec(), constructor].concat();
        let signers = ["ann", "bob", "cat"].map(Signer::named);
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
            voices: Voices::record(&mut world, signers[0].address),
            signers,
            wallet: world.deploy("wallet", wallet),
            coins: ["gold", "silver"].map(|name| world.deploy(name, PlainERC20::BYTECODE.clone())),
            collections: ["apes", "bees", "cows"]
                .map(|name| world.deploy(name, PlainERC721::BYTECODE.clone())),
            relics: world.deploy("relics", PlainERC7496::BYTECODE.clone()),
            editions: ["prints", "books"]
                .map(|name| world.deploy(name, PlainERC1155::BYTECODE.clone())),
            passes: ["club", "gym"]
                .map(|name| world.deploy(name, PlainSubscription::BYTECODE.clone())),
            nowhere: world.actor("nowhere"),
            is_shipped: *code == CodeSource::Committed,
            world,
            contracts,
        }
    }

    /// Accounts that ask: three with keys, the wallet, and one that has nothing.
    pub(crate) fn accounts(&self) -> [Address; 5] {
        let [ann, bob, cat] = self.signers.each_ref().map(|signer| signer.address);
        [ann, bob, cat, self.wallet, Address::ZERO]
    }

    /// Every token.
    pub(crate) fn tokens(&self) -> Vec<Address> {
        let of_a_kind: [&[Address]; 5] = [
            &self.coins,
            &self.collections,
            &[self.relics],
            &self.editions,
            &self.passes,
        ];
        of_a_kind.concat()
    }

    /// Every predicate; the composites come last.
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
