//! Random sequences over all nine predicates, the registry that asks them and the tokens they ask.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use std::collections::BTreeMap;

use alloy_primitives::{Address, FixedBytes, U256};
use atr_bindings::{
    ACCESS_PREDICATE_ID, AccessProofPredicate as proof, CompositePredicate as composite,
    ERC20BalancePredicate as balance, ERC165_ID, ERC721OwnerPredicate as collections,
    ERC1155OwnerPredicate as editions, IAccessPredicate, MerkleAllowlistPredicate as allowlist,
    READS_CALL_DATA_ID, SubscriptionPredicate as subscription, TraitGatedPredicate as traits,
};
use atr_harness::model::Answer;
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};

use super::{
    cast::Cast,
    scenario::{Scenario, any_scenario},
    stage::Stage,
};
use crate::property;

/// Plays a scenario, then asks everything there is to ask.
fn run<'a>(cast: &'a Cast, scenario: &Scenario) -> Result<Stage<'a>, String> {
    let mut stage = Stage::open(cast);
    for (index, step) in scenario.0.iter().enumerate() {
        stage
            .play(step)
            .map_err(|why| format!("in step {index}, {step:?}:\n{why}"))?;
    }
    for id in 1..=stage.twin.model.registry.count() + 1 {
        ask_everything(&mut stage, U256::from(id))
            .map_err(|why| format!("at the end, about tool {id}:\n{why}"))?;
    }
    Ok(stage)
}

#[test]
fn the_predicates_do_as_their_models_whatever_happens() {
    let cast = Cast::gather();
    // C-08, C-09, C-11: through the registry, every answer is the predicate's own or none.
    property::holds(600, any_scenario(60), |scenario| {
        run(&cast, &scenario).map(drop)
    });
}

#[test]
fn random_sequences_reach_every_answer_of_every_predicate() {
    let cast = Cast::gather();
    let mut seen: BTreeMap<(Address, Answer), u32> = BTreeMap::new();
    let mut runner = TestRunner::deterministic();
    for _ in 0..200 {
        let scenario = any_scenario(60).new_tree(&mut runner).expect("a scenario");
        let stage = run(&cast, &scenario.current()).expect("the property above holds");
        for (what, times) in stage.seen {
            *seen.entry(what).or_default() += times;
        }
    }
    for predicate in cast.predicates() {
        let name = cast.world.names().of(predicate);
        for answer in [Answer::No, Answer::Unknown, Answer::Yes] {
            let times = seen.get(&(predicate, answer)).copied().unwrap_or_default();
            let never = predicate == cast.contracts.always_deny && answer != Answer::No;
            assert_eq!(times >= 3, !never, "{name} said {answer:?} {times} times");
        }
    }
}

#[test]
fn the_predicates_say_what_they_are_and_what_their_limits_are() {
    let cast = Cast::gather();
    let mut twin = Stage::open(&cast).twin;
    let (at, from) = (cast.contracts, cast.nowhere);
    macro_rules! ask {
        ($($contract:expr => $($call:expr),+;)+) => {
            $($(twin.call(from, $contract, &$call).unwrap();)+)+
        };
    }
    ask! {
        at.erc721_owner => collections::MAX_COLLECTIONSCall {}, collections::GAS_PER_COLLECTIONCall {};
        at.erc1155_owner => editions::MAX_GASCall {}, editions::GAS_PER_COLLECTIONCall {},
            editions::GAS_PER_TOKENCall {};
        at.erc20_balance => balance::GAS_PER_QUESTIONCall {};
        at.subscription => subscription::GAS_PER_QUESTIONCall {};
        at.trait_gated => traits::MAX_VALUESCall {}, traits::GAS_PER_QUESTIONCall {};
        at.merkle_allowlist => allowlist::MAX_PROOF_LENGTHCall {};
        at.access_proof => proof::domainSeparatorCall {}, proof::GAS_PER_SIGNATURECall {};
        at.composite => composite::ALLCall {}, composite::ANYCall {}, composite::MAX_TERMSCall {},
            composite::MAX_BUDGETCall {}, composite::GAS_PER_INTROSPECTIONCall {},
            composite::PER_TERMCall {}, composite::NEGATEDCall {};
    }
    for count in (0..100).map(U256::from) {
        ask! { at.erc1155_owner => editions::gasToAskCall { count }; }
    }
    for predicate in cast.predicates() {
        // B-02, B-04
        let interfaces = [
            ERC165_ID,
            ACCESS_PREDICATE_ID,
            READS_CALL_DATA_ID,
            FixedBytes([0xff; 4]),
        ];
        for interfaceId in interfaces {
            ask! { predicate => composite::supportsInterfaceCall { interfaceId }; }
        }
        ask! {
            predicate => IAccessPredicate::nameCall {}, composite::versionCall {}, composite::REGISTRYCall {};
        }
    }
}

/// Every getter about a tool, what each predicate requires, and what every account is told.
fn ask_everything(stage: &mut Stage<'_>, id: U256) -> Result<(), String> {
    let cast = stage.cast;
    let (at, from, toolId) = (cast.contracts, cast.nowhere, id);
    let account = cast.signers[0].address;
    macro_rules! ask {
        ($($contract:expr => $($call:expr),+;)+) => {
            $($(stage.twin.call(from, $contract, &$call)?;)+)+
        };
    }
    ask! {
        at.erc721_owner => collections::getCollectionsCall { toolId };
        at.erc1155_owner => editions::getCollectionTokensCall { toolId };
        at.erc20_balance => balance::getToolERC20ConfigCall { toolId };
        at.subscription => subscription::getToolGatingConfigCall { toolId },
            subscription::getSubscriptionStatusCall { toolId, account };
        at.trait_gated => traits::getToolTraitConfigCall { toolId };
        at.merkle_allowlist => allowlist::getAllowlistRootCall { toolId },
            allowlist::leafOfCall { toolId, account };
        at.access_proof => proof::digestOfCall { toolId, account, deadline: 7 };
    }
    for composite in [at.composite, cast.inner] {
        ask! {
            composite => composite::getOpCall { toolId }, composite::getTermsCall { toolId },
                composite::termGasCall { toolId };
        }
    }
    for predicate in cast.predicates() {
        stage.ask_requirements(predicate, id)?;
        // Signatures take their time: one is enough.
        let accounts = cast.accounts();
        let asking = if predicate == at.access_proof {
            1
        } else {
            accounts.len()
        };
        for account in &accounts[..asking] {
            stage.ask_directly(predicate, id, *account)?;
        }
    }
    Ok(())
}
