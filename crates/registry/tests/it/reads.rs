use alloy_primitives::{Address, U256};
use atr_bindings::IToolRegistry;
use atr_registry::{Error, Introspection, ToolConfig, ToolState};

use crate::{
    chain::{Chain, HASH, URI, account},
    transport::Action,
};

#[tokio::test]
async fn distinguishes_registered_deregistered_and_missing_tools() {
    let chain = Chain::start().await;
    let predicate = Address::repeat_byte(0xaa);
    let live = chain.register(predicate).await;
    let deregistered = chain.register(Address::ZERO).await;
    let call = IToolRegistry::deregisterToolCall {
        toolId: deregistered,
    };
    chain.send(0, chain.registry.address(), &call);

    let state = chain.registry.tool(live).await.unwrap();
    assert_eq!(
        state,
        ToolState::Live(ToolConfig {
            creator: account(0),
            metadata_uri: URI.to_owned(),
            manifest_hash: HASH,
            access_predicate: Some(predicate),
        })
    );
    assert_eq!(
        chain.registry.tool(deregistered).await.unwrap(),
        ToolState::Deregistered
    );
    for missing in [U256::ZERO, U256::from(3), U256::MAX] {
        let state = chain.registry.tool(missing).await.unwrap();
        assert_eq!(state, ToolState::NeverRegistered);
    }
    assert_eq!(chain.registry.tool_count().await.unwrap(), U256::from(2));
}

#[tokio::test]
async fn an_address_that_is_not_a_registry_is_an_error() {
    let chain = Chain::start().await;
    let contract = chain.deploy_mock("GrantingPredicate", &[]);
    for (address, has_code) in [(Address::repeat_byte(0xee), false), (contract, true)] {
        let registry = chain.registry_at(address).await;
        let errors = [
            registry.tool(U256::ONE).await.err(),
            registry.tools(&[U256::ONE, U256::ZERO]).await.err(),
            registry.tool_count().await.err(),
            registry
                .access(U256::ONE, account(0), &Default::default())
                .await
                .err(),
        ];
        for error in errors {
            let error = error.unwrap();
            let is_expected = match error {
                Error::NotARegistry { .. } => has_code,
                Error::NoContract { .. } => !has_code,
                _ => false,
            };
            assert!(is_expected && !error.is_retryable(), "{error}");
        }
    }
}

#[tokio::test]
async fn a_node_error_is_not_a_result() {
    let chain = Chain::start().await;
    let id = chain.register(Address::ZERO).await;
    for (code, message) in [(-32005, "limit exceeded"), (-32000, "header not found")] {
        let (_, registry) = chain
            .with_rule(move |request| match request.method.as_str() {
                "eth_call" => Action::Fail(code, message),
                _ => Action::Forward,
            })
            .await;
        let errors = [
            registry.tool(id).await.err(),
            registry.tools(&[id, id]).await.err(),
            registry
                .access(id, account(0), &Default::default())
                .await
                .err(),
            registry.requirements(account(0), id).await.err(),
            registry.predicate_info(registry.address()).await.err(),
            registry.info().await.err(),
        ];
        for error in errors {
            assert!(error.unwrap().is_retryable());
        }
    }
}

#[tokio::test]
async fn reads_at_an_earlier_block() {
    let chain = Chain::start().await;
    let before = chain.registry.block().await.unwrap();
    let id = chain.register(Address::ZERO).await;
    let past = chain.registry.clone().at_block(before);
    assert_eq!(past.tool(id).await.unwrap(), ToolState::NeverRegistered);
    let predicate = chain.deploy_mock("GrantingPredicate", &[]);
    let introspection = past.requirements(predicate, id).await.unwrap();
    assert_eq!(introspection, Introspection::NoCode);
}
