use std::fs;

use atr_agent_card::{
    Check, Config, Profile,
    bridge::{
        A2aInterface, BridgeError, Difference, Draft, EXTENSION_URI, Erc8004Options, Registration,
        check_registration, export_a2a, export_erc8004, import_a2a, import_erc8004,
    },
};
use atr_manifest::Document;
use serde_json::{Value, json};

use crate::support::{changed, data, document, example, set, violations};

fn interface() -> A2aInterface {
    A2aInterface {
        url: "https://agents.example/a2a".parse().unwrap(),
        protocol_binding: "JSONRPC".to_owned(),
    }
}

fn options() -> Erc8004Options {
    Erc8004Options {
        card_url: None,
        image: Some("https://agents.example/picture.png".parse().unwrap()),
        registrations: vec![registration()],
    }
}

fn registration() -> Registration {
    Registration {
        agent_registry: "eip155:1:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432"
            .parse()
            .unwrap(),
        agent_id: 22,
    }
}

fn codes(differences: &[Difference]) -> Vec<String> {
    let all = differences.iter();
    all.map(|one| format!("{} {}", one.code, one.pointer))
        .collect()
}

/// Values that A2A and ERC-8004 do not have.
fn defaults() -> Draft {
    Draft {
        ens: Some("agent.eth".to_owned()),
        owner: Some("owner.eth".to_owned()),
        version: Some("1.0.0".to_owned()),
        status: Some("active".to_owned()),
        implements: vec!["summarize".to_owned()],
        networks: vec!["eip155:1".to_owned()],
        license: Some("Apache-2.0".to_owned()),
        created_at: Some("2026-11-18T00:00:00Z".to_owned()),
        ..Draft::default()
    }
}

#[test]
fn a2a_gets_a_skill_for_each_verb() {
    let card = changed("/implements", json!(["summarize", "analyze"]));
    let exported = export_a2a(&document(&card), &interface()).unwrap();
    let a2a = &exported.document;
    assert_eq!(a2a["name"], card["display_name"]);
    assert_eq!(a2a["version"], "1.0.0");
    assert_eq!(
        a2a["supportedInterfaces"][0]["url"],
        "https://agents.example/a2a"
    );
    assert_eq!(a2a["skills"][0]["id"], "summarize");
    assert_eq!(a2a["skills"][1]["id"], "analyze");
    assert_eq!(a2a["skills"][1]["tags"][0], "analyze");
    assert_eq!(
        a2a["defaultInputModes"],
        card["capabilities"]["input_types"]
    );
    assert_eq!(a2a["capabilities"]["extensions"][0]["uri"], EXTENSION_URI);
    assert_eq!(
        codes(&exported.differences),
        ["not-expressible /meta/publisher"]
    );
    // The members that a2a.proto requires.
    for name in [
        "name",
        "description",
        "supportedInterfaces",
        "version",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
    ] {
        assert!(a2a.get(name).is_some(), "{name}");
    }
}

#[test]
fn a_card_survives_both_bridges() {
    let mut card = example();
    set(
        &mut card,
        "/meta/limits",
        json!({"max": 1.5, "nested": [null, true, {"x": "é"}]}),
    );
    let original = document(&card);
    let a2a = export_a2a(&original, &interface()).unwrap().document;
    let erc8004 = export_erc8004(&original, &options()).unwrap().document;
    for imported in [
        import_a2a(&document(&a2a), Draft::default(), &Config::default()).unwrap(),
        import_erc8004(&document(&erc8004), Draft::default(), &Config::default()).unwrap(),
    ] {
        assert_eq!((&imported.document, imported.differences.len()), (&card, 0));
        assert_eq!(
            Document::parse(imported.to_json()).unwrap().canonical(),
            original.canonical()
        );
    }
}

#[test]
fn contradictions_between_the_file_and_its_card_are_reported() {
    let original = document(&example());
    let mut a2a = export_a2a(&original, &interface()).unwrap().document;
    a2a["name"] = json!("Another name");
    a2a["skills"][0]["id"] = json!("parse");
    let imported = import_a2a(&document(&a2a), Draft::default(), &Config::default()).unwrap();
    assert_eq!(
        codes(&imported.differences),
        ["contradicts-card /name", "contradicts-card /skills"]
    );
    assert_eq!(imported.document, example());
    let mut file = export_erc8004(&original, &options()).unwrap().document;
    file["services"][0]["endpoint"] = json!("other.eth");
    let imported = import_erc8004(&document(&file), Draft::default(), &Config::default()).unwrap();
    assert_eq!(codes(&imported.differences), ["contradicts-card /services"]);
}

#[test]
fn erc8004_gets_the_name_and_the_card_as_services() {
    let exported = export_erc8004(&document(&example()), &options()).unwrap();
    let file = &exported.document;
    assert_eq!(
        file["type"],
        "https://eips.ethereum.org/EIPS/eip-8004#registration-v1"
    );
    assert_eq!(
        file["services"][0],
        json!({"name": "ENS", "endpoint": "summarizeagent.eth", "version": "v1"})
    );
    assert_eq!(file["services"][1]["endpoint"], example()["$id"]);
    assert_eq!(
        (&file["x402Support"], &file["active"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(exported.differences, []);
    assert_eq!(
        check_registration(&document(file), &registration()),
        Check::Match
    );
    let bare = export_erc8004(
        &document(&changed("/status", json!("deprecated"))),
        &Erc8004Options::default(),
    )
    .unwrap();
    assert_eq!(bare.document["active"], false);
    assert_eq!(
        codes(&bare.differences),
        ["missing /image", "missing /registrations"]
    );
    let other = Registration {
        agent_id: 23,
        ..registration()
    };
    assert!(check_registration(&document(file), &other).is_mismatch());
    assert!(check_registration(&document(&bare.document), &registration()).is_mismatch());
    assert!(check_registration(&document(&json!({})), &registration()).is_mismatch());
    let text = json!({"registrations": [{"agentId": "22", "agentRegistry": "eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432"}]});
    assert!(check_registration(&document(&text), &registration()).is_match());
}

#[test]
fn a_sparse_card_is_exported_with_assumptions() {
    let mut card = example();
    for name in ["display_name", "description", "capabilities", "meta", "$id"] {
        set(&mut card, &format!("/{name}"), Value::Null);
    }
    let a2a = export_a2a(&document(&card), &interface()).unwrap();
    assert_eq!(
        codes(&a2a.differences),
        [
            "assumed /name",
            "assumed /description",
            "assumed /defaultInputModes",
            "assumed /defaultOutputModes"
        ]
    );
    let file = export_erc8004(&document(&card), &options()).unwrap();
    assert_eq!(
        codes(&file.differences),
        [
            "assumed /name",
            "assumed /description",
            "assumed /services/1/endpoint"
        ]
    );
    set(&mut card, "/implements", json!([]));
    assert_eq!(
        export_a2a(&document(&card), &interface()),
        Err(BridgeError::Member("implements"))
    );
    assert_eq!(
        export_a2a(&document(&json!([])), &interface()),
        Err(BridgeError::NotAnObject)
    );
    set(&mut card, "/ens", Value::Null);
    assert_eq!(
        export_erc8004(&document(&card), &options()),
        Err(BridgeError::Member("ens"))
    );
}

#[test]
fn documents_of_others_become_drafts() {
    let Some(folder) = data("a2a") else {
        return;
    };
    let sample =
        Document::parse(fs::read(folder.join("sample-agent-card-v1.0.json")).unwrap()).unwrap();
    let imported = import_a2a(&sample, Draft::default(), &Config::default()).unwrap();
    let codes = codes(&imported.differences);
    for expected in [
        "dropped /skills/0",
        "dropped /securitySchemes",
        "dropped /signatures",
        "missing /ens",
        "missing /implements",
        "missing /license",
    ] {
        assert!(
            codes.iter().any(|code| code == expected),
            "{expected} {codes:?}"
        );
    }
    // With the missing values it is a card.
    let imported = import_a2a(&sample, defaults(), &Config::default()).unwrap();
    assert_eq!(violations(&imported.document, Profile::Spec), []);
    assert_eq!(
        imported.document["display_name"],
        "GeoSpatial Route Planner Agent"
    );

    let Some(folder) = data("erc8004") else {
        return;
    };
    let sample =
        Document::parse(fs::read(folder.join("registration-file-example.json")).unwrap()).unwrap();
    let imported = import_erc8004(
        &sample,
        Draft {
            ens: None,
            ..defaults()
        },
        &Config::default(),
    )
    .unwrap();
    assert_eq!(imported.document["ens"], "vitalik.eth");
    assert_eq!(
        imported.document["entry"],
        "x402://vitalik.eth/summarize/v1"
    );
    assert_eq!(violations(&imported.document, Profile::Spec), []);
    let codes: Vec<_> = imported.differences.iter().map(|one| one.code).collect();
    assert!(codes.contains(&"dropped"), "{codes:?}");
}
