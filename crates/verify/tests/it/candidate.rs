use alloy_primitives::Address;
use atr_verify::{Candidate, Check, Rejection};
use serde_json::{Value, json};

use crate::world::{CREATOR, URI, World, config, hash_of, manifest, manifest_with};

fn register(served: &Value, place: &str, signer: Address) -> Result<Candidate, Box<Rejection>> {
    let world = World::of_bytes(config(Default::default()), served.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(Candidate::fetch(&&world.web, place, Some(signer)))
}

#[test]
fn what_is_served_without_fault_can_be_registered_by_whom_it_names() {
    let candidate = register(&manifest(), URI, CREATOR).unwrap();
    assert_eq!(candidate.uri.to_string(), URI);
    assert_eq!(
        candidate.manifest.hash().word(),
        hash_of(&manifest().to_string())
    );
}

#[test]
fn a_signer_the_manifest_does_not_name_is_refused() {
    // H-19
    let refusal = register(&manifest(), URI, Address::repeat_byte(9)).unwrap_err();
    assert_eq!(refusal.checks[0].check, Check::Creator);
    assert_eq!(refusal.checks[0].failure.code, "signer-mismatch");
    assert!(!refusal.is_retryable);
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let mut broken = manifest_with("endpoint", "https://other.example/");
    broken["pricing"] = json!([]);
    let refusal = register(&broken, URI, Address::repeat_byte(9)).unwrap_err();
    let checks: Vec<_> = refusal.checks.iter().map(|refused| refused.check).collect();
    assert_eq!(checks, [Check::Origin, Check::Creator]);
    assert_eq!(
        refusal.rules.unwrap().violations[0].code.as_str(),
        "empty-pricing"
    );
}

#[test]
fn a_publisher_is_held_to_more_than_a_consumer() {
    let claims = json!({ "tier": "self-attested", "execution": "serverless" });
    let refusal = register(&manifest_with("verifiability", claims), URI, CREATOR).unwrap_err();
    assert_eq!(
        refusal.rules.unwrap().violations[0].code.as_str(),
        "unknown-execution"
    );
}

#[test]
fn a_host_in_other_letters_is_written_as_an_a_label() {
    // G-03
    let endpoint = "https://xn--bcher-kva.example/x";
    let served = manifest_with("endpoint", endpoint);
    let place = "https://bücher.example/.well-known/ai-tool/oracle.json";
    let candidate = register(&served, place, CREATOR).unwrap();
    assert!(
        candidate
            .uri
            .to_string()
            .starts_with("https://xn--bcher-kva.example/")
    );
}
