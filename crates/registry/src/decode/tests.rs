use alloy_primitives::{Address, B256, Bytes, U256, address, hex};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    AccessRequirement,
    IAccessPredicate::{getRequirementsCall, getRequirementsReturn},
};
use proptest::prelude::*;

use super::*;
use crate::Introspection;

const COLLECTION: Address = address!("0xabcdefabcdef1234567890abcdefabcdef123456");

fn entry(kind: FixedBytes<4>, data: impl Into<Bytes>) -> AccessRequirement {
    AccessRequirement {
        kind,
        data: data.into(),
        label: "for people".to_owned(),
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
    Introspection::of_bytes(&returned(requirements, 0), IntrospectionLimits::default())
}

#[track_caller]
fn meanings(requirements: Vec<AccessRequirement>) -> Vec<RequirementKind> {
    match read(requirements) {
        Introspection::Known { requirements, .. } => {
            requirements.into_iter().map(|one| one.meaning).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn knows_every_kind_in_the_wild_and_of_ours() {
    let (key, value) = (B256::repeat_byte(7), B256::repeat_byte(8));
    let traits = (COLLECTION, Address::ZERO, key, vec![value, key]);
    let attestation = ("https://issuer.example/jwks", key);
    let found = meanings(vec![
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
            RequirementKind::Erc721 {
                collection: COLLECTION
            },
            RequirementKind::Erc1155 {
                collection: COLLECTION,
                token_id: U256::from(7)
            },
            RequirementKind::Subscription {
                collection: COLLECTION,
                min_tier: 2
            },
            RequirementKind::Erc20 {
                token: COLLECTION,
                min_balance: U256::MAX
            },
            RequirementKind::Erc7496Trait {
                collection: COLLECTION,
                traits_contract: Address::ZERO,
                trait_key: key,
                allowed_values: vec![value, key],
            },
            RequirementKind::WalletStateAttestation {
                issuer_jwks_uri: "https://issuer.example/jwks".to_owned(),
                condition_hash: key,
            },
            RequirementKind::MerkleAllowlist { root: key },
            RequirementKind::AccessProof {
                domain_separator: key
            },
            RequirementKind::AlwaysDenied,
            RequirementKind::Unknown,
            RequirementKind::Other,
        ]
    );
}

#[test]
fn reads_the_payloads_of_the_published_vectors() {
    for (kind, data, meaning) in [
        (
            ERC721_HOLDING_ID,
            &hex!("000000000000000000000000abcdefabcdef1234567890abcdefabcdef123456")[..],
            RequirementKind::Erc721 {
                collection: COLLECTION,
            },
        ),
        (
            SUBSCRIPTION_ID,
            &hex!(
                "000000000000000000000000abcdefabcdef1234567890abcdefabcdef123456"
                "0000000000000000000000000000000000000000000000000000000000000002"
            )[..],
            RequirementKind::Subscription {
                collection: COLLECTION,
                min_tier: 2,
            },
        ),
    ] {
        assert_eq!(meanings(vec![entry(kind, data.to_vec())]), [meaning]);
    }
}

#[test]
fn data_that_is_not_what_its_kind_promises_has_no_meaning_and_is_kept() {
    let collection = COLLECTION.abi_encode();
    let mut dirty = collection.clone();
    dirty[0] = 1;
    let mut padded = collection;
    padded.extend([0; 32]);
    let mut traits = (COLLECTION, COLLECTION, B256::ZERO, vec![B256::ZERO]).abi_encode_params();
    traits.extend([0; 32]);
    let broken = vec![
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
    let Introspection::Known { requirements, .. } = read(broken.clone()) else {
        panic!("one bad entry spoiled the list");
    };
    for (found, sent) in requirements.iter().zip(&broken) {
        assert_eq!(
            (&found.meaning, &found.data),
            (&RequirementKind::Malformed, &sent.data)
        );
    }
}

#[test]
fn opposites_and_lists_within_lists_are_followed() {
    let holding = entry(ERC721_HOLDING_ID, COLLECTION.abi_encode());
    let found = meanings(vec![
        negated(ERC721_HOLDING_ID, COLLECTION.abi_encode()),
        nested(1, vec![holding.clone(), holding]),
    ]);
    let holding = RequirementKind::Erc721 {
        collection: COLLECTION,
    };
    let RequirementKind::Negated(opposite) = &found[0] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (opposite.kind, &opposite.meaning),
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
    assert_eq!(requirements[0].meaning, holding);
}

#[test]
fn what_is_over_a_limit_is_said_to_be_over_that_limit() {
    let over = |requirements| match read(requirements) {
        Introspection::OverLimit { what, found, limit } => Some((what, found, limit)),
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
fn raised_caps_read_more_and_still_call_the_rest_over_the_limit() {
    let caps = IntrospectionLimits {
        entries: 300,
        ..IntrospectionLimits::default()
    };
    let list = |count| returned(vec![entry(UNKNOWN_ID, Bytes::new()); count], 1);
    // I-10
    assert!(matches!(
        Introspection::of_bytes(&list(300), caps),
        Introspection::Known { logic: Logic::Any, requirements } if requirements.len() == 300
    ));
    let over = Introspection::OverLimit {
        what: Limit::Entries,
        found: 301,
        limit: 300,
    };
    assert_eq!(Introspection::of_bytes(&list(301), caps), over);
}

#[test]
fn lists_within_lists_end_at_a_depth_and_at_a_number() {
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
                what: Limit::Depth,
                ..
            }
        ),
        "{deeper:?}"
    );

    let wide = nested(0, vec![entry(UNKNOWN_ID, Bytes::new()); 16]);
    let many = read(vec![wide; 100]);
    assert!(
        matches!(
            many,
            Introspection::OverLimit {
                what: Limit::NestedEntries,
                ..
            }
        ),
        "{many:?}"
    );
}

#[test]
fn offsets_that_all_lead_to_one_place_buy_no_work() {
    let one = entry(ERC721_HOLDING_ID, COLLECTION.abi_encode()).abi_encode_params();
    let mut bomb = one;
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
    let read = Introspection::of_bytes(&list, IntrospectionLimits::default());
    assert!(
        matches!(
            read,
            Introspection::OverLimit {
                what: Limit::NestedEntries,
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
    fn whatever_encodes_decodes_to_itself(entries in prop::collection::vec(any_entry(), 0..12), logic in 0_u8..2) {
        let read = Introspection::of_bytes(&returned(entries.clone(), logic), IntrospectionLimits::default());
        let Introspection::Known { logic: found, requirements } = read else {
            return Err(TestCaseError::fail(format!("{read:?}")));
        };
        prop_assert_eq!(found == Logic::Any, logic == 1);
        let back = requirements.into_iter().map(|one| AccessRequirement { kind: one.kind, data: one.data, label: one.label });
        prop_assert_eq!(back.collect::<Vec<_>>(), entries);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..1024)) {
        let _ = Introspection::of_bytes(&bytes, IntrospectionLimits::default());
    }

    #[test]
    fn no_broken_list_makes_it_panic(
        entries in prop::collection::vec(any_entry(), 1..6),
        breaks in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = returned(vec![nested(0, entries)], 0);
        for (place, value) in breaks {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(end.index(bytes.len() + 1));
        let _ = Introspection::of_bytes(&bytes, IntrospectionLimits::default());
    }
}
