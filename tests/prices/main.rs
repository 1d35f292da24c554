//! Access checks under several schedules of gas prices: OpenZeppelin's tokens behind all common proxies answer with the default
//! stipends, and on Monad longer lists and composites with the stipends that are measured there.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use acceptance::signer::Signer;
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    AccessProofPredicate::digestOfCall,
    CompositePredicate::{Term, setClausesCall, setCompositionCall},
    ERC20BalancePredicate::configureToolERC20_1Call,
    ERC721_OWNER_PREDICATE,
    ERC721OwnerPredicate::{setCollections_0Call, setCollections_1Call},
    ERC1155OwnerPredicate::{CollectionTokens, setCollectionTokens_0Call},
    IToolRegistry::{registerToolCall, tryHasAccessCall},
    LENS,
    Lens::{MeasuredCall, measureCall},
    MerkleAllowlistPredicate::{leafOfCall, setAllowlistRootCall},
    SubscriptionPredicate::configureToolGating_0Call,
    TraitGatedPredicate::configureToolTrait_0Call,
};
use atr_harness::{
    CodeSource, Contracts, ERC1271Wallet, Fork, PlainBeaconProxy, PlainERC20, PlainERC721,
    PlainERC1155, PlainERC1967Proxy, PlainERC7496, PlainSubscription, PlainTransparentProxy,
    Transaction, World, model::predicates::MerkleAllowlist,
};

/// The price schedules.
const FORKS: [Fork; 4] = [Fork::Prague, Fork::Osaka, Fork::Amsterdam, Fork::Monad];

const TRAIT_KEY: B256 = B256::repeat_byte(7);

/// The proxy in front of a token.
#[derive(Clone, Copy, Debug)]
enum Proxy {
    None,
    Erc1967,
    Transparent,
    Beacon,
}

const PROXIES: [Proxy; 4] = [
    Proxy::None,
    Proxy::Erc1967,
    Proxy::Transparent,
    Proxy::Beacon,
];

/// A configured tool.
#[derive(Debug)]
struct Tool {
    name: String,
    id: U256,
    data: Bytes,
    /// The account that is granted access.
    holder: Address,
    /// Accounts that are denied.
    others: Vec<Address>,
    /// Whether it must answer at Monad's prices too.
    on_monad: bool,
}

struct Setup {
    world: World,
    contracts: Contracts,
    creator: Address,
    holder: Address,
    non_holder: Address,
    tools: Vec<Tool>,
}

impl Setup {
    /// All contracts from the bytecode that `ATR_CODE` selects.
    fn new() -> Self {
        let mut world = World::new(Fork::Osaka);
        let contracts = Contracts::deploy(&mut world, &CodeSource::from_environment());
        Self {
            creator: world.actor("creator"),
            holder: world.actor("holder"),
            non_holder: world.actor("non_holder"),
            contracts,
            world,
            tools: Vec::new(),
        }
    }

    /// A token with an implementation of its own, and for a beacon proxy a beacon of its own.
    fn token(&mut self, proxy: Proxy, creation: &Bytes) -> Address {
        let implementation = self.world.deploy("token", creation.clone());
        let argument = implementation.abi_encode();
        let code = match proxy {
            Proxy::None => return implementation,
            Proxy::Erc1967 => &PlainERC1967Proxy::BYTECODE,
            Proxy::Transparent => &PlainTransparentProxy::BYTECODE,
            Proxy::Beacon => &PlainBeaconProxy::BYTECODE,
        };
        self.world
            .deploy("proxy", [code.to_vec(), argument].concat())
    }

    fn call(&mut self, to: Address, call: &impl SolCall) {
        self.world.call(self.creator, to, call);
    }

    fn register(&mut self, predicate: Address) -> U256 {
        let register = registerToolCall {
            metadataURI: "uri".into(),
            manifestHash: B256::repeat_byte(1),
            accessPredicate: predicate,
        };
        let registry = self.contracts.registry;
        self.world.call(self.creator, registry, &register)
    }

    /// Registers a tool with the predicate and configures it.
    fn add<C: SolCall>(
        &mut self,
        (name, on_monad): (String, bool),
        predicate: Address,
        data: Vec<u8>,
        configuration: impl FnOnce(U256) -> C,
    ) {
        let id = self.register(predicate);
        self.call(predicate, &configuration(id));
        let holder = self.holder;
        self.push(name, id, on_monad, (holder, data));
    }

    fn push(&mut self, name: String, id: U256, on_monad: bool, (holder, data): (Address, Vec<u8>)) {
        self.tools.push(Tool {
            name,
            id,
            data: data.into(),
            holder,
            others: vec![self.non_holder],
            on_monad,
        });
    }

    /// An ERC-721 token of the holder.
    fn erc721(&mut self, proxy: Proxy) -> Address {
        let token = self.token(proxy, &PlainERC721::BYTECODE);
        let (to, tokenId) = (self.holder, U256::ONE);
        self.call(token, &PlainERC721::mintCall { to, tokenId });
        token
    }

    /// An ERC-20 token of which the account has 5.
    fn erc20(&mut self, proxy: Proxy, to: Address) -> Address {
        let token = self.token(proxy, &PlainERC20::BYTECODE);
        let amount = U256::from(5);
        self.call(token, &PlainERC20::mintCall { to, amount });
        token
    }

    /// Lists of every accepted length; the account holds a token of the last entry.
    fn add_lists(&mut self, proxy: Proxy) {
        let (at, to) = (self.contracts, self.holder);
        for length in 1..=10_usize {
            let tokens = (0..length).map(|_| self.token(proxy, &PlainERC721::BYTECODE));
            let collections: Vec<_> = tokens.collect();
            let tokenId = U256::ONE;
            self.call(
                collections[length - 1],
                &PlainERC721::mintCall { to, tokenId },
            );
            let name = format!("{length} ERC-721 collections behind {proxy:?}");
            self.add((name, length <= 3), at.erc721_owner, vec![], |toolId| {
                setCollections_1Call {
                    toolId,
                    collections,
                }
            });
        }
        let one_collection = (1..=16).map(|ids| (1, ids));
        for (length, ids) in one_collection.chain((2..=10).map(|length| (length, 1))) {
            let tokens = (0..length).map(|_| self.token(proxy, &PlainERC1155::BYTECODE));
            let tokens: Vec<_> = tokens
                .map(|collection| CollectionTokens {
                    collection,
                    tokenIds: (1..=ids).map(U256::from).collect(),
                })
                .collect();
            let (id, amount) = (U256::from(ids), U256::ONE);
            let last = tokens[length - 1].collection;
            self.call(last, &PlainERC1155::mintCall { to, id, amount });
            let name = format!("{length} ERC-1155 collections with {ids} ids behind {proxy:?}");
            let on_monad = length <= 3 && ids <= 4;
            self.add((name, on_monad), at.erc1155_owner, vec![], |toolId| {
                setCollectionTokens_0Call { toolId, tokens }
            });
        }
    }

    fn add_single_tokens(&mut self, proxy: Proxy) {
        let (at, to) = (self.contracts, self.holder);
        let token = self.erc20(proxy, to);
        let name = format!("ERC-20 behind {proxy:?}");
        self.add((name, true), at.erc20_balance, vec![], |toolId| {
            configureToolERC20_1Call {
                toolId,
                token,
                minBalance: U256::from(5),
            }
        });

        let collection = self.token(proxy, &PlainSubscription::BYTECODE);
        let subscribe = PlainSubscription::setCall {
            account: to,
            tokenId: U256::ONE,
            end: u64::MAX,
            tier: 2,
        };
        self.call(collection, &subscribe);
        let name = format!("subscription behind {proxy:?}");
        self.add((name, true), at.subscription, vec![], |toolId| {
            configureToolGating_0Call {
                toolId,
                collection,
                minTier: 2,
            }
        });

        let collection = self.token(proxy, &PlainERC7496::BYTECODE);
        let tokenId = U256::ONE;
        self.call(collection, &PlainERC7496::mintCall { to, tokenId });
        let value = B256::repeat_byte(1);
        let set = PlainERC7496::setTraitCall {
            tokenId,
            traitKey: TRAIT_KEY,
            value,
        };
        self.call(collection, &set);
        let name = format!("trait behind {proxy:?}");
        self.add(
            (name, true),
            at.trait_gated,
            tokenId.abi_encode(),
            |toolId| configureToolTrait_0Call {
                toolId,
                collection,
                traitsContract: collection,
                traitKey: TRAIT_KEY,
                allowedValues: vec![value],
            },
        );
    }

    /// An allowlist of 2^20 accounts, and signatures of an EOA and of a contract account.
    fn add_data_readers(&mut self) {
        let at = self.contracts;
        let id = self.register(at.merkle_allowlist);
        let proof: Vec<_> = (1..=20).map(B256::repeat_byte).collect();
        let account = self.holder;
        let leaf = leafOfCall {
            toolId: id,
            account,
        };
        let leaf = self.world.read(at.merkle_allowlist, &leaf);
        let root = proof.iter().copied().fold(leaf, MerkleAllowlist::parent);
        let set = setAllowlistRootCall { toolId: id, root };
        self.call(at.merkle_allowlist, &set);
        let data = proof.abi_encode();
        self.push("allowlist".into(), id, true, (account, data));

        let signer = Signer::from_name("signer");
        let wallet = [
            ERC1271Wallet::BYTECODE.to_vec(),
            signer.address.abi_encode(),
        ]
        .concat();
        let wallet = self.world.deploy("wallet", wallet);
        for (name, account) in [("EOA", signer.address), ("contract account", wallet)] {
            let id = self.register(at.access_proof);
            let deadline = u64::MAX;
            let digest = digestOfCall {
                toolId: id,
                account,
                deadline,
            };
            let digest = self.world.read(at.access_proof, &digest);
            let signature = Bytes::from(signer.sign(digest));
            let data = (deadline, signature).abi_encode_params();
            self.push(format!("proof of {name}"), id, true, (account, data));
        }
    }

    /// `(ERC-721 or ERC-20) and not ERC-1155` with the default stipends. The holder has a token of the first, an account that is
    /// denied one of the second and the third.
    fn add_formula(&mut self, proxy: Proxy) {
        let (at, creator) = (self.contracts, self.creator);
        let barred = self.world.actor("barred");
        let id = self.register(at.composite);
        let collections = vec![self.erc721(proxy)];
        let toolId = id;
        let call = setCollections_1Call {
            toolId,
            collections,
        };
        self.call(at.erc721_owner, &call);
        let token = self.erc20(proxy, barred);
        let minBalance = U256::from(5);
        let call = configureToolERC20_1Call {
            toolId,
            token,
            minBalance,
        };
        self.call(at.erc20_balance, &call);
        let collection = self.token(proxy, &PlainERC1155::BYTECODE);
        let (to, amount) = (barred, U256::ONE);
        let mint = PlainERC1155::mintCall { to, id, amount };
        self.call(collection, &mint);
        let tokens = vec![CollectionTokens {
            collection,
            tokenIds: vec![id],
        }];
        self.call(
            at.erc1155_owner,
            &setCollectionTokens_0Call { toolId, tokens },
        );
        let term = |predicate, negate| Term { predicate, negate };
        let either = vec![term(at.erc721_owner, false), term(at.erc20_balance, false)];
        let call = setClausesCall {
            toolId,
            op: 0,
            clauses: vec![either, vec![term(at.erc1155_owner, true)]],
            stipends: vec![],
        };
        self.world.call(creator, at.composite, &call);
        let name = format!("formula behind {proxy:?}");
        let on_monad = matches!(proxy, Proxy::None);
        self.push(name, id, on_monad, (self.holder, vec![]));
        let formula = self.tools.last_mut().expect("the formula");
        formula.others.push(barred);
    }

    /// The stipend of `balanceOf` that the CLI proposes at the current prices: a quarter more than measured.
    fn measured_stipend(&mut self, token: Address) -> U256 {
        let lens = self.world.deploy("lens", LENS.creation().clone());
        let account = self.non_holder;
        let call = MeasuredCall {
            target: token,
            gasLimit: U256::from(1_000_000),
            data: PlainERC721::balanceOfCall { owner: account }
                .abi_encode()
                .into(),
        };
        let measured = self.world.read(lens, &measureCall { calls: vec![call] });
        assert!(measured[0].ok, "the token does not answer");
        let gas: u64 = measured[0].gasUsed.to();
        U256::from((gas + gas / 4).div_ceil(100) * 100)
    }

    /// Whether the setter accepts the call.
    fn accepts(&mut self, to: Address, call: &impl SolCall) -> bool {
        let transaction = Transaction::call(self.creator, to, call);
        self.world.send(&transaction).succeeded()
    }

    fn check(&self, tool: &Tool, account: Address) -> Transaction {
        let call = tryHasAccessCall {
            toolId: tool.id,
            account,
            data: tool.data.clone(),
        };
        Transaction::call(self.creator, self.contracts.registry, &call)
    }

    /// Whether the holder is granted access to the tool and the others are denied, at the current prices.
    fn answers(&mut self, tool: &Tool) -> Result<(), String> {
        let accounts = std::iter::once(&tool.holder).chain(&tool.others);
        for (index, account) in accounts.enumerate() {
            let transaction = self.check(tool, *account);
            let found = self.access(&transaction);
            if found != Some((true, index == 0)) {
                let trace = self.world.trace(&transaction);
                return Err(format!("{}: {found:?}\n{trace}", tool.name));
            }
        }
        Ok(())
    }

    /// `(ok, granted)`; none if the call ran out of gas.
    fn access(&mut self, transaction: &Transaction) -> Option<(bool, bool)> {
        let receipt = self.world.simulate(transaction);
        let pair = receipt.returned::<tryHasAccessCall>()?;
        Some((pair.ok, pair.granted))
    }

    /// The holder is granted access and the others are denied, for every tool under every schedule.
    fn expect_answers(&mut self) {
        let tools = std::mem::take(&mut self.tools);
        let mut wrong = Vec::new();
        for fork in FORKS {
            self.world.set_fork(fork);
            for tool in tools
                .iter()
                .filter(|tool| tool.on_monad || fork != Fork::Monad)
            {
                if let Err(why) = self.answers(tool) {
                    wrong.push(format!("{fork}, {why}"));
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "{} wrong, the first:\n{}",
            wrong.len(),
            wrong[0]
        );
    }
}

#[test]
fn lists_of_proxied_tokens_answer_with_the_default_stipends() {
    let mut setup = Setup::new();
    for proxy in PROXIES {
        setup.add_lists(proxy);
    }
    setup.expect_answers();
}

#[test]
fn single_proxied_tokens_answer_with_the_default_stipends() {
    let mut setup = Setup::new();
    for proxy in PROXIES {
        setup.add_single_tokens(proxy);
    }
    setup.expect_answers();
}

#[test]
fn proofs_and_signatures_answer_with_the_default_stipends() {
    let mut setup = Setup::new();
    setup.add_data_readers();
    setup.expect_answers();
}

#[test]
fn a_formula_of_three_terms_answers_with_the_default_stipends() {
    let mut setup = Setup::new();
    for proxy in PROXIES {
        setup.add_formula(proxy);
    }
    setup.expect_answers();
}

/// The longest list of ERC-721 collections on Monad that answers, by proxy: with the default stipends, and with the measured one.
/// README of the contracts has the figures.
#[test]
fn lists_on_monad_answer_up_to_the_documented_length() {
    for (proxy, expected) in PROXIES.into_iter().zip([[9, 9], [4, 4], [4, 4], [3, 3]]) {
        let mut setup = Setup::new();
        let mut longest = [0, 0];
        for length in 1..=10 {
            setup.world.set_fork(Fork::Osaka);
            let others = (1..length).map(|_| setup.token(proxy, &PlainERC721::BYTECODE));
            let mut collections: Vec<_> = others.collect();
            collections.push(setup.erc721(proxy));
            setup.world.set_fork(Fork::Monad);
            let stipend = setup.measured_stipend(collections[0]);
            for (index, stipend) in [None, Some(stipend)].into_iter().enumerate() {
                let predicate = setup.contracts.erc721_owner;
                let toolId = setup.register(predicate);
                let collections = collections.clone();
                let is_accepted = match stipend {
                    None => {
                        let call = setCollections_1Call {
                            toolId,
                            collections,
                        };
                        setup.accepts(predicate, &call)
                    }
                    Some(stipend) => {
                        let call = setCollections_0Call {
                            toolId,
                            collections,
                            stipend,
                        };
                        setup.accepts(predicate, &call)
                    }
                };
                setup.push("list".into(), toolId, true, (setup.holder, vec![]));
                let tool = setup.tools.pop().expect("the list");
                if is_accepted && setup.answers(&tool).is_ok() {
                    longest[index] = length;
                }
            }
        }
        assert_eq!(longest, expected, "{proxy:?}");
    }
}

/// The largest number of terms of a composite on Monad that answer, each an ERC-721 collection, by proxy: with the default stipends,
/// and with the measured one. README of the contracts has the figures.
#[test]
fn composites_on_monad_answer_up_to_the_documented_number_of_terms() {
    for (proxy, expected) in PROXIES.into_iter().zip([[4, 4], [0, 2], [0, 2], [0, 2]]) {
        let mut setup = Setup::new();
        let mut largest = [0, 0];
        let code = CodeSource::from_environment().creation_code(&ERC721_OWNER_PREDICATE);
        let creation = [code.to_vec(), setup.contracts.registry.abi_encode()].concat();
        for count in 1..=8 {
            for (index, largest) in largest.iter_mut().enumerate() {
                setup.world.set_fork(Fork::Osaka);
                let composite = setup.contracts.composite;
                let toolId = setup.register(composite);
                let mut terms = Vec::new();
                for position in 0..count {
                    let collection = match position + 1 == count {
                        true => setup.erc721(proxy),
                        false => setup.token(proxy, &PlainERC721::BYTECODE),
                    };
                    let predicate = setup.world.deploy("term", creation.clone());
                    setup.world.set_fork(Fork::Monad);
                    let stipend = match index {
                        0 => U256::ZERO,
                        _ => setup.measured_stipend(collection),
                    };
                    setup.world.set_fork(Fork::Osaka);
                    let call = setCollections_0Call {
                        toolId,
                        collections: vec![collection],
                        stipend,
                    };
                    setup.call(predicate, &call);
                    terms.push(Term {
                        predicate,
                        negate: false,
                    });
                }
                let call = setCompositionCall {
                    toolId,
                    op: 1,
                    terms,
                };
                let is_accepted = setup.accepts(composite, &call);
                setup.world.set_fork(Fork::Monad);
                setup.push("composite".into(), toolId, true, (setup.holder, vec![]));
                let tool = setup.tools.pop().expect("the composite");
                if is_accepted && setup.answers(&tool).is_ok() {
                    *largest = count;
                }
            }
        }
        assert_eq!(largest, expected, "{proxy:?}");
    }
}

#[test]
fn no_gas_limit_changes_the_answer_of_a_delegated_token() {
    let mut setup = Setup::new();
    // An EOA that delegates to code whose balance is the gas that it received, less the 2 gas of GAS (EIP-7702).
    let (token, code) = (setup.world.actor("token"), setup.world.actor("code"));
    setup.world.set_code(code, hex!("5a5f5260205ff3"));
    let designator = [&[0xef, 0x01, 0x00], code.as_slice()].concat();
    setup.world.set_code(token, designator);
    let predicate = setup.contracts.erc20_balance;
    let name = "delegated ERC-20".to_owned();
    setup.add((name, true), predicate, vec![], |toolId| {
        configureToolERC20_1Call {
            toolId,
            token,
            minBalance: U256::from(12_000 - 2),
        }
    });
    let transaction = setup.check(&setup.tools[0], setup.holder);
    for fork in FORKS {
        setup.world.set_fork(fork);
        for gas in (25_000..120_000).step_by(17).chain([10_000_000]) {
            let found = setup.access(&transaction.clone().with_gas(gas));
            let is_unknown = found.is_none() || found == Some((false, false));
            let is_expected = found == Some((true, true)) || (is_unknown && gas < 120_000);
            assert!(is_expected, "{fork} with {gas} gas: {found:?}");
        }
    }
}
