//! Random sequences over all nine predicates, the registry that asks them and the tokens they ask.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use acceptance::form::Form;
use alloy_primitives::{FixedBytes, U256};
use atr_bindings::{
    ACCESS_PREDICATE_ID, AccessProofPredicate as proof, CompositePredicate as composite,
    ERC20BalancePredicate as balance, ERC165_ID, ERC721OwnerPredicate as collections,
    ERC1155OwnerPredicate as editions, IAccessPredicate, MerkleAllowlistPredicate as allowlist,
    READS_CALL_DATA_ID, SubscriptionPredicate as subscription, TraitGatedPredicate as traits,
};
use atr_harness::{CodeSource, Fork, World};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};

use super::{
    cast::Cast,
    reach::{self, Reach},
    scenario::{Scenario, any_damaged_setting_up, any_scenario},
    stage::Stage,
};
use crate::property;

/// Plays a scenario.
fn run<'a>(casts: &'a [Cast; 3], scenario: &Scenario) -> Result<Stage<'a>, String> {
    let mut stage = Stage::open(&casts[scenario.fork as usize]);
    for (index, (step, form)) in scenario.steps.iter().enumerate() {
        stage
            .play(step, form)
            .map_err(|why| format!("in step {index}, {step:?}{form}:\n{why}"))?;
    }
    stage.form = Form::default();
    Ok(stage)
}

/// Plays a scenario, then asks everything there is to ask.
fn run_and_ask<'a>(casts: &'a [Cast; 3], scenario: &Scenario) -> Result<Stage<'a>, String> {
    let mut stage = run(casts, scenario)?;
    for id in 1..=stage.twin.model.registry.count() + 1 {
        ask_everything(&mut stage, U256::from(id))
            .map_err(|why| format!("at the end, about tool {id}:\n{why}"))?;
    }
    Ok(stage)
}

#[test]
fn the_predicates_do_as_their_models_whatever_happens() {
    let casts = Fork::ALL.map(Cast::gather_on);
    // C-08, C-09, C-11: through the registry, every answer is the predicate's own or none.
    property::holds(600, any_scenario(60), |scenario| {
        run_and_ask(&casts, &scenario).map(drop)
    });
}

#[test]
fn the_predicates_refuse_calldata_as_solidity_does_and_take_the_rest() {
    let casts = Fork::ALL.map(Cast::gather_on);
    property::holds(1_000, any_damaged_setting_up(30), |scenario| {
        run(&casts, &scenario).map(drop)
    });
}

#[test]
fn random_sequences_reach_every_answer_of_every_predicate() {
    // How gas runs out depends on the bytes: the sequences are judged by those we ship.
    let gather = |fork| Cast::gather_in(World::new(fork), &CodeSource::Committed);
    let casts = Fork::ALL.map(gather);
    let mut seen = Reach::default();
    let mut runner = TestRunner::deterministic();
    for _ in 0..600 {
        let scenario = any_scenario(60).new_tree(&mut runner).expect("a scenario");
        let stage = run_and_ask(&casts, &scenario.current()).expect("the property above holds");
        seen.add(stage.reach);
    }
    let (must, never) = reach::expected(&casts[0]);
    let missing = seen.missing(&must, 3);
    assert!(
        missing.is_empty(),
        "seen less than three times: {missing:#?}"
    );
    let surprising: Vec<_> = never.iter().filter(|what| !seen.lacks(what)).collect();
    assert!(surprising.is_empty(), "must never be: {surprising:#?}");
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
    let accounts = cast.accounts();
    for (number, predicate) in cast.predicates().into_iter().enumerate() {
        if let Some(question) = stage.question_of_requirements(predicate, id) {
            let question = stage.sparing(question);
            stage.submit(question)?;
        }
        // Signatures take their time: a key and a wallet are enough.
        let is_asked = |index| predicate != at.access_proof || index == 0 || index == 3;
        for (_, account) in accounts
            .iter()
            .enumerate()
            .filter(|(index, _)| is_asked(*index))
        {
            stage.ask_directly(predicate, id, *account)?;
        }
        // And through the registry, for two of them and the wallet.
        stage.gate(id, predicate)?;
        for index in [number % 3, (number + 1) % 3, 3] {
            stage.ask_registry(id, accounts[index])?;
        }
    }
    Ok(())
}
