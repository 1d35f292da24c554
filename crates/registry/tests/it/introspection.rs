use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolValue;
use atr_registry::{Access, INTROSPECTION_GAS, Introspection, IntrospectionLimits, Limit};

use crate::{
    chain::{Chain, account},
    info::RETURNS_MEGABYTE,
};

/// A predicate that grants access and returns a list of this size.
fn repeating(chain: &Chain, entries: u64, data: u64, label: u64) -> Address {
    let arguments = [entries, data, label, 1].map(U256::from);
    let arguments = arguments.map(|number| number.abi_encode()).concat();
    chain.deploy_mock("AliasedRequirementsPredicate", &arguments)
}

#[tokio::test]
async fn a_list_over_a_limit_does_not_deny_access() {
    let chain = Chain::start().await;
    for (entries, data, label, expected) in [
        (256, 32, 0, None),
        (257, 32, 0, Some((Limit::Entries, 257, 256))),
        (1, 4096, 256, None),
        (1, 4097, 0, Some((Limit::Data, 4097, 4096))),
        (1, 0, 257, Some((Limit::Label, 257, 256))),
        (20_000, 0, 0, Some((Limit::Entries, 20_000, 256))),
    ] {
        let predicate = repeating(&chain, entries, data, label);
        let id = chain.register(predicate).await;
        // I-09
        let found = match chain.registry.requirements(predicate, id).await.unwrap() {
            Introspection::OverLimit { limit, found, max } => Some((limit, found, max)),
            Introspection::Known { requirements, .. } => {
                assert_eq!(requirements.len() as u64, entries);
                None
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected);
        // T-38
        let access = chain.registry.access(id, account(1), &Bytes::new()).await;
        assert_eq!(access.unwrap(), Access::Granted);
    }
}

#[tokio::test]
async fn raised_limits_accept_a_longer_list() {
    let chain = Chain::start().await;
    let predicate = repeating(&chain, 300, 5000, 300);
    let limits = IntrospectionLimits {
        entries: 300,
        data_bytes: 5000,
        label_bytes: 300,
        total_bytes: 300 * 5300,
        ..IntrospectionLimits::default()
    };
    // I-10
    let read = |limits| chain.registry.clone().with_introspection_limits(limits);
    let list = read(limits)
        .requirements(predicate, U256::ONE)
        .await
        .unwrap();
    assert!(matches!(list, Introspection::Known { requirements, .. } if requirements.len() == 300));
    let limits = IntrospectionLimits {
        entries: 299,
        ..limits
    };
    let list = read(limits)
        .requirements(predicate, U256::ONE)
        .await
        .unwrap();
    assert!(matches!(
        list,
        Introspection::OverLimit {
            limit: Limit::Entries,
            found: 300,
            max: 299
        }
    ));
}

#[tokio::test]
async fn a_failing_predicate_is_reported_within_the_gas_limit() {
    let chain = Chain::start().await;
    let invalid = Address::repeat_byte(0xfe);
    chain.set_code(invalid, &[0xfe]);
    let large = Address::repeat_byte(0xcc);
    chain.set_code(large, &RETURNS_MEGABYTE);
    for predicate in [
        chain.deploy_mock("PresetResponsePredicate", &[]),
        chain.deploy_mock("GasBurner", &[]),
        chain.deploy_mock("NonERC165Predicate", &[]),
        invalid,
        large,
    ] {
        chain.transport.take_requests();
        let list = chain.registry.requirements(predicate, U256::ONE).await;
        // I-11
        assert!(matches!(list, Ok(Introspection::Failed { .. })), "{list:?}");
        let requests = chain.transport.take_requests();
        let gas = requests[0].params[0]["gas"].as_str().unwrap();
        assert_eq!(gas, format!("{INTROSPECTION_GAS:#x}"));
    }
}

#[tokio::test]
async fn a_predicate_without_code_has_no_list() {
    let chain = Chain::start().await;
    let empty = Address::repeat_byte(0xaa);
    let list = chain.registry.requirements(empty, U256::ONE).await;
    assert_eq!(list.unwrap(), Introspection::NoCode);
}
