use alloy_primitives::{Address, B256, U256, hex};
use atr_bindings::PredicateKind;
use atr_registry::{
    Configuration, ConfigurationState, Introspection, Logic, RequirementKind,
    predicates::{
        access_proof, always_deny, composite, erc20_balance, erc721_owner, erc1155_owner,
        merkle_allowlist, subscription, trait_gated,
    },
};

use crate::{
    chain::{Chain, account},
    transactions::{send, sender, signer},
};

fn deploy(chain: &Chain, kind: PredicateKind) -> Address {
    if kind.is_configurable() {
        chain.deploy_predicate(kind.code())
    } else {
        chain.deploy(kind.code().creation())
    }
}

/// Puts code at every collection and token of [`configurations`], which the predicates require.
fn set_token_code(chain: &Chain) {
    for byte in 1..=10 {
        chain.set_code(Address::repeat_byte(byte), &RETURNS_ONE);
    }
}

/// Returns 1 for every call.
const RETURNS_ONE: [u8; 8] = hex!("60015f5260205ff3");

fn tokens(collections: u8, ids: u64) -> Vec<erc1155_owner::CollectionTokens> {
    let ids: Vec<_> = (0..ids).map(U256::from).collect();
    (1..=collections)
        .map(|byte| erc1155_owner::CollectionTokens {
            collection: Address::repeat_byte(byte),
            token_ids: ids.clone(),
        })
        .collect()
}

/// Configurations of every predicate, small and large.
fn configurations(term: Address) -> Vec<Configuration> {
    let collection = Address::repeat_byte(1);
    let collections = |count: u8, stipend| erc721_owner::Configuration {
        collections: (1..=count).map(Address::repeat_byte).collect(),
        stipend,
    };
    let traits = |count: u8, stipend| trait_gated::Configuration {
        collection,
        traits_contract: Address::repeat_byte(2),
        trait_key: B256::repeat_byte(3),
        allowed_values: (1..=count).map(B256::repeat_byte).collect(),
        stipend,
    };
    let mut all: Vec<Configuration> = Vec::new();
    for stipend in [None, Some(5_000)] {
        all.extend([1, 2, 7, 10].map(|count| collections(count, stipend).into()));
        // Fifty units have equal default stipends: indistinguishable from a chosen one.
        all.extend(
            [(1, 1), (2, 3), (1, 16), (10, 1)].map(|(collections, ids)| {
                let tokens = tokens(collections, ids);
                let stipend = stipend.map(|stipend| stipend / 5);
                erc1155_owner::Configuration { tokens, stipend }.into()
            }),
        );
        all.extend([1, 2, 123].map(|count| traits(count, stipend).into()));
        all.push(
            subscription::Configuration {
                collection,
                min_tier: 2,
                stipend,
            }
            .into(),
        );
        all.push(
            erc20_balance::Configuration {
                token: collection,
                min_balance: U256::MAX,
                stipend,
            }
            .into(),
        );
        all.push(access_proof::Configuration { stipend }.into());
    }
    let term = composite::Term {
        predicate: term,
        negate: false,
    };
    for clauses in [&[1][..], &[1, 1], &[2, 1], &[4, 4]] {
        let terms: usize = clauses.iter().sum();
        let composite = composite::Configuration {
            logic: Logic::Any,
            clauses: clauses.iter().map(|count| vec![term; *count]).collect(),
            term_gas: vec![10_000; terms],
        };
        all.push(composite.into());
    }
    all.push(
        merkle_allowlist::Configuration {
            root: B256::repeat_byte(4),
        }
        .into(),
    );
    all
}

#[tokio::test]
async fn every_configuration_is_read_back_and_stays_below_its_gas_limit() {
    let chain = Chain::start().await;
    let (sender, signer) = (sender(&chain), signer(0));
    let term = deploy(&chain, PredicateKind::AlwaysDeny);
    set_token_code(&chain);
    let mut tested = Vec::new();
    for configuration in configurations(term) {
        let kind = configuration.kind();
        let predicate = deploy(&chain, kind);
        let id = chain.register(predicate).await;
        let read = || chain.registry.configuration(predicate, kind, id);
        let before = match kind {
            // Works without a configuration.
            PredicateKind::AccessProof => {
                ConfigurationState::Configured(access_proof::Configuration { stipend: None }.into())
            }
            _ => ConfigurationState::NotConfigured,
        };
        assert_eq!(read().await.unwrap(), before);
        let call = configuration.set_call(predicate, id);
        let plan = sender.plan(call, account(0)).await.unwrap();
        let limit = configuration.gas_limit();
        assert!(
            plan.gas_limit <= limit,
            "{configuration:?}: {} > {limit}",
            plan.gas_limit
        );
        send(&sender, &plan, &signer).await;
        let expected = ConfigurationState::Configured(configuration);
        assert_eq!(read().await.unwrap(), expected);
        tested.push(kind);
    }
    for kind in PredicateKind::ALL {
        assert_eq!(tested.contains(&kind), kind.is_configurable(), "{kind:?}");
    }
}

#[tokio::test]
async fn reads_the_requirements_of_a_composite() {
    let chain = Chain::start().await;
    let holding = deploy(&chain, PredicateKind::Erc721);
    let token = deploy(&chain, PredicateKind::Erc1155);
    let deny = deploy(&chain, PredicateKind::AlwaysDeny);
    let composite = deploy(&chain, PredicateKind::Composite);
    let id = chain.register(composite).await;
    let collections = [1, 2].map(Address::repeat_byte);
    set_token_code(&chain);
    let term = |predicate, negate| composite::Term { predicate, negate };
    let configurations: [(Address, Configuration); 3] = [
        (
            holding,
            erc721_owner::Configuration {
                collections: collections.to_vec(),
                stipend: None,
            }
            .into(),
        ),
        (
            token,
            erc1155_owner::Configuration {
                tokens: vec![erc1155_owner::CollectionTokens {
                    collection: collections[0],
                    token_ids: vec![U256::from(7)],
                }],
                stipend: None,
            }
            .into(),
        ),
        (
            composite,
            composite::Configuration::flat(
                Logic::All,
                [term(holding, false), term(token, true), term(deny, false)],
            )
            .into(),
        ),
    ];
    for (predicate, configuration) in configurations {
        let call = configuration.set_call(predicate, id);
        let plan = sender(&chain).plan(call, account(0)).await.unwrap();
        send(&sender(&chain), &plan, &signer(0)).await;
    }
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
        requirements: nested,
    } = &requirements[0].decoded
    else {
        panic!("{requirements:?}");
    };
    assert_eq!((*logic, nested.len()), (Logic::Any, 2));
    let second = erc721_owner::Requirement {
        collection: collections[1],
    };
    assert_eq!(nested[1].decoded, RequirementKind::Erc721(second));
    let RequirementKind::Negated(negated) = &requirements[1].decoded else {
        panic!("{requirements:?}");
    };
    let token = erc1155_owner::Requirement {
        collection: collections[0],
        token_id: U256::from(7),
    };
    assert_eq!(negated.decoded, RequirementKind::Erc1155(token));
    assert_eq!(
        requirements[2].decoded,
        RequirementKind::AlwaysDeny(always_deny::Requirement {})
    );
}

#[tokio::test]
async fn a_predicate_without_configuration_or_of_another_kind_is_unreadable() {
    let chain = Chain::start().await;
    let deny = deploy(&chain, PredicateKind::AlwaysDeny);
    let id = chain.register(deny).await;
    for kind in [PredicateKind::AlwaysDeny, PredicateKind::Erc721] {
        let read = chain.registry.configuration(deny, kind, id);
        assert_eq!(read.await.unwrap(), ConfigurationState::Unreadable);
    }
}

/// Runtime code that returns these bytes for every call.
fn returns(bytes: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(bytes.len()).unwrap().to_be_bytes();
    let code = [0x61, high, low, 0x80, 0x60, 0x0a, 0x5f, 0x39, 0x5f, 0xf3];
    [&code[..], bytes].concat()
}

#[tokio::test]
async fn entries_that_share_bytes_do_not_exhaust_memory() {
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
        let read = chain
            .registry
            .configuration(predicate, PredicateKind::Erc1155, U256::ONE);
        let read = read.await.unwrap();
        assert_eq!(read != ConfigurationState::Unreadable, is_read, "{entries}");
    }
}
