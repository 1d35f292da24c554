use alloy_primitives::{Address, B256, Bytes, FixedBytes, U256, address, fixed_bytes, hex};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ACCESS_PROOF_ID, ALWAYS_DENIED_ID, AccessRequirement, ERC20_BALANCE_ID, ERC721_HOLDING_ID,
    ERC1155_HOLDING_ID, ERC7496_TRAIT_ID,
    IAccessPredicate::{getRequirementsCall, getRequirementsReturn},
    MERKLE_ALLOWLIST_ID, NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID, SUBSCRIPTION_ID,
};
use proptest::prelude::*;

use super::*;
use crate::{
    Logic, RequirementKind,
    predicates::{
        access_proof, always_deny, erc20_balance, erc721_owner, erc1155_owner, merkle_allowlist,
        subscription, trait_gated,
    },
    requirements::{UNKNOWN_ID, WALLET_STATE_ATTESTATION_ID, WalletStateAttestation},
};

const COLLECTION: Address = address!("0xabcdefabcdef1234567890abcdefabcdef123456");

fn entry(kind: FixedBytes<4>, data: impl Into<Bytes>) -> AccessRequirement {
    AccessRequirement {
        kind,
        data: data.into(),
        label: "label".to_owned(),
    }
}

fn returned(requirements: Vec<AccessRequirement>, logic: u8) -> Vec<u8> {
    getRequirementsCall::abi_encode_returns(&getRequirementsReturn {
        requirements,
        logic,
    })
}

fn nested(logic: u8, requirements: Vec<AccessRequirement>) -> AccessRequirement {
    let data = (U256::from(logic), requirements).abi_encode_params();
    entry(NESTED_REQUIREMENTS_ID, data)
}

fn negated(kind: FixedBytes<4>, data: Vec<u8>) -> AccessRequirement {
    let data = (kind, Bytes::from(data)).abi_encode_params();
    entry(NEGATED_REQUIREMENT_ID, data)
}

fn read(requirements: Vec<AccessRequirement>) -> Introspection {
    Introspection::decode(&returned(requirements, 0), IntrospectionLimits::default())
}

#[track_caller]
fn decoded(requirements: Vec<AccessRequirement>) -> Vec<RequirementKind> {
    match read(requirements) {
        Introspection::Known { requirements, .. } => requirements
            .into_iter()
            .map(|entry| entry.decoded)
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn decodes_every_known_kind() {
    let (key, value) = (B256::repeat_byte(7), B256::repeat_byte(8));
    let traits = (COLLECTION, Address::ZERO, key, vec![value, key]);
    let attestation = ("https://issuer.example/jwks", key);
    let found = decoded(vec![
        entry(ERC721_HOLDING_ID, COLLECTION.abi_encode()),
        entry(ERC1155_HOLDING_ID, (COLLECTION, U256::from(7)).abi_encode()),
        entry(SUBSCRIPTION_ID, (COLLECTION, U256::from(2)).abi_encode()),
        entry(ERC20_BALANCE_ID, (COLLECTION, U256::MAX).abi_encode()),
        entry(ERC7496_TRAIT_ID, traits.abi_encode_params()),
        entry(WALLET_STATE_ATTESTATION_ID, attestation.abi_encode_params()),
        entry(MERKLE_ALLOWLIST_ID, key.abi_encode()),
        entry(ACCESS_PROOF_ID, key.abi_encode()),
        entry(ALWAYS_DENIED_ID, Bytes::new()),
        entry(UNKNOWN_ID, Bytes::new()),
        entry(fixed_bytes!("0x12345678"), vec![1, 2, 3]),
    ]);
    assert_eq!(
        found,
        [
            RequirementKind::Erc721(erc721_owner::Requirement {
                collection: COLLECTION
            }),
            RequirementKind::Erc1155(erc1155_owner::Requirement {
                collection: COLLECTION,
                token_id: U256::from(7)
            }),
            RequirementKind::Subscription(subscription::Requirement {
                collection: COLLECTION,
                min_tier: 2,
                stipend: None,
            }),
            RequirementKind::Erc20(erc20_balance::Requirement {
                token: COLLECTION,
                min_balance: U256::MAX,
                stipend: None,
            }),
            RequirementKind::Trait(trait_gated::Requirement {
                collection: COLLECTION,
                traits_contract: Address::ZERO,
                trait_key: key,
                allowed_values: vec![value, key],
                stipend: None,
            }),
            RequirementKind::WalletStateAttestation(WalletStateAttestation {
                issuer_jwks_uri: "https://issuer.example/jwks".to_owned(),
                condition_hash: key,
            }),
            RequirementKind::Allowlist(merkle_allowlist::Requirement { root: key }),
            RequirementKind::AccessProof(access_proof::Requirement {
                domain_separator: key
            }),
            RequirementKind::AlwaysDeny(always_deny::Requirement {}),
            RequirementKind::Unknown,
            RequirementKind::Other,
        ]
    );
}

#[test]
fn decodes_the_payloads_of_the_published_vectors() {
    for (kind, data, expected) in [
        (
            ERC721_HOLDING_ID,
            &hex!("000000000000000000000000abcdefabcdef1234567890abcdefabcdef123456")[..],
            RequirementKind::Erc721(erc721_owner::Requirement {
                collection: COLLECTION,
            }),
        ),
        (
            SUBSCRIPTION_ID,
            &hex!(
                "000000000000000000000000abcdefabcdef1234567890abcdefabcdef123456"
                "0000000000000000000000000000000000000000000000000000000000000002"
            )[..],
            RequirementKind::Subscription(subscription::Requirement {
                collection: COLLECTION,
                min_tier: 2,
                stipend: None,
            }),
        ),
    ] {
        assert_eq!(decoded(vec![entry(kind, data.to_vec())]), [expected]);
    }
}

#[test]
fn invalid_data_of_a_known_kind_is_malformed_and_preserved() {
    let collection = COLLECTION.abi_encode();
    let mut dirty = collection.clone();
    dirty[0] = 1;
    let mut padded = collection;
    padded.extend([0; 32]);
    let mut traits = (COLLECTION, COLLECTION, B256::ZERO, vec![B256::ZERO]).abi_encode_params();
    traits.extend([0; 32]);
    let invalid = vec![
        entry(ERC721_HOLDING_ID, dirty),
        entry(ERC721_HOLDING_ID, padded),
        entry(ERC721_HOLDING_ID, Bytes::new()),
        entry(SUBSCRIPTION_ID, (COLLECTION, U256::from(256)).abi_encode()),
        entry(ERC7496_TRAIT_ID, traits),
        entry(ALWAYS_DENIED_ID, vec![0]),
        entry(NEGATED_REQUIREMENT_ID, vec![0; 96]),
        entry(NESTED_REQUIREMENTS_ID, vec![0xff; 96]),
        entry(
            WALLET_STATE_ATTESTATION_ID,
            (Bytes::from(vec![0xff]), B256::ZERO).abi_encode_params(),
        ),
    ];
    let Introspection::Known { requirements, .. } = read(invalid.clone()) else {
        panic!("an invalid entry must not invalidate the list");
    };
    for (found, sent) in requirements.iter().zip(&invalid) {
        assert_eq!(
            (&found.decoded, &found.data),
            (&RequirementKind::Malformed, &sent.data)
        );
    }
}

#[test]
fn decodes_negated_and_nested_requirements() {
    let holding = entry(ERC721_HOLDING_ID, COLLECTION.abi_encode());
    let found = decoded(vec![
        negated(ERC721_HOLDING_ID, COLLECTION.abi_encode()),
        nested(1, vec![holding.clone(), holding]),
    ]);
    let holding = RequirementKind::Erc721(erc721_owner::Requirement {
        collection: COLLECTION,
    });
    let RequirementKind::Negated(negated) = &found[0] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (negated.kind, &negated.decoded),
        (ERC721_HOLDING_ID, &holding)
    );
    let RequirementKind::Nested {
        logic,
        requirements,
    } = &found[1]
    else {
        panic!("{found:?}")
    };
    assert_eq!((*logic, requirements.len()), (Logic::Any, 2));
    assert_eq!(requirements[0].decoded, holding);
}

#[test]
fn reports_the_exceeded_limit() {
    let over = |requirements| match read(requirements) {
        Introspection::OverLimit { limit, found, max } => Some((limit, found, max)),
        _ => None,
    };
    let labelled = |length| AccessRequirement {
        label: "x".repeat(length),
        ..entry(UNKNOWN_ID, Bytes::new())
    };
    // I-09
    assert_eq!(over(vec![labelled(0); 256]), None);
    assert_eq!(
        over(vec![labelled(0); 257]),
        Some((Limit::Entries, 257, 256))
    );
    assert_eq!(over(vec![entry(UNKNOWN_ID, vec![0; 4096])]), None);
    assert_eq!(
        over(vec![entry(UNKNOWN_ID, vec![0; 4097])]),
        Some((Limit::Data, 4097, 4096))
    );
    assert_eq!(over(vec![labelled(256)]), None);
    assert_eq!(over(vec![labelled(257)]), Some((Limit::Label, 257, 256)));
}

#[test]
fn raised_limits_accept_more_entries() {
    let limits = IntrospectionLimits {
        entries: 300,
        ..IntrospectionLimits::default()
    };
    let list = |count| returned(vec![entry(UNKNOWN_ID, Bytes::new()); count], 1);
    // I-10
    assert!(matches!(
        Introspection::decode(&list(300), limits),
        Introspection::Known { logic: Logic::Any, requirements } if requirements.len() == 300
    ));
    let over = Introspection::OverLimit {
        limit: Limit::Entries,
        found: 301,
        max: 300,
    };
    assert_eq!(Introspection::decode(&list(301), limits), over);
}

/// The default limits, but that of the total size.
const UNBOUNDED: IntrospectionLimits = IntrospectionLimits {
    entries: 256,
    data_bytes: 4096,
    label_bytes: 256,
    depth: 8,
    nested_entries: 1024,
    total_bytes: usize::MAX,
    gas: INTROSPECTION_GAS,
};

#[test]
fn a_small_return_value_cannot_decode_to_a_large_list() {
    // 256 entries whose `data` is the same 4,096 bytes: 13 kB of return data, 1 MiB of requirements.
    let shared = entry(UNKNOWN_ID, vec![0xab; 4096]).abi_encode_params();
    let mut list = (U256::from(64), U256::ZERO, U256::from(256)).abi_encode();
    for _ in 0..256 {
        list.extend((U256::from(256) * U256::from(32)).abi_encode());
    }
    list.extend(&shared);
    assert!(list.len() < 13_500, "{}", list.len());
    let read = Introspection::decode(&list, IntrospectionLimits::default());
    let max = 64 * 1024;
    let over = Introspection::OverLimit {
        limit: Limit::TotalBytes,
        found: 16 * (4096 + "label".len()),
        max,
    };
    assert_eq!(read, over);
    // Nested and negated entries are counted as well.
    let inner = vec![entry(UNKNOWN_ID, vec![0xab; 1024]); 3];
    let lists = vec![nested(0, inner); 12];
    assert!(matches!(
        self::read(lists),
        Introspection::OverLimit {
            limit: Limit::TotalBytes,
            ..
        }
    ));
}

#[test]
fn nested_lists_are_limited_in_depth_and_number() {
    let mut deep = entry(UNKNOWN_ID, Bytes::new());
    for _ in 0..IntrospectionLimits::default().depth {
        deep = nested(0, vec![deep]);
    }
    assert!(matches!(
        read(vec![deep.clone()]),
        Introspection::Known { .. }
    ));
    let deeper = read(vec![nested(0, vec![deep])]);
    assert!(
        matches!(
            deeper,
            Introspection::OverLimit {
                limit: Limit::Depth,
                ..
            }
        ),
        "{deeper:?}"
    );

    let wide = nested(0, vec![entry(UNKNOWN_ID, Bytes::new()); 16]);
    let many = Introspection::decode(&returned(vec![wide; 100], 0), UNBOUNDED);
    assert!(
        matches!(
            many,
            Introspection::OverLimit {
                limit: Limit::NestedEntries,
                ..
            }
        ),
        "{many:?}"
    );
}

#[test]
fn shared_offsets_do_not_multiply_the_work() {
    let innermost = entry(ERC721_HOLDING_ID, COLLECTION.abi_encode()).abi_encode_params();
    let mut bomb = innermost;
    for _ in 0..3 {
        let count = 20_u64;
        let mut list = (U256::ZERO, U256::from(64), U256::from(count)).abi_encode();
        for _ in 0..count {
            list.extend((U256::from(count) * U256::from(32)).abi_encode());
        }
        list.extend(&bomb);
        bomb = entry(NESTED_REQUIREMENTS_ID, list).abi_encode_params();
    }
    let mut list = (U256::from(64), U256::ZERO, U256::from(256)).abi_encode();
    for _ in 0..256 {
        list.extend((U256::from(256) * U256::from(32)).abi_encode());
    }
    list.extend(bomb);
    let read = Introspection::decode(&list, UNBOUNDED);
    assert!(
        matches!(
            read,
            Introspection::OverLimit {
                limit: Limit::NestedEntries,
                ..
            }
        ),
        "{read:?}"
    );
}

fn any_kind() -> impl Strategy<Value = FixedBytes<4>> {
    prop_oneof![
        Just(ERC721_HOLDING_ID),
        Just(ERC1155_HOLDING_ID),
        Just(SUBSCRIPTION_ID),
        Just(ERC7496_TRAIT_ID),
        Just(WALLET_STATE_ATTESTATION_ID),
        Just(NEGATED_REQUIREMENT_ID),
        Just(NESTED_REQUIREMENTS_ID),
        any::<[u8; 4]>().prop_map(FixedBytes),
    ]
}

fn any_entry() -> impl Strategy<Value = AccessRequirement> {
    let data = prop::collection::vec(any::<u8>(), 0..200);
    (any_kind(), data, ".{0,20}").prop_map(|(kind, data, label)| AccessRequirement {
        kind,
        data: data.into(),
        label,
    })
}

proptest! {
    #[test]
    fn encoded_requirements_decode_to_themselves(entries in prop::collection::vec(any_entry(), 0..12), logic in 0_u8..2) {
        let read = Introspection::decode(&returned(entries.clone(), logic), IntrospectionLimits::default());
        let Introspection::Known { logic: found, requirements } = read else {
            return Err(TestCaseError::fail(format!("{read:?}")));
        };
        prop_assert_eq!(found == Logic::Any, logic == 1);
        let back = requirements.into_iter().map(|entry| AccessRequirement { kind: entry.kind, data: entry.data, label: entry.label });
        prop_assert_eq!(back.collect::<Vec<_>>(), entries);
    }

    #[test]
    fn decoding_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..1024)) {
        let _ = Introspection::decode(&bytes, IntrospectionLimits::default());
    }

    #[test]
    fn decoding_a_corrupted_list_never_panics(
        entries in prop::collection::vec(any_entry(), 1..6),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = returned(vec![nested(0, entries)], 0);
        for (index, value) in changes {
            let index = index.index(bytes.len());
            bytes[index] = value;
        }
        bytes.truncate(end.index(bytes.len() + 1));
        let _ = Introspection::decode(&bytes, IntrospectionLimits::default());
    }
}
