use std::collections::BTreeMap;

use atr_agent_card::{
    Card, Config, Profile,
    bridge::Registration,
    cid::{Dag, IpfsPath, Leaves},
    txt::{self, Binding, Evidence, KEYS, Lookup, Records, SCHEMA_KEYS, Trust},
};
use atr_ids::HttpsUrl;
use atr_manifest::Document;
use serde_json::json;

use crate::support::{changed, example, vectors};

/// A card in a folder, its records and the CAR of the folder.
struct Published {
    bytes: Vec<u8>,
    url: HttpsUrl,
    records: BTreeMap<String, String>,
    car: Vec<u8>,
}

const PATH: &str = "agents/commons/summarizeagent.eth.json";

fn publish(card: &serde_json::Value) -> Published {
    let bytes = format!("{card:#}\n").into_bytes();
    let files = BTreeMap::from([(PATH.to_owned(), bytes.clone())]);
    let dag = Dag::of_folder(&files, Leaves::Raw).unwrap();
    let url: HttpsUrl = example()["$id"].as_str().unwrap().parse().unwrap();
    let location = IpfsPath {
        cid: *dag.root(),
        path: PATH.to_owned(),
    };
    let document = Document::parse(bytes.clone()).unwrap();
    let records = txt::records_of(Card::new(&document), &bytes, &url, &location).unwrap();
    Published {
        bytes,
        url,
        records: records
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
        car: dag.to_car(),
    }
}

impl Published {
    fn evidence(&self) -> Evidence<'_> {
        Evidence {
            name: "summarizeagent.eth",
            bytes: Ok(&self.bytes),
            url: Some(&self.url),
            car: Some(&self.car),
        }
    }

    fn check(&self) -> Binding {
        self.check_with(&self.records.clone().into_iter().collect())
    }

    fn check_with(&self, records: &Records) -> Binding {
        txt::check(records, self.evidence(), Profile::Spec, &Config::default())
    }
}

fn mismatches(binding: &Binding) -> Vec<&str> {
    binding
        .mismatches()
        .map(|one| one.subject.as_str())
        .collect()
}

#[test]
fn the_six_records_of_a_card_are_trusted() {
    // Section 9.
    let keys: Vec<_> = vectors()["txtKeys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(keys, KEYS);
    let published = publish(&example());
    let binding = published.check();
    assert_eq!(binding.trust, Trust::Trusted, "{:#?}", binding.checks);
    assert_eq!(binding.checks.len(), 8);
    // The checksum may have a prefix; the mirror may be the URL of a gateway.
    let mut published = publish(&example());
    let checksum = published.records["cl.checksum.agentcard"].clone();
    published
        .records
        .insert("cl.checksum.agentcard".into(), format!("sha256:{checksum}"));
    let mirror =
        published.records["cl.agentcard.mirror.ipfs"].replace("ipfs://", "https://ipfs.io/ipfs/");
    published
        .records
        .insert("cl.agentcard.mirror.ipfs".into(), mirror);
    assert_eq!(published.check().trust, Trust::Trusted);
}

#[test]
fn a_missing_record_is_untrusted_and_a_failed_lookup_is_unknown() {
    // Section 9.
    let published = publish(&example());
    for key in KEYS {
        let mut records: Records = published.records.clone().into_iter().collect();
        for missing in [Lookup::Missing, Lookup::Value(String::new())] {
            records.insert(key, missing);
            let binding = published.check_with(&records);
            assert_eq!(binding.trust, Trust::Untrusted, "{key}");
            assert!(mismatches(&binding).contains(&key), "{key}");
        }
        records.insert(
            key,
            Lookup::Unknown {
                reason: "timeout".to_owned(),
            },
        );
        let binding = published.check_with(&records);
        assert_eq!(binding.trust, Trust::Unknown, "{key} {:#?}", binding.checks);
    }
    assert_eq!(
        published.check_with(&Records::default()).trust,
        Trust::Unknown
    );
}

#[test]
fn one_changed_character_of_a_record_is_untrusted() {
    // In every record, at every position.
    let published = publish(&example());
    for key in KEYS {
        let value = &published.records[key];
        let mut tried = 0;
        for at in (0..value.len()).step_by(3) {
            let mut changed = value.clone().into_bytes();
            changed[at] = if changed[at] == b'a' { b'b' } else { b'a' };
            let changed = String::from_utf8(changed).unwrap();
            let mut records = published.records.clone();
            records.insert(key.to_owned(), changed.clone());
            let binding = published.check_with(&records.into_iter().collect());
            assert_eq!(binding.trust, Trust::Untrusted, "{key} {changed}");
            assert!(
                mismatches(&binding).iter().any(|found| found == &key
                    || found.contains("cid")
                    || found.contains("mirror")),
                "{key}"
            );
            tried += 1;
        }
        let mut records = published.records.clone();
        records.insert(key.to_owned(), format!("{value} "));
        assert_eq!(
            published.check_with(&records.into_iter().collect()).trust,
            Trust::Untrusted,
            "{key}"
        );
        assert!(tried > 3);
    }
}

#[test]
fn schema_keys_are_flagged_and_signatures_reported() {
    // Section 9.
    let published = publish(&example());
    for key in SCHEMA_KEYS {
        let mut records = published.records.clone();
        records.insert(key.to_owned(), "x".to_owned());
        let binding = published.check_with(&records.into_iter().collect());
        assert_eq!(
            (binding.schema_keys.as_slice(), binding.trust),
            (&[key.to_owned()][..], Trust::Trusted)
        );
    }
    let mut records = published.records.clone();
    records.insert("cl.sig.pub".to_owned(), "ed25519:abc".to_owned());
    let binding = published.check_with(&records.into_iter().collect());
    assert_eq!(binding.signatures["cl.sig.pub"], "ed25519:abc");
    assert_eq!(binding.schema_keys, Vec::<String>::new());
}

#[test]
fn checksum_and_cid_are_those_of_the_bytes() {
    // P-15: a trailing newline.
    let published = publish(&example());
    let mut bytes = published.bytes.clone();
    bytes.push(b'\n');
    let evidence = Evidence {
        bytes: Ok(&bytes),
        ..published.evidence()
    };
    let records: Records = published.records.clone().into_iter().collect();
    let binding = txt::check(&records, evidence, Profile::Spec, &Config::default());
    assert_eq!(
        mismatches(&binding),
        [
            "cl.cid.agentcard",
            "cl.agentcard.mirror.ipfs",
            "cl.checksum.agentcard"
        ]
    );
    // Without the blocks of the folder the CID is unknown; the checksum still decides.
    let evidence = Evidence {
        car: None,
        ..evidence
    };
    let binding = txt::check(&records, evidence, Profile::Spec, &Config::default());
    assert_eq!(mismatches(&binding), ["cl.checksum.agentcard"]);
    let evidence = Evidence {
        car: None,
        ..published.evidence()
    };
    let binding = txt::check(&records, evidence, Profile::Spec, &Config::default());
    assert_eq!(binding.trust, Trust::Unknown);
}

#[test]
fn every_failure_of_section_12_is_untrusted() {
    // Each failure alone.
    for (pointer, value, subject) in [
        ("/slug", json!("Not A Slug"), "card"),
        (
            "/entry",
            json!("x402://summarizeagent.eth/summarize/v2"),
            "card",
        ),
        ("/implements", json!(["summarize", "sum-up"]), "card"),
        ("/meta/note", json!("AKIAIOSFODNN7EXAMPLE"), "card"),
    ] {
        let binding = publish(&changed(pointer, value)).check();
        assert_eq!(
            (binding.trust, mismatches(&binding)),
            (Trust::Untrusted, vec![subject]),
            "{pointer}"
        );
        assert_eq!(binding.violations.len(), 1, "{pointer}");
    }
    let published = publish(&example());
    let records: Records = published.records.clone().into_iter().collect();
    let other_name = Evidence {
        name: "other.eth",
        ..published.evidence()
    };
    let binding = txt::check(&records, other_name, Profile::Spec, &Config::default());
    assert_eq!(
        (binding.trust, mismatches(&binding)),
        (Trust::Untrusted, vec!["ens"])
    );
    let url: HttpsUrl = "https://commandlayer.org/other.json".parse().unwrap();
    let other_url = Evidence {
        url: Some(&url),
        ..published.evidence()
    };
    let binding = txt::check(&records, other_url, Profile::Spec, &Config::default());
    assert_eq!(
        (binding.trust, mismatches(&binding)),
        (Trust::Untrusted, vec!["cl.agentcard"])
    );
    let not_json = Evidence {
        bytes: Ok(b"<html>"),
        ..published.evidence()
    };
    let binding = txt::check(&records, not_json, Profile::Spec, &Config::default());
    assert_eq!(binding.trust, Trust::Untrusted);
    assert!(mismatches(&binding).contains(&"card"));
}

#[test]
fn without_a_card_missing_records_are_mismatches_and_others_unknown() {
    let published = publish(&example());
    let mut records: Records = published.records.clone().into_iter().collect();
    let evidence = Evidence {
        bytes: Err("the server did not answer"),
        ..published.evidence()
    };
    let check =
        |records: &Records| txt::check(records, evidence, Profile::Spec, &Config::default());
    assert_eq!(check(&records).trust, Trust::Unknown);
    records.insert("cl.owner", Lookup::Missing);
    let binding = check(&records);
    assert_eq!(binding.trust, Trust::Untrusted);
    assert_eq!(mismatches(&binding), ["cl.owner"]);
}

#[test]
fn registrations_are_confirmed_by_the_record_of_ensip_25() {
    let key = |account: &str, agent_id| {
        let agent_registry = account.parse().unwrap();
        txt::registration_key(&Registration {
            agent_registry,
            agent_id,
        })
    };
    // The example of the ENSIP.
    assert_eq!(
        key("eip155:1:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432", 26433).unwrap(),
        "agent-registration[0x000100000101148004a169fb4a3325136eb29fa0ceb6d2e539a432][26433]"
    );
    assert_eq!(
        key("eip155:8453:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432", 1).unwrap(),
        "agent-registration[0x00010000022105148004a169fb4a3325136eb29fa0ceb6d2e539a432][1]"
    );
}
