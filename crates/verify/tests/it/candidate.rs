use alloy_primitives::Address;
use atr_verify::{Candidate, Check, Rejection};
use serde_json::{Value, json};

use crate::world::{CREATOR, URI, World, canonical_hash, config, manifest, manifest_with};

fn fetch(served: &Value, metadata_uri: &str, signer: Address) -> Result<Candidate, Box<Rejection>> {
    let world = World::with_bytes(config(Default::default()), served.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(Candidate::fetch(&&world.server, metadata_uri, Some(signer)))
}

#[test]
fn accepts_a_valid_manifest_of_the_signer() {
    let candidate = fetch(&manifest(), URI, CREATOR).unwrap();
    assert_eq!(candidate.uri.to_string(), URI);
    assert_eq!(
        candidate.manifest.hash().to_b256(),
        canonical_hash(&manifest().to_string())
    );
}

#[test]
fn rejects_a_signer_other_than_creator_address() {
    // H-19
    let rejection = fetch(&manifest(), URI, Address::repeat_byte(9)).unwrap_err();
    assert_eq!(rejection.checks[0].check, Check::Creator);
    assert_eq!(rejection.checks[0].failure.code, "signer-mismatch");
    assert!(!rejection.is_retryable);
}

#[test]
fn rejects_an_update_with_another_creator_address() {
    // H-19
    let fetch = |creator| {
        let world = World::with_bytes(config(Default::default()), manifest().to_string());
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.unwrap();
        runtime.block_on(Candidate::fetch_update(&&world.server, URI, creator))
    };
    assert!(fetch(CREATOR).is_ok());
    let rejection = fetch(Address::repeat_byte(9)).unwrap_err();
    assert_eq!(rejection.checks[0].check, Check::Creator);
    let failure = &rejection.checks[0].failure;
    assert_eq!(failure.code, "creator-mismatch");
    // Another signer would not help: only the creator can update a tool.
    assert!(!failure.fix.contains("sign with"), "{}", failure.fix);
}

#[test]
fn reports_all_failed_checks_and_violations() {
    let mut invalid = manifest_with("endpoint", "https://other.example/");
    invalid["pricing"] = json!([]);
    let rejection = fetch(&invalid, URI, Address::repeat_byte(9)).unwrap_err();
    let checks: Vec<_> = rejection.checks.iter().map(|failed| failed.check).collect();
    assert_eq!(checks, [Check::Origin, Check::Creator]);
    assert_eq!(
        rejection.rules.unwrap().violations[0].code.as_str(),
        "empty-pricing"
    );
}

#[test]
fn applies_the_producer_rules() {
    let claims = json!({ "tier": "self-attested", "execution": "serverless" });
    let rejection = fetch(&manifest_with("verifiability", claims), URI, CREATOR).unwrap_err();
    assert_eq!(
        rejection.rules.unwrap().violations[0].code.as_str(),
        "unknown-execution"
    );
}

#[test]
fn converts_a_unicode_host_to_a_labels() {
    // G-03
    let endpoint = "https://xn--bcher-kva.example/x";
    let served = manifest_with("endpoint", endpoint);
    let uri = "https://bücher.example/.well-known/ai-tool/oracle.json";
    let candidate = fetch(&served, uri, CREATOR).unwrap();
    assert!(
        candidate
            .uri
            .to_string()
            .starts_with("https://xn--bcher-kva.example/")
    );
}
