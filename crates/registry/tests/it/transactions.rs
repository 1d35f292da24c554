use std::time::Duration;

use alloy::signers::local::PrivateKeySigner;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolValue;
use atr_bindings::{ERC20_BALANCE_PREDICATE, ERC721_OWNER_PREDICATE};
use atr_loopback::{ACCOUNT, KEYS};
use atr_registry::{
    Configuration, Error, FeeLimits, MinedTransaction, ToolEvent, ToolState, TransactionSender,
    WaitPolicy,
    predicates::{erc20_balance, erc721_owner},
};
use serde_json::json;

use crate::{
    chain::{Chain, HASH, URI, account},
    transport::Action,
};

const SHORT_WAIT: WaitPolicy = WaitPolicy {
    max_poll_interval: Duration::from_millis(40),
    rebroadcast_interval: Duration::from_millis(80),
    timeout: Duration::from_millis(400),
};

pub(crate) fn signer(index: usize) -> PrivateKeySigner {
    KEYS[index].parse().unwrap()
}

fn sender(chain: &Chain) -> TransactionSender {
    TransactionSender::new(chain.registry.provider().clone(), 31337)
}

fn sent(chain: &Chain) -> usize {
    let requests = chain.transport.take_requests();
    requests
        .iter()
        .filter(|request| request.method == "eth_sendRawTransaction")
        .count()
}

#[tokio::test]
async fn registers_updates_and_deregisters_a_tool() {
    let chain = Chain::start().await;
    let (sender, signer) = (sender(&chain), signer(0));
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
        let plan = sender.plan(call, account(0)).await.unwrap();
        let mined = sender.send(&plan, &signer).await.unwrap();
        assert_eq!(mined.events, [event]);
        assert_eq!(mined.block, registry.block().await.unwrap());
        assert!(mined.gas_used <= plan.gas && plan.gas < plan.gas_limit);
        assert!(mined.fee <= plan.max_cost && plan.expected_cost <= plan.max_cost);
    }
    assert_eq!(registry.tool(id).await.unwrap(), ToolState::Deregistered);
}

#[tokio::test]
async fn a_plan_predicts_the_tool_id_and_sends_nothing() {
    let chain = Chain::start().await;
    let nonce = chain.anvil.nonce(ACCOUNT);
    let call = chain.registry.register_tool(URI, HASH, None);
    let plan = sender(&chain).plan(call, account(0)).await.unwrap();
    assert_eq!(U256::abi_decode(&plan.return_data).unwrap(), U256::ONE);
    assert_eq!((sent(&chain), chain.anvil.nonce(ACCOUNT)), (0, nonce));
}

#[tokio::test]
async fn a_call_that_would_revert_is_reported_with_its_error_name() {
    let chain = Chain::start().await;
    let holding = chain.deploy_predicate(&ERC721_OWNER_PREDICATE);
    let balance = chain.deploy_predicate(&ERC20_BALANCE_PREDICATE);
    let not_a_predicate = chain.deploy_mock("ERC165NonPredicate", &[]);
    let id = chain.register(holding).await;
    let registry = &chain.registry;
    let other = account(1);
    let set_collections = |collections, predicate| {
        Configuration::from(erc721_owner::Configuration { collections }).set_call(predicate, id)
    };
    for (call, from, name) in [
        (registry.deregister(id), other, Some("NotToolCreator")),
        (
            registry.deregister(U256::from(9)),
            other,
            Some("ToolNotFound"),
        ),
        (
            registry.register_tool("", HASH, None),
            other,
            Some("InvalidMetadataURI"),
        ),
        (
            registry.register_tool(URI, B256::ZERO, None),
            other,
            Some("InvalidManifestHash"),
        ),
        (
            registry.set_predicate(id, Some(not_a_predicate)),
            account(0),
            Some("InvalidAccessPredicate"),
        ),
        (
            set_collections(Vec::new(), holding),
            other,
            Some("CallerIsNotToolCreator"),
        ),
        (
            set_collections(vec![Address::ZERO; 1000], holding),
            account(0),
            Some("TooManyCollections"),
        ),
        (
            Configuration::from(erc20_balance::Configuration {
                token: balance,
                min_balance: U256::ZERO,
            })
            .set_call(balance, id),
            account(0),
            Some("MinBalanceIsZero"),
        ),
        (
            set_collections(Vec::new(), Address::repeat_byte(1)),
            account(0),
            None,
        ),
    ] {
        let description = call.description.clone();
        let error = sender(&chain).plan(call, from).await.unwrap_err();
        let Error::WouldRevert { reason, .. } = &error else {
            panic!("{description}: {error}");
        };
        assert_eq!(reason.error, name, "{error}");
        assert!(error.is_rejection() && error.to_string().starts_with(&description));
    }
    assert_eq!(sent(&chain), 0);
}

#[tokio::test]
async fn a_reverted_transaction_is_an_error() {
    let chain = Chain::start().await;
    let id = chain.register(Address::ZERO).await;
    let (sender, signer) = (sender(&chain), signer(0));
    let plan = || sender.plan(chain.registry.deregister(id), account(0));
    let (first, second) = (plan().await.unwrap(), plan().await.unwrap());
    sender.send(&first, &signer).await.unwrap();
    let error = sender.send(&second, &signer).await.unwrap_err();
    assert!(matches!(error, Error::Reverted { .. }), "{error}");
}

#[tokio::test]
async fn a_lost_response_does_not_lose_the_transaction() {
    let chain = Chain::start_with_rule(|request| match request.method.as_str() {
        "eth_sendRawTransaction" => Action::LoseResponse,
        _ => Action::Forward,
    })
    .await;
    let call = chain.registry.register_tool(URI, HASH, None);
    let plan = sender(&chain).plan(call, account(0)).await.unwrap();
    let mined = sender(&chain).send(&plan, &signer(0)).await.unwrap();
    assert_eq!(mined.events.len(), 1);
    assert_eq!(sent(&chain), 1);
}

/// Registers a tool through a node that handles the transaction this way.
async fn register_with(chain: &Chain, action: Action) -> Result<MinedTransaction, Error> {
    let (_, registry) = chain
        .with_rule(move |request| match request.method.as_str() {
            "eth_sendRawTransaction" => action.clone(),
            _ => Action::Forward,
        })
        .await;
    let sender =
        TransactionSender::new(registry.provider().clone(), 31337).with_wait_policy(SHORT_WAIT);
    let call = registry.register_tool(URI, HASH, None);
    let plan = sender.plan(call, account(0)).await.unwrap();
    sender.send(&plan, &signer(0)).await
}

#[tokio::test]
async fn an_included_transaction_is_not_reported_as_rejected() {
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
        let sent = register_with(&chain, Action::ForwardAndFail(-32000, message)).await;
        assert_eq!(sent.unwrap().events.len(), 1, "{message}");
        let registered = chain.registry.tool_count().await.unwrap();
        assert_eq!(registered, U256::from(count + 1), "{message}");
    }
}

#[tokio::test]
async fn a_pending_transaction_is_reported_after_a_rejection() {
    let chain = Chain::start().await;
    chain.anvil.request("evm_setAutomine", json!([false]));
    let sent = register_with(&chain, Action::ForwardAndFail(-32603, "internal error")).await;
    assert!(matches!(sent, Err(Error::StillPending { .. })), "{sent:?}");
}

#[tokio::test]
async fn a_used_nonce_is_reported_as_pending() {
    let chain = Chain::start().await;
    let (_, registry) = chain
        .with_rule(|request| match request.method.as_str() {
            "eth_sendRawTransaction" => Action::Fail(-32000, "nonce too low"),
            "eth_getTransactionCount" if request.params[1] == "latest" => {
                Action::Return(json!("0xff"))
            }
            _ => Action::Forward,
        })
        .await;
    let sender =
        TransactionSender::new(registry.provider().clone(), 31337).with_wait_policy(SHORT_WAIT);
    let call = registry.register_tool(URI, HASH, None);
    let plan = sender.plan(call, account(0)).await.unwrap();
    let error = sender.send(&plan, &signer(0)).await.unwrap_err();
    // Another node of the same provider can have included it.
    assert!(matches!(error, Error::StillPending { .. }), "{error}");
}

#[tokio::test]
async fn a_rejected_transaction_is_reported_with_the_message() {
    let chain = Chain::start().await;
    for message in ["nonce too low", "transaction type not supported \u{1b}[31m"] {
        let sent = register_with(&chain, Action::Fail(-32000, message)).await;
        let error = sent.unwrap_err();
        assert!(
            matches!(error, Error::TransactionRejected { .. }),
            "{error}"
        );
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
    }
    assert_eq!(chain.registry.tool_count().await.unwrap(), U256::ZERO);
}

#[tokio::test]
async fn a_timeout_reports_the_pending_transaction() {
    let chain = Chain::start().await;
    let sender = sender(&chain).with_wait_policy(SHORT_WAIT);
    let call = chain.registry.register_tool(URI, HASH, None);
    let plan = sender.plan(call, account(0)).await.unwrap();
    chain.anvil.request("evm_setAutomine", json!([false]));
    let error = sender.send(&plan, &signer(0)).await.unwrap_err();
    // A retry would send a second transaction.
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
async fn sends_nothing_without_funds_or_below_the_base_fee_or_with_another_signer_or_chain() {
    let chain = Chain::start().await;
    let call = || chain.registry.register_tool(URI, HASH, None);
    let poor = PrivateKeySigner::random();
    let plan = sender(&chain).plan(call(), poor.address()).await.unwrap();
    assert!(!plan.is_affordable());
    let error = sender(&chain).send(&plan, &poor).await.unwrap_err();
    assert!(matches!(error, Error::InsufficientFunds { .. }), "{error}");

    let limited = sender(&chain).with_fee_limits(FeeLimits {
        max_fee_per_gas: Some(1),
        max_priority_fee_per_gas: None,
    });
    let plan = limited.plan(call(), account(0)).await.unwrap();
    let error = limited.send(&plan, &signer(0)).await.unwrap_err();
    assert!(matches!(error, Error::FeeLimit(_)), "{error}");

    let plan = sender(&chain).plan(call(), account(0)).await.unwrap();
    let error = sender(&chain).send(&plan, &signer(1)).await.unwrap_err();
    assert!(matches!(error, Error::SignerMismatch { .. }), "{error}");

    let other_chain = TransactionSender::new(chain.registry.provider().clone(), 1);
    let plan = other_chain.plan(call(), account(0)).await.unwrap();
    let error = other_chain.send(&plan, &signer(0)).await.unwrap_err();
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
