use alloy_primitives::{Address, B256, keccak256};
use atr_fetch::Error as FetchError;
use atr_ids::ToolRef;
use atr_manifest::Code;
use atr_registry::{ToolConfig, ToolState};
use atr_verify::{Check, CheckResult, Remedy, Status, duplicates};
use serde_json::json;

use crate::world::{CREATOR, URI, World, canonical_hash, config, manifest, manifest_with, tool};

/// Fetch errors, and whether they are retryable.
fn fetch_errors() -> Vec<(fn() -> FetchError, bool)> {
    vec![
        (|| FetchError::Status { status: 404 }, false),
        (|| FetchError::Status { status: 204 }, false),
        (|| FetchError::Status { status: 503 }, true),
        (|| FetchError::TimedOut { seconds: 10 }, true),
        (|| FetchError::TooLarge { limit: 1 << 20 }, false),
    ]
}

#[test]
fn a_valid_tool_passes_all_checks() {
    let verdict = World::new(&manifest()).verify();
    assert_eq!(verdict.status(), Status::Verified);
    assert!(verdict.is_verified() && verdict.is_usable());
    assert_eq!(verdict.failing(), None);
    assert!(
        Check::ALL
            .iter()
            .all(|check| verdict.check(*check).is_passed())
    );
    let tool = verdict.into_verified().unwrap();
    assert_eq!(tool.manifest().name(), "oracle");
}

#[test]
fn reports_the_first_failing_check_and_the_results_of_all() {
    // H-01
    let elsewhere = manifest_with("endpoint", "https://other.example/oracle").to_string();
    let other_creator = ToolConfig {
        creator: Address::repeat_byte(9),
        ..config(canonical_hash(&elsewhere))
    };
    let verdict = World::with_bytes(other_creator.clone(), elsewhere.clone()).verify();
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert!(verdict.check(Check::Creator).failure().is_some());

    let other_hash = ToolConfig {
        manifest_hash: B256::repeat_byte(1),
        ..other_creator
    };
    let verdict = World::with_bytes(other_hash.clone(), elsewhere).verify();
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert_eq!(verdict.failure().unwrap().code, "origin-mismatch");

    let verdict = World::with_bytes(other_hash, manifest().to_string()).verify();
    assert_eq!(verdict.failing(), Some(Check::Hash));
    assert!(verdict.check(Check::Creator).failure().is_some());
}

#[test]
fn does_not_request_a_uri_that_is_not_well_known() {
    // H-02, T-34
    for uri in [
        "http://tools.example.com/.well-known/ai-tool/oracle.json",
        "https://tools.example.com/oracle.json",
        "https://tools.example.com/.well-known/ai-tool/oracle.json?",
        "ipfs://bafy",
        "https://tools.example.com/.well-known/ai-tool/../x.json",
        "",
    ] {
        let elsewhere = ToolConfig {
            metadata_uri: uri.to_owned(),
            ..config(B256::repeat_byte(1))
        };
        let world = World::with_bytes(elsewhere, manifest().to_string());
        let verdict = world.verify();
        assert_eq!(verdict.failing(), Some(Check::Origin), "{uri}");
        assert_eq!(world.requests(), 0, "{uri}");
        assert!(matches!(
            verdict.check(Check::Fetch),
            CheckResult::Skipped { .. }
        ));
    }
}

#[test]
fn a_host_with_a_private_address_fails_check_2() {
    // T-34
    let private = || {
        Err(FetchError::ForbiddenAddress {
            host: "tools.example.com".to_owned(),
            address: [10, 0, 0, 1].into(),
            range: "private (RFC 1918)",
        })
    };
    let live = ToolState::Live(config(B256::repeat_byte(1)));
    let verdict = World::with_response([live], private).verify();
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert_eq!(verdict.status(), Status::Failed);
    let host = "tools.example.com:443".to_owned();
    let remedy = Some(Remedy::AllowHost { host });
    assert_eq!(verdict.failure().unwrap().remedy, remedy);
}

#[test]
fn a_fetch_error_never_verifies_or_opens_a_tool() {
    // H-07, H-09, H-15
    for (error, retryable) in fetch_errors() {
        let gated = ToolConfig {
            access_predicate: Some(Address::repeat_byte(3)),
            ..config(B256::repeat_byte(1))
        };
        let world = World::with_response([ToolState::Live(gated)], move || Err(error()));
        let verdict = world.verify();
        let text = error().to_string();
        let status = if retryable {
            Status::Unknown
        } else {
            Status::Failed
        };
        assert_eq!(verdict.status(), status, "{text}");
        assert_eq!(verdict.failing(), Some(Check::Fetch), "{text}");
        assert_eq!(verdict.failure().unwrap().code, error().code());
        assert_eq!(
            verdict.evidence().access_predicate,
            Some(Address::repeat_byte(3))
        );
        assert!(!verdict.is_verified() && !verdict.is_usable());
        assert!(verdict.into_verified().is_err(), "{text}");
        assert_eq!(world.requests(), 1, "no retry");
    }
}

#[test]
fn rejects_a_manifest_with_one_byte_changed() {
    // H-03, T-07
    let registered = canonical_hash(&manifest().to_string());
    let changed = manifest_with("description", "Returns prices!").to_string();
    let verdict = World::with_bytes(config(registered), changed).verify();
    assert_eq!(verdict.status(), Status::Failed);
    assert_eq!(verdict.failing(), Some(Check::Hash));
    let failure = verdict.failure().unwrap();
    assert!(failure.expected.contains(&format!("{registered:#x}")));
    assert_eq!(failure.remedy, Some(Remedy::UpdateHash));
    assert!(verdict.into_verified().is_err());
}

#[test]
fn detects_a_registered_hash_of_the_file() {
    let text = format!("{:#}\n", manifest());
    for registered in [keccak256(&text), keccak256(text.trim_end())] {
        let verdict = World::with_bytes(config(registered), text.clone()).verify();
        let cause = &verdict.failure().unwrap().cause;
        assert!(cause.contains("canonical form"), "{cause}");
    }
}

#[test]
fn bytes_without_a_canonical_hash_fail_check_3() {
    // H-01
    let text = manifest().to_string();
    let nfd = manifest_with("description", "e\u{301}").to_string();
    let mixed = manifest_with("creatorAddress", CREATOR.to_checksum(None)).to_string();
    for (bytes, code) in [
        (format!("\u{feff}{text}"), "byte-order-mark"),
        (
            text.replace("\"name\"", "\"name\":1,\"name\""),
            "duplicate-name",
        ),
        (nfd, "not-nfc"),
        (mixed, "hex-case"),
        ("{".to_owned(), "not-json"),
    ] {
        let verdict = World::with_bytes(config(B256::repeat_byte(1)), bytes).verify();
        assert_eq!(verdict.failing(), Some(Check::Hash), "{code}");
        let violations = &verdict.failure().unwrap().violations;
        assert_eq!(violations[0].code.as_str(), code);
        assert_eq!(verdict.evidence().served_hash, None, "{code}");
    }
}

#[test]
fn upper_case_hex_fails_check_3_whatever_else_is_wrong() {
    // F-08, H-01
    let asset = "eip155:8453/erc721:0x06012C8cf97bead5deae237070f9587f8e7a266d/771769";
    let recipient = "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01";
    let price = |asset: &str, recipient: &str| json!([{"amount": "1", "asset": asset, "recipient": recipient, "protocol": "x402"}]);
    let requirement = |kind: &str| json!({"logic": "AND", "requirements": [{"kind": kind, "data": "0x", "label": ""}]});
    let mut many = manifest_with("tags", json!(vec![0; 1_000]));
    many["verifiability"] = json!({"tier": "self-attested", "execution": "standard",
        "reproducibleBuild": {"sourceCodeURI": "https://a.example", "buildHash": "0xAB"}});
    for manifest in [
        // An asset with a token id after the address.
        manifest_with("pricing", price(asset, recipient)),
        // A second fault in the same field.
        manifest_with("pricing", price("eip155:8453/erc20:0xABC", recipient)),
        manifest_with("access", requirement("0xABC")),
        // More earlier violations than are reported.
        many,
    ] {
        let verdict = World::new(&manifest).verify();
        assert!(!verdict.is_verified(), "{manifest}");
        assert_eq!(verdict.failing(), Some(Check::Hash), "{manifest}");
        let failure = verdict.failure().unwrap();
        assert_eq!(failure.violations[0].code, Code::HexCase);
        assert_eq!(verdict.evidence().served_hash, None);
    }
}

#[test]
fn only_creator_address_is_compared_with_the_creator() {
    // H-04, T-37
    let with_ens_name = manifest_with("io.example.ens", "creator.eth").to_string();
    let other_creator = ToolConfig {
        creator: Address::repeat_byte(9),
        ..config(canonical_hash(&with_ens_name))
    };
    let verdict = World::with_bytes(other_creator, with_ens_name).verify();
    assert_eq!(verdict.failing(), Some(Check::Creator));
    assert_eq!(verdict.failure().unwrap().code, "creator-mismatch");

    let mut without_creator = manifest();
    without_creator
        .as_object_mut()
        .unwrap()
        .remove("creatorAddress");
    // The manifest's value must be lower case, because it is hashed.
    let mixed = manifest_with("creatorAddress", CREATOR.to_checksum(None));
    let verdict = World::new(&mixed).verify();
    assert_eq!(verdict.failing(), Some(Check::Hash));
    assert!(verdict.check(Check::Creator).failure().is_some());
    for (document, code) in [
        (without_creator, "creator-missing"),
        (
            manifest_with("creatorAddress", format!("0x{}", "0".repeat(40))),
            "creator-zero",
        ),
        (
            manifest_with("creatorAddress", "creator.eth"),
            "creator-address",
        ),
    ] {
        let verdict = World::new(&document).verify();
        assert_eq!(verdict.failing(), Some(Check::Creator), "{code}");
        assert_eq!(verdict.failure().unwrap().code, code);
    }
}

#[test]
fn rejects_a_mirror_with_the_correct_hash() {
    // G-10
    let text = manifest().to_string();
    let mirrored = ToolConfig {
        metadata_uri: "https://mirror.example/.well-known/ai-tool/oracle.json".to_owned(),
        ..config(canonical_hash(&text))
    };
    let verdict = World::with_bytes(mirrored, text).verify();
    assert!(verdict.check(Check::Hash).is_passed());
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert!(verdict.into_verified().is_err());
}

#[test]
fn rejects_a_tool_of_another_registry_without_reading() {
    let world = World::new(&manifest());
    let elsewhere = ToolRef::try_new(1, tool().registry(), tool().id()).unwrap();
    assert!(world.try_verify(elsewhere).is_err());
    assert_eq!(world.reads(), 0);
}

#[test]
fn missing_root_certificates_make_the_result_unknown() {
    let no_roots = || {
        Err(FetchError::Setup {
            source: "no roots".into(),
        })
    };
    let live = ToolState::Live(config(B256::repeat_byte(1)));
    let verdict = World::with_response([live], no_roots).verify();
    assert_eq!(verdict.status(), Status::Unknown);
    assert!(verdict.failure().unwrap().fix.contains("root certificates"));
}

#[test]
fn the_endpoint_must_have_the_origin_of_the_manifest() {
    for (endpoint, code) in [
        (json!("https://other.example/oracle"), "origin-mismatch"),
        (
            json!("https://tools.example.com:8443/oracle"),
            "origin-mismatch",
        ),
        (json!("http://tools.example.com/oracle"), "endpoint-url"),
        (json!(7), "endpoint-missing"),
    ] {
        let verdict = World::new(&manifest_with("endpoint", endpoint)).verify();
        assert_eq!(verdict.failing(), Some(Check::Origin), "{code}");
        assert_eq!(verdict.failure().unwrap().code, code);
    }
    let verdict = World::new(&manifest_with(
        "endpoint",
        "HTTPS://Tools.Example.com:443/x?y#z",
    ))
    .verify();
    assert!(verdict.is_verified(), "compared after normalization");
}

#[test]
fn manifest_rules_are_separate_from_the_checks() {
    // H-05
    let mut invalid = manifest_with("description", "x".repeat(569));
    invalid["pricing"] = json!([]);
    invalid["verifiability"] = json!({ "tier": "self-attested", "execution": "serverless" });
    let verdict = World::new(&invalid).verify();
    assert!(verdict.is_verified(), "the hash matches");
    assert!(!verdict.is_usable(), "the manifest violates rules");
    let rules = verdict.rules().unwrap().clone();
    let mut codes: Vec<_> = rules
        .violations
        .iter()
        .chain(&rules.warnings)
        .map(|finding| finding.code.as_str())
        .collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        ["empty-pricing", "text-too-long", "unknown-execution"]
    );
    assert!(verdict.into_verified().is_err());
}

#[test]
fn a_tool_that_is_not_registered_has_no_check_results() {
    for (state, status) in [
        (ToolState::Deregistered, Status::Deregistered),
        (ToolState::NeverRegistered, Status::NeverRegistered),
    ] {
        let world = World::with_response([state], || Ok(Vec::new()));
        let verdict = world.verify();
        assert_eq!((verdict.status(), verdict.failing()), (status, None));
        assert_eq!(world.requests(), 0);
        assert!(verdict.into_verified().is_err());
    }
}

#[test]
fn a_pinned_hash_must_equal_the_registered_hash() {
    // H-20
    let world = World::new(&manifest());
    let registered = canonical_hash(&manifest().to_string());
    let verdict = world.verify_pinned(Some(registered));
    assert!(verdict.is_usable() && verdict.pin().unwrap().matches);
    let verdict = world.verify_pinned(Some(B256::repeat_byte(1)));
    assert!(verdict.is_verified(), "the pin is not one of the checks");
    assert!(!verdict.is_usable() && !verdict.pin().unwrap().matches);
    assert!(verdict.into_verified().is_err());
}

#[test]
fn duplicates_lists_all_registrations_of_a_manifest() {
    // T-53
    let registry = Address::repeat_byte(2);
    let other = ToolRef::try_new(1, registry, alloy_primitives::U256::from(1)).unwrap();
    let third = ToolRef::try_new(1, registry, alloy_primitives::U256::from(2)).unwrap();
    let elsewhere = "https://other.example/.well-known/ai-tool/x.json";
    let not_normalized = "HTTPS://Tools.Example.com:443/.well-known/ai-tool/oracle.json";
    let groups = duplicates([(tool(), URI), (third, elsewhere), (other, not_normalized)]);
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[URI], [tool(), other]);
}

#[test]
fn json_contains_each_check() {
    let verdict = World::new(&manifest()).verify();
    let json = serde_json::to_value(&verdict).unwrap();
    assert_eq!(json["tool"], tool().to_string());
    assert_eq!(json["status"], "verified");
    assert_eq!(json["checks"][1]["check"], "origin");
    assert_eq!(json["checks"][1]["number"], 2);
    assert_eq!(json["checks"][1]["outcome"], "passed");
    assert_eq!(json["evidence"]["window"]["seconds"], 300);
}
