use atr_manifest::{Policy, Violation};
use serde_json::{Value, json};

use crate::support::{findings, full, set, with, without};

/// The only violation of a manifest, under the producer policy.
fn violation(manifest: &Value) -> Violation {
    let found = findings(manifest, Policy::producer());
    let [violation] = <[_; 1]>::try_from(found.violations).unwrap();
    violation
}

#[test]
fn suggests_a_valid_tag() {
    for (tag, fix) in [
        ("-Price Feed_", "use \"price-feed\""),
        ("a.b/c", "use \"a-b-c\""),
        ("💰", "use lower-case letters, digits and hyphens only"),
    ] {
        assert_eq!(violation(&with("/tags/0", json!(tag))).fix, fix);
    }
}

#[test]
fn reports_the_position_of_a_control_character() {
    let manifest = with("/name", json!("é\u{7}"));
    assert_eq!(violation(&manifest).found, "U+0007 at character 2");
}

#[test]
fn reports_what_a_tier_lacks() {
    let unattested = without("/verifiability/attestation");
    let with_tier = |manifest: &Value, tier: &str, execution: &str| {
        let mut manifest = manifest.clone();
        set(&mut manifest, "/verifiability/tier", json!(tier));
        set(&mut manifest, "/verifiability/execution", json!(execution));
        manifest
    };
    for (manifest, found) in [
        (
            with_tier(&unattested, "verifiable", "tee"),
            "\"verifiable\" without `attestation` and `reproducibleBuild`",
        ),
        (
            with_tier(&full(), "hardware-attested", "standard"),
            "\"hardware-attested\" with execution \"standard\"",
        ),
        (
            with_tier(&unattested, "hardware-attested", "tee"),
            "\"hardware-attested\" without `attestation`",
        ),
        (
            with_tier(&unattested, "self-attested", "tee"),
            "\"self-attested\" with an isolated execution",
        ),
        (
            with_tier(&full(), "self-attested", "standard"),
            "\"self-attested\" with an `attestation`",
        ),
    ] {
        assert_eq!(violation(&manifest).found, found);
    }
}

#[test]
fn lists_the_allowed_values() {
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
        for (name, value) in [("tier", "self-attested"), ("execution", "standard")] {
            let value = if name == member { "military" } else { value };
            set(
                &mut manifest,
                &format!("/verifiability/{name}"),
                json!(value),
            );
        }
        assert_eq!(violation(&manifest).allowed, allowed);
    }
}
