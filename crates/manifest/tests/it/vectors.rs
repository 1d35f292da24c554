use atr_manifest::{
    Code, Document, Findings, Image, ImageError, Manifest, Policy, Tier, check, schema_size,
};
use serde_json::{Value, json};

use crate::support::{codes, each, findings, findings_of_bytes, set, vectors, with};

fn hex(text: &str) -> Vec<u8> {
    alloy_primitives::hex::decode(text).unwrap()
}

fn number(row: &Value, key: &str) -> usize {
    usize::try_from(row[key].as_u64().unwrap()).unwrap()
}

/// The input of a row, or the text that its `repeat` describes.
fn repeated(row: &Value) -> String {
    let Some(repeat) = row.get("repeat") else {
        return row["input"].as_str().unwrap().to_owned();
    };
    let part = |key: &str| repeat.get(key).and_then(Value::as_str).unwrap_or_default();
    let unit = if repeat.get("char").is_some() {
        part("char")
    } else {
        part("unit")
    };
    part("prefix").to_owned() + &unit.repeat(number(repeat, "times"))
}

#[track_caller]
fn assert_expected(row: &Value, found: &Findings) {
    let is_accepted = row["expect"] == "accept";
    assert_eq!(found.is_valid(), is_accepted, "{row}: {found:?}");
}

#[test]
fn documents_are_accepted_or_rejected_with_the_expected_code() {
    // F-06, F-07, I-01, T-09
    each(&vectors("documents.json"), |row| {
        let length = number(row, "byteLength");
        let bytes = match (row.get("bytesHex"), row.get("generate")) {
            (Some(text), _) => hex(text.as_str().unwrap()),
            (None, Some(generate)) => {
                let part = |key: &str| generate[key].as_str().unwrap();
                let times = number(generate, "times");
                [
                    part("prefix"),
                    &part("open").repeat(times),
                    &part("close").repeat(times),
                    part("suffix"),
                ]
                .concat()
                .into_bytes()
            }
            (None, None) => format!("{{\"a\":\"{}\"}}", "x".repeat(length - 8)).into_bytes(),
        };
        assert_eq!(bytes.len(), length, "{row}");
        let expected = row
            .get("reason")
            .map(|reason| match reason.as_str().unwrap() {
                "bom" => Code::ByteOrderMark,
                "utf8" => Code::NotUtf8,
                "json" => Code::NotJson,
                "not-object" => Code::NotAnObject,
                "duplicate-key" => Code::DuplicateName,
                "lone-surrogate" => Code::LoneSurrogate,
                "number-range" => Code::NumberOutOfRange,
                "not-nfc-key" => Code::NameNotNfc,
                "not-nfc" => Code::NotNfc,
                "too-large" => Code::TooLarge,
                other => panic!("{other}"),
            });
        // Valid documents are not manifests, so they have missing members and no other violations.
        let found = findings_of_bytes(&bytes, Policy::consumer());
        let mut codes = found.violations.iter().map(|violation| violation.code);
        match expected {
            Some(code) => assert!(codes.any(|found| found == code), "{row}: {found:?}"),
            None => assert!(
                codes.all(|code| code == Code::MissingMember),
                "{row}: {found:?}"
            ),
        }
        assert_eq!(row["expect"] == "accept", expected.is_none(), "{row}");
        if let Some(canonical) = row.get("canonical") {
            let document = Document::parse(bytes).unwrap();
            assert_eq!(
                document.canonical().as_bytes(),
                canonical.as_str().unwrap().as_bytes()
            );
        }
    });
}

#[test]
fn rejects_duplicate_names_and_numbers_out_of_range_at_any_depth() {
    // F-10, F-11, T-13
    for (text, code) in [
        (r#"{"a":1,"\u0061":2}"#, Code::DuplicateName),
        (r#"{"x":[{"a":1,"b":{"c":1,"c":1}}]}"#, Code::DuplicateName),
        (r#"{"x":[[-1e309]]}"#, Code::NumberOutOfRange),
    ] {
        let found = findings_of_bytes(text.as_bytes(), Policy::consumer());
        assert_eq!(found.violations[0].code, code, "{text}");
    }
    let huge = format!("[{}]", "9".repeat(400));
    assert_eq!(
        findings_of_bytes(huge.as_bytes(), Policy::consumer()).violations[0].code,
        Code::NumberOutOfRange
    );
}

#[test]
fn nfc() {
    // F-02, F-03
    each(&vectors("nfc.json"), |row| {
        let input = row["input"].as_str().unwrap();
        let found = codes(&with("/io.example.note", json!(input)), Policy::consumer());
        assert_eq!(found == [Code::NotNfc], row["expect"] == "reject", "{row}");
        // Producers convert the text.
        let document = Document::parse(json!([input]).to_string()).unwrap();
        let normalized = document.to_nfc().unwrap();
        assert_eq!(
            normalized.root().elements().next().unwrap().as_str(),
            row["nfc"].as_str(),
            "{row}"
        );
    });
    let conflicting = Document::parse(json!({"e\u{301}": 1, "é": 2}).to_string()).unwrap();
    assert!(conflicting.to_nfc().is_err());
}

#[test]
fn human_readable_text() {
    // E-03, E-04, E-27, T-16
    each(&vectors("text.json"), |row| {
        let text = repeated(row);
        assert_eq!(text.chars().count(), number(row, "codePoints"), "{row}");
        assert_eq!(text.len(), number(row, "utf8Bytes"), "{row}");
        let pointer = match row["field"].as_str().unwrap() {
            "access.label" => "/access/requirements/0/label".to_owned(),
            field => format!("/{field}"),
        };
        let found = codes(&with(&pointer, json!(text)), Policy::consumer());
        let expected = match (
            row["expect"].as_str().unwrap(),
            row.get("reason").and_then(Value::as_str),
        ) {
            ("accept", _) => vec![],
            (_, Some("empty")) => vec![Code::EmptyText],
            (_, Some("too-long")) => vec![Code::TextTooLong],
            (_, Some("control-character")) => vec![Code::ControlCharacter],
            (_, Some("not-nfc")) => vec![Code::NotNfc],
            _ => vec![Code::LabelTooLong],
        };
        assert_eq!(found, expected, "{row}");
    });
}

#[test]
fn hex_fields() {
    // E-08, E-26, E-35, F-08
    each(&vectors("hex_fields.json"), |row| {
        let pointer = match row["field"].as_str().unwrap() {
            "creatorAddress" => "/creatorAddress",
            "kind" => "/access/requirements/0/kind",
            "data" => "/access/requirements/0/data",
            "enclaveHash" => "/verifiability/attestation/enclaveHash",
            "buildHash" => "/verifiability/reproducibleBuild/buildHash",
            other => panic!("{other}"),
        };
        let found = findings(&with(pointer, json!(repeated(row))), Policy::consumer());
        assert_expected(row, &found);
        assert!(
            found
                .violations
                .iter()
                .all(|violation| violation.pointer.as_str() == pointer)
        );
    });
}

#[test]
fn tags() {
    // E-11, T-25
    each(&vectors("tags.json"), |row| {
        let tags = match row.get("generate") {
            Some(generate) => (0..number(generate, "count"))
                .map(|index| json!(format!("t{index}")))
                .collect(),
            None => row["input"].clone(),
        };
        let found = findings(&with("/tags", tags), Policy::consumer());
        assert_expected(row, &found);
    });
}

#[test]
fn pricing() {
    // E-18, E-19, E-20, E-22
    each(&vectors("pricing.json"), |row| {
        let pricing = match row.get("generate") {
            Some(generate) => json!(vec![generate["entry"].clone(); number(generate, "times")]),
            None => row["pricing"].clone(),
        };
        let found = findings(&with("/pricing", pricing), Policy::consumer());
        assert_expected(row, &found);
        let expected = if row["id"] == "chain-leading-zero-both" {
            2
        } else {
            1
        };
        assert!(found.violations.len() <= expected, "{row}: {found:?}");
    });
}

#[test]
fn tiers_are_checked_and_lowered() {
    // E-32, E-36, K-13, T-31
    each(&vectors("verifiability.json"), |row| {
        let manifest = with("/verifiability", row["verifiability"].clone());
        let found = findings(&manifest, Policy::consumer());
        assert!(found.is_valid(), "{row}: {found:?}");
        let parsed = Manifest::parse(manifest.to_string(), Policy::consumer()).unwrap();
        let claims = parsed.verifiability().unwrap();
        let flags: Vec<_> = claims
            .inconsistencies()
            .iter()
            .map(|code| code.as_str())
            .collect();
        assert_eq!(json!(flags), row["ercFlags"], "{row}");
        assert_eq!(!flags.is_empty(), row["inconsistent"] == true, "{row}");
        assert_eq!(
            claims.effective_tier().as_str(),
            row["effectiveTier"],
            "{row}"
        );
        // Warnings for consumers, violations for producers; a lower tier always has a warning.
        assert!(flags.iter().all(|flag| {
            found
                .warnings
                .iter()
                .any(|warning| warning.code.as_str() == *flag)
        }));
        assert_eq!(
            findings(&manifest, Policy::producer()).is_valid(),
            flags.is_empty(),
            "{row}"
        );
        let is_lowered = claims.declared_tier() > Some(claims.effective_tier());
        assert!(!is_lowered || !found.warnings.is_empty(), "{row}");
    });
    assert!(
        Tier::SelfAttested < Tier::HardwareAttested && Tier::HardwareAttested < Tier::Verifiable
    );
}

#[test]
fn schema_limits() {
    // I-05, I-06, T-30
    let properties = |count: usize| {
        let map: serde_json::Map<_, _> = (0..count)
            .map(|index| (format!("p{index}"), json!({})))
            .collect();
        json!({ "properties": map })
    };
    each(&vectors("schema_limits.json")["rows"], |row| {
        let nested = |wrap: fn(Value) -> Value| {
            (1..number(&row["generate"], "depth")).fold(json!({}), |inner, _| wrap(inner))
        };
        let (inputs, outputs) = match row["id"].as_str().unwrap() {
            "depth-16" | "depth-17" => (
                nested(|inner| json!({"properties": {"p": inner}})),
                json!({}),
            ),
            "depth-16-anyOf" => (nested(|inner| json!({"anyOf": [inner]})), json!({})),
            "depth-17-anyOf" => (json!({}), nested(|inner| json!({"anyOf": [inner]}))),
            "nodes-1024" | "nodes-1025" => (properties(number(&row["generate"], "N")), json!({})),
            "nodes-split" => (properties(511), properties(512)),
            _ => (row["inputs"].clone(), row["outputs"].clone()),
        };
        let mut manifest = with("/inputs", inputs);
        set(&mut manifest, "/outputs", outputs);
        let document = Document::parse(manifest.to_string()).unwrap();
        let sizes =
            ["inputs", "outputs"].map(|name| schema_size(document.root().get(name).unwrap()));
        assert_eq!(
            sizes[0].depth.max(sizes[1].depth),
            number(row, "depth"),
            "{row}"
        );
        assert_eq!(
            sizes[0].nodes + sizes[1].nodes,
            number(row, "nodes"),
            "{row}"
        );
        let found = check(&document, Policy::consumer());
        assert_expected(row, &found);
        assert!(found.violations.len() <= 1, "{row}: {found:?}");
    });
}

#[test]
fn images() {
    // T-24, E-10
    each(&vectors("urls.json")["image"], |row| {
        let text = row["input"].as_str().unwrap();
        let image = text.parse::<Image>();
        assert_eq!(image.is_ok(), row["expect"] == "accept", "{row}");
        assert_eq!(
            image.as_ref().err().map(ImageError::code),
            row.get("reason").and_then(Value::as_str),
            "{row}"
        );
        // An unsafe image is ignored with a warning; the manifest stays valid.
        let manifest = with("/image", json!(text));
        let parsed = Manifest::parse(manifest.to_string(), Policy::consumer()).unwrap();
        assert_eq!(parsed.image().is_some(), image.is_ok(), "{row}");
        let is_flagged = parsed
            .warnings()
            .iter()
            .any(|warning| warning.code == Code::ImageNotShown);
        assert_eq!(is_flagged, image.is_err(), "{row}");
    });
}

#[test]
fn canonical_numbers() {
    // F-11
    each(&vectors("jcs.json")["numbers"], |row| {
        let document = Document::parse(row["json"].as_str().unwrap()).unwrap();
        let bits = u64::from_str_radix(row["ieee754"].as_str().unwrap(), 16).unwrap();
        assert_eq!(document.root().as_f64().unwrap().to_bits(), bits, "{row}");
        assert_eq!(
            document.canonical().as_bytes(),
            row["canonical"].as_str().unwrap().as_bytes(),
            "{row}"
        );
    });
}

#[test]
fn canonical_strings_and_objects() {
    // F-01, F-12
    for group in ["strings", "objects"] {
        each(&vectors("jcs.json")[group], |row| {
            let document = Document::parse(row["json"].as_str().unwrap()).unwrap();
            let canonical = document.canonical();
            assert_eq!(
                canonical.as_bytes(),
                hex(row["canonicalUtf8Hex"].as_str().unwrap()),
                "{row}"
            );
            assert_eq!(canonical.hash().to_string(), row["keccak256"], "{row}");
            assert_eq!(document.hash(), canonical.hash(), "{row}");
        });
    }
}

/// Checks length and hash of a manifest's canonical form.
fn assert_canonical(row: &Value) -> Document {
    let document = Document::parse(row["manifest"].to_string()).unwrap();
    let canonical = document.canonical();
    assert_eq!(
        canonical.as_bytes(),
        row["canonical"].as_str().unwrap().as_bytes(),
        "{row}"
    );
    assert_eq!(
        canonical.as_bytes().len(),
        number(row, "byteLength"),
        "{row}"
    );
    assert_eq!(document.hash().to_string(), row["keccak256"], "{row}");
    document
}

#[test]
fn manifests_of_the_erc_have_the_published_hashes() {
    // F-01, T-08
    let vectors = vectors("manifests.json");
    each(&vectors["erc"], |row| {
        let document = assert_canonical(row);
        assert!(check(&document, Policy::producer()).is_valid(), "{row}");
    });
    // Valid hashes of invalid manifests: their `type` is a placeholder.
    each(&vectors["ercPinnedWithStaleType"]["rows"], |row| {
        if row.get("manifest").is_some() {
            let document = assert_canonical(row);
            let found = check(&document, Policy::consumer());
            assert!(
                found
                    .violations
                    .iter()
                    .any(|violation| violation.code == Code::UnknownType),
                "{row}"
            );
        } else {
            assert_byte_order_mark(row);
        }
    });
}

fn assert_byte_order_mark(row: &Value) {
    let body = row["bodyCanonical"].as_str().unwrap();
    let wire = [
        &hex(row["wireBytesHexPrefix"].as_str().unwrap()),
        body.as_bytes(),
    ]
    .concat();
    assert_eq!(wire.len(), number(row, "wireByteLength"), "{row}");
    let found = findings_of_bytes(&wire, Policy::consumer());
    assert_eq!(found.violations[0].code, Code::ByteOrderMark, "{row}");
    assert!(Document::parse(body).is_ok(), "{row}");
}

#[test]
fn manifests_with_the_current_type() {
    // F-06, T-08
    each(&vectors("manifests.json")["currentType"], |row| {
        if row.get("manifest").is_none() {
            return assert_byte_order_mark(row);
        }
        let found = check(&assert_canonical(row), Policy::consumer());
        assert_expected(row, &found);
        if row.get("reason").is_some() {
            assert_eq!(found.violations[0].code.as_str(), row["reason"], "{row}");
        }
    });
}

#[test]
fn variations_of_a_manifest_have_different_hashes() {
    // E-09, E-12, F-08
    let free =
        Document::parse(vectors("manifests.json")["erc"][0]["manifest"].to_string()).unwrap();
    each(&vectors("manifests.json")["variations"], |row| {
        let document = assert_canonical(row);
        assert_ne!(document.hash(), free.hash(), "{row}");
        let found = check(&document, Policy::consumer());
        assert_expected(row, &found);
        let expected = match row.get("reason").and_then(Value::as_str) {
            Some("creator-zero") => vec![Code::ZeroCreatorAddress],
            Some("hex-case") => vec![Code::HexCase],
            _ => vec![],
        };
        let codes: Vec<_> = found
            .violations
            .iter()
            .map(|violation| violation.code)
            .collect();
        assert_eq!(codes, expected, "{row}");
    });
}

#[test]
fn formatting_does_not_change_the_hash() {
    // F-01
    let vectors = vectors("manifests.json");
    each(&vectors["transport"], |row| {
        let transport = match row.get("transport") {
            Some(text) => text.as_str().unwrap().to_owned(),
            None => serde_json::to_string_pretty(&vectors["erc"][0]["manifest"]).unwrap(),
        };
        assert_eq!(transport.len(), number(row, "transportByteLength"), "{row}");
        let document = Document::parse(transport).unwrap();
        assert_eq!(
            document.hash().to_string(),
            row["canonicalKeccak256"],
            "{row}"
        );
    });
}
