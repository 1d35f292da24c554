//! Random scenarios with all nine predicates, the registry and tokens.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use acceptance::{gas::GasUse, property, variation::Variation};
use alloy_primitives::{FixedBytes, U256};
use atr_bindings::{
    ACCESS_PREDICATE_ID, AccessProofPredicate as proof, CompositePredicate as composite,
    ERC20BalancePredicate as balance, ERC165_ID, ERC721OwnerPredicate as collections,
    ERC1155OwnerPredicate as editions, IAccessPredicate, MerkleAllowlistPredicate as allowlist,
    READS_CALL_DATA_ID, SubscriptionPredicate as subscription, TraitGatedPredicate as traits,
};
use atr_harness::{CodeSource, Fork, Transaction, World};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};

use super::{
    actors::Actors,
    fixture::Fixture,
    reach::{self, Reach},
    scenario::{Scenario, any_mutated_configuration, any_scenario},
};

/// Executes a scenario.
fn run<'a>(actors: &'a [Actors; 3], scenario: &Scenario) -> Result<Fixture<'a>, String> {
    let mut fixture = Fixture::new(&actors[scenario.fork as usize]);
    for (index, (step, variation)) in scenario.steps.iter().enumerate() {
        fixture
            .execute(step, variation)
            .map_err(|why| format!("in step {index}, {step:?}{variation}:\n{why}"))?;
    }
    fixture.variation = Variation::default();
    Ok(fixture)
}

/// Executes a scenario, then makes every view call.
fn run_and_read<'a>(actors: &'a [Actors; 3], scenario: &Scenario) -> Result<Fixture<'a>, String> {
    let mut fixture = run(actors, scenario)?;
    let first = fixture.actors.deregistered as u64 + 1;
    for id in first..=fixture.lockstep.model.registry.count() + 1 {
        read_everything(&mut fixture, U256::from(id))
            .map_err(|why| format!("at the end, tool {id}:\n{why}"))?;
    }
    Ok(fixture)
}

/// On Osaka, the first tools have the ids 255 and 256.
fn deploy(fork: Fork) -> Actors {
    let deregistered = if fork == Fork::Osaka { 254 } else { 0 };
    Actors::deploy_on(fork).after_deregistrations(deregistered)
}

#[test]
fn every_call_and_all_storage_match_the_models() {
    let actors = Fork::ALL.map(deploy);
    // C-08, C-09, C-11: through the registry, every result is the predicate's own or unknown.
    property::holds(600, any_scenario(60), |scenario| {
        run_and_read(&actors, &scenario).map(drop)
    });
}

#[test]
fn mutated_calldata_is_decoded_as_solidity_does() {
    let actors = Fork::ALL.map(deploy);
    property::holds(1_000, any_mutated_configuration(30), |scenario| {
        run(&actors, &scenario).map(drop)
    });
}

#[test]
fn random_sequences_reach_every_outcome_and_use_the_gas_ceilings() {
    // The gas ceilings are those of the committed bytecode.
    let deploy = |fork| Actors::deploy_in(World::new(fork), &CodeSource::Committed);
    let actors = Fork::ALL.map(deploy);
    let mut seen = Reach::default();
    let mut gas_use = GasUse::default();
    let mut runner = TestRunner::deterministic();
    for _ in 0..600 {
        let scenario = any_scenario(60).new_tree(&mut runner).expect("a scenario");
        let fixture = run_and_read(&actors, &scenario.current()).expect("the property above holds");
        seen.merge(fixture.reach);
        gas_use.merge(fixture.gas_use);
    }
    let (must, never) = reach::expected(&actors[0]);
    let missing = seen.missing(&must, 3);
    assert!(missing.is_empty(), "fewer than three times: {missing:#?}");
    let forbidden: Vec<_> = never.iter().filter(|event| seen.contains(event)).collect();
    assert!(forbidden.is_empty(), "must not occur: {forbidden:#?}");
    let misjudged = gas_use.misjudged();
    assert!(misjudged.is_empty(), "{misjudged:#?}");
}

#[test]
fn interfaces_and_limits_match_the_models() {
    let actors = Actors::deploy();
    let mut lockstep = Fixture::new(&actors).lockstep;
    let (at, from) = (actors.contracts, actors.eoa);
    macro_rules! call {
        ($($contract:expr => $($call:expr),+;)+) => {
            $($(lockstep.call(from, $contract, &$call).unwrap();)+)+
        };
    }
    call! {
        at.erc721_owner => collections::MAX_COLLECTIONS_PER_TOOLCall {};
        at.erc1155_owner => editions::MAX_UNITSCall {};
        at.subscription => subscription::registryCall {};
        at.trait_gated => traits::MAX_ALLOWED_VALUESCall {};
        at.merkle_allowlist => allowlist::MAX_PROOF_LENGTHCall {};
        at.access_proof => proof::domainSeparatorCall {};
        at.composite => composite::ALLCall {}, composite::ANYCall {},
            composite::MAX_TERMS_PER_COMPOSITIONCall {}, composite::MAX_BUDGETCall {}, composite::GAS_PER_INTROSPECTIONCall {},
            composite::PER_TERMCall {}, composite::NEGATEDCall {};
    }
    for predicate in actors.predicates() {
        // B-02, B-04
        let interfaces = [
            ERC165_ID,
            ACCESS_PREDICATE_ID,
            READS_CALL_DATA_ID,
            FixedBytes([0xff; 4]),
        ];
        for interfaceId in interfaces {
            call! { predicate => composite::supportsInterfaceCall { interfaceId }; }
        }
        call! {
            predicate => IAccessPredicate::nameCall {}, composite::versionCall {}, composite::REGISTRYCall {};
        }
    }
}

/// Calls every getter and `getRequirements`, and checks access for every account.
fn read_everything(fixture: &mut Fixture<'_>, id: U256) -> Result<(), String> {
    let actors = fixture.actors;
    let (at, from, toolId) = (actors.contracts, actors.eoa, id);
    let account = actors.signers[0].address;
    macro_rules! call {
        ($($contract:expr => $($call:expr),+;)+) => {
            $($(fixture.lockstep.call(from, $contract, &$call)?;)+)+
        };
    }
    call! {
        at.erc721_owner => collections::getCollectionsCall { toolId };
        at.erc1155_owner => editions::getCollectionTokensCall { toolId };
        at.erc20_balance => balance::getToolERC20ConfigCall { toolId };
        at.subscription => subscription::getToolGatingConfigCall { toolId };
        at.trait_gated => traits::getToolTraitConfigCall { toolId };
        at.merkle_allowlist => allowlist::getAllowlistRootCall { toolId },
            allowlist::leafOfCall { toolId, account };
        at.access_proof => proof::digestOfCall { toolId, account, deadline: 7 };
    }
    let status = subscription::getSubscriptionStatusCall { toolId, account };
    fixture.submit(Transaction::call(from, at.subscription, &status))?;
    for composite in [at.composite, actors.inner] {
        call! {
            composite => composite::getOpCall { toolId }, composite::getTermsCall { toolId },
                composite::getClausesCall { toolId }, composite::termGasCall { toolId },
                composite::gasNeededCall { toolId };
        }
    }
    let with_stipends = [
        at.erc721_owner,
        at.erc1155_owner,
        at.erc20_balance,
        at.subscription,
        at.trait_gated,
        at.access_proof,
    ];
    for predicate in with_stipends {
        call! {
            predicate => collections::getStipendsCall { toolId }, collections::gasNeededCall { toolId };
        }
    }
    let accounts = actors.accounts();
    for (number, predicate) in actors.predicates().into_iter().enumerate() {
        if let Some(call) = fixture.requirements_call(predicate, id) {
            fixture.submit(call)?;
        }
        // Signatures are slow: one EOA and the smart account are enough.
        let is_checked = |index| predicate != at.access_proof || index == 0 || index == 3;
        for (_, account) in accounts
            .iter()
            .enumerate()
            .filter(|(index, _)| is_checked(*index))
        {
            fixture.check_predicate(predicate, id, *account)?;
        }
        // Through the registry for two signers and the smart account.
        fixture.set_predicate(id, predicate)?;
        for index in [number % 3, (number + 1) % 3, 3] {
            fixture.check_registry(id, accounts[index])?;
        }
    }
    Ok(())
}
