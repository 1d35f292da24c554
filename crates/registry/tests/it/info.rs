use alloy_primitives::{Address, B256, FixedBytes, b256, hex, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC721_OWNER_PREDICATE, IToolRegistry, MERKLE_ALLOWLIST_PREDICATE,
    TOOL_REGISTRY,
};
use atr_registry::{Contract, InterfaceSupport, PredicateWarning, ProxyIndicator};

use crate::{
    access::setResponseCall,
    chain::{Chain, account},
};

const SLOTS: [B256; 3] = [
    b256!("0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"),
    b256!("0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"),
    b256!("0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"),
];

/// Runtime code that returns a string of 1 MiB for every call: `return(0, 0x100040)`.
pub(crate) const RETURNS_MEGABYTE: [u8; 17] = hex!("60205f5262100000602052621000405ff3");

/// Runtime code that returns true for every call.
const RETURNS_TRUE: [u8; 8] = hex!("60015f5260205ff3");

#[tokio::test]
async fn reads_information_about_our_registry() {
    let chain = Chain::start().await;
    let info = chain.registry.info().await.unwrap();
    assert_eq!(info.name.as_deref(), Some(TOOL_REGISTRY.name()));
    assert_eq!(info.version.as_deref(), Some("1.0"));
    assert_eq!(info.interface_support, InterfaceSupport::Declared);
    assert_eq!(info.code_hash, keccak256(TOOL_REGISTRY.runtime()));
    assert!(!info.is_proxy());
    chain.set_storage(info.address, SLOTS[0], B256::with_last_byte(1));
    assert!(chain.registry.info().await.unwrap().is_proxy());
    let empty = chain.registry_at(Address::repeat_byte(0xee)).await;
    assert!(empty.info().await.is_err());
}

#[tokio::test]
async fn detects_every_kind_of_proxy() {
    let chain = Chain::start().await;
    let predicate = chain.deploy_mock("GrantingPredicate", &[]);
    let info = chain.registry.predicate_info(predicate).await.unwrap();
    assert!(!info.is_proxy() && info.warnings(chain.registry.address()).is_empty());
    // K-02
    for slot in SLOTS {
        chain.set_storage(predicate, slot, B256::repeat_byte(1));
        let info = chain.registry.predicate_info(predicate).await.unwrap();
        assert!(info.is_proxy());
        let warnings = info.warnings(chain.registry.address());
        assert!(
            matches!(warnings[..], [PredicateWarning::Proxy { .. }]),
            "{warnings:?}"
        );
        chain.set_storage(predicate, slot, B256::ZERO);
    }
    let clone = Address::repeat_byte(0xcc);
    let mut code = hex!("363d3d373d3d3d363d73").to_vec();
    code.extend(predicate.as_slice());
    code.extend(hex!("5af43d82803e903d91602b57fd5bf3"));
    chain.set_code(clone, &code);
    let info = chain.registry.predicate_info(clone).await.unwrap();
    assert_eq!(info.proxy_indicators, [ProxyIndicator::MinimalProxy]);
    assert_eq!(info.interface_support, InterfaceSupport::Declared);
}

#[tokio::test]
async fn warns_about_contracts_that_do_not_declare_the_interface() {
    let chain = Chain::start().await;
    let always_true = Address::repeat_byte(0xcc);
    chain.set_code(always_true, &RETURNS_TRUE);
    let encoded = |id: FixedBytes<4>| id.abi_encode();
    for (predicate, expected) in [
        (
            chain.deploy_mock("GrantingPredicate", &[]),
            InterfaceSupport::Declared,
        ),
        (
            chain.deploy_mock("NonERC165Predicate", &[]),
            InterfaceSupport::NoErc165,
        ),
        (
            chain.deploy_mock("ERC165NonPredicate", &[]),
            InterfaceSupport::NotDeclared,
        ),
        (
            chain.deploy_mock("TwoFunctionPredicate", &[]),
            InterfaceSupport::NotDeclared,
        ),
        (
            chain.deploy_mock("EmptyReturnProbePredicate", &encoded(ACCESS_PREDICATE_ID)),
            InterfaceSupport::NotDeclared,
        ),
        (
            chain.deploy_mock("GasBurner", &[]),
            InterfaceSupport::NoErc165,
        ),
        (always_true, InterfaceSupport::NoErc165),
    ] {
        let info = chain.registry.predicate_info(predicate).await.unwrap();
        assert_eq!(info.interface_support, expected, "{predicate}");
        // K-06
        let warnings = info.warnings(chain.registry.address());
        let is_warned =
            warnings.contains(&PredicateWarning::InterfaceNotDeclared { support: expected });
        assert_eq!(is_warned, expected != InterfaceSupport::Declared);
    }
}

#[tokio::test]
async fn warns_about_a_predicate_without_code() {
    let chain = Chain::start().await;
    let empty = Address::repeat_byte(0xaa);
    let info = chain.registry.predicate_info(empty).await.unwrap();
    // K-07
    assert!(!info.has_code && info.code_hash.is_none());
    let warnings = info.warnings(chain.registry.address());
    assert_eq!(warnings, [PredicateWarning::NoCode]);
    assert!(warnings[0].to_string().contains("not yet available"));
    assert!(warnings[0].to_string().contains("no account has access"));
}

#[tokio::test]
async fn ignores_names_and_versions_above_256_bytes() {
    let chain = Chain::start().await;
    let contract = chain.deploy_mock("PresetResponsePredicate", &[]);
    let registry = chain.registry_at(contract).await;
    // I-12
    for (length, is_accepted) in [(256, true), (257, false)] {
        let text = "n".repeat(length);
        for selector in [
            IToolRegistry::nameCall::SELECTOR,
            IToolRegistry::versionCall::SELECTOR,
        ] {
            let call = setResponseCall {
                key: selector.into(),
                success: true,
                returndata: text.abi_encode().into(),
            };
            chain.send(0, contract, &call);
        }
        let expected = is_accepted.then_some(text);
        let info = registry.info().await.unwrap();
        assert_eq!((&info.name, &info.version), (&expected, &expected));
        let info = chain.registry.predicate_info(contract).await.unwrap();
        assert_eq!(info.name, expected);
    }
    let large = Address::repeat_byte(0xcc);
    chain.set_code(large, &RETURNS_MEGABYTE);
    let info = chain.registry_at(large).await.info().await.unwrap();
    assert_eq!((info.name, info.version), (None, None));
    assert_eq!(
        chain.registry.predicate_info(large).await.unwrap().name,
        None
    );
}

#[tokio::test]
async fn reads_registry_and_call_data_flag_of_a_predicate() {
    let chain = Chain::start().await;
    let predicate = chain.deploy_predicate(&ERC721_OWNER_PREDICATE);
    let allowlist = chain.deploy_predicate(&MERKLE_ALLOWLIST_PREDICATE);
    let ours = chain.registry.address();
    let info = chain.registry.predicate_info(predicate).await.unwrap();
    assert_eq!((info.registry, info.reads_call_data), (Some(ours), false));
    assert_eq!(info.name.as_deref(), Some(ERC721_OWNER_PREDICATE.name()));
    assert!(info.warnings(ours).is_empty());
    let other = Address::repeat_byte(0xdd);
    let warning = PredicateWarning::OtherRegistry { registry: ours };
    assert_eq!(info.warnings(other), [warning]);
    let info = chain.registry.predicate_info(allowlist).await.unwrap();
    assert!(info.reads_call_data);
}

#[tokio::test]
async fn an_account_with_delegated_code_is_an_eoa() {
    let chain = Chain::start().await;
    let (plain, delegated, wallet) = (account(2), Address::repeat_byte(3), Address::repeat_byte(4));
    chain.set_code(delegated, &[&[0xef, 0x01, 0x00][..], &[0x11; 20]].concat());
    chain.set_code(wallet, &RETURNS_TRUE);
    for (address, expected) in [(plain, true), (delegated, true), (wallet, false)] {
        let found = chain.registry.is_eoa(address).await.unwrap();
        assert_eq!(found, expected, "{address}");
    }
}

#[tokio::test]
async fn reads_the_registry_of_a_predicate_by_either_name() {
    let chain = Chain::start().await;
    let registry = chain.registry.address();
    let ours = chain.deploy_predicate(&ERC721_OWNER_PREDICATE);
    // The reference's SubscriptionPredicate has `registry()` instead of `REGISTRY()`: reverts unless the selector is 0x7b103999.
    let getter = [
        &hex!("5f3560e01c637b103999146011575f5ffd5b73")[..],
        registry.as_slice(),
        &hex!("5f5260205ff3"),
    ];
    let theirs = Address::repeat_byte(0x5b);
    chain.set_code(theirs, &getter.concat());
    for address in [ours, theirs] {
        let contract = Contract::new(chain.registry.provider(), address);
        assert_eq!(contract.registry().await.unwrap(), Some(registry));
    }
    let none = Contract::new(chain.registry.provider(), registry);
    assert_eq!(none.registry().await.unwrap(), None);
}
