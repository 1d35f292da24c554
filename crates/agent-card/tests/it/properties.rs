use atr_agent_card::{
    Checksum, Config, Profile,
    bridge::{
        A2aInterface, Draft, Erc8004Options, export_a2a, export_erc8004, import_a2a, import_erc8004,
    },
    cid::{self, Car, Cid, IpfsPath},
    compare_releases,
    receipt::{Expected, SchemaSet, check},
    scan, validate,
};
use atr_manifest::Document;
use proptest::{prelude::*, test_runner::RngSeed};
use serde_json::{Value, json};

use crate::support::{document, example, set};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x0ca4_d000),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-zA-Z0-9_.$:/@%&#;+-]{0,24}",
        1 => "\\PC{0,12}",
        1 => "(https?|x402|ipfs|ssh)://[\\PC]{0,20}",
        1 => prop::collection::vec(any::<char>(), 0..8).prop_map(|all| all.into_iter().collect()),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((texts(), inner), 0..6)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

/// The example with random values in random members.
fn cards() -> impl Strategy<Value = Value> {
    let names: Vec<_> = example().as_object().unwrap().keys().cloned().collect();
    let changes = prop::collection::vec((prop::sample::select(names), values()), 0..4);
    (changes, values()).prop_map(|(changes, meta)| {
        let mut card = example();
        for (name, value) in changes {
            set(&mut card, &format!("/{name}"), value);
        }
        set(&mut card, "/meta", json!({"random": meta}));
        card
    })
}

fn run_all(document: &Document) {
    let report = validate(document, &Config::default());
    assert_eq!(report.profiles.len(), Profile::ALL.len());
    let interface = A2aInterface {
        url: "https://a.example/x".parse().unwrap(),
        protocol_binding: "GRPC".to_owned(),
    };
    let _ = export_a2a(document, &interface);
    let _ = export_erc8004(document, &Erc8004Options::default());
    let _ = import_a2a(document, Draft::default(), &Config::default());
    let _ = import_erc8004(document, Draft::default(), &Config::default());
    assert_eq!(compare_releases(document, document).changes, []);
    let mut set = SchemaSet::default();
    if let Ok(id) = set.insert(document.text()) {
        let schema = set.compile(&id);
        let _ = check(
            schema.as_ref(),
            Expected {
                verb: Some("parse"),
                request: Some(document),
            },
            document,
        );
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(document) = Document::parse(bytes.clone()) {
            run_all(&document);
        }
        let _ = Car::parse(&bytes);
        let _ = Cid::try_from(bytes.as_slice()).map(|published| cid::verify(&published, &bytes));
        let text = String::from_utf8_lossy(&bytes);
        let _ = text.parse::<IpfsPath>();
        prop_assert!(!Checksum::verify(&text, &bytes).is_unknown());
    }

    #[test]
    fn no_card_causes_a_panic(card in cards()) {
        run_all(&document(&card));
    }

    #[test]
    fn no_text_causes_a_panic(value in values()) {
        let document = document(&value);
        let found = scan(&document);
        for finding in found.violations.iter().chain(&found.warnings) {
            prop_assert!(finding.found.chars().count() < 200, "{}", finding.found);
        }
        run_all(&document);
    }

    #[test]
    fn exporting_and_importing_gives_the_same_card(card in cards()) {
        let original = document(&card);
        let interface = A2aInterface { url: "https://a.example/x".parse().unwrap(), protocol_binding: "GRPC".to_owned() };
        if let Ok(exported) = export_a2a(&original, &interface) {
            let imported = import_a2a(&document(&exported.document), Draft::default(), &Config::default()).unwrap();
            prop_assert_eq!(document(&imported.document).canonical(), original.canonical());
        }
        if let Ok(exported) = export_erc8004(&original, &Erc8004Options::default()) {
            let imported = import_erc8004(&document(&exported.document), Draft::default(), &Config::default()).unwrap();
            prop_assert_eq!(document(&imported.document).canonical(), original.canonical());
        }
    }
}
