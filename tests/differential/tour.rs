//! A tour of the nine predicates: each gets a tool, settings and real tokens, and is asked before and after everything that
//! could change its mind.

use std::{collections::BTreeSet, fmt, str::FromStr};

use acceptance::repository::Repository;
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    AccessProofPredicate::getRequirementsCall,
    CompositePredicate::{Term, setComposition_0Call, setComposition_1Call},
    ERC20BalancePredicate::configureToolERC20Call,
    ERC721OwnerPredicate::setCollectionsCall,
    ERC1155OwnerPredicate::{CollectionTokens, setCollectionTokensCall},
    IToolRegistry::{
        deregisterToolCall, hasAccessCall, registerToolCall, setAccessPredicateCall,
        tryHasAccessCall,
    },
    MerkleAllowlistPredicate::{leafOfCall, setAllowlistRootCall},
    SubscriptionPredicate::configureToolGatingCall,
    TraitGatedPredicate::configureToolTraitCall,
};
use atr_harness::{
    CodeSource, Contracts, Fork, GasBurner, PlainERC20, PlainERC721, PlainERC1155, PlainERC7496,
    PlainSubscription, Receipt, RevertingToken, ShortReturnToken, Transaction, World,
};
use serde_json::Value;

const TRAIT: B256 = B256::repeat_byte(7);

/// The tool each predicate decides on. That of the access proof is the one its vector was signed for.
mod tool {
    pub(super) const ERC721: u64 = 1;
    pub(super) const ACCESS_PROOF: u64 = 2;
    pub(super) const ERC1155: u64 = 3;
    pub(super) const ERC20: u64 = 4;
    pub(super) const MERKLE: u64 = 5;
    pub(super) const SUBSCRIPTION: u64 = 6;
    pub(super) const TRAIT: u64 = 7;
    pub(super) const ALWAYS_DENY: u64 = 8;
    pub(super) const COMPOSITE: u64 = 9;
    pub(super) const LAST: u64 = COMPOSITE;
}

/// Somebody signed for tool 2, on another chain, for a predicate at another address.
struct Proof {
    chain_id: u64,
    predicate: Address,
    signer: Address,
    deadline: u64,
    data: Bytes,
}

struct Tokens {
    erc20: Address,
    erc721: Address,
    erc1155: Address,
    traits: Address,
    subscription: Address,
    hostile: [Address; 3],
}

struct Tour {
    world: World,
    contracts: Contracts,
    tokens: Tokens,
    proof: Proof,
    creator: Address,
    stranger: Address,
    merkle_proof: Bytes,
    /// Tool, `ok` and `granted` of every answer.
    seen: BTreeSet<(u64, bool, bool)>,
}

/// A world in which the tour is about to begin.
pub(crate) fn beginning(fork: Fork) -> World {
    let mut world = World::new(fork);
    world.set_chain_id(Proof::from_vectors().chain_id);
    world.keep_journal();
    world
}

/// Takes the tour and gives back the world, its journal in it.
pub(crate) fn take(mut world: World, code: &CodeSource) -> World {
    let contracts = Contracts::install(&mut world, code);
    let tokens = Tokens::install(&mut world);
    let mut tour = Tour {
        creator: world.actor("creator"),
        stranger: world.actor("stranger"),
        proof: Proof::from_vectors(),
        merkle_proof: Bytes::new(),
        seen: BTreeSet::new(),
        world,
        contracts,
        tokens,
    };
    tour.register();
    tour.ask_all();
    tour.configure();
    tour.ask_all();
    tour.give_tokens();
    tour.ask_all();
    tour.misconfigure();
    tour.let_time_pass();
    tour.take_tokens();
    tour.ask_all();
    tour.trust_hostile_tokens();
    tour.ask_all();
    tour.negate();
    tour.ask_all();
    tour.remove();
    tour.ask_all();
    tour.require_variety();
    tour.world
}

impl Tour {
    fn register(&mut self) {
        let contracts = self.contracts;
        let proof = self.world.code(contracts.access_proof);
        self.world.set_code(self.proof.predicate, proof);
        let predicates = [
            contracts.erc721_owner,
            self.proof.predicate,
            contracts.erc1155_owner,
            contracts.erc20_balance,
            contracts.merkle_allowlist,
            contracts.subscription,
            contracts.trait_gated,
            contracts.always_deny,
            contracts.composite,
        ];
        for predicate in predicates {
            let call = registerToolCall {
                metadataURI: "https://a.example/.well-known/ai-tool/tour.json".to_owned(),
                manifestHash: B256::repeat_byte(1),
                accessPredicate: predicate,
            };
            self.send(contracts.registry, &call);
        }
    }

    fn configure(&mut self) {
        let Contracts { erc721_owner, .. } = self.contracts;
        let contracts = self.contracts;
        let call = collections(vec![self.tokens.erc721, self.tokens.traits]);
        self.send(erc721_owner, &call);
        let call = setCollectionTokensCall {
            toolId: U256::from(tool::ERC1155),
            tokens: vec![CollectionTokens {
                collection: self.tokens.erc1155,
                tokenIds: vec![U256::from(1), U256::from(2)],
            }],
        };
        self.send(contracts.erc1155_owner, &call);
        self.send(contracts.erc20_balance, &erc20(self.tokens.erc20, 100));
        self.allow_signer();
        let call = subscription(self.tokens.subscription);
        self.send(contracts.subscription, &call);
        let call = traits(self.tokens.traits);
        self.send(contracts.trait_gated, &call);
        let call = setComposition_0Call {
            toolId: U256::from(tool::COMPOSITE),
            op: 1,
            terms: self.terms(&[contracts.erc721_owner, contracts.erc20_balance], false),
        };
        self.send(contracts.composite, &call);
        // A composite asks its terms about its own tool, so they are set for it too.
        let id = U256::from(tool::COMPOSITE);
        let mut call = collections(vec![self.tokens.erc721]);
        call.toolId = id;
        self.send(contracts.erc721_owner, &call);
        let mut call = erc20(self.tokens.erc20, 100);
        call.toolId = id;
        self.send(contracts.erc20_balance, &call);
    }

    /// The signer of the vector and one other account are on the list.
    fn allow_signer(&mut self) {
        let mut leaf = |account| {
            let id = U256::from(tool::MERKLE);
            self.world.read(
                self.contracts.merkle_allowlist,
                &leafOfCall {
                    toolId: id,
                    account,
                },
            )
        };
        let (ours, other) = (leaf(self.proof.signer), leaf(self.creator));
        let (low, high) = if ours < other {
            (ours, other)
        } else {
            (other, ours)
        };
        self.merkle_proof = vec![other].abi_encode().into();
        let call = setAllowlistRootCall {
            toolId: U256::from(tool::MERKLE),
            root: keccak256([low, high].concat()),
        };
        self.send(self.contracts.merkle_allowlist, &call);
    }

    fn give_tokens(&mut self) {
        let to = self.proof.signer;
        let (one, two) = (U256::from(1), U256::from(2));
        let expiry = self.world.time() + 1_000;
        self.send(
            self.tokens.erc20,
            &PlainERC20::mintCall {
                to,
                amount: U256::from(100),
            },
        );
        self.send(
            self.tokens.erc721,
            &PlainERC721::mintCall { to, tokenId: one },
        );
        self.send(
            self.tokens.erc1155,
            &PlainERC1155::mintCall {
                to,
                id: two,
                amount: one,
            },
        );
        self.send(
            self.tokens.traits,
            &PlainERC7496::mintCall { to, tokenId: two },
        );
        let call = PlainERC7496::setTraitCall {
            tokenId: two,
            traitKey: TRAIT,
            value: B256::repeat_byte(9),
        };
        self.send(self.tokens.traits, &call);
        let call = PlainSubscription::setCall {
            account: to,
            tokenId: one,
            end: expiry,
            tier: 3,
        };
        self.send(self.tokens.subscription, &call);
    }

    /// What nobody may do, and what even the creator may not.
    fn misconfigure(&mut self) {
        let contracts = self.contracts;
        let call = Transaction::call(
            self.stranger,
            contracts.erc20_balance,
            &erc20(self.tokens.erc20, 1),
        );
        self.world.send(&call);
        self.send(contracts.erc20_balance, &erc20(self.tokens.erc20, 0));
        let too_many = collections((0..200).map(Address::with_last_byte).collect());
        self.send(contracts.erc721_owner, &too_many);
        let call = setComposition_1Call {
            toolId: U256::from(tool::COMPOSITE),
            op: 7,
            terms: Vec::new(),
            budget: U256::MAX,
        };
        self.send(contracts.composite, &call);
        let call = setComposition_0Call {
            toolId: U256::from(tool::COMPOSITE),
            op: 0,
            terms: self.terms(&[contracts.access_proof], true),
        };
        self.send(contracts.composite, &call);
    }

    /// To the second at which the subscription ends, and to the deadline of the proof and past it.
    fn let_time_pass(&mut self) {
        let expiry = self.world.time() + 1_000;
        for time in [
            expiry - 1,
            expiry,
            self.proof.deadline,
            self.proof.deadline + 1,
        ] {
            self.world.set_time(time);
            self.ask_all();
        }
    }

    fn take_tokens(&mut self) {
        let from = self.proof.signer;
        let (one, two) = (U256::from(1), U256::from(2));
        self.send(
            self.tokens.erc20,
            &PlainERC20::burnCall { from, amount: one },
        );
        self.send(self.tokens.erc721, &PlainERC721::burnCall { tokenId: one });
        self.send(
            self.tokens.erc1155,
            &PlainERC1155::burnCall {
                from,
                id: two,
                amount: one,
            },
        );
        self.send(self.tokens.traits, &PlainERC7496::burnCall { tokenId: two });
    }

    fn trust_hostile_tokens(&mut self) {
        let contracts = self.contracts;
        let [burning, reverting, short] = self.tokens.hostile;
        self.send(contracts.erc20_balance, &erc20(burning, 1));
        let call = collections(vec![burning, self.tokens.erc721]);
        self.send(contracts.erc721_owner, &call);
        self.send(contracts.subscription, &subscription(reverting));
        self.send(contracts.trait_gated, &traits(short));
        let call = setCollectionTokensCall {
            toolId: U256::from(tool::ERC1155),
            tokens: vec![CollectionTokens {
                collection: short,
                tokenIds: vec![U256::from(1)],
            }],
        };
        self.send(contracts.erc1155_owner, &call);
    }

    fn negate(&mut self) {
        let contracts = self.contracts;
        let call = setComposition_1Call {
            toolId: U256::from(tool::COMPOSITE),
            op: 0,
            terms: self.terms(&[contracts.erc721_owner, contracts.always_deny], true),
            budget: U256::from(60_000),
        };
        self.send(contracts.composite, &call);
    }

    fn remove(&mut self) {
        let registry = self.contracts.registry;
        let id = U256::from(tool::ALWAYS_DENY);
        let call = setAccessPredicateCall {
            toolId: id,
            newPredicate: Address::ZERO,
        };
        self.send(registry, &call);
        self.send(
            registry,
            &deregisterToolCall {
                toolId: U256::from(tool::TRAIT),
            },
        );
    }

    /// Asks about every tool, for who holds everything and who holds nothing, with proofs and without; and what each
    /// predicate requires.
    fn ask_all(&mut self) {
        let registry = self.contracts.registry;
        for id in 1..=tool::LAST + 1 {
            let tool = U256::from(id);
            let proof = match id {
                tool::ACCESS_PROOF => self.proof.data.clone(),
                tool::MERKLE => self.merkle_proof.clone(),
                tool::TRAIT => U256::from(2).abi_encode().into(),
                _ => Bytes::new(),
            };
            for account in [self.proof.signer, self.stranger] {
                for data in [proof.clone(), Bytes::from_static(b"junk")] {
                    let call = hasAccessCall {
                        toolId: tool,
                        account,
                        data: data.clone(),
                    };
                    self.send(registry, &call);
                    let call = tryHasAccessCall {
                        toolId: tool,
                        account,
                        data,
                    };
                    let pair = self.send(registry, &call).returned::<tryHasAccessCall>();
                    self.seen
                        .extend(pair.map(|pair| (id, pair.ok, pair.granted)));
                }
            }
            let contracts = self.contracts;
            let predicates = [
                contracts.erc721_owner,
                contracts.erc1155_owner,
                contracts.erc20_balance,
                contracts.merkle_allowlist,
                contracts.subscription,
                contracts.trait_gated,
                contracts.composite,
                contracts.access_proof,
                contracts.always_deny,
            ];
            for predicate in predicates {
                self.world.ask(predicate, &getRequirementsCall(tool));
            }
        }
    }

    fn terms(&self, predicates: &[Address], negate: bool) -> Vec<Term> {
        let term = |predicate: &Address| Term {
            predicate: *predicate,
            negate,
        };
        predicates.iter().map(term).collect()
    }

    fn send(&mut self, to: Address, call: &impl SolCall) -> Receipt {
        self.world.send(&Transaction::call(self.creator, to, call))
    }

    /// A tour on which nobody says yes, or nobody is at a loss, compares nothing.
    fn require_variety(&self) {
        let at_a_loss = [
            tool::ERC721,
            tool::ERC1155,
            tool::ERC20,
            tool::SUBSCRIPTION,
            tool::TRAIT,
        ];
        for id in 1..=tool::LAST {
            assert!(
                self.seen.contains(&(id, true, true)),
                "tool {id} never said yes"
            );
            assert!(
                self.seen.contains(&(id, true, false)),
                "tool {id} never said no"
            );
            let could_not_tell = self.seen.contains(&(id, false, false));
            assert!(
                could_not_tell || !at_a_loss.contains(&id),
                "tool {id} always knew"
            );
        }
    }
}

impl Tokens {
    fn install(world: &mut World) -> Self {
        Self {
            erc20: world.deploy("erc20", PlainERC20::BYTECODE.clone()),
            erc721: world.deploy("erc721", PlainERC721::BYTECODE.clone()),
            erc1155: world.deploy("erc1155", PlainERC1155::BYTECODE.clone()),
            traits: world.deploy("erc7496", PlainERC7496::BYTECODE.clone()),
            subscription: world.deploy("subscription", PlainSubscription::BYTECODE.clone()),
            hostile: [
                world.deploy("burning", GasBurner::BYTECODE.clone()),
                world.deploy("reverting", RevertingToken::BYTECODE.clone()),
                world.deploy("short", ShortReturnToken::BYTECODE.clone()),
            ],
        }
    }
}

impl Proof {
    fn from_vectors() -> Self {
        let text = Repository::here()
            .read("tests/vectors/access_proof.json")
            .expect("the vectors are there");
        let json: Value = serde_json::from_str(&text).expect("the vectors are JSON");
        let vector = &json["accessProof"]["vectors"][0];
        let tool: String = field(&vector["message"]["toolId"]);
        assert_eq!(
            tool,
            tool::ACCESS_PROOF.to_string(),
            "signed for another tool"
        );
        Self {
            chain_id: vector["domain"]["chainId"]
                .as_u64()
                .expect("a chain has a number"),
            predicate: field(&vector["domain"]["verifyingContract"]),
            signer: field(&vector["signer"]),
            deadline: field(&vector["message"]["deadline"]),
            data: field(&vector["data"]),
        }
    }
}

/// What the vectors have as text.
fn field<T: FromStr<Err: fmt::Debug>>(value: &Value) -> T {
    let text = value.as_str().expect("a field of the vector is text");
    text.parse()
        .expect("a field of the vector is what its name says")
}

fn collections(collections: Vec<Address>) -> setCollectionsCall {
    setCollectionsCall {
        toolId: U256::from(tool::ERC721),
        collections,
    }
}

fn erc20(token: Address, at_least: u64) -> configureToolERC20Call {
    configureToolERC20Call {
        toolId: U256::from(tool::ERC20),
        token,
        minBalance: U256::from(at_least),
    }
}

fn subscription(collection: Address) -> configureToolGatingCall {
    configureToolGatingCall {
        toolId: U256::from(tool::SUBSCRIPTION),
        collection,
        minTier: 2,
    }
}

fn traits(collection: Address) -> configureToolTraitCall {
    configureToolTraitCall {
        toolId: U256::from(tool::TRAIT),
        collection,
        traitsContract: collection,
        traitKey: TRAIT,
        allowedValues: vec![B256::repeat_byte(8), B256::repeat_byte(9)],
    }
}
