use alloy_primitives::{Address, U256, hex};
use alloy_sol_types::{SolCall, sol};
use atr_bindings::{
    COMPOSITE_PREDICATE, ERC20_BALANCE_PREDICATE, ERC721_OWNER_PREDICATE,
    MERKLE_ALLOWLIST_PREDICATE, PredicateKind, REGISTRATION_SCRIPT,
};
use atr_registry::{
    Access, Configuration, Error, Gate, GateError, GateExpression, Registration,
    RegistrationAccess,
    predicates::{TokenStandard, erc20_balance, merkle_allowlist::Allowlist},
};

use serde_json::json;

use crate::{
    chain::{Chain, HASH, URI, account},
    transport::Action,
};

sol! {
    function run(address script, bytes data);
    function mint(address to, uint256 number);
}

/// A chain with some predicates and tokens.
struct World {
    chain: Chain,
    predicates: Vec<(PredicateKind, Address)>,
    nft: Address,
    token: Address,
}

impl World {
    async fn start() -> Self {
        let chain = Chain::start().await;
        let predicates = [
            (PredicateKind::Erc721, &ERC721_OWNER_PREDICATE),
            (PredicateKind::Erc20, &ERC20_BALANCE_PREDICATE),
            (PredicateKind::Allowlist, &MERKLE_ALLOWLIST_PREDICATE),
            (PredicateKind::Composite, &COMPOSITE_PREDICATE),
        ];
        let predicates = predicates.map(|(kind, code)| (kind, chain.deploy_predicate(code)));
        Self {
            predicates: predicates.to_vec(),
            nft: chain.deploy_mock("PlainERC721", &[]),
            token: chain.deploy_mock("PlainERC20", &[]),
            chain,
        }
    }

    fn predicate(&self, kind: PredicateKind) -> Address {
        let mut predicates = self.predicates.iter();
        predicates.find(|(known, _)| *known == kind).unwrap().1
    }

    async fn resolve(&self, expression: &str) -> Result<Gate, GateError> {
        let expression = expression
            .replace("$NFT", &self.nft.to_string())
            .replace("$TOKEN", &self.token.to_string());
        let expression: GateExpression = expression.parse()?;
        let list = |name: &str| match name {
            "empty" => Vec::new(),
            _ => vec![account(1), account(2), account(1)],
        };
        let predicate = |kind| self.predicate(kind);
        let registry = &self.chain.registry;
        registry.resolve_gate(&expression, predicate, list).await
    }

    async fn registration(&self, expression: &str) -> Registration {
        Registration {
            metadata_uri: URI.to_owned(),
            manifest_hash: HASH,
            access: RegistrationAccess::Gate(self.resolve(expression).await.unwrap()),
        }
    }
}

#[tokio::test]
async fn a_condition_becomes_a_configuration_and_several_a_composite() {
    let world = World::start().await;
    let id = U256::from(7);
    let balance = world.resolve("erc20:$TOKEN:1.5").await.unwrap();
    assert_eq!(balance.predicate(), world.predicate(PredicateKind::Erc20));
    let expected = Configuration::from(erc20_balance::Configuration {
        token: world.token,
        min_balance: U256::from(15) * U256::from(10).pow(U256::from(17)),
        stipend: None,
    });
    assert_eq!(
        balance.configurations(id),
        [(balance.predicate(), expected)]
    );
    assert!(balance.composite().is_none());

    // The root contains the tool id. Duplicates do not change it.
    let list = world.resolve("allowlist:members").await.unwrap();
    let root = Allowlist::try_new(id, [account(1), account(2)])
        .unwrap()
        .root();
    match list.configurations(id).as_slice() {
        [(_, Configuration::Allowlist(configuration))] => assert_eq!(configuration.root, root),
        other => panic!("{other:?}"),
    }

    let both = world
        .resolve("erc721:$NFT and not erc20:$TOKEN:1")
        .await
        .unwrap();
    assert_eq!(both.predicate(), world.predicate(PredicateKind::Composite));
    let kinds: Vec<_> = both
        .configurations(id)
        .iter()
        .map(|(_, set)| set.kind())
        .collect();
    let (erc721, erc20) = (PredicateKind::Erc721, PredicateKind::Erc20);
    assert_eq!(kinds, [erc721, erc20, PredicateKind::Composite]);
    // A negated condition needs a composite; an absorbed one needs no configuration.
    let negated = world.resolve("not erc721:$NFT").await.unwrap();
    assert_eq!(negated.kind(), PredicateKind::Composite);
    let absorbed = "erc721:$NFT or (erc721:$NFT and erc20:$TOKEN:1)";
    let absorbed = world.resolve(absorbed).await.unwrap();
    assert_eq!(absorbed.kind(), erc721);
    assert_eq!(absorbed.configurations(id).len(), 1);
}

#[tokio::test]
async fn rejects_amounts_and_lists_that_do_not_fit() {
    let world = World::start().await;
    let error = |expression| {
        let gate = world.resolve(expression);
        async move { gate.await.unwrap_err() }
    };
    let precise = error("erc20:$TOKEN:0.0000000000000000001").await;
    assert!(matches!(
        precise,
        GateError::InvalidAmount { decimals: 18, .. }
    ));
    let collection = error("erc20:$NFT:1").await;
    assert!(
        matches!(collection, GateError::NoDecimals { token, declared: Some(TokenStandard::Erc721) } if token == world.nft
        )
    );
    assert!(collection.to_string().ends_with("it declares ERC-721"));
    let empty = error("allowlist:empty").await;
    assert!(matches!(empty, GateError::EmptyList { list } if list == "empty"));
}

#[tokio::test]
async fn a_simulation_runs_all_transactions_together() {
    let world = World::start().await;
    let registry = &world.chain.registry;
    let valid = world.registration("erc721:$NFT and erc20:$TOKEN:1").await;
    let simulated = valid.simulate(registry, account(0)).await.unwrap();
    assert_eq!(simulated, Some(U256::ONE));
    // Nothing was sent.
    assert_eq!(registry.tool_count().await.unwrap(), U256::ZERO);
    // The second transaction would revert, after the first was paid.
    let missing = format!("erc721:{} and erc20:$TOKEN:1", Address::repeat_byte(9));
    let missing = world.registration(&missing).await;
    match missing.simulate(registry, account(0)).await.unwrap_err() {
        Error::WouldRevert { reason, .. } => assert_eq!(reason.error, Some("CollectionNoCode")),
        other => panic!("{other}"),
    }
    // Nodes that do not support state overrides.
    let (_, without) = world
        .chain
        .with_rule(|request| match request.params.get(2) {
            Some(_) if request.method == "eth_call" => Action::Fail(-32602, "too many arguments"),
            _ => Action::Forward,
        })
        .await;
    let unknown = missing.simulate(&without, account(0)).await.unwrap();
    assert_eq!(unknown, None);
}

#[tokio::test]
async fn a_smart_account_registers_and_configures_in_one_transaction() {
    let world = World::start().await;
    let (chain, registry) = (&world.chain, &world.chain.registry);
    // Another tool first: the script uses the id that the registry assigns.
    chain.register(Address::ZERO).await;
    let script = chain.deploy(REGISTRATION_SCRIPT.creation());
    let smart_account = chain.deploy_mock("DelegatecallAccount", &[]);
    let registration = world
        .registration("erc721:$NFT and not erc20:$TOKEN:1")
        .await;
    let call = runCall {
        script,
        data: registration.script_call(registry).abi_encode().into(),
    };
    // The account returns the result of the script, so a gas estimate would be too low.
    let data = hex::encode_prefixed(call.abi_encode());
    let transaction =
        json!([{ "from": account(0), "to": smart_account, "data": data, "gas": "0x1e8480" }]);
    chain.anvil.request("eth_sendTransaction", transaction);
    let id = U256::from(2);
    let tool = registry.registered_tool(id).await.unwrap();
    assert_eq!(tool.creator, smart_account);
    assert_eq!(tool.access_predicate, registration.predicate());
    let access = |index| {
        let data = Default::default();
        async move { registry.access(id, account(index), &data).await.unwrap() }
    };
    assert_eq!(access(1).await, Access::Denied);
    let mint = mintCall {
        to: account(1),
        number: U256::ONE,
    };
    chain.send(0, world.nft, &mint);
    assert_eq!(access(1).await, Access::Granted);
}
