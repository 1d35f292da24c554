use alloy_primitives::{Address, Bytes, U256, hex};
use atr_bindings::{ERC721OwnerPredicate, PredicateKind};
use atr_registry::{
    Configuration, Error, Logic,
    predicates::{
        Measurement, Stipends, TokenMismatch, TokenStandard, access_proof, composite,
        erc20_balance, erc721_owner, erc1155_owner, subscription, trait_gated,
    },
};

use crate::{
    chain::{Chain, account},
    transactions::{send, sender, signer},
};

async fn set(chain: &Chain, predicate: Address, id: U256, configuration: &Configuration) {
    let call = configuration.set_call(predicate, id);
    let plan = sender(chain).plan(call, account(0)).await.unwrap();
    send(&sender(chain), &plan, &signer(0)).await;
}

/// Configurations with stipends: one and several collections.
fn configurations(token: Address) -> Vec<Configuration> {
    let stipend = None;
    let mut all: Vec<Configuration> = Vec::new();
    for count in [1_usize, 3, 10] {
        let collections = vec![token; count];
        all.push(
            erc721_owner::Configuration {
                collections,
                stipend,
            }
            .into(),
        );
    }
    for (collections, ids) in [(1, 1), (2, 3), (1, 16)] {
        let tokens = vec![
            erc1155_owner::CollectionTokens {
                collection: token,
                token_ids: (0..ids).map(U256::from).collect(),
            };
            collections
        ];
        all.push(erc1155_owner::Configuration { tokens, stipend }.into());
    }
    all.push(
        erc20_balance::Configuration {
            token,
            min_balance: U256::ONE,
            stipend,
        }
        .into(),
    );
    all.push(
        subscription::Configuration {
            collection: token,
            min_tier: 1,
            stipend,
        }
        .into(),
    );
    all.push(
        trait_gated::Configuration {
            collection: token,
            traits_contract: token,
            trait_key: [1; 32].into(),
            allowed_values: vec![[2; 32].into()],
            stipend,
        }
        .into(),
    );
    all.push(access_proof::Configuration { stipend }.into());
    all
}

#[tokio::test]
async fn default_stipends_and_limits_are_those_of_the_contracts() {
    let chain = Chain::start().await;
    let token = chain.deploy_mock("PlainERC721", &[]);
    let id = chain.register(Address::ZERO).await;
    for mut configuration in configurations(token) {
        let predicate = chain.deploy_predicate(configuration.kind().code());
        set(&chain, predicate, id, &configuration).await;
        let gas = chain.registry.predicate_gas(predicate, id).await.unwrap();
        let calls = configuration.token_calls(account(0)).unwrap();
        assert_eq!(gas.stipends, Some(calls.default), "{configuration:?}");
        assert!(gas.needed.is_some_and(|needed| needed < 200_000));
        for (stipend, is_valid) in [
            (calls.min - 1, false),
            (calls.min, true),
            (calls.max, true),
            (calls.max + 1, false),
        ] {
            *configuration.stipend().unwrap() = Some(stipend);
            let call = configuration.set_call(predicate, id);
            match sender(&chain)
                .plan(call, account(0))
                .await
                .map_err(Error::from)
            {
                Ok(_) => assert!(is_valid, "{configuration:?}"),
                Err(Error::WouldRevert { reason, .. }) => {
                    assert_eq!(reason.error, Some("InvalidStipend"));
                    assert!(!is_valid, "{configuration:?}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Runtime code that reads this many cold storage slots, each for 2,100 gas, and returns 1.
fn reads_slots(count: u8) -> Vec<u8> {
    // PUSH1 slot SLOAD POP
    let reads = (1..=count).flat_map(|slot| [0x60, slot, 0x54, 0x50]);
    reads.chain(hex!("60015f5260205ff3")).collect()
}

#[tokio::test]
async fn measures_the_calls_of_a_configuration() {
    let chain = Chain::start().await;
    let plain = chain.deploy_mock("PlainERC721", &[]);
    let erc20 = chain.deploy_mock("PlainERC20", &[]);
    let [heavy, empty, failing] = [0xa1, 0xa2, 0xa3].map(Address::repeat_byte);
    chain.set_code(heavy, &reads_slots(24));
    chain.set_code(failing, &[0xfe]);
    let measure = async |collections: &[Address]| {
        let configuration = erc721_owner::Configuration {
            collections: collections.to_vec(),
            stipend: None,
        };
        let measured = chain.registry.measure_stipend(&configuration.into()).await;
        measured.unwrap().unwrap()
    };
    let one = measure(&[plain]).await;
    assert!(one.default_suffices() && !one.exceeds_max(), "{one:?}");
    // One cold storage slot and the dispatch.
    assert!(one.needed.is_some_and(|gas| (2_100..4_000).contains(&gas)));
    assert!(one.mismatches.is_empty());

    // A single collection has a retry stipend of 140,000; four have 35,000 each.
    let heavy_one = measure(&[heavy]).await;
    assert!(heavy_one.default_suffices(), "{heavy_one:?}");
    // It returns true for every interface, so nothing is known about it.
    let unknown = TokenMismatch {
        token: heavy,
        expected: TokenStandard::Erc721,
        found: None,
        is_certain: false,
    };
    assert_eq!(heavy_one.mismatches, [unknown]);
    let two = measure(&[heavy, plain, plain, plain]).await;
    assert!(!two.default_suffices() && two.exceeds_max(), "{two:?}");

    let broken = measure(&[empty, failing, erc20]).await;
    let results: Vec<_> = broken.calls.iter().map(|call| call.measurement).collect();
    assert_eq!(results[..2], [Measurement::NoCode, Measurement::Failed]);
    let found = broken.mismatches.iter();
    let found: Vec<_> = found
        .map(|mismatch| (mismatch.found, mismatch.is_certain))
        .collect();
    let token = (Some(TokenStandard::Erc20), true);
    assert_eq!(found, [(None, false), (None, false), token]);
    let items = measure(&[chain.deploy_mock("PlainERC1155", &[])]).await;
    assert_eq!(items.mismatches[0].found, Some(TokenStandard::Erc1155));
    assert!(items.mismatches[0].is_certain);
    let balance = |token| erc20_balance::Configuration {
        token,
        min_balance: U256::ONE,
        stipend: None,
    };
    for (token, is_erc20) in [(erc20, true), (plain, false)] {
        let measured = chain.registry.measure_stipend(&balance(token).into()).await;
        let mismatches = measured.unwrap().unwrap().mismatches;
        assert_eq!(mismatches.is_empty(), is_erc20, "{mismatches:?}");
        assert!(mismatches.iter().all(|mismatch| mismatch.is_certain));
    }
}

#[tokio::test]
async fn a_measured_stipend_lets_an_expensive_token_answer() {
    let chain = Chain::start().await;
    let heavy = Address::repeat_byte(0xa1);
    chain.set_code(heavy, &reads_slots(10));
    let predicate = chain.deploy_predicate(PredicateKind::Erc721.code());
    let id = chain.register(predicate).await;
    // The default retry stipend of seven collections is 20,000.
    let mut configuration: Configuration = erc721_owner::Configuration {
        collections: vec![heavy; 7],
        stipend: None,
    }
    .into();
    let access = async || {
        let access = chain.registry.access(id, account(1), &Bytes::new()).await;
        access.unwrap()
    };
    set(&chain, predicate, id, &configuration).await;
    assert_eq!(access().await, atr_registry::Access::Unknown);
    let measured = chain.registry.measure_stipend(&configuration).await;
    let measured = measured.unwrap().unwrap();
    assert!(!measured.default_suffices() && !measured.exceeds_max());
    *configuration.stipend().unwrap() = measured.proposed;
    set(&chain, predicate, id, &configuration).await;
    assert_eq!(access().await, atr_registry::Access::Granted);
}

#[tokio::test]
async fn the_need_of_a_term_is_reported_and_measured() {
    let chain = Chain::start().await;
    let token = chain.deploy_mock("PlainERC721", &[]);
    let erc721 = chain.deploy_predicate(PredicateKind::Erc721.code());
    let composite = chain.deploy_predicate(PredicateKind::Composite.code());
    let id = chain.register(composite).await;
    let measure = async |stipend| {
        let measured = chain.registry.measure_term(erc721, id, stipend).await;
        measured.unwrap()
    };
    assert_eq!(measure(150_000).await, composite::TermGas::default());
    assert!(chain.registry.is_not_configured(erc721, id).await.unwrap());
    let collections = erc721_owner::Configuration {
        collections: vec![token],
        stipend: None,
    };
    set(&chain, erc721, id, &collections.into()).await;
    let gas = measure(150_000).await;
    assert!(gas.measured.is_some() && gas.reported > gas.measured);
    assert_eq!(measure(3_000).await.measured, None);
    // The composite's default is the one that the library predicts.
    let term = composite::Term {
        predicate: erc721,
        negate: true,
    };
    let configuration = composite::Configuration::flat(Logic::All, [term; 3]);
    set(&chain, composite, id, &configuration.into()).await;
    let read = chain
        .registry
        .configuration(composite, PredicateKind::Composite, id);
    let atr_registry::ConfigurationState::Configured(Configuration::Composite(stored)) =
        read.await.unwrap()
    else {
        panic!("configured above");
    };
    assert_eq!(
        Some(stored.term_gas),
        composite::default_term_gas(&[gas; 3])
    );
}

#[tokio::test]
async fn a_failed_check_names_the_contract() {
    let chain = Chain::start().await;
    let failing = Address::repeat_byte(0xa3);
    chain.set_code(failing, &[0xfe]);
    let erc721 = chain.deploy_predicate(PredicateKind::Erc721.code());
    let id = chain.register(erc721).await;
    let failure = async || {
        let registry = &chain.registry;
        let data = Bytes::new();
        let failure = registry.access_failure(erc721, id, account(1), &data);
        failure.await.unwrap()
    };
    let (reason, target) = failure().await.unwrap();
    assert_eq!((reason.error, target), (Some("NotConfigured"), None));
    let call = ERC721OwnerPredicate::setCollections_1Call {
        toolId: id,
        collections: vec![failing],
    };
    chain.send(0, erc721, &call);
    let (reason, target) = failure().await.unwrap();
    assert_eq!(target, Some(failing), "{reason}");
    assert_eq!(reason.error, Some("CallFailed"));
    chain.set_code(failing, &hex!("60015f5260205ff3"));
    assert_eq!(failure().await, None);
    assert_eq!(
        chain
            .registry
            .predicate_gas(erc721, id)
            .await
            .unwrap()
            .stipends,
        Some(Stipends {
            first: 12_000,
            retry: 140_000
        })
    );
}
