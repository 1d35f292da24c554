use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use alloy_primitives::hex;
use alloy_sol_types::SolCall;
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID, ERC721_HOLDING_ID, ERC1155_HOLDING_ID, IAccessPredicate,
    IToolRegistry::{self, IToolRegistryCalls, IToolRegistryErrors, IToolRegistryEvents},
    SUBSCRIPTION_ID, TOOL_REGISTRY_ID,
    ToolRegistry::{self, ToolRegistryCalls, ToolRegistryErrors, ToolRegistryEvents},
    interface_id,
};
use serde_json::Value;

use crate::interface::{INTERFACES, Interface};

/// Groups about what the chain stores or other contracts speak; the room that reads those proves them.
const GROUPS_OF_OTHER_ROOMS: [&str; 3] = ["proxyMarkers", "related", "requirementData"];

fn vectors() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/interfaces.json");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Signature to selector or topic, of one group; no row may repeat another.
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
fn every_group_of_the_file_is_proved_here_or_left_to_a_named_room() {
    let vectors = vectors();
    let groups: BTreeSet<_> = vectors
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let known = ["ids", "sharedSelector", "events", "errors"]
        .into_iter()
        .chain(GROUPS_OF_OTHER_ROOMS);
    assert_eq!(groups, known.collect());
}

#[test]
fn interface_ids_and_function_sets_equal_the_published_ones() {
    //
    let vectors = vectors();
    let rows = vectors["ids"].as_array().unwrap();
    let constants = BTreeMap::from([
        ("IToolRegistry", TOOL_REGISTRY_ID),
        ("IAccessPredicate", ACCESS_PREDICATE_ID),
        ("IERC165", ERC165_ID),
        ("IERC721Holding", ERC721_HOLDING_ID),
        ("IERC1155Holding", ERC1155_HOLDING_ID),
        ("ISubscription", SUBSCRIPTION_ID),
    ]);
    let supports_interface = Interface {
        name: "IERC165",
        selectors: &[ToolRegistry::supportsInterfaceCall::SELECTOR],
        signatures: &[ToolRegistry::supportsInterfaceCall::SIGNATURE],
    };

    let mut run = 0;
    for row in rows.iter().filter(|row| row["conformant"] != false) {
        let name = row["name"].as_str().unwrap();
        let bound = INTERFACES
            .iter()
            .chain([&supports_interface])
            .find(|bound| bound.name == name)
            .unwrap();
        let functions = published(&row["functions"], "selector");
        assert_eq!(
            generated(bound.signatures, bound.selectors),
            functions,
            "{name}"
        );
        assert_eq!(constants[name].to_string(), row["id"], "{name}");
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
            constants.values().all(|ours| *ours != id),
            "{} is one of ours",
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
fn event_topics_equal_the_published_ones() {
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
fn error_selectors_equal_the_published_ones() {
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
fn the_registry_answers_the_interface_and_erc165_and_nothing_else() {
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
