use atr_manifest::{Code, Policy, RULES};
use serde_json::{Value, json};

use crate::support::{codes, findings, full, set, violations, with, without};

/// An invalid manifest, the policy that rejects it, and its only violation.
struct Case {
    policy: Policy,
    manifest: Value,
    code: Code,
    pointer: String,
}

fn consumer(manifest: Value, code: Code, pointer: &str) -> Case {
    Case {
        policy: Policy::consumer(),
        manifest,
        code,
        pointer: pointer.to_owned(),
    }
}

/// A case that only producers reject.
fn producer(manifest: Value, code: Code, pointer: &str) -> Case {
    Case {
        policy: Policy::producer(),
        ..consumer(manifest, code, pointer)
    }
}

fn at(pointer: &str, value: Value, code: Code) -> Case {
    consumer(with(pointer, value), code, pointer)
}

/// Each manifest has exactly one violation, with all texts. Producers reject what consumers reject.
#[track_caller]
fn assert_each(cases: Vec<Case>) {
    assert!(!cases.is_empty());
    for Case {
        policy,
        manifest,
        code,
        pointer,
    } in cases
    {
        let found = findings(&manifest, policy);
        assert_eq!(violations(&found), [(code, pointer.as_str())], "{found:#?}");
        let violation = &found.violations[0];
        assert!(
            !violation.found.is_empty() && !violation.allowed.is_empty(),
            "{violation:?}"
        );
        assert!(
            !violation.fix.is_empty() && !violation.fix.contains('\n'),
            "{violation:?}"
        );
        assert!(
            codes(&manifest, Policy::producer()).contains(&code),
            "{violation:?}"
        );
        if policy == Policy::producer() {
            assert!(
                !codes(&manifest, Policy::consumer()).contains(&code),
                "{violation:?}"
            );
        }
    }
}

#[test]
fn the_full_manifest_has_no_findings() {
    for policy in [Policy::producer(), Policy::consumer()] {
        let found = findings(&full(), policy);
        assert!(found.is_clean(), "{found:#?}");
    }
}

#[test]
fn required_members() {
    // E-01
    let names = [
        "type",
        "name",
        "description",
        "endpoint",
        "inputs",
        "outputs",
        "creatorAddress",
    ];
    assert_each(
        names
            .map(|name| format!("/{name}"))
            .map(|pointer| consumer(without(&pointer), Code::MissingMember, &pointer))
            .into(),
    );
    assert_each(
        names
            .map(|name| format!("/{name}"))
            .map(|pointer| at(&pointer, json!(null), Code::WrongKind))
            .into(),
    );
}

#[test]
fn unknown_types_are_rejected_unless_allowed() {
    // E-02, T-18
    let stale = json!("https://eips.ethereum.org/EIPS/eip-XXXX#tool-manifest-v1");
    assert_each(vec![
        at("/type", stale.clone(), Code::UnknownType),
        at("/type", json!("tool-manifest-v2"), Code::UnknownType),
    ]);
    let found = findings(
        &with("/type", stale),
        Policy::consumer().accepting_unknown_types(),
    );
    assert!(found.is_valid());
    assert_eq!(found.warnings[0].code, Code::UnknownType);
}

#[test]
fn name_and_description() {
    // E-03, E-04, E-33, T-16
    let mut cases = Vec::new();
    for (pointer, max) in [
        ("/name", 128),
        ("/description", 500),
        ("/verifiability/description", 500),
    ] {
        cases.push(at(pointer, json!(""), Code::EmptyText));
        cases.push(at(pointer, json!("a".repeat(max + 1)), Code::TextTooLong));
        cases.push(at(pointer, json!("😀".repeat(max + 1)), Code::TextTooLong));
        cases.push(at(pointer, json!("a\u{7f}"), Code::ControlCharacter));
        cases.push(at(pointer, json!("a\u{85}"), Code::ControlCharacter));
        cases.push(at(pointer, json!(1), Code::WrongKind));
        assert!(findings(&with(pointer, json!("😀".repeat(max))), Policy::producer()).is_clean());
    }
    cases.push(at("/name", json!("a\tb"), Code::ControlCharacter));
    assert_each(cases);
    for pointer in ["/description", "/verifiability/description"] {
        assert!(findings(&with(pointer, json!("a\n\r\tb")), Policy::producer()).is_clean());
    }
}

#[test]
fn endpoints_must_be_normalized_https_urls() {
    // E-05, E-06, T-21
    for url in [
        "http://a.example",
        "data:text/html,x",
        "javascript:alert(1)",
        "file:///x",
        "",
        "https://bücher.example",
        "https://u@a.example",
    ] {
        assert_each(vec![at("/endpoint", json!(url), Code::BadUrl)]);
    }
    for url in [
        "HTTPS://a.example/x",
        "https://A.example/x",
        "https://a.example:443/x",
    ] {
        assert_each(vec![producer(
            with("/endpoint", json!(url)),
            Code::UrlNotNormal,
            "/endpoint",
        )]);
        let found = findings(&with("/endpoint", json!(url)), Policy::consumer());
        assert_eq!(found.warnings[0].code, Code::UrlNotNormal);
    }
}

#[test]
fn schemas_must_be_objects() {
    // E-07
    for pointer in ["/inputs", "/outputs"] {
        for value in [json!([]), json!(null), json!("{}"), json!(true)] {
            assert_each(vec![at(pointer, value, Code::WrongKind)]);
        }
        assert!(findings(&with(pointer, json!({})), Policy::producer()).is_clean());
    }
}

#[test]
fn creator_addresses() {
    // E-08, F-08
    let address = "0xabcdef0123456789abcdef0123456789abcdef01";
    assert_each(vec![
        at(
            "/creatorAddress",
            json!(address.replace("abcdef", "ABCDEF")),
            Code::HexCase,
        ),
        at(
            "/creatorAddress",
            json!(&address[..41]),
            Code::BadCreatorAddress,
        ),
        at(
            "/creatorAddress",
            json!(format!("{address}\n")),
            Code::BadCreatorAddress,
        ),
        at(
            "/creatorAddress",
            json!("vitalik.eth"),
            Code::BadCreatorAddress,
        ),
        at(
            "/creatorAddress",
            json!(format!("0x{}", "0".repeat(40))),
            Code::ZeroCreatorAddress,
        ),
    ]);
}

#[test]
fn images_have_a_maximum_length_and_safe_schemes() {
    // E-10, E-15, T-24, T-39
    for pointer in ["/image", "/featuredImage"] {
        let url = |bytes: usize| {
            let start = "https://tools.example.com/";
            json!(format!("{start}{}", "a".repeat(bytes - start.len())))
        };
        assert!(findings(&with(pointer, url(2_048)), Policy::producer()).is_clean());
        // The limit applies to the normalized URL, without `:443`.
        let with_port = json!(url(2_048).as_str().unwrap().replace(".com/", ".com:443/"));
        assert!(findings(&with(pointer, with_port), Policy::consumer()).is_valid());
        assert_each(vec![
            at(pointer, url(2_049), Code::ImageTooLong),
            at(pointer, json!(["x"]), Code::WrongKind),
            producer(
                with(pointer, json!("javascript:alert(1)")),
                Code::ImageNotShown,
                pointer,
            ),
            producer(
                with(pointer, json!("http://a.example/i.png")),
                Code::ImageNotShown,
                pointer,
            ),
        ]);
    }
}

#[test]
fn tags() {
    // E-11
    let many: Vec<_> = (0..17).map(|index| format!("t{index}")).collect();
    assert!(findings(&with("/tags", json!(many[..16])), Policy::producer()).is_clean());
    assert_each(vec![
        at("/tags", json!(many), Code::TooManyTags),
        at("/tags", json!("nft"), Code::WrongKind),
        at("/tags", json!(null), Code::WrongKind),
        at("/tags/1", json!("NFT"), Code::BadTag),
        at("/tags/1", json!("a".repeat(33)), Code::BadTag),
        at("/tags/1", json!("-a"), Code::BadTag),
        at("/tags/1", json!(""), Code::BadTag),
        at("/tags/1", json!(1), Code::WrongKind),
        at("/tags/2", json!("nft"), Code::DuplicateTag),
    ]);
}

#[test]
fn pricing_is_an_array_of_1_to_32_entries() {
    // E-17, I-03, T-39
    let entry = full()["pricing"][0].clone();
    assert!(
        findings(
            &with("/pricing", json!(vec![entry.clone(); 32])),
            Policy::producer()
        )
        .is_clean()
    );
    assert_each(vec![
        at("/pricing", json!([]), Code::EmptyPricing),
        at("/pricing", json!(null), Code::WrongKind),
        at(
            "/pricing",
            json!({"model": "pay_per_call", "amount": "0.01", "currency": "USDC"}),
            Code::WrongKind,
        ),
        at("/pricing", json!(vec![entry; 33]), Code::TooManyPrices),
        at("/pricing/1", json!(null), Code::WrongKind),
    ]);
}

#[test]
fn members_of_a_pricing_entry() {
    // E-18, E-19, E-21, T-27
    let max = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let over = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
    assert!(findings(&with("/pricing/0/amount", json!(max)), Policy::producer()).is_clean());
    let zero = "eip155:8453:0x0000000000000000000000000000000000000000";
    let mut cases = vec![
        at("/pricing/0/amount", json!(over), Code::BadAmount),
        at("/pricing/0/amount", json!("0.02"), Code::BadAmount),
        at("/pricing/0/recipient", json!(zero), Code::ZeroRecipient),
    ];
    for member in ["amount", "asset", "recipient", "protocol"] {
        let pointer = format!("/pricing/0/{member}");
        cases.push(consumer(without(&pointer), Code::MissingMember, &pointer));
        cases.push(at(&pointer, json!(20_000), Code::WrongKind));
    }
    assert_each(cases);
}

#[test]
fn an_empty_protocol_is_a_warning() {
    // E-18
    for policy in [Policy::producer(), Policy::consumer()] {
        let found = findings(&with("/pricing/0/protocol", json!("")), policy);
        assert!(found.is_valid(), "{found:#?}");
        assert_eq!(found.warnings[0].code, Code::EmptyProtocol);
    }
}

#[test]
fn hex_in_upper_case_is_a_violation_whatever_else_is_wrong() {
    // E-22, F-08, T-28
    let kind = "/access/requirements/0/kind";
    let data = "/access/requirements/0/data";
    let enclave = "/verifiability/attestation/enclaveHash";
    let build = "/verifiability/reproducibleBuild/buildHash";
    let token = "eip155:8453/erc721:0x06012C8cf97bead5deae237070f9587f8e7a266d/771769";
    for (pointer, value, other) in [
        ("/pricing/0/asset", token, None),
        (
            "/pricing/0/asset",
            "eip155:8453/erc721:0x06012c8cf97bead5deae237070f9587f8e7a266d/0xAB",
            None,
        ),
        (
            "/pricing/0/asset",
            "eip155:8453/erc20:0xABC",
            Some(Code::BadAsset),
        ),
        ("/pricing/0/asset", "0xABC", Some(Code::BadAsset)),
        (
            "/pricing/0/recipient",
            "eip155:8453:0xABC",
            Some(Code::BadRecipient),
        ),
        ("/pricing/0/recipient", "0xABC", Some(Code::BadRecipient)),
        (
            "/pricing/0/recipient",
            "eip155:1:0xABCDEF0123456789abcdef0123456789abcdef01",
            Some(Code::ChainMismatch),
        ),
        ("/creatorAddress", "0xABC", Some(Code::BadCreatorAddress)),
        ("/creatorAddress", "ABC", Some(Code::BadCreatorAddress)),
        (kind, "0xABC", Some(Code::BadKind)),
        (kind, "0Xabcdef01", None),
        (data, "0xABC", Some(Code::BadData)),
        (data, "0xABCG", Some(Code::BadData)),
        (enclave, "0xABC", Some(Code::BadMeasurement)),
        (build, "0xABC", Some(Code::BadMeasurement)),
    ] {
        let expected: Vec<_> = [Some(Code::HexCase), other].into_iter().flatten().collect();
        let manifest = with(pointer, json!(value));
        assert_eq!(
            codes(&manifest, Policy::consumer()),
            expected,
            "{pointer} {value}"
        );
    }
    let long = with(data, json!(format!("0x{}", "AB".repeat(5_000))));
    assert_eq!(
        codes(&long, Policy::consumer()),
        [Code::HexCase, Code::DataTooLong]
    );
}

#[test]
fn references_that_are_not_hex_are_case_sensitive() {
    // E-22, T-28
    let solana = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
    let mut manifest = with(
        "/pricing/0/asset",
        json!(format!("{solana}/token:EPjFWdd5AufqSSqeM2qN1xzy")),
    );
    set(
        &mut manifest,
        "/pricing/0/recipient",
        json!(format!(
            "{solana}:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"
        )),
    );
    assert_eq!(codes(&manifest, Policy::consumer()), []);
}

#[test]
fn assets_and_recipients_are_lower_case_caip_ids_on_one_chain() {
    // E-20, E-22, T-26, T-28
    assert_each(vec![
        at("/pricing/0/asset", json!("usdc"), Code::BadAsset),
        at(
            "/pricing/0/asset",
            json!("base/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
            Code::BadAsset,
        ),
        at(
            "/pricing/0/asset",
            json!("eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
            Code::HexCase,
        ),
        at(
            "/pricing/0/recipient",
            json!("0xabcdef0123456789abcdef0123456789abcdef01"),
            Code::BadRecipient,
        ),
        at(
            "/pricing/0/recipient",
            json!("eip155:8453:0xABCDEF0123456789abcdef0123456789abcdef01"),
            Code::HexCase,
        ),
        at(
            "/pricing/0/recipient",
            json!("eip155:8454:0xabcdef0123456789abcdef0123456789abcdef01"),
            Code::ChainMismatch,
        ),
        at(
            "/pricing/0/recipient",
            json!("eip155:84532:0xabcdef0123456789abcdef0123456789abcdef01"),
            Code::ChainMismatch,
        ),
        at(
            "/pricing/1/recipient",
            json!("eip155:1:0xabcdef0123456789abcdef0123456789abcdef01"),
            Code::ChainMismatch,
        ),
    ]);
}

#[test]
fn access_needs_logic_and_1_to_256_requirements() {
    // E-25, I-03
    let entry = full()["access"]["requirements"][1].clone();
    let many = |count: usize| json!(vec![entry.clone(); count]);
    assert!(findings(&with("/access/requirements", many(256)), Policy::producer()).is_clean());
    let mut cases = vec![
        at("/access", json!(null), Code::WrongKind),
        at("/access/logic", json!("and"), Code::BadLogic),
        at("/access/logic", json!("XOR"), Code::BadLogic),
        at("/access/requirements", json!(null), Code::WrongKind),
        at("/access/requirements", json!([]), Code::EmptyRequirements),
        at("/access/requirements", many(257), Code::TooManyRequirements),
        at("/access/requirements/1", json!("x"), Code::WrongKind),
    ];
    for pointer in ["/access/logic", "/access/requirements"] {
        cases.push(consumer(without(pointer), Code::MissingMember, pointer));
    }
    assert_each(cases);
}

#[test]
fn members_of_a_requirement() {
    // E-26, E-27, I-04, F-08
    let pointer = |member: &str| format!("/access/requirements/0/{member}");
    let data = |bytes: usize| json!(format!("0x{}", "ab".repeat(bytes)));
    assert!(findings(&with(&pointer("data"), data(4_096)), Policy::producer()).is_clean());
    assert!(
        findings(
            &with(&pointer("label"), json!("é".repeat(128))),
            Policy::producer()
        )
        .is_clean()
    );
    let mut cases = vec![
        at(&pointer("kind"), json!("0xbdf8c42"), Code::BadKind),
        at(&pointer("kind"), json!("0xBDF8C428"), Code::HexCase),
        at(&pointer("data"), json!("0x0"), Code::BadData),
        at(&pointer("data"), json!("00"), Code::BadData),
        at(&pointer("data"), json!("0xAB"), Code::HexCase),
        at(&pointer("data"), data(4_097), Code::DataTooLong),
        at(
            &pointer("label"),
            json!("é".repeat(129)),
            Code::LabelTooLong,
        ),
    ];
    for member in ["kind", "data", "label"] {
        cases.push(consumer(
            without(&pointer(member)),
            Code::MissingMember,
            &pointer(member),
        ));
    }
    assert_each(cases);
}

#[test]
fn links() {
    // E-28, T-29
    let links = "/access/requirements/0/links";
    let link = |bytes: usize| json!(format!("https://a.example/{}", "a".repeat(bytes - 18)));
    assert!(
        findings(
            &with(&format!("{links}/buy"), link(2_048)),
            Policy::producer()
        )
        .is_clean()
    );
    let named = |bytes: usize| with(links, json!({"k".repeat(bytes): "https://a.example"}));
    assert!(findings(&named(64), Policy::producer()).is_clean());
    assert_eq!(
        findings(&named(65), Policy::producer()).warnings[0].code,
        Code::LinkNameLong
    );
    assert!(findings(&named(2_048), Policy::consumer()).is_valid());
    assert_each(vec![
        at(links, json!([]), Code::WrongKind),
        at(
            &format!("{links}/buy"),
            json!("http://a.example"),
            Code::BadUrl,
        ),
        at(
            &format!("{links}/buy"),
            json!("eip155:1:0x00"),
            Code::BadUrl,
        ),
        at(&format!("{links}/buy"), json!(1), Code::WrongKind),
        at(&format!("{links}/buy"), link(2_049), Code::LinkTooLong),
        consumer(named(2_049), Code::LinkNameTooLong, links),
    ]);
}

#[test]
fn urls_with_characters_outside_rfc_3986_are_valid_with_a_warning() {
    // E-05, E-28, G-11
    for pointer in ["/endpoint", "/access/requirements/0/links/buy"] {
        for url in [
            "https://a.example/a[0]/{id}",
            "https://a.example/café?q=東京",
            "https://a_b.example/?q={x}",
        ] {
            for policy in [Policy::producer(), Policy::consumer()] {
                let found = findings(&with(pointer, json!(url)), policy);
                assert!(found.is_valid(), "{found:#?}");
                assert_eq!(found.warnings[0].code, Code::UrlNotEncoded, "{url}");
            }
        }
        assert!(
            findings(
                &with(pointer, json!("https://a_b.example/x")),
                Policy::producer()
            )
            .is_clean()
        );
    }
}

#[test]
fn verifiability_needs_tier_and_execution() {
    // E-30
    assert_each(vec![
        at("/verifiability", json!([]), Code::WrongKind),
        consumer(
            without("/verifiability/tier"),
            Code::MissingMember,
            "/verifiability/tier",
        ),
        consumer(
            without("/verifiability/execution"),
            Code::MissingMember,
            "/verifiability/execution",
        ),
        at("/verifiability/tier", json!(1), Code::WrongKind),
    ]);
}

#[test]
fn unknown_values_are_violations_for_producers_and_warnings_for_consumers() {
    // E-31, T-32
    for (member, code) in [
        ("tier", Code::UnknownTier),
        ("execution", Code::UnknownExecution),
        ("dataRetention", Code::UnknownDataRetention),
        ("sourceVisibility", Code::UnknownSourceVisibility),
    ] {
        let pointer = format!("/verifiability/{member}");
        let manifest = with(&pointer, json!("serverless"));
        let found = findings(&manifest, Policy::consumer());
        assert_eq!(found.warnings[0].code, code);
        assert_each(vec![producer(manifest, code, &pointer)]);
    }
    // A reverse-DNS name is valid for producers, but lowers the tier with a warning.
    let vendor = findings(
        &with("/verifiability/execution", json!("io.phala.tee-sidevm")),
        Policy::producer(),
    );
    assert!(vendor.is_valid());
    assert_eq!(vendor.warnings[0].code, Code::TierNotSupported);
}

#[test]
fn attestations_and_builds() {
    // E-34, E-35, F-08
    let mut cases = vec![
        consumer(
            without("/verifiability/attestation/type"),
            Code::MissingMember,
            "/verifiability/attestation/type",
        ),
        consumer(
            without("/verifiability/reproducibleBuild/sourceCodeURI"),
            Code::MissingMember,
            "/verifiability/reproducibleBuild/sourceCodeURI",
        ),
        at(
            "/verifiability/attestation/maxAge",
            json!(-1),
            Code::BadAttestationMaxAge,
        ),
        at(
            "/verifiability/attestation/maxAge",
            json!("1"),
            Code::WrongKind,
        ),
        at(
            "/verifiability/reproducibleBuild/buildInstructions",
            json!(["nix"]),
            Code::WrongKind,
        ),
    ];
    for url in [
        "attestation/endpoint",
        "attestation/transparencyLogURI",
        "reproducibleBuild/sourceCodeURI",
    ] {
        cases.push(at(
            &format!("/verifiability/{url}"),
            json!("http://a.example"),
            Code::BadUrl,
        ));
    }
    for hash in ["attestation/enclaveHash", "reproducibleBuild/buildHash"] {
        let pointer = format!("/verifiability/{hash}");
        cases.push(at(&pointer, json!("0x"), Code::BadMeasurement));
        cases.push(at(&pointer, json!("0xabc"), Code::BadMeasurement));
        cases.push(at(&pointer, json!("1212"), Code::BadMeasurement));
        cases.push(at(&pointer, json!("0xAB"), Code::HexCase));
    }
    assert_each(cases);
}

#[test]
fn schema_limits_apply_independently() {
    // I-05, I-06, I-07
    let nested =
        |depth: usize| (1..depth).fold(json!({}), |inner, _| json!({"properties": {"p": inner}}));
    let wide = |count: usize| {
        let properties: serde_json::Map<_, _> = (0..count)
            .map(|index| (index.to_string(), json!({})))
            .collect();
        json!({ "properties": properties })
    };
    for pointer in ["/inputs", "/outputs"] {
        assert!(findings(&with(pointer, nested(16)), Policy::producer()).is_clean());
        assert_each(vec![at(pointer, nested(17), Code::SchemaTooDeep)]);
    }
    // The full manifest's inputs have 4 nodes, its outputs 2.
    assert!(findings(&with("/inputs", wide(1_021)), Policy::producer()).is_clean());
    assert_each(vec![
        consumer(
            with("/inputs", wide(1_022)),
            Code::SchemaTooLarge,
            "/outputs",
        ),
        at("/outputs", wide(1_020), Code::SchemaTooLarge),
    ]);
}

#[test]
fn producers_reject_unsafe_integers() {
    // T-14
    let pointer = "/inputs/properties/days/maximum";
    for number in [
        "9007199254740992",
        "-9007199254740993",
        "1e300",
        "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    ] {
        let text = full()
            .to_string()
            .replace("\"maximum\":365", &format!("\"maximum\":{number}"));
        let found = crate::support::findings_of_bytes(text.as_bytes(), Policy::producer());
        assert_eq!(
            violations(&found),
            [(Code::UnsafeInteger, pointer)],
            "{number}"
        );
        let found = crate::support::findings_of_bytes(text.as_bytes(), Policy::consumer());
        assert!(found.is_valid(), "{number}");
    }
    assert!(
        findings(
            &with(pointer, json!(9_007_199_254_740_991_i64)),
            Policy::producer()
        )
        .is_clean()
    );
}

#[test]
fn rejects_text_that_is_not_nfc_everywhere() {
    // F-03, F-04, T-10
    let mut cases = vec![
        at("/name", json!("cafe\u{301}"), Code::NotNfc),
        at(
            "/io.example.note",
            json!({"any": ["\u{212b}"]}),
            Code::NotNfc,
        ),
    ];
    cases[1].pointer = "/io.example.note/any/0".to_owned();
    cases.push(consumer(
        with("/io.example.note", json!({"cafe\u{301}": 1})),
        Code::NameNotNfc,
        "/io.example.note/cafe\u{301}",
    ));
    cases.push(consumer(
        with("/inputs", json!({"title": "e\u{301}"})),
        Code::NotNfc,
        "/inputs/title",
    ));
    assert_each(cases);
}

#[test]
fn reports_all_violations_in_the_order_of_the_rules() {
    let mut manifest = with("/pricing", json!([]));
    manifest["name"] = json!("");
    manifest["description"] = json!("a".repeat(569));
    let found = findings(&manifest, Policy::consumer());
    assert_eq!(
        violations(&found),
        [
            (Code::EmptyText, "/name"),
            (Code::TextTooLong, "/description"),
            (Code::EmptyPricing, "/pricing"),
        ]
    );
    let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    assert!(
        names.iter().position(|name| *name == "name")
            < names.iter().position(|name| *name == "pricing")
    );
}
