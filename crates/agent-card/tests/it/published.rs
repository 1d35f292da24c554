use std::fs;

use atr_agent_card::{Checksum, Config, Profile, Report, validate};
use atr_manifest::Document;
use atr_schema::Schema;
use serde_json::{Value, json};

use crate::support::{
    changed, data, document, example, json_files, report, set, short, violations,
};

const CARDS: &str = "commandlayer/agent-cards-repo";

fn cards() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = data(CARDS) else {
        return Vec::new();
    };
    let files = json_files(&folder.join("agents"));
    files
        .into_iter()
        .map(|path| {
            (
                path.to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect()
}

/// A card as published in version 1.0.0: its entry ends with the card's version.
fn card_1_0() -> Value {
    let mut card = changed(
        "/entry",
        json!("x402://summarizeagent.eth/summarize/v1.0.0"),
    );
    set(&mut card, "/meta/contact", json!("dev@commandlayer.org"));
    card
}

/// A card with the members of the published line 1.1.0.
fn card_1_1() -> Value {
    let mut card = example();
    for name in [
        "slug",
        "display_name",
        "description",
        "capabilities",
        "meta",
        "schemas_mirror",
    ] {
        set(&mut card, &format!("/{name}"), Value::Null);
    }
    set(&mut card, "/version", json!("1.1.0"));
    set(
        &mut card,
        "/entry",
        json!("https://runtime.commandlayer.org/execute"),
    );
    for kind in ["request", "receipt"] {
        let uri = format!(
            "https://commandlayer.org/schemas/v1.1.0/commons/summarize/summarize.{kind}.schema.json"
        );
        set(&mut card, &format!("/schemas/{kind}"), json!(uri));
    }
    card
}

#[test]
fn published_cards_satisfy_their_profile_and_differ_from_the_text_in_the_entry() {
    let cards = cards();
    for (name, bytes) in &cards {
        let document = Document::parse(bytes.clone()).unwrap();
        let report: Report = validate(&document, &Config::default());
        assert_eq!(
            report.satisfied().collect::<Vec<_>>(),
            [Profile::Published10],
            "{name}"
        );
        let mut expected = vec![("entry".to_owned(), "/entry".to_owned())];
        if name.contains("/commercial/") {
            // Their mirrors have a template variable in place of the CID.
            for kind in ["request", "receipt"] {
                expected.push(("placeholder".to_owned(), format!("/schemas_mirror/{kind}")));
            }
        }
        let spec = report.profile(Profile::Spec);
        assert_eq!(short(&spec.violations), expected, "{name}");
        assert_eq!(spec.warnings[0].pointer.as_str(), "/meta/contact", "{name}");
        assert_eq!(short(&spec.warnings)[0].0, "role-mailbox", "{name}");
        assert_eq!(spec.warnings.len(), 1, "{name} {:?}", spec.warnings);
    }
    println!("{} published cards", cards.len());
    assert!(cards.is_empty() || cards.len() == 15);
}

#[test]
fn published_checksums_are_those_of_the_bytes() {
    // T-50
    let Some(folder) = data(CARDS) else {
        return;
    };
    let list = fs::read_to_string(folder.join("checksums.txt")).unwrap();
    let mut count = 0;
    for (checksum, path) in list.lines().filter_map(|line| line.split_once("  ")) {
        let bytes = fs::read(folder.join(path)).unwrap();
        // The list was written before the descriptor was changed.
        let is_card = path.starts_with("agents/");
        if is_card {
            assert!(Checksum::verify(checksum, &bytes).is_match(), "{path}");
            count += 1;
        }
    }
    assert_eq!(count, 15);
}

#[test]
fn our_schema_of_version_1_0_agrees_with_the_published_one() {
    // P-01: on the published cards and on changes of them.
    let Some(folder) = data(CARDS) else {
        return;
    };
    let path = folder.join("schemas/v1.0.0/_shared/agent.card.base.schema.json");
    let theirs = Document::parse(fs::read(path).unwrap()).unwrap();
    let theirs = Schema::compile(theirs.root()).unwrap();
    let ours = Document::parse(Profile::Published10.json_schema()).unwrap();
    let ours = Schema::compile(ours.root()).unwrap();
    let mut compared = 0;
    for (name, bytes) in cards() {
        let card: Value = serde_json::from_slice(&bytes).unwrap();
        let mut variants = vec![card.clone()];
        for member in card.as_object().unwrap().keys() {
            for value in [Value::Null, json!(7), json!([]), json!({}), json!(["x"])] {
                let mut variant = card.clone();
                set(&mut variant, &format!("/{member}"), value);
                variants.push(variant);
            }
        }
        for (pointer, value) in [
            ("/extra", json!(1)),
            ("/schemas/extra", json!("ipfs://x")),
            ("/schemas/request", Value::Null),
            ("/entry", json!("x402://a/b/v1")),
            ("/entry", json!("x402://a/b/v1.2.3.4")),
            ("/entry", json!("https://a/b/v1")),
            ("/slug", json!("")),
            ("/class", json!("other")),
        ] {
            let mut variant = card.clone();
            set(&mut variant, pointer, value);
            variants.push(variant);
        }
        for variant in variants {
            let instance = document(&variant);
            let verdicts = [&theirs, &ours].map(|schema| schema.validate(&instance).is_valid());
            assert_eq!(verdicts[0], verdicts[1], "{name} {variant}");
            compared += 1;
        }
    }
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn version_1_0_accepts_what_is_published_and_reports_what_the_text_requires() {
    let report = report(&card_1_0());
    assert_eq!(
        report.satisfied().collect::<Vec<_>>(),
        [Profile::Published10]
    );
    let spec = report.profile(Profile::Spec);
    assert_eq!(short(&spec.violations), [("entry".into(), "/entry".into())]);
    assert_eq!(
        spec.violations[0].expected,
        "x402://summarizeagent.eth/summarize/v1"
    );
    assert_eq!(
        short(&spec.warnings),
        [("role-mailbox".into(), "/meta/contact".into())]
    );
    // The entry must still be that of the card.
    for entry in [
        "x402://other.eth/summarize/v1.0.0",
        "x402://summarizeagent.eth/parse/v1.0.0",
        "x402://summarizeagent.eth/summarize/v2.0.0",
    ] {
        let mut card = card_1_0();
        set(&mut card, "/entry", json!(entry));
        assert_eq!(
            violations(&card, Profile::Published10),
            [("entry".into(), "/entry".into())],
            "{entry}"
        );
    }
    // Secrets are never accepted.
    let mut card = card_1_0();
    set(
        &mut card,
        "/meta/note",
        json!("ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    );
    assert_eq!(
        violations(&card, Profile::Published10),
        [("credential".into(), "/meta/note".into())]
    );
}

#[test]
fn version_1_1_has_fewer_members_and_another_entry() {
    let report = report(&card_1_1());
    assert_eq!(
        report.satisfied().collect::<Vec<_>>(),
        [Profile::Published11]
    );
    let spec: Vec<_> = short(&report.profile(Profile::Spec).violations);
    let codes: Vec<_> = spec
        .iter()
        .map(|(code, at)| format!("{code} {at}"))
        .collect();
    assert_eq!(
        codes,
        [
            "entry /entry",
            "missing-member /slug",
            "missing-member /display_name",
            "missing-member /description"
        ]
    );
    for (pointer, value, code) in [
        ("/version", json!("1.0.0"), "version"),
        ("/slug", json!("x"), "unknown-member"),
        ("/status", json!("beta"), "status"),
        ("/ens", json!("a.b.eth"), "ens-name"),
        ("/implements/1", json!("parse"), "verb-count"),
        (
            "/entry",
            json!("x402://summarizeagent.eth/summarize/v1"),
            "entry",
        ),
        ("/networks", Value::Null, "missing-member"),
        ("/id", json!("other.eth"), "id-differs-from-ens"),
    ] {
        let mut card = card_1_1();
        set(&mut card, pointer, value);
        let found = violations(&card, Profile::Published11);
        assert_eq!(found[0].0, code, "{pointer} {found:?}");
    }
    let mut card = card_1_1();
    set(
        &mut card,
        "/entry",
        json!("x402://summarizeagent.eth/summarize/v1.1.0"),
    );
    assert_eq!(violations(&card, Profile::Published11), []);
}
