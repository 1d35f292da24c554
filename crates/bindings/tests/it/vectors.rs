use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use alloy_primitives::hex;
use alloy_sol_types::SolCall;
use atr_bindings::{
    ERC165_ID, IAccessPredicate, INTERFACES,
    IToolRegistry::{self, IToolRegistryCalls, IToolRegistryErrors, IToolRegistryEvents},
    Interface,
    ToolRegistry::{self, ToolRegistryCalls, ToolRegistryErrors, ToolRegistryEvents},
    interface_id,
};
use serde_json::Value;

/// Groups that `atr-registry` tests: storage slots, other contracts' interfaces, requirement data.
const GROUPS_TESTED_ELSEWHERE: [&str; 3] = ["proxyMarkers", "related", "requirementData"];

fn vectors() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/interfaces.json");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Signature to selector or topic of one group, without duplicates.
fn published(rows: &Value, value: &str) -> BTreeMap<String, String> {
    let rows = rows.as_array().unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let found: BTreeMap<_, _> = rows
        .iter()
        .map(|row| (text(row, "signature"), text(row, value)))
        .collect();
    assert_eq!(found.len(), rows.len());
    found
}

fn generated<const N: usize>(signatures: &[&str], values: &[[u8; N]]) -> BTreeMap<String, String> {
    assert_eq!(signatures.len(), values.len());
    let values = values.iter().map(hex::encode_prefixed);
    signatures
        .iter()
        .map(|signature| (*signature).to_owned())
        .zip(values)
        .collect()
}

#[test]
fn every_group_of_the_vectors_is_tested_here_or_elsewhere() {
    let vectors = vectors();
    let groups: BTreeSet<_> = vectors
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let known = ["ids", "sharedSelector", "events", "errors"]
        .into_iter()
        .chain(GROUPS_TESTED_ELSEWHERE);
    assert_eq!(groups, known.collect());
}

#[test]
fn interface_ids_and_functions_match_the_vectors() {
    //
    let vectors = vectors();
    let rows = vectors["ids"].as_array().unwrap();
    let erc165 = Interface {
        name: "IERC165",
        id: ERC165_ID,
        selectors: &[ToolRegistry::supportsInterfaceCall::SELECTOR],
        signatures: &[ToolRegistry::supportsInterfaceCall::SIGNATURE],
    };

    let mut run = 0;
    for row in rows.iter().filter(|row| row["conformant"] != false) {
        let name = row["name"].as_str().unwrap();
        let bound = INTERFACES
            .iter()
            .chain([&erc165])
            .find(|bound| bound.name == name)
            .unwrap();
        let functions = published(&row["functions"], "selector");
        assert_eq!(
            generated(bound.signatures, bound.selectors),
            functions,
            "{name}"
        );
        assert_eq!(bound.id.to_string(), row["id"], "{name}");
        run += 1;
    }
    for row in rows.iter().filter(|row| row["conformant"] == false) {
        let functions = published(&row["functions"], "selector");
        let selectors: Vec<[u8; 4]> = functions
            .values()
            .map(|text| hex::decode_to_array(text).unwrap())
            .collect();
        let id = interface_id(&selectors);
        assert_eq!(id.to_string(), row["id"]);
        assert!(
            INTERFACES.iter().all(|ours| ours.id != id),
            "{} collides with one of ours",
            row["name"]
        );
        run += 1;
    }
    assert_eq!(run, rows.len());
}

#[test]
fn registry_and_predicate_share_the_has_access_selector() {
    let shared = &vectors()["sharedSelector"];
    for (signature, selector) in [
        (
            IToolRegistry::hasAccessCall::SIGNATURE,
            IToolRegistry::hasAccessCall::SELECTOR,
        ),
        (
            IAccessPredicate::hasAccessCall::SIGNATURE,
            IAccessPredicate::hasAccessCall::SELECTOR,
        ),
    ] {
        assert_eq!(shared["signature"], signature);
        assert_eq!(shared["selector"], hex::encode_prefixed(selector));
    }
}

#[test]
fn event_topics_match_the_vectors() {
    //
    let events = published(&vectors()["events"], "topic0");
    assert_eq!(
        generated(
            IToolRegistryEvents::SIGNATURES,
            IToolRegistryEvents::SELECTORS
        ),
        events
    );
    assert_eq!(
        generated(
            ToolRegistryEvents::SIGNATURES,
            ToolRegistryEvents::SELECTORS
        ),
        events
    );
}

#[test]
fn error_selectors_match_the_vectors() {
    //
    let errors = published(&vectors()["errors"], "selector");
    assert_eq!(
        generated(
            IToolRegistryErrors::SIGNATURES,
            IToolRegistryErrors::SELECTORS
        ),
        errors
    );
    assert_eq!(
        generated(
            ToolRegistryErrors::SIGNATURES,
            ToolRegistryErrors::SELECTORS
        ),
        errors
    );
}

#[test]
fn the_registry_implements_only_its_interface_and_erc165() {
    //
    let mut functions = generated(
        IToolRegistryCalls::SIGNATURES,
        IToolRegistryCalls::SELECTORS,
    );
    functions.insert("supportsInterface(bytes4)".into(), ERC165_ID.to_string());
    assert_eq!(
        generated(ToolRegistryCalls::SIGNATURES, ToolRegistryCalls::SELECTORS),
        functions
    );
}
