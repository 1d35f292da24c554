use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolValue, sol};
use atr_bindings::IToolRegistry::{self, tryHasAccessCall};
use atr_registry::{Access, Error};

use crate::chain::{Chain, account};

sol! {
    function setResponse(bytes4 key, bool success, bytes returndata) external;
}

#[tokio::test]
async fn yes_no_and_nobody_can_tell_are_three_answers() {
    let chain = Chain::start().await;
    let yes = chain.deploy_mock("GrantingPredicate", &[]);
    let no = chain.deploy_mock("DenyingPredicate", &[]);
    let oversize = chain.deploy_mock("OversizeReturnPredicate", &U256::from(64).abi_encode());
    let expected = [
        (Address::ZERO, Access::Granted),
        (yes, Access::Granted),
        (
            chain.deploy_mock("NonERC165Predicate", &[]),
            Access::Granted,
        ),
        (no, Access::Denied),
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
    for (predicate, answer) in expected {
        let id = chain.register(predicate).await;
        let access = chain.registry.access(id, account(1), &Bytes::new()).await;
        assert_eq!(access.unwrap(), answer, "{predicate}");
    }
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_an_error_and_no_denial() {
    let chain = Chain::start().await;
    let id = chain.register(Address::ZERO).await;
    let call = IToolRegistry::deregisterToolCall { toolId: id };
    chain.send(0, chain.registry.address(), &call);
    let (registry, data) = (&chain.registry, Bytes::from_static(b"junk"));
    let gone = registry.access(id, account(1), &data).await;
    let never = registry.access(U256::from(9), account(1), &data).await;
    assert!(
        matches!(gone, Err(Error::ToolIsDeregistered { .. })),
        "{gone:?}"
    );
    assert!(
        matches!(never, Err(Error::ToolNotFound { .. })),
        "{never:?}"
    );
}

#[tokio::test]
async fn a_foreign_registry_that_contradicts_itself_grants_nothing() {
    let chain = Chain::start().await;
    let foreign = chain.deploy_mock("PresetResponsePredicate", &[]);
    let registry = chain.registry_at(foreign).await;
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
        chain.send(0, foreign, &call);
        let access = registry.access(U256::ONE, account(1), &Bytes::new()).await;
        assert_eq!(access.ok(), expected, "({ok}, {granted})");
    }
}
