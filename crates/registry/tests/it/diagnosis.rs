use alloy_primitives::{Address, B256, FixedBytes, b256, hex, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC721_OWNER_PREDICATE, IToolRegistry, MERKLE_ALLOWLIST_PREDICATE,
    TOOL_REGISTRY,
};
use atr_registry::{InterfaceSupport, PredicateWarning, ProxyIndicator};

use crate::{
    access::setResponseCall,
    chain::{Chain, account},
};

const SLOTS: [B256; 3] = [
    b256!("0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"),
    b256!("0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"),
    b256!("0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"),
];

/// Returns a text of a megabyte, whatever it is asked: `return(0, 0x100040)` over an offset and a length.
pub(crate) const MEGABYTE: [u8; 17] = hex!("60205f5262100000602052621000405ff3");

/// Returns one, whatever it is asked.
const YES_TO_EVERYTHING: [u8; 8] = hex!("60015f5260205ff3");

#[tokio::test]
async fn our_registry_is_what_it_says() {
    let chain = Chain::start().await;
    let facts = chain.registry.facts().await.unwrap();
    assert_eq!(facts.name.as_deref(), Some(TOOL_REGISTRY.name()));
    assert_eq!(facts.version.as_deref(), Some("1.0"));
    assert_eq!(facts.advertised, InterfaceSupport::Yes);
    assert_eq!(facts.code_hash, keccak256(TOOL_REGISTRY.runtime()));
    assert!(!facts.is_proxy());
    chain.set_storage(facts.address, SLOTS[0], B256::with_last_byte(1));
    assert!(chain.registry.facts().await.unwrap().is_proxy());
    let nothing = chain.registry_at(Address::repeat_byte(0xee)).await;
    assert!(nothing.facts().await.is_err());
}

#[tokio::test]
async fn a_predicate_behind_any_kind_of_proxy_is_flagged() {
    let chain = Chain::start().await;
    let predicate = chain.deploy_mock("GrantingPredicate", &[]);
    let facts = chain.registry.predicate(predicate).await.unwrap();
    assert!(!facts.is_proxy() && facts.warnings(chain.registry.address()).is_empty());
    // K-02
    for slot in SLOTS {
        chain.set_storage(predicate, slot, B256::repeat_byte(1));
        let facts = chain.registry.predicate(predicate).await.unwrap();
        assert!(facts.is_proxy());
        let warnings = facts.warnings(chain.registry.address());
        assert!(
            matches!(warnings[..], [PredicateWarning::IsProxy { .. }]),
            "{warnings:?}"
        );
        chain.set_storage(predicate, slot, B256::ZERO);
    }
    let clone = Address::repeat_byte(0xcc);
    let mut code = hex!("363d3d373d3d3d363d73").to_vec();
    code.extend(predicate.as_slice());
    code.extend(hex!("5af43d82803e903d91602b57fd5bf3"));
    chain.set_code(clone, &code);
    let facts = chain.registry.predicate(clone).await.unwrap();
    assert_eq!(facts.proxy_indicators, [ProxyIndicator::MinimalProxy]);
    assert_eq!(facts.advertised, InterfaceSupport::Yes);
}

#[tokio::test]
async fn who_does_not_say_that_it_is_a_predicate_is_warned_about() {
    let chain = Chain::start().await;
    let liar = Address::repeat_byte(0xcc);
    chain.set_code(liar, &YES_TO_EVERYTHING);
    let silent_on = |id: FixedBytes<4>| id.abi_encode();
    for (predicate, expected) in [
        (
            chain.deploy_mock("GrantingPredicate", &[]),
            InterfaceSupport::Yes,
        ),
        (
            chain.deploy_mock("NonERC165Predicate", &[]),
            InterfaceSupport::Silent,
        ),
        (
            chain.deploy_mock("ERC165NonPredicate", &[]),
            InterfaceSupport::No,
        ),
        (
            chain.deploy_mock("TwoFunctionPredicate", &[]),
            InterfaceSupport::No,
        ),
        (
            chain.deploy_mock("EmptyReturnProbePredicate", &silent_on(ACCESS_PREDICATE_ID)),
            InterfaceSupport::No,
        ),
        (
            chain.deploy_mock("GasBurner", &[]),
            InterfaceSupport::Silent,
        ),
        (liar, InterfaceSupport::Silent),
    ] {
        let facts = chain.registry.predicate(predicate).await.unwrap();
        assert_eq!(facts.advertised, expected, "{predicate}");
        // K-06
        let warnings = facts.warnings(chain.registry.address());
        let is_warned = warnings.contains(&PredicateWarning::DoesNotAdvertise {
            advertised: expected,
        });
        assert_eq!(is_warned, expected != InterfaceSupport::Yes);
    }
}

#[tokio::test]
async fn a_predicate_without_code_is_not_yet_available() {
    let chain = Chain::start().await;
    let nowhere = Address::repeat_byte(0xaa);
    let facts = chain.registry.predicate(nowhere).await.unwrap();
    // K-07
    assert!(!facts.has_code && facts.code_hash.is_none());
    let warnings = facts.warnings(chain.registry.address());
    assert_eq!(warnings, [PredicateWarning::NotYetAvailable]);
    assert!(warnings[0].to_string().contains("not yet available"));
    assert!(warnings[0].to_string().contains("nobody gets in"));
}

#[tokio::test]
async fn a_name_or_a_version_beyond_256_bytes_counts_as_none() {
    let chain = Chain::start().await;
    let contract = chain.deploy_mock("PresetResponsePredicate", &[]);
    let registry = chain.registry_at(contract).await;
    // I-12
    for (length, is_taken) in [(256, true), (257, false)] {
        let text = "n".repeat(length);
        for question in [
            IToolRegistry::nameCall::SELECTOR,
            IToolRegistry::versionCall::SELECTOR,
        ] {
            let call = setResponseCall {
                key: question.into(),
                success: true,
                returndata: text.abi_encode().into(),
            };
            chain.send(0, contract, &call);
        }
        let expected = is_taken.then_some(text);
        let facts = registry.facts().await.unwrap();
        assert_eq!((&facts.name, &facts.version), (&expected, &expected));
        let facts = chain.registry.predicate(contract).await.unwrap();
        assert_eq!(facts.name, expected);
    }
    let endless = Address::repeat_byte(0xcc);
    chain.set_code(endless, &MEGABYTE);
    let facts = chain.registry_at(endless).await.facts().await.unwrap();
    assert_eq!((facts.name, facts.version), (None, None));
    assert_eq!(chain.registry.predicate(endless).await.unwrap().name, None);
}

#[tokio::test]
async fn a_predicate_tells_whom_it_serves_and_whether_it_reads_data() {
    let chain = Chain::start().await;
    let holding = chain.deploy_predicate(&ERC721_OWNER_PREDICATE);
    let list = chain.deploy_predicate(&MERKLE_ALLOWLIST_PREDICATE);
    let ours = chain.registry.address();
    let facts = chain.registry.predicate(holding).await.unwrap();
    assert_eq!((facts.registry, facts.reads_call_data), (Some(ours), false));
    assert_eq!(facts.name.as_deref(), Some(ERC721_OWNER_PREDICATE.name()));
    assert!(facts.warnings(ours).is_empty());
    let other = Address::repeat_byte(0xdd);
    let another = PredicateWarning::ServesAnother { registry: ours };
    assert_eq!(facts.warnings(other), [another]);
    let facts = chain.registry.predicate(list).await.unwrap();
    assert!(facts.reads_call_data);
}

#[tokio::test]
async fn an_account_with_lent_code_is_still_held_by_one_key() {
    let chain = Chain::start().await;
    let (plain, lent, wallet) = (account(2), Address::repeat_byte(3), Address::repeat_byte(4));
    chain.set_code(lent, &[&[0xef, 0x01, 0x00][..], &[0x11; 20]].concat());
    chain.set_code(wallet, &YES_TO_EVERYTHING);
    for (address, is_one_key) in [(plain, true), (lent, true), (wallet, false)] {
        let found = chain.registry.is_eoa(address).await.unwrap();
        assert_eq!(found, is_one_key, "{address}");
    }
}
