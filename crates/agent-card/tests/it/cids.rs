use std::{collections::BTreeMap, fs};

use atr_agent_card::{
    Check, Checksum,
    cid::{self, Car, CarError, Cid, Dag, Leaves},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::support::{data, json_files, vectors};

fn cid(text: &Value) -> Cid {
    Cid::try_from(text.as_str().unwrap()).unwrap()
}

#[test]
fn checksums_are_over_the_bytes_as_published() {
    // T-50
    let vector = &vectors()["checksum"];
    let body = vector["bodyUtf8"].as_str().unwrap();
    let hex = vector["sha256Hex"].as_str().unwrap();
    assert_eq!(Checksum::of(body.as_bytes()).to_string(), hex);
    let with_newline = format!("{body}\n");
    assert_eq!(
        Checksum::of(with_newline.as_bytes()).to_string(),
        vector["bodyWithTrailingNewlineSha256Hex"].as_str().unwrap()
    );
    for published in [
        hex.to_owned(),
        format!("0x{hex}"),
        format!("sha256:{hex}"),
        hex.to_uppercase(),
    ] {
        assert!(
            Checksum::verify(&published, body.as_bytes()).is_match(),
            "{published}"
        );
        assert!(
            Checksum::verify(&published, with_newline.as_bytes()).is_mismatch(),
            "{published}"
        );
    }
    for published in [
        "",
        "0x",
        &hex[1..],
        &format!("{hex}0"),
        &format!("md5:{hex}"),
        &format!("0xsha256:{hex}"),
        "é".repeat(32).as_str(),
    ] {
        assert!(
            Checksum::verify(published, body.as_bytes()).is_mismatch(),
            "{published}"
        );
    }
}

#[test]
fn files_have_the_cids_of_other_importers() {
    // P-15
    for row in vectors()["cids"]["files"].as_array().unwrap() {
        let length = usize::try_from(row["length"].as_u64().unwrap()).unwrap();
        let bytes = vec![u8::try_from(row["byte"].as_u64().unwrap()).unwrap(); length];
        for (leaves, name) in [(Leaves::Raw, "rawLeaves"), (Leaves::DagPb, "dagPbLeaves")] {
            let published = cid(&row[name]);
            let dag = Dag::of_file(&bytes, leaves).unwrap();
            assert_eq!(*dag.root(), published, "{row}");
            assert_eq!(cid::verify(&published, &bytes), Check::Match, "{row}");
            let car = dag.to_car();
            assert_eq!(
                Car::parse(&car).unwrap().file(&published, "").unwrap(),
                bytes
            );
            let mut other = bytes.clone();
            other.push(b'\n');
            let check = cid::verify(&published, &other);
            // Only a raw CID decides without blocks.
            assert_eq!(
                check.is_mismatch(),
                published.codec() == 0x55,
                "{row} {check:?}"
            );
            assert!(
                cid::verify_path(&published, "", &car, &other).is_mismatch(),
                "{row}"
            );
        }
    }
}

#[test]
fn folders_have_the_cids_of_other_importers() {
    // P-15
    let vectors = vectors();
    let folder = &vectors["cids"]["folder"];
    let files: BTreeMap<String, Vec<u8>> = folder["files"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(path, text)| (path.clone(), text.as_str().unwrap().as_bytes().to_vec()))
        .collect();
    for row in folder["results"].as_array().unwrap() {
        let leaves = if row["rawLeaves"] == true {
            Leaves::Raw
        } else {
            Leaves::DagPb
        };
        let root = cid(&row["root"]);
        let dag = Dag::of_folder(&files, leaves).unwrap();
        assert_eq!(*dag.root(), root);
        // Their CAR and ours.
        for car in [
            STANDARD.decode(row["car"].as_str().unwrap()).unwrap(),
            dag.to_car(),
        ] {
            let parsed = Car::parse(&car).unwrap();
            assert!(!parsed.is_empty() && parsed.len() == 7, "{}", parsed.len());
            for (path, bytes) in &files {
                assert_eq!(
                    cid::verify_path(&root, path, &car, bytes),
                    Check::Match,
                    "{path}"
                );
                assert!(
                    cid::verify_path(&root, path, &car, b"other").is_mismatch(),
                    "{path}"
                );
                let entry = cid(&row["entries"][path]);
                assert_eq!(
                    cid::verify_path(&entry, "", &car, bytes),
                    Check::Match,
                    "{path}"
                );
            }
            // Verified folders show that there is no such file.
            for path in [
                "cards/commons/c.json",
                "cards",
                "cards/commons",
                "",
                "readme.md/x",
                "Cards/empty.txt",
            ] {
                assert!(
                    cid::verify_path(&root, path, &car, b"x").is_mismatch(),
                    "{path}"
                );
            }
        }
    }
    for path in ["", "/a", "a//b", "../a", "a/./b"] {
        let files = BTreeMap::from([(path.to_owned(), Vec::new())]);
        assert!(Dag::of_folder(&files, Leaves::Raw).is_none(), "{path}");
    }
    let both = BTreeMap::from([("a".to_owned(), Vec::new()), ("a/b".to_owned(), Vec::new())]);
    assert!(Dag::of_folder(&both, Leaves::Raw).is_none());
}

#[test]
fn what_cannot_be_checked_is_unknown() {
    // P-15: a folder's CID without its blocks, missing blocks, invalid CARs, other hash functions.
    let files = BTreeMap::from([("a/card.json".to_owned(), b"{}".to_vec())]);
    let dag = Dag::of_folder(&files, Leaves::Raw).unwrap();
    let car = dag.to_car();
    assert!(cid::verify(dag.root(), b"{}").is_unknown());
    for length in 0..car.len() {
        let check = cid::verify_path(dag.root(), "a/card.json", &car[..length], b"{}");
        assert!(check.is_unknown(), "{length} {check:?}");
    }
    // A changed bit never makes another file pass, and is not held against the card.
    for at in 0..car.len() {
        let mut changed = car.clone();
        changed[at] ^= 1;
        let check = cid::verify_path(dag.root(), "a/card.json", &changed, b"{}");
        assert!(!check.is_mismatch(), "{at} {check:?}");
        let check = cid::verify_path(dag.root(), "a/card.json", &changed, b"[]");
        assert!(!check.is_match(), "{at} {check:?}");
    }
    // blake2b-256.
    let other = Cid::try_from("bafykbzacedmmmqxjxnqnkqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq");
    if let Ok(other) = other {
        assert!(cid::verify(&other, b"{}").is_unknown());
    }
    let v2 = b"\x0a\xa1\x67version\x02";
    assert_eq!(Car::parse(v2).unwrap_err(), CarError::Header);
    assert_eq!(
        Car::parse(&vec![0; cid::MAX_CAR_BYTES + 1]).unwrap_err(),
        CarError::TooLarge
    );
}

#[test]
fn versions_0_and_1_name_the_same_block() {
    let dag = Dag::of_file(b"{\"id\":\"a.eth\"}", Leaves::DagPb).unwrap();
    let v0 = Cid::new_v0(*dag.root().hash()).unwrap();
    assert!(v0.to_string().starts_with("Qm"));
    assert!(cid::is_same(&v0, dag.root()));
    assert!(cid::verify(&v0, b"{\"id\":\"a.eth\"}").is_match());
    assert!(cid::verify_path(&v0, "", &dag.to_car(), b"{\"id\":\"a.eth\"}").is_match());
}

#[test]
fn published_cards_have_the_cids_of_other_importers() {
    // P-15
    let Some(folder) = data("commandlayer") else {
        return;
    };
    let vectors: Value =
        serde_json::from_slice(&fs::read(folder.join("cid-vectors.json")).unwrap()).unwrap();
    let repository = folder.join("agent-cards-repo");
    for row in vectors["files"].as_array().unwrap() {
        let bytes = fs::read(repository.join(row["path"].as_str().unwrap())).unwrap();
        assert_eq!(
            Checksum::of(&bytes).to_string(),
            row["sha256"].as_str().unwrap()
        );
        for name in ["cid_raw_leaf", "cid_unixfs_v1", "cid_v0"] {
            assert!(
                cid::verify(&cid(&row[name]), &bytes).is_match(),
                "{row} {name}"
            );
        }
    }
    let files: BTreeMap<String, Vec<u8>> = json_files(&repository.join("agents"))
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&repository).unwrap();
            (
                name.to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect();
    for row in vectors["directories"].as_array().unwrap() {
        let leaves = if row["rawLeaves"] == true {
            Leaves::Raw
        } else {
            Leaves::DagPb
        };
        let dag = Dag::of_folder(&files, leaves).unwrap();
        let root = cid(&row["root"]);
        assert_eq!(*dag.root(), root);
        let path = "agents/v1.0.0/commons/summarizeagent.eth.json";
        assert!(cid::verify_path(&root, path, &dag.to_car(), &files[path]).is_match());
    }
}
