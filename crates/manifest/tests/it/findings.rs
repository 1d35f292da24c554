use atr_manifest::{
    Code, Document, Findings, MAX_MANIFEST_BYTES, Manifest, Policy, check, remote_refs,
};
use serde_json::{Value, json};

use crate::support::{findings, findings_of_bytes, full, set, violations, with, without};

fn warnings(found: &Findings) -> Vec<(Code, &str)> {
    found
        .warnings
        .iter()
        .map(|warning| (warning.code, warning.pointer.as_str()))
        .collect()
}

#[test]
fn extension_members_do_not_change_defined_members() {
    // E-12, E-13, T-17
    let plain = Manifest::parse(full().to_string(), Policy::consumer()).unwrap();
    let mut manifest = full();
    for name in [
        "Endpoint",
        "x-endpoint",
        "ENDPOINT",
        "__proto__",
        "constructor",
    ] {
        set(
            &mut manifest,
            &format!("/{name}"),
            json!("https://evil.example"),
        );
    }
    set(&mut manifest, "/pricing/0/io.example.note", json!("nested"));
    set(
        &mut manifest,
        "/verifiability/attestation/Endpoint",
        json!("https://evil.example"),
    );
    let extended = Manifest::parse(manifest.to_string(), Policy::consumer()).unwrap();
    assert_eq!(extended.endpoint(), plain.endpoint());
    assert_eq!(extended.prices(), plain.prices());
    assert_eq!(extended.verifiability(), plain.verifiability());
    assert_ne!(extended.hash(), plain.hash());
    // Extensions are part of the canonical form, whatever their name.
    let canonical = String::from_utf8(extended.canonical().into_bytes()).unwrap();
    assert!(canonical.contains(r#""__proto__":"https://evil.example""#));
    let canonical: Value = serde_json::from_str(&canonical).unwrap();
    assert_eq!(canonical, manifest);
}

#[test]
fn a_manifest_with_warnings_is_valid_but_not_clean() {
    for (manifest, is_valid, is_clean) in [
        (full(), true, true),
        (with("/paymentHint", json!(0)), true, false),
        (without("/endpoint"), false, false),
    ] {
        let found = findings(&manifest, Policy::consumer());
        assert_eq!((found.is_valid(), found.is_clean()), (is_valid, is_clean));
    }
}

#[test]
fn reports_every_string_that_is_not_nfc() {
    // F-03
    let mut manifest = with("/io.example.a", json!("e\u{301}"));
    set(&mut manifest, "/io.example.e\u{301}", json!(["e\u{301}"]));
    let found = findings(&manifest, Policy::consumer());
    assert_eq!(
        violations(&found),
        [
            (Code::NotNfc, "/io.example.a"),
            (Code::NameNotNfc, "/io.example.e\u{301}"),
            (Code::NotNfc, "/io.example.e\u{301}/0"),
        ]
    );
}

#[test]
fn a_similar_name_does_not_replace_a_required_member() {
    // E-13
    let mut manifest = without("/endpoint");
    set(
        &mut manifest,
        "/Endpoint",
        json!("https://tools.example.com"),
    );
    let found = findings(&manifest, Policy::consumer());
    assert_eq!(found.violations[0].code, Code::MissingMember);
    assert_eq!(warnings(&found), [(Code::Lookalike, "/Endpoint")]);
}

#[test]
fn warns_about_extensions_without_a_namespace() {
    // E-14, T-39
    for (name, expected) in [
        ("io.opensea.paymentHint", None),
        ("x-opensea-paymentHint", None),
        ("featuredImage", None),
        ("maxAge", None),
        ("paymentHint", Some(Code::BareExtension)),
        ("a.", Some(Code::BareExtension)),
        ("Pricing", Some(Code::Lookalike)),
    ] {
        let value = if name == "maxAge" {
            json!(0)
        } else {
            json!("https://a.example/x.png")
        };
        let found = findings(&with(&format!("/{name}"), value), Policy::producer());
        assert!(found.is_valid(), "{name}");
        assert_eq!(
            found.warnings.first().map(|warning| warning.code),
            expected,
            "{name}"
        );
    }
}

#[test]
fn suggests_the_defined_member_for_a_misspelled_one() {
    // E-13
    for (pointer, misspelled, similar) in [
        ("/description", "/desciption", "description"),
        ("/tags", "/tag", "tags"),
        ("/pricing/0/recipient", "/pricing/0/recipeint", "recipient"),
        ("/access/logic", "/access/Logic", "logic"),
        (
            "/access/requirements/0/label",
            "/access/requirements/0/lable",
            "label",
        ),
        (
            "/verifiability/execution",
            "/verifiability/excution",
            "execution",
        ),
        (
            "/verifiability/attestation/enclaveHash",
            "/verifiability/attestation/enclave_hash",
            "enclaveHash",
        ),
        (
            "/verifiability/reproducibleBuild/buildHash",
            "/verifiability/reproducibleBuild/buildhash",
            "buildHash",
        ),
    ] {
        let mut manifest = without(pointer);
        let value = full().pointer(pointer).unwrap().clone();
        set(&mut manifest, misspelled, value);
        let found = findings(&manifest, Policy::producer());
        let warning = found
            .warnings
            .iter()
            .find(|warning| warning.code == Code::Lookalike);
        let warning = warning.unwrap_or_else(|| panic!("{misspelled}: {found:#?}"));
        assert_eq!(warning.pointer.as_str(), misspelled);
        let hint = format!("did you mean \"{similar}\"?");
        assert!(warning.fix.starts_with(&hint), "{warning:?}");
    }
    // The defined member is present, or the name resembles none.
    for extra in [
        "/pricing/0/amounts",
        "/verifiability/note",
        "/access/requirements/0/links/lable",
    ] {
        let found = findings(&with(extra, json!("https://a.example")), Policy::producer());
        assert!(found.is_clean(), "{extra}: {found:#?}");
    }
}

#[test]
fn warns_about_invisible_characters() {
    for text in ["a\u{ad}b", "a\u{202e}b", "a\u{200b}b"] {
        let found = findings(&with("/name", json!(text)), Policy::producer());
        assert!(found.is_valid());
        assert_eq!(warnings(&found), [(Code::InvisibleCharacter, "/name")]);
    }
    assert!(findings(&with("/name", json!("👩\u{200d}💻")), Policy::producer()).is_clean());
}

#[test]
fn ignores_an_invalid_max_age_with_a_warning() {
    for value in [json!(-1), json!(1.5), json!("60"), json!(null)] {
        let manifest = with("/maxAge", value);
        let found = findings(&manifest, Policy::consumer());
        assert!(found.is_valid());
        assert_eq!(warnings(&found), [(Code::BadMaxAge, "/maxAge")]);
        assert_eq!(
            Manifest::parse(manifest.to_string(), Policy::consumer())
                .unwrap()
                .max_age(),
            None
        );
    }
    let manifest = Manifest::parse(
        with("/maxAge", json!(3600.0)).to_string(),
        Policy::consumer(),
    )
    .unwrap();
    assert_eq!(manifest.max_age(), Some(3600));
}

#[test]
fn warns_only_producers_about_a_paid_tool_without_max_age() {
    let manifest = without("/maxAge");
    assert_eq!(
        warnings(&findings(&manifest, Policy::producer())),
        [(Code::PaidWithoutMaxAge, "/maxAge")]
    );
    assert!(findings(&manifest, Policy::consumer()).is_clean());
}

#[test]
fn warns_about_a_version_that_is_not_semantic() {
    let found = findings(&with("/version", json!("v2")), Policy::producer());
    assert!(found.is_valid());
    assert_eq!(warnings(&found), [(Code::NotSemver, "/version")]);
}

#[test]
fn warns_about_remote_references_without_following_them() {
    // J-08
    let mut manifest = with(
        "/inputs/properties/wallet",
        json!({"$ref": "http://169.254.169.254/latest/meta-data"}),
    );
    set(
        &mut manifest,
        "/outputs",
        json!({"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "other.json"}], "$defs": {"a": {}}}),
    );
    // A property named `$ref` is not a reference.
    set(
        &mut manifest,
        "/inputs/properties/$ref",
        json!({"type": "string"}),
    );
    let document = Document::parse(manifest.to_string()).unwrap();
    let remote = |name: &str| -> Vec<_> {
        remote_refs(document.root().get(name).unwrap())
            .iter()
            .map(|found| found.as_str().unwrap())
            .collect()
    };
    assert_eq!(
        remote("inputs"),
        ["http://169.254.169.254/latest/meta-data"]
    );
    assert_eq!(remote("outputs"), ["other.json"]);
    let found = check(&document, Policy::consumer());
    assert!(found.is_valid());
    assert_eq!(
        warnings(&found),
        [
            (Code::RemoteRef, "/inputs/properties/wallet/$ref"),
            (Code::RemoteRef, "/outputs/anyOf/1/$ref")
        ]
    );
}

#[test]
fn rejects_one_byte_more_than_a_mebibyte() {
    // I-01, I-07
    let filler = "x".repeat(MAX_MANIFEST_BYTES);
    let mut manifest = full();
    let filler_bytes =
        MAX_MANIFEST_BYTES - manifest.to_string().len() - r#","io.example.filler":"""#.len();
    set(
        &mut manifest,
        "/io.example.filler",
        json!(filler[..filler_bytes]),
    );
    let text = manifest.to_string();
    assert_eq!(text.len(), MAX_MANIFEST_BYTES);
    assert!(findings_of_bytes(text.as_bytes(), Policy::producer()).is_clean());
    let text = text + " ";
    assert_eq!(
        findings_of_bytes(text.as_bytes(), Policy::consumer()).violations[0].code,
        Code::TooLarge
    );
}

#[test]
fn rejects_deep_nesting_in_an_extension() {
    // I-08, T-15
    let nested = |depth: usize| {
        let brackets = ["[".repeat(depth), "]".repeat(depth)].concat();
        full()
            .to_string()
            .replacen('{', &format!("{{\"io.example.deep\":{brackets},"), 1)
    };
    assert!(findings_of_bytes(nested(127).as_bytes(), Policy::producer()).is_clean());
    for depth in [128, 100_000] {
        let found = findings_of_bytes(nested(depth).as_bytes(), Policy::consumer());
        assert_eq!(found.violations[0].code, Code::TooDeep);
    }
}

#[test]
fn the_number_of_findings_is_limited() {
    let tags: Vec<_> = (0..100_000).map(|_| json!(0)).collect();
    let found = findings(&with("/tags", json!(tags)), Policy::consumer());
    assert!(found.truncated && !found.is_valid());
    assert!(found.violations.len() <= 256);
}

/// A manifest with `times` copies of a value in an extension. It has no lists and no other extensions, because the rules that
/// iterate over them also report truncation.
fn repeated(name: &str, value: &Value, times: usize) -> Value {
    let mut manifest = with(&format!("/{name}"), vec![value.clone(); times].into());
    let members = manifest.as_object_mut().unwrap();
    members.retain(|name, _| !name.starts_with("x-"));
    for list in ["tags", "pricing", "access"] {
        members.remove(list).unwrap();
    }
    manifest
}

#[test]
fn truncated_is_set_when_findings_are_missing() {
    let (decomposed, unsafe_integer) = (json!("e\u{301}"), json!(1e300));
    for (times, reported, is_complete) in [(2, 2, true), (300, 256, false)] {
        let manifest = repeated("io.example.x", &decomposed, times);
        let found = findings(&manifest, Policy::consumer());
        assert_eq!(
            (found.violations.len(), !found.truncated),
            (reported, is_complete)
        );
        // A warning for consumers is a violation for producers.
        let manifest = repeated("io.example.x", &unsafe_integer, times);
        let found = findings(&manifest, Policy::consumer());
        assert_eq!(
            (found.warnings.len(), !found.truncated),
            (reported, is_complete)
        );
        let found = findings(&manifest, Policy::producer());
        assert_eq!(
            (found.violations.len(), !found.truncated),
            (reported, is_complete)
        );
    }
}

#[test]
fn other_violations_never_displace_those_about_bytes() {
    // F-03, F-08, I-07
    let tags: Vec<_> = (0..1_000).map(|_| json!(0)).collect();
    let numbers: Vec<_> = (0..1_000).map(|_| json!(1e300)).collect();
    for (pointer, value) in [
        ("/verifiability/reproducibleBuild/buildHash", json!("0xAB")),
        ("/io.example.last", json!("e\u{301}")),
    ] {
        let mut manifest = with(pointer, value);
        set(&mut manifest, "/tags", json!(tags));
        set(&mut manifest, "/io.example.numbers", json!(numbers));
        for policy in [Policy::consumer(), Policy::producer()] {
            let found = findings(&manifest, policy);
            assert!(found.truncated);
            let is_about_bytes = |code: &Code| code.is_about_bytes();
            let codes: Vec<_> = found.violations.iter().map(|found| found.code).collect();
            assert_eq!(
                codes.iter().filter(|code| is_about_bytes(code)).count(),
                1,
                "{pointer}"
            );
        }
    }
}

#[test]
fn byte_rules_apply_to_a_document_that_is_not_an_object() {
    // F-03, F-04
    for text in ["\"e\u{301}\"", "[\"e\u{301}\"]"] {
        let found = findings_of_bytes(text.as_bytes(), Policy::consumer());
        let codes: Vec<_> = found.violations.iter().map(|found| found.code).collect();
        assert_eq!(codes, [Code::NotNfc, Code::NotAnObject], "{text}");
    }
}

#[test]
fn the_size_of_findings_is_limited() {
    let name = format!("io.example.{}", "x".repeat(10_000));
    let manifest = repeated(&name, &json!("e\u{301}"), 200);
    let found = findings(&manifest, Policy::consumer());
    // 256 KiB, and the finding that exceeds it.
    assert_eq!((found.violations.len(), found.truncated), (26, true));
}

#[test]
fn warnings_never_displace_violations() {
    // I-07
    let many = |make: fn(usize) -> (String, Value)| -> Value {
        Value::Object((0..1_000).map(make).collect())
    };
    let remote_refs = many(|index| (index.to_string(), json!({"$ref": "other.json"})));
    let long_names = many(|index| (format!("{index:0>100}"), json!("https://a.example")));
    let extensions = many(|index| (format!("bare{index}"), json!(1)));
    for (pointer, invalid) in [
        ("/tags/2", json!("nft")),
        ("/pricing/1", json!({})),
        ("/access/requirements/1/kind", json!("0x")),
        (
            "/access/requirements/1/links",
            json!({"z": "http://a.example"}),
        ),
        ("/verifiability/attestation", json!(null)),
    ] {
        let mut manifest = with(pointer, invalid);
        set(
            &mut manifest,
            "/outputs",
            json!({"properties": remote_refs.clone()}),
        );
        set(
            &mut manifest,
            "/access/requirements/0/links",
            long_names.clone(),
        );
        for (name, value) in extensions.as_object().unwrap() {
            set(&mut manifest, &format!("/{name}"), value.clone());
        }
        let found = findings(&manifest, Policy::consumer());
        assert!(found.truncated && found.warnings.len() <= 256);
        assert!(
            found
                .violations
                .iter()
                .any(|violation| violation.pointer.as_str().starts_with(pointer)),
            "{pointer}"
        );
    }
}
