//! Access checks under several schedules of gas prices: OpenZeppelin's tokens behind all common proxies answer with the default
//! stipends.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ERC20BalancePredicate::configureToolERC20_1Call,
    ERC721OwnerPredicate::setCollections_1Call,
    ERC1155OwnerPredicate::{CollectionTokens, setCollectionTokens_0Call},
    IToolRegistry::{registerToolCall, tryHasAccessCall},
    SubscriptionPredicate::configureToolGating_0Call,
    TraitGatedPredicate::configureToolTrait_0Call,
};
use atr_harness::{
    CodeSource, Contracts, Fork, PlainBeaconProxy, PlainERC20, PlainERC721, PlainERC1155,
    PlainERC1967Proxy, PlainERC7496, PlainSubscription, PlainTransparentProxy, Transaction, World,
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
    /// Whether it must answer at Monad's prices too.
    on_monad: bool,
}

struct Setup {
    world: World,
    contracts: Contracts,
    creator: Address,
    holder: Address,
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

    /// Registers a tool with the predicate and configures it.
    fn add<C: SolCall>(
        &mut self,
        (name, on_monad): (String, bool),
        predicate: Address,
        data: Vec<u8>,
        configuration: impl FnOnce(U256) -> C,
    ) {
        let register = registerToolCall {
            metadataURI: "uri".into(),
            manifestHash: B256::repeat_byte(1),
            accessPredicate: predicate,
        };
        let registry = self.contracts.registry;
        let id = self.world.call(self.creator, registry, &register);
        self.call(predicate, &configuration(id));
        self.tools.push(Tool {
            name,
            id,
            data: data.into(),
            on_monad,
        });
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
        let token = self.token(proxy, &PlainERC20::BYTECODE);
        let amount = U256::from(5);
        self.call(token, &PlainERC20::mintCall { to, amount });
        let name = format!("ERC-20 behind {proxy:?}");
        self.add((name, true), at.erc20_balance, vec![], |toolId| {
            configureToolERC20_1Call {
                toolId,
                token,
                minBalance: amount,
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

    fn check(&self, tool: &Tool, account: Address) -> Transaction {
        let call = tryHasAccessCall {
            toolId: tool.id,
            account,
            data: tool.data.clone(),
        };
        Transaction::call(self.creator, self.contracts.registry, &call)
    }

    /// `(ok, granted)`; none if the call ran out of gas.
    fn access(&mut self, transaction: &Transaction) -> Option<(bool, bool)> {
        let receipt = self.world.simulate(transaction);
        let pair = receipt.returned::<tryHasAccessCall>()?;
        Some((pair.ok, pair.granted))
    }

    /// The holder is granted access and a stranger is denied, for every tool under every schedule.
    fn expect_answers(&mut self) {
        let stranger = self.world.actor("stranger");
        let tools = std::mem::take(&mut self.tools);
        let mut wrong = Vec::new();
        for fork in FORKS {
            self.world.set_fork(fork);
            for tool in tools
                .iter()
                .filter(|tool| tool.on_monad || fork != Fork::Monad)
            {
                for (account, granted) in [(self.holder, true), (stranger, false)] {
                    let transaction = self.check(tool, account);
                    let found = self.access(&transaction);
                    if found != Some((true, granted)) {
                        let trace = self.world.trace(&transaction);
                        wrong.push(format!("{fork}, {}: {found:?}\n{trace}", tool.name));
                    }
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
