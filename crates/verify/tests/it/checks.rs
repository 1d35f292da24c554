use alloy_primitives::{Address, B256, keccak256};
use atr_fetch::Error as FetchError;
use atr_ids::ToolRef;
use atr_registry::{ToolConfig, ToolState};
use atr_verify::{Check, CheckResult, Status, duplicates};
use serde_json::json;

use crate::world::{CREATOR, URI, World, config, hash_of, manifest, manifest_with, tool};

/// Errors of the door, by whether asking again may help.
fn door_errors() -> Vec<(fn() -> FetchError, bool)> {
    vec![
        (|| FetchError::Status { status: 404 }, false),
        (|| FetchError::Status { status: 204 }, false),
        (|| FetchError::Status { status: 503 }, true),
        (|| FetchError::TimedOut { seconds: 10 }, true),
        (|| FetchError::TooLarge { limit: 1 << 20 }, false),
    ]
}

#[test]
fn a_tool_without_fault_passes_all_four() {
    let verdict = World::of(&manifest()).verify();
    assert_eq!(verdict.status(), Status::Verified);
    assert!(verdict.is_verified() && verdict.is_usable());
    assert_eq!(verdict.failing(), None);
    assert!(
        Check::ALL
            .iter()
            .all(|check| verdict.check(*check).has_passed())
    );
    let tool = verdict.into_verified().unwrap();
    assert_eq!(tool.manifest().name(), "oracle");
}

#[test]
fn a_manifest_broken_twice_reports_the_earlier_check_and_shows_both() {
    // H-01
    let elsewhere = manifest_with("endpoint", "https://other.example/oracle").to_string();
    let stranger = ToolConfig {
        creator: Address::repeat_byte(9),
        ..config(hash_of(&elsewhere))
    };
    let verdict = World::of_bytes(stranger.clone(), elsewhere.clone()).verify();
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert!(verdict.check(Check::Creator).failure().is_some());

    let other_hash = ToolConfig {
        manifest_hash: B256::repeat_byte(1),
        ..stranger
    };
    let verdict = World::of_bytes(other_hash.clone(), elsewhere).verify();
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert_eq!(verdict.failure().unwrap().code, "origin-mismatch");

    let verdict = World::of_bytes(other_hash, manifest().to_string()).verify();
    assert_eq!(verdict.failing(), Some(Check::Hash));
    assert!(verdict.check(Check::Creator).failure().is_some());
}

#[test]
fn a_place_that_is_not_the_well_known_one_is_not_asked() {
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
        let world = World::of_bytes(elsewhere, manifest().to_string());
        let verdict = world.verify();
        assert_eq!(verdict.failing(), Some(Check::Origin), "{uri}");
        assert_eq!(world.requests(), 0, "{uri}");
        assert!(matches!(
            verdict.check(Check::Fetched),
            CheckResult::NotReached { .. }
        ));
    }
}

#[test]
fn a_name_that_leads_into_a_private_network_is_reported_as_check_2() {
    // T-34
    let inside = || {
        Err(FetchError::ForbiddenAddress {
            host: "tools.example.com".to_owned(),
            address: [10, 0, 0, 1].into(),
            range: "private use",
        })
    };
    let live = ToolState::Live(config(B256::repeat_byte(1)));
    let verdict = World::with_web([live], inside).verify();
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert_eq!(verdict.status(), Status::Unverified);
}

#[test]
fn a_failed_fetch_leaves_the_tool_unverified_and_never_open() {
    // H-07, H-09, H-15
    for (error, retryable) in door_errors() {
        let gated = ToolConfig {
            access_predicate: Some(Address::repeat_byte(3)),
            ..config(B256::repeat_byte(1))
        };
        let world = World::with_web([ToolState::Live(gated)], move || Err(error()));
        let verdict = world.verify();
        let text = error().to_string();
        let status = if retryable {
            Status::Unknown
        } else {
            Status::Unverified
        };
        assert_eq!(verdict.status(), status, "{text}");
        assert_eq!(verdict.failing(), Some(Check::Fetched), "{text}");
        assert_eq!(verdict.failure().unwrap().code, error().code());
        assert_eq!(
            verdict.evidence().access_predicate,
            Some(Address::repeat_byte(3))
        );
        assert!(!verdict.is_verified() && !verdict.is_usable());
        assert!(verdict.into_verified().is_err(), "{text}");
        assert_eq!(
            world.requests(),
            1,
            "nothing is tried again, by no other rules"
        );
    }
}

#[test]
fn one_byte_changed_is_another_hash_and_refused() {
    // H-03, T-07
    let registered = hash_of(&manifest().to_string());
    let changed = manifest_with("description", "Tells prices!").to_string();
    let verdict = World::of_bytes(config(registered), changed).verify();
    assert_eq!(verdict.status(), Status::Unverified);
    assert_eq!(verdict.failing(), Some(Check::Hash));
    let failure = verdict.failure().unwrap();
    assert!(failure.expected.contains(&format!("{registered:#x}")));
    assert_eq!(failure.command, Some(format!("atr tool update {}", tool())));
    assert!(verdict.into_verified().is_err());
}

#[test]
fn who_hashed_the_file_instead_of_its_form_is_told_so() {
    let text = format!("{:#}\n", manifest());
    for registered in [keccak256(&text), keccak256(text.trim_end())] {
        let verdict = World::of_bytes(config(registered), text.clone()).verify();
        let cause = &verdict.failure().unwrap().cause;
        assert!(cause.contains("canonical form"), "{cause}");
    }
}

#[test]
fn bytes_that_cannot_be_hashed_are_a_failure_of_check_3() {
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
        let verdict = World::of_bytes(config(B256::repeat_byte(1)), bytes).verify();
        assert_eq!(verdict.failing(), Some(Check::Hash), "{code}");
        let violations = &verdict.failure().unwrap().violations;
        assert_eq!(violations[0].code.as_str(), code);
        assert_eq!(verdict.evidence().live_hash, None, "{code}");
    }
}

#[test]
fn only_creator_address_tells_the_creator() {
    // H-04, T-37
    let named_otherwise = manifest_with("io.example.ens", "creator.eth").to_string();
    let stranger = ToolConfig {
        creator: Address::repeat_byte(9),
        ..config(hash_of(&named_otherwise))
    };
    let verdict = World::of_bytes(stranger, named_otherwise).verify();
    assert_eq!(verdict.failing(), Some(Check::Creator));
    assert_eq!(verdict.failure().unwrap().code, "creator-mismatch");

    let mut nameless = manifest();
    nameless.as_object_mut().unwrap().remove("creatorAddress");
    // The other side must be in lower case: it is part of what is hashed.
    let mixed = manifest_with("creatorAddress", CREATOR.to_checksum(None));
    let verdict = World::of(&mixed).verify();
    assert_eq!(verdict.failing(), Some(Check::Hash));
    assert!(verdict.check(Check::Creator).failure().is_some());
    for (document, code) in [
        (nameless, "creator-missing"),
        (
            manifest_with("creatorAddress", format!("0x{}", "0".repeat(40))),
            "creator-zero",
        ),
        (
            manifest_with("creatorAddress", "creator.eth"),
            "creator-address",
        ),
    ] {
        let verdict = World::of(&document).verify();
        assert_eq!(verdict.failing(), Some(Check::Creator), "{code}");
        assert_eq!(verdict.failure().unwrap().code, code);
    }
}

#[test]
fn a_mirror_is_not_accepted_though_its_hash_is_right() {
    // G-10
    let text = manifest().to_string();
    let mirrored = ToolConfig {
        metadata_uri: "https://mirror.example/.well-known/ai-tool/oracle.json".to_owned(),
        ..config(hash_of(&text))
    };
    let verdict = World::of_bytes(mirrored, text).verify();
    assert!(verdict.check(Check::Hash).has_passed());
    assert_eq!(verdict.failing(), Some(Check::Origin));
    assert!(verdict.into_verified().is_err());
}

#[test]
fn a_tool_of_another_registry_is_not_looked_up_here() {
    let world = World::of(&manifest());
    let elsewhere = ToolRef::try_new(1, tool().registry(), tool().id()).unwrap();
    assert!(world.try_verify(elsewhere).is_err());
    assert_eq!(world.reads(), 0);
}

#[test]
fn a_machine_without_certificates_is_not_the_tools_fault() {
    let no_roots = || {
        Err(FetchError::Setup {
            source: "no roots".into(),
        })
    };
    let live = ToolState::Live(config(B256::repeat_byte(1)));
    let verdict = World::with_web([live], no_roots).verify();
    assert_eq!(verdict.status(), Status::Unknown);
    assert!(verdict.failure().unwrap().fix.contains("root certificates"));
}

#[test]
fn the_endpoint_must_be_on_the_origin_of_the_manifest() {
    for (endpoint, code) in [
        (json!("https://other.example/oracle"), "origin-mismatch"),
        (
            json!("https://tools.example.com:8443/oracle"),
            "origin-mismatch",
        ),
        (json!("http://tools.example.com/oracle"), "endpoint-url"),
        (json!(7), "endpoint-missing"),
    ] {
        let verdict = World::of(&manifest_with("endpoint", endpoint)).verify();
        assert_eq!(verdict.failing(), Some(Check::Origin), "{code}");
        assert_eq!(verdict.failure().unwrap().code, code);
    }
    let verdict = World::of(&manifest_with(
        "endpoint",
        "HTTPS://Tools.Example.com:443/x?y#z",
    ))
    .verify();
    assert!(verdict.is_verified(), "compared after normalising");
}

#[test]
fn the_four_checks_and_the_manifests_own_rules_are_kept_apart() {
    // H-05
    let mut wild = manifest_with("description", "x".repeat(569));
    wild["pricing"] = json!([]);
    wild["verifiability"] = json!({ "tier": "self-attested", "execution": "serverless" });
    let verdict = World::of(&wild).verify();
    assert!(verdict.is_verified(), "it is what its creator committed to");
    assert!(!verdict.is_usable(), "and it breaks rules");
    let rules = verdict.rules().unwrap().clone();
    let mut codes: Vec<_> = rules
        .violations
        .iter()
        .chain(&rules.warnings)
        .map(|found| found.code.as_str())
        .collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        ["empty-pricing", "text-too-long", "unknown-execution"]
    );
    assert!(verdict.into_verified().is_err());
}

#[test]
fn a_tool_that_is_gone_or_never_was_has_no_checks() {
    for (state, status) in [
        (ToolState::Deregistered, Status::Deregistered),
        (ToolState::NeverRegistered, Status::NeverRegistered),
    ] {
        let world = World::with_web([state], || Ok(Vec::new()));
        let verdict = world.verify();
        assert_eq!((verdict.status(), verdict.failing()), (status, None));
        assert_eq!(world.requests(), 0);
        assert!(verdict.into_verified().is_err());
    }
}

#[test]
fn a_pinned_hash_that_is_no_longer_the_registered_one_is_told() {
    // H-20
    let world = World::of(&manifest());
    let registered = hash_of(&manifest().to_string());
    let verdict = world.verify_pinned(Some(registered));
    assert!(verdict.is_usable() && verdict.pin().unwrap().holds);
    let verdict = world.verify_pinned(Some(B256::repeat_byte(1)));
    assert!(verdict.is_verified(), "the tool is still its creator's");
    assert!(!verdict.is_usable() && !verdict.pin().unwrap().holds);
    assert!(verdict.into_verified().is_err());
}

#[test]
fn two_registrations_of_one_manifest_are_both_shown() {
    // T-53
    let registry = Address::repeat_byte(2);
    let other = ToolRef::try_new(1, registry, alloy_primitives::U256::from(1)).unwrap();
    let third = ToolRef::try_new(1, registry, alloy_primitives::U256::from(2)).unwrap();
    let elsewhere = "https://other.example/.well-known/ai-tool/x.json";
    let spelt_otherwise = "HTTPS://Tools.Example.com:443/.well-known/ai-tool/oracle.json";
    let groups = duplicates([(tool(), URI), (third, elsewhere), (other, spelt_otherwise)]);
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[URI], [tool(), other]);
}

#[test]
fn the_verdict_as_json_names_each_check() {
    let verdict = World::of(&manifest()).verify();
    let json = serde_json::to_value(&verdict).unwrap();
    assert_eq!(json["tool"], tool().to_string());
    assert_eq!(json["status"], "verified");
    assert_eq!(json["checks"][1]["check"], "origin");
    assert_eq!(json["checks"][1]["number"], 2);
    assert_eq!(json["checks"][1]["outcome"], "passed");
    assert_eq!(json["evidence"]["window"]["seconds"], 300);
}
