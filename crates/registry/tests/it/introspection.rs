use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolValue;
use atr_bindings::{
    ALWAYS_DENY_PREDICATE, COMPOSITE_PREDICATE, ERC721_OWNER_PREDICATE, ERC1155_OWNER_PREDICATE,
};
use atr_registry::{
    Access, Configuration, INTROSPECTION_GAS, Introspection, IntrospectionLimits, Limit, Logic,
    RequirementKind, Writer,
    predicates::{self, Term},
};

use crate::{
    chain::{Chain, account},
    diagnosis::MEGABYTE,
};

/// A predicate that says yes and lists so much.
fn repeating(chain: &Chain, entries: u64, data: u64, label: u64) -> Address {
    let arguments = [entries, data, label, 1].map(U256::from);
    let arguments = arguments.map(|number| number.abi_encode()).concat();
    chain.deploy_mock("AliasedRequirementsPredicate", &arguments)
}

#[tokio::test]
async fn a_list_over_a_limit_is_a_diagnosis_and_denies_nobody() {
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
            Introspection::OverLimit { what, found, limit } => Some((what, found, limit)),
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
async fn raised_caps_read_a_longer_list() {
    let chain = Chain::start().await;
    let predicate = repeating(&chain, 300, 5000, 300);
    let caps = IntrospectionLimits {
        entries: 300,
        data_bytes: 5000,
        label_bytes: 300,
        ..IntrospectionLimits::default()
    };
    // I-10
    let read = |caps| chain.registry.clone().with_caps(caps);
    let list = read(caps).requirements(predicate, U256::ONE).await.unwrap();
    assert!(matches!(list, Introspection::Known { requirements, .. } if requirements.len() == 300));
    let caps = IntrospectionLimits {
        entries: 299,
        ..caps
    };
    let list = read(caps).requirements(predicate, U256::ONE).await.unwrap();
    assert!(matches!(
        list,
        Introspection::OverLimit {
            what: Limit::Entries,
            found: 300,
            limit: 299
        }
    ));
}

#[tokio::test]
async fn a_predicate_that_fails_at_listing_has_failed_within_the_gas_it_is_given() {
    let chain = Chain::start().await;
    let invalid = Address::repeat_byte(0xfe);
    chain.set_code(invalid, &[0xfe]);
    let endless = Address::repeat_byte(0xcc);
    chain.set_code(endless, &MEGABYTE);
    for predicate in [
        chain.deploy_mock("PresetResponsePredicate", &[]),
        chain.deploy_mock("GasBurner", &[]),
        chain.deploy_mock("NonERC165Predicate", &[]),
        invalid,
        endless,
    ] {
        chain.line.take();
        let list = chain.registry.requirements(predicate, U256::ONE).await;
        // I-11
        assert!(matches!(list, Ok(Introspection::Failed { .. })), "{list:?}");
        let asked = chain.line.take();
        let gas = asked[0].params[0]["gas"].as_str().unwrap();
        assert_eq!(gas, format!("{INTROSPECTION_GAS:#x}"));
    }
}

#[tokio::test]
async fn a_predicate_without_code_has_no_list_yet() {
    let chain = Chain::start().await;
    let nowhere = Address::repeat_byte(0xaa);
    let list = chain.registry.requirements(nowhere, U256::ONE).await;
    assert_eq!(list.unwrap(), Introspection::NotYet);
}

#[tokio::test]
async fn our_own_predicates_are_understood_down_to_the_last_term() {
    let chain = Chain::start().await;
    let holding = chain.deploy_predicate(&ERC721_OWNER_PREDICATE);
    let tokens = chain.deploy_predicate(&ERC1155_OWNER_PREDICATE);
    let nobody = chain.deploy(ALWAYS_DENY_PREDICATE.creation());
    let composite = chain.deploy_predicate(&COMPOSITE_PREDICATE);
    let id = chain.register(composite).await;
    let collections = [1, 2].map(Address::with_last_byte);
    let (holds, negated) = (
        |predicate| Term {
            predicate,
            negate: false,
        },
        |predicate| Term {
            predicate,
            negate: true,
        },
    );
    let terms = [holds(holding), negated(tokens), holds(nobody)];
    let token = (collections[0], vec![U256::from(7)]);
    let writer = Writer::new(chain.registry.provider().clone(), 31337);
    for call in [
        predicates::set_collections(holding, id, collections.to_vec()),
        predicates::set_collection_tokens(tokens, id, vec![token]),
        predicates::set_composition(composite, id, Logic::All, &terms),
    ] {
        let planned = writer.plan(call, account(0)).await.unwrap();
        let signer = crate::writes::signer(0);
        writer.send(&planned, &signer).await.unwrap();
    }
    let read = |predicate, name| chain.registry.configuration(predicate, name, id);
    let found = read(composite, COMPOSITE_PREDICATE.name()).await.unwrap();
    let (logic, terms) = (Logic::All, terms.to_vec());
    assert_eq!(found, Configuration::Composite { logic, terms });
    let found = read(holding, ERC721_OWNER_PREDICATE.name()).await.unwrap();
    let collections_set = collections.to_vec();
    assert_eq!(
        found,
        Configuration::Erc721 {
            collections: collections_set
        }
    );
    let found = read(holding, "Another").await.unwrap();
    assert_eq!(found, Configuration::Unreadable);
    let other = U256::from(9);
    let never = chain
        .registry
        .configuration(holding, ERC721_OWNER_PREDICATE.name(), other);
    assert_eq!(never.await.unwrap(), Configuration::NotConfigured);
    let list = chain.registry.requirements(composite, id).await.unwrap();
    let Introspection::Known {
        logic,
        requirements,
    } = list
    else {
        panic!("{list:?}");
    };
    assert_eq!((logic, requirements.len()), (Logic::All, 3));
    let RequirementKind::Nested {
        logic,
        requirements: either,
    } = &requirements[0].meaning
    else {
        panic!("{requirements:?}");
    };
    assert_eq!((*logic, either.len()), (Logic::Any, 2));
    assert_eq!(
        either[1].meaning,
        RequirementKind::Erc721 {
            collection: collections[1]
        }
    );
    let RequirementKind::Negated(not) = &requirements[1].meaning else {
        panic!("{requirements:?}");
    };
    let token = RequirementKind::Erc1155 {
        collection: collections[0],
        token_id: U256::from(7),
    };
    assert_eq!(not.meaning, token);
    assert_eq!(requirements[2].meaning, RequirementKind::AlwaysDenied);
}

/// Returns these bytes, whatever it is asked.
fn returns(bytes: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(bytes.len()).unwrap().to_be_bytes();
    let code = [0x61, high, low, 0x80, 0x60, 0x0a, 0x5f, 0x39, 0x5f, 0xf3];
    [&code[..], bytes].concat()
}

#[tokio::test]
async fn a_configuration_whose_entries_share_their_bytes_does_not_fill_the_memory() {
    let chain = Chain::start().await;
    let predicate = Address::repeat_byte(0xbb);
    for (entries, is_read) in [(4, true), (5, true), (6, false), (150, false)] {
        let ids = 200;
        let mut words = vec![0x20, entries];
        words.extend(vec![entries * 32; usize::try_from(entries).unwrap()]);
        words.extend([7, 0x40, ids]);
        words.extend(0..ids);
        let words = words
            .into_iter()
            .map(|word: u64| U256::from(word).to_be_bytes::<32>());
        let bytes: Vec<u8> = words.flatten().collect();
        chain.set_code(predicate, &returns(&bytes));
        let name = ERC1155_OWNER_PREDICATE.name();
        let read = chain.registry.configuration(predicate, name, U256::ONE);
        let read = read.await.unwrap();
        assert_eq!(read != Configuration::Unreadable, is_read, "{entries}");
    }
}
