use atr_manifest::{Policy, Violation};
use serde_json::{Value, json};

use crate::support::{findings, full, set, with, without};

/// The only violation of a manifest, to its publisher.
fn violation(manifest: &Value) -> Violation {
    let found = findings(manifest, Policy::producer());
    let [violation] = <[_; 1]>::try_from(found.violations).unwrap();
    violation
}

#[test]
fn a_tag_is_told_how_it_was_probably_meant() {
    for (tag, fix) in [
        ("-Price Feed_", "write \"price-feed\""),
        ("a.b/c", "write \"a-b-c\""),
        ("💰", "use lower-case letters, digits and hyphens only"),
    ] {
        assert_eq!(violation(&with("/tags/0", json!(tag))).fix, fix);
    }
}

#[test]
fn a_character_is_told_with_its_place() {
    let broken = with("/name", json!("é\u{7}"));
    assert_eq!(violation(&broken).found, "U+0007 as character 2");
}

#[test]
fn a_tier_is_told_what_it_lacks() {
    let unattested = without("/verifiability/attestation");
    let of = |manifest: &Value, tier: &str, execution: &str| {
        let mut manifest = manifest.clone();
        set(&mut manifest, "/verifiability/tier", json!(tier));
        set(&mut manifest, "/verifiability/execution", json!(execution));
        manifest
    };
    for (manifest, found) in [
        (
            of(&unattested, "verifiable", "tee"),
            "\"verifiable\" without `attestation` and `reproducibleBuild`",
        ),
        (
            of(&full(), "hardware-attested", "standard"),
            "\"hardware-attested\" on execution \"standard\"",
        ),
        (
            of(&unattested, "hardware-attested", "tee"),
            "\"hardware-attested\" without `attestation`",
        ),
        (
            of(&unattested, "self-attested", "tee"),
            "\"self-attested\" with an isolated execution",
        ),
        (
            of(&full(), "self-attested", "standard"),
            "\"self-attested\" with an `attestation`",
        ),
    ] {
        assert_eq!(violation(&manifest).found, found);
    }
}

#[test]
fn a_word_off_the_list_is_told_the_list() {
    for (member, allowed) in [
        (
            "tier",
            "\"self-attested\", \"hardware-attested\" or \"verifiable\"",
        ),
        (
            "execution",
            "\"standard\", \"tee\" or \"e2ee\", or a reverse-DNS name",
        ),
    ] {
        let mut manifest = without("/verifiability/attestation");
        for (name, word) in [("tier", "self-attested"), ("execution", "standard")] {
            let word = if name == member { "military" } else { word };
            set(
                &mut manifest,
                &format!("/verifiability/{name}"),
                json!(word),
            );
        }
        assert_eq!(violation(&manifest).allowed, allowed);
    }
}
