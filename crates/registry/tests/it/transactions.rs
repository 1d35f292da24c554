use alloy::signers::local::PrivateKeySigner;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolValue;
use atr_bindings::{ERC20_BALANCE_PREDICATE, ERC721_OWNER_PREDICATE};
use atr_loopback::{ACCOUNT, KEYS};
use atr_registry::{
    Configuration, Error, ToolEvent, ToolState,
    predicates::{erc20_balance, erc721_owner},
};
use atr_rpc::{Journal, MinedTransaction, Node, Transaction, TransactionPlan, TransactionSender};

use crate::chain::{Chain, HASH, URI, account};

pub(crate) fn signer(index: usize) -> PrivateKeySigner {
    KEYS[index].parse().unwrap()
}

pub(crate) fn sender(chain: &Chain) -> TransactionSender {
    TransactionSender::new(
        Node::from_provider(chain.registry.provider().clone()),
        31337,
    )
}

/// Sends a planned transaction; it must succeed.
pub(crate) async fn send(
    sender: &TransactionSender,
    plan: &TransactionPlan,
    signer: &PrivateKeySigner,
) -> MinedTransaction {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(folder.path(), 31337, signer.address(), None).unwrap();
    let run = sender.start(signer, &mut journal, plan.max_cost, &|_| {});
    let sent = run.await.unwrap().send(&Transaction::from(plan)).await;
    sent.unwrap()
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
        let mined = send(&sender, &plan, &signer).await;
        assert_eq!(
            ToolEvent::of_contract(registry.address(), &mined.logs),
            [event]
        );
        assert_eq!(mined.block, registry.block().await.unwrap());
        assert!(mined.gas_used.unwrap() <= plan.gas && plan.gas < plan.gas_limit);
        assert!(mined.fee.unwrap() <= plan.max_cost && plan.expected_cost <= plan.max_cost);
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
        let stipend = None;
        let configuration = erc721_owner::Configuration {
            collections,
            stipend,
        };
        Configuration::from(configuration).set_call(predicate, id)
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
                stipend: None,
            })
            .set_call(balance, id),
            account(0),
            Some("ZeroMinBalance"),
        ),
        (
            set_collections(Vec::new(), Address::repeat_byte(1)),
            account(0),
            None,
        ),
    ] {
        let description = call.description.clone();
        let error: Error = sender(&chain).plan(call, from).await.unwrap_err().into();
        let Error::WouldRevert { reason, .. } = &error else {
            panic!("{description}: {error}");
        };
        assert_eq!(reason.error, name, "{error}");
        assert!(error.is_rejection() && error.to_string().starts_with(&description));
    }
    assert_eq!(sent(&chain), 0);
}
