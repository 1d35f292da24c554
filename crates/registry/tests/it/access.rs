use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolValue, sol};
use atr_bindings::IToolRegistry::{self, tryHasAccessCall};
use atr_registry::{Access, Error};

use crate::chain::{Chain, account};

sol! {
    function setResponse(bytes4 key, bool success, bytes returndata) external;
}

#[tokio::test]
async fn access_is_granted_denied_or_unknown() {
    let chain = Chain::start().await;
    let granting = chain.deploy_mock("GrantingPredicate", &[]);
    let denying = chain.deploy_mock("DenyingPredicate", &[]);
    let oversize = chain.deploy_mock("OversizeReturnPredicate", &U256::from(64).abi_encode());
    let expected = [
        (Address::ZERO, Access::Granted),
        (granting, Access::Granted),
        (
            chain.deploy_mock("NonERC165Predicate", &[]),
            Access::Granted,
        ),
        (denying, Access::Denied),
        (Address::repeat_byte(0xaa), Access::Unknown),
        (
            chain.deploy_mock("RevertingPredicate", &[]),
            Access::Unknown,
        ),
        (chain.deploy_mock("GasBurner", &[]), Access::Unknown),
        (
            chain.deploy_mock("RevertingWithTruePredicate", &[]),
            Access::Unknown,
        ),
        (oversize, Access::Unknown),
    ];
    for (predicate, access) in expected {
        let id = chain.register(predicate).await;
        let found = chain.registry.access(id, account(1), &Bytes::new()).await;
        assert_eq!(found.unwrap(), access, "{predicate}");
    }
}

#[tokio::test]
async fn a_tool_that_is_not_registered_is_an_error() {
    let chain = Chain::start().await;
    let id = chain.register(Address::ZERO).await;
    let call = IToolRegistry::deregisterToolCall { toolId: id };
    chain.send(0, chain.registry.address(), &call);
    let (registry, data) = (&chain.registry, Bytes::from_static(b"junk"));
    let deregistered = registry.access(id, account(1), &data).await;
    let missing = registry.access(U256::from(9), account(1), &data).await;
    assert!(
        matches!(deregistered, Err(Error::ToolIsDeregistered { .. })),
        "{deregistered:?}"
    );
    assert!(
        matches!(missing, Err(Error::ToolNotFound { .. })),
        "{missing:?}"
    );
}

#[tokio::test]
async fn invalid_results_of_another_registry_do_not_grant_access() {
    let chain = Chain::start().await;
    let other = chain.deploy_mock("PresetResponsePredicate", &[]);
    let registry = chain.registry_at(other).await;
    for (ok, granted, expected) in [
        (0_u64, 1_u64, Some(Access::Unknown)),
        (0, 0, Some(Access::Unknown)),
        (1, 1, Some(Access::Granted)),
        (1, 2, None),
        (2, 1, None),
    ] {
        let call = setResponseCall {
            key: tryHasAccessCall::SELECTOR.into(),
            success: true,
            returndata: (U256::from(ok), U256::from(granted)).abi_encode().into(),
        };
        chain.send(0, other, &call);
        let access = registry.access(U256::ONE, account(1), &Bytes::new()).await;
        assert_eq!(access.ok(), expected, "({ok}, {granted})");
    }
}
