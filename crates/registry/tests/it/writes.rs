use std::time::Duration;

use alloy::signers::local::PrivateKeySigner;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolValue;
use atr_bindings::{ERC20_BALANCE_PREDICATE, ERC721_OWNER_PREDICATE};
use atr_loopback::{ACCOUNT, KEYS};
use atr_registry::{Error, FeeLimits, Sent, ToolEvent, ToolState, WaitPolicy, Writer, predicates};
use serde_json::json;

use crate::{
    chain::{Chain, HASH, URI, account},
    line::Action,
};

const HASTY: WaitPolicy = WaitPolicy {
    between_questions: Duration::from_millis(40),
    before_a_nudge: Duration::from_millis(80),
    at_most: Duration::from_millis(400),
};

pub(crate) fn signer(place: usize) -> PrivateKeySigner {
    KEYS[place].parse().unwrap()
}

fn writer(chain: &Chain) -> Writer {
    Writer::new(chain.registry.provider().clone(), 31337)
}

fn sent(chain: &Chain) -> usize {
    let asked = chain.line.take();
    asked
        .iter()
        .filter(|one| one.method == "eth_sendRawTransaction")
        .count()
}

#[tokio::test]
async fn a_tool_is_registered_changed_and_removed_and_the_registry_tells() {
    let chain = Chain::start().await;
    let (writer, signer) = (writer(&chain), signer(0));
    let registry = &chain.registry;
    let id = U256::ONE;
    let predicate = Address::repeat_byte(0xaa);
    let registered = ToolEvent::Registered {
        tool_id: id,
        creator: account(0),
        access_predicate: None,
        metadata_uri: URI.to_owned(),
        manifest_hash: HASH,
    };
    let updated = ToolEvent::MetadataUpdated {
        tool_id: id,
        metadata_uri: URI.to_owned(),
        manifest_hash: B256::repeat_byte(9),
    };
    for (call, event) in [
        (registry.register_tool(URI, HASH, None), registered),
        (
            registry.update_metadata(id, URI, B256::repeat_byte(9)),
            updated,
        ),
        (
            registry.set_predicate(id, Some(predicate)),
            ToolEvent::PredicateUpdated {
                tool_id: id,
                access_predicate: Some(predicate),
            },
        ),
        (
            registry.deregister(id),
            ToolEvent::Deregistered { tool_id: id },
        ),
    ] {
        let planned = writer.plan(call, account(0)).await.unwrap();
        let done = writer.send(&planned, &signer).await.unwrap();
        assert_eq!(done.events, [event]);
        assert_eq!(done.block, registry.block().await.unwrap());
        assert!(done.gas_used <= planned.gas && planned.gas < planned.gas_limit);
        assert!(done.fee <= planned.at_most && planned.cost <= planned.at_most);
    }
    assert_eq!(registry.tool(id).await.unwrap(), ToolState::Deregistered);
}

#[tokio::test]
async fn a_plan_tells_the_new_id_and_sends_nothing() {
    let chain = Chain::start().await;
    let nonce = chain.anvil.nonce(ACCOUNT);
    let call = chain.registry.register_tool(URI, HASH, None);
    let planned = writer(&chain).plan(call, account(0)).await.unwrap();
    assert_eq!(U256::abi_decode(&planned.returned).unwrap(), U256::ONE);
    assert_eq!((sent(&chain), chain.anvil.nonce(ACCOUNT)), (0, nonce));
}

#[tokio::test]
async fn what_a_contract_would_refuse_is_told_by_name_before_anything_is_sent() {
    let chain = Chain::start().await;
    let holding = chain.deploy_predicate(&ERC721_OWNER_PREDICATE);
    let balance = chain.deploy_predicate(&ERC20_BALANCE_PREDICATE);
    let no_predicate = chain.deploy_mock("ERC165NonPredicate", &[]);
    let id = chain.register(holding).await;
    let registry = &chain.registry;
    let stranger = account(1);
    for (call, from, name) in [
        (registry.deregister(id), stranger, Some("NotToolCreator")),
        (
            registry.deregister(U256::from(9)),
            stranger,
            Some("ToolNotFound"),
        ),
        (
            registry.register_tool("", HASH, None),
            stranger,
            Some("InvalidMetadataURI"),
        ),
        (
            registry.register_tool(URI, B256::ZERO, None),
            stranger,
            Some("InvalidManifestHash"),
        ),
        (
            registry.set_predicate(id, Some(no_predicate)),
            account(0),
            Some("InvalidAccessPredicate"),
        ),
        (
            predicates::set_collections(holding, id, Vec::new()),
            stranger,
            Some("CallerIsNotToolCreator"),
        ),
        (
            predicates::set_collections(holding, id, vec![Address::ZERO; 1000]),
            account(0),
            Some("TooManyCollections"),
        ),
        (
            predicates::configure_tool_erc20(balance, id, balance, U256::ZERO),
            account(0),
            Some("MinBalanceIsZero"),
        ),
        (
            predicates::set_collections(Address::repeat_byte(1), id, Vec::new()),
            account(0),
            None,
        ),
    ] {
        let what = call.what.clone();
        let error = writer(&chain).plan(call, from).await.unwrap_err();
        let Error::WouldFail { refused, .. } = &error else {
            panic!("{what}: {error}");
        };
        assert_eq!(refused.error, name, "{error}");
        assert!(error.is_refusal() && error.to_string().starts_with(&what));
    }
    assert_eq!(sent(&chain), 0);
}

#[tokio::test]
async fn a_transaction_that_fails_in_its_block_is_an_error() {
    let chain = Chain::start().await;
    let id = chain.register(Address::ZERO).await;
    let (writer, signer) = (writer(&chain), signer(0));
    let plan = || writer.plan(chain.registry.deregister(id), account(0));
    let (first, second) = (plan().await.unwrap(), plan().await.unwrap());
    writer.send(&first, &signer).await.unwrap();
    let error = writer.send(&second, &signer).await.unwrap_err();
    assert!(matches!(error, Error::Reverted { .. }), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_lost_does_not_lose_the_transaction() {
    let chain = Chain::start_behind(|asked| match asked.method.as_str() {
        "eth_sendRawTransaction" => Action::Swallow,
        _ => Action::Pass,
    })
    .await;
    let call = chain.registry.register_tool(URI, HASH, None);
    let planned = writer(&chain).plan(call, account(0)).await.unwrap();
    let done = writer(&chain).send(&planned, &signer(0)).await.unwrap();
    assert_eq!(done.events.len(), 1);
    assert_eq!(sent(&chain), 1);
}

/// What comes of a registration when the node does this with it.
async fn register_behind(chain: &Chain, action: Action) -> Result<Sent, Error> {
    let (_, registry) = chain
        .behind(move |asked| match asked.method.as_str() {
            "eth_sendRawTransaction" => action.clone(),
            _ => Action::Pass,
        })
        .await;
    let writer = Writer::new(registry.provider().clone(), 31337).with_wait_policy(HASTY);
    let call = registry.register_tool(URI, HASH, None);
    let planned = writer.plan(call, account(0)).await.unwrap();
    writer.send(&planned, &signer(0)).await
}

#[tokio::test]
async fn a_transaction_that_got_in_is_not_refused_whatever_the_node_says_of_it() {
    let chain = Chain::start().await;
    for (count, message) in [
        "nonce too low",
        "already known",
        "internal error",
        "insufficient funds for gas * price + value",
    ]
    .into_iter()
    .enumerate()
    {
        let sent = register_behind(&chain, Action::PassAndRefuse(-32000, message)).await;
        assert_eq!(sent.unwrap().events.len(), 1, "{message}");
        let registered = chain.registry.tool_count().await.unwrap();
        assert_eq!(registered, U256::from(count + 1), "{message}");
    }
}

#[tokio::test]
async fn a_transaction_that_waits_after_a_refusal_is_told_by_its_hash() {
    let chain = Chain::start().await;
    chain.anvil.request("evm_setAutomine", json!([false]));
    let sent = register_behind(&chain, Action::PassAndRefuse(-32603, "internal error")).await;
    assert!(matches!(sent, Err(Error::StillPending { .. })), "{sent:?}");
}

#[tokio::test]
async fn a_nonce_that_is_used_up_leaves_open_by_whom() {
    let chain = Chain::start().await;
    let (_, registry) = chain
        .behind(|asked| match asked.method.as_str() {
            "eth_sendRawTransaction" => Action::Refuse(-32000, "nonce too low"),
            "eth_getTransactionCount" if asked.params[1] == "latest" => Action::Say(json!("0xff")),
            _ => Action::Pass,
        })
        .await;
    let writer = Writer::new(registry.provider().clone(), 31337).with_wait_policy(HASTY);
    let call = registry.register_tool(URI, HASH, None);
    let planned = writer.plan(call, account(0)).await.unwrap();
    let error = writer.send(&planned, &signer(0)).await.unwrap_err();
    // One node of several may have counted what another has not heard of.
    assert!(matches!(error, Error::StillPending { .. }), "{error}");
}

#[tokio::test]
async fn a_transaction_that_did_not_get_in_is_refused_in_the_nodes_words() {
    let chain = Chain::start().await;
    for message in ["nonce too low", "transaction type not supported \u{1b}[31m"] {
        let sent = register_behind(&chain, Action::Refuse(-32000, message)).await;
        let error = sent.unwrap_err();
        assert!(matches!(error, Error::NodeRefused { .. }), "{error}");
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
    }
    assert_eq!(chain.registry.tool_count().await.unwrap(), U256::ZERO);
}

#[tokio::test]
async fn a_transaction_that_waits_too_long_is_told_by_its_hash() {
    let chain = Chain::start().await;
    let writer = writer(&chain).with_wait_policy(HASTY);
    let call = chain.registry.register_tool(URI, HASH, None);
    let planned = writer.plan(call, account(0)).await.unwrap();
    chain.anvil.request("evm_setAutomine", json!([false]));
    let error = writer.send(&planned, &signer(0)).await.unwrap_err();
    // Made again it would be sent twice.
    assert!(!error.is_retryable());
    let Error::StillPending { transaction, .. } = error else {
        panic!("{error}");
    };
    let found = chain
        .anvil
        .request("eth_getTransactionByHash", json!([transaction]));
    assert_eq!(found["hash"], json!(transaction));
}

#[tokio::test]
async fn who_cannot_pay_or_caps_too_low_or_is_somebody_else_sends_nothing() {
    let chain = Chain::start().await;
    let call = || chain.registry.register_tool(URI, HASH, None);
    let poor = PrivateKeySigner::random();
    let planned = writer(&chain).plan(call(), poor.address()).await.unwrap();
    assert!(!planned.is_affordable());
    let error = writer(&chain).send(&planned, &poor).await.unwrap_err();
    assert!(matches!(error, Error::InsufficientFunds { .. }), "{error}");

    let stingy = writer(&chain).with_caps(FeeLimits {
        max_fee_per_gas: Some(1),
        max_priority_fee_per_gas: None,
    });
    let planned = stingy.plan(call(), account(0)).await.unwrap();
    let error = stingy.send(&planned, &signer(0)).await.unwrap_err();
    assert!(matches!(error, Error::FeeAboveCap { .. }), "{error}");

    let planned = writer(&chain).plan(call(), account(0)).await.unwrap();
    let error = writer(&chain).send(&planned, &signer(1)).await.unwrap_err();
    assert!(matches!(error, Error::OtherSigner { .. }), "{error}");

    let elsewhere = Writer::new(chain.registry.provider().clone(), 1);
    let planned = elsewhere.plan(call(), account(0)).await.unwrap();
    let error = elsewhere.send(&planned, &signer(0)).await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::WrongChain {
                expected: 1,
                found: 31337
            }
        ),
        "{error}"
    );
    assert_eq!(sent(&chain), 0);
}

#[tokio::test]
async fn setting_collections_takes_no_more_gas_than_is_foretold() {
    let chain = Chain::start().await;
    let holding = chain.deploy_predicate(&ERC721_OWNER_PREDICATE);
    let id = chain.register(holding).await;
    for count in [1, 2, 7, 14] {
        let collections = (1..=count).map(|byte| Address::repeat_byte(byte as u8));
        let call = predicates::set_collections(holding, id, collections.collect());
        let planned = writer(&chain).plan(call, account(0)).await.unwrap();
        let foretold = predicates::set_collections_gas(count);
        assert!(planned.gas_limit <= foretold, "{count}: {planned:?}");
    }
}
