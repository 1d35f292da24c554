use atr_agent_card::{
    Card, Class, Code, Config, Profile, Report, SchemaRelease, SchemaReleases, Status, validate,
};
use atr_manifest::Document;
use serde_json::{Value, json};

use crate::support::{
    changed, document, example, report, set, short, vectors, violations, warnings,
};

/// Asserts that a change of the example causes exactly these violations of the text's profile.
#[track_caller]
fn assert_violations(pointer: &str, value: Value, expected: &[(&str, &str)]) {
    let card = changed(pointer, value.clone());
    let found = violations(&card, Profile::Spec);
    let found: Vec<_> = found
        .iter()
        .map(|(code, at)| (code.as_str(), at.as_str()))
        .collect();
    assert_eq!(found, expected, "{pointer} = {value}");
}

#[test]
fn the_example_of_the_specification_satisfies_the_text() {
    // P-01, T-51: `$schema` and `$id` are allowed.
    let report = report(&example());
    let spec = report.profile(Profile::Spec);
    assert_eq!(
        (spec.status, &spec.violations, &spec.warnings),
        (Status::Satisfied, &vec![], &vec![])
    );
    assert_eq!(report.satisfied().collect::<Vec<_>>(), [Profile::Spec]);
    for name in ["$schema", "$id", "schemas_mirror", "capabilities", "meta"] {
        assert_violations(&format!("/{name}"), Value::Null, &[]);
    }
}

#[test]
fn members_of_the_text_are_required_and_others_are_rejected() {
    // P-01, P-02
    let card = example();
    for name in card.as_object().unwrap().keys() {
        let pointer = format!("/{name}");
        let is_optional =
            ["$schema", "$id", "schemas_mirror", "capabilities", "meta"].contains(&name.as_str());
        if !is_optional {
            assert_violations(&pointer, Value::Null, &[("missing-member", &pointer)]);
        }
        let is_list = ["implements", "networks"].contains(&name.as_str());
        if is_list {
            assert_violations(&pointer, json!([]), &[("empty", &pointer)]);
        }
        assert_violations(&pointer, json!(7), &[("wrong-type", &pointer)]);
    }
    for name in [
        "id",
        "slug",
        "display_name",
        "description",
        "owner",
        "ens",
        "version",
        "status",
        "license",
        "entry",
    ] {
        let pointer = format!("/{name}");
        for blank in ["", "  ", "\n"] {
            assert_violations(&pointer, json!(blank), &[("empty", &pointer)]);
        }
    }
    assert_violations("/class", json!(""), &[("empty", "/class")]);
    assert_violations("/alias", json!("x"), &[("unknown-member", "/alias")]);
    assert_violations(
        "/schemas/response",
        json!("x"),
        &[("unknown-member", "/schemas/response")],
    );
    assert_violations(
        "/schemas/request",
        Value::Null,
        &[("missing-member", "/schemas/request")],
    );
    assert_violations(
        "/schemas/receipt",
        Value::Null,
        &[("missing-member", "/schemas/receipt")],
    );
    assert_violations("/meta", json!([]), &[("wrong-type", "/meta")]);
}

#[test]
fn findings_name_value_expectation_and_fix() {
    let report = report(&changed("/slug", json!("Summarize Agent")));
    let finding = &report.profile(Profile::Spec).violations[0];
    assert_eq!(
        finding.to_string(),
        "/slug: found \"Summarize Agent\", expected lower-case letters and digits, and . _ ~ - between them (slug)"
    );
    assert_eq!(finding.fix, "use the first label of the ENS name");
    let json = serde_json::to_value(finding).unwrap();
    assert_eq!(json["code"], "slug");
    assert_eq!(json["pointer"], "/slug");
    let mut codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), Code::ALL.len());
}

#[test]
fn slugs_are_url_safe_and_lower_case() {
    // P-03
    for slug in ["a", "a1", "summarize-agent", "a.b_c~d"] {
        assert_violations("/slug", json!(slug), &[]);
    }
    for slug in ["Agent", "a b", "-a", "a-", "a/b", "é", "a%20b", "a\n"] {
        assert_violations("/slug", json!(slug), &[("slug", "/slug")]);
    }
}

#[test]
fn versions_are_semantic() {
    // P-03
    for version in ["0.0.1", "1.0.0-rc.1", "1.0.0+build.7", "10.20.30"] {
        assert_violations("/version", json!(version), &[]);
    }
    for version in [
        "1",
        "1.0",
        "v1.0.0",
        "1.0.0.0",
        "01.0.0",
        "1.0.0-01",
        "1.0.0-",
        "1.0.0\n",
        "99999999999999999999.0.0",
    ] {
        assert_violations("/version", json!(version), &[("version", "/version")]);
    }
}

#[test]
fn names_are_lower_case_with_a_dot() {
    for ens in ["agent.summarize.eth", "münchen.eth", "a_b.xyz"] {
        let mut card = changed("/ens", json!(ens));
        set(&mut card, "/id", json!(ens));
        set(
            &mut card,
            "/entry",
            json!(format!("x402://{ens}/summarize/v1")),
        );
        assert_eq!(violations(&card, Profile::Spec), [], "{ens}");
    }
    for ens in [
        "summarizeagent",
        "SummarizeAgent.eth",
        "a b.eth",
        "a..eth",
        ".eth",
        "a/b.eth",
        "a:b.eth",
    ] {
        let found = violations(&changed("/ens", json!(ens)), Profile::Spec);
        assert!(
            found.contains(&("ens-name".into(), "/ens".into())),
            "{ens} {found:?}"
        );
    }
    let card = changed("/id", json!("agent-7"));
    assert_eq!(violations(&card, Profile::Spec), []);
    assert_eq!(
        warnings(&card),
        [("id-differs-from-ens".into(), "/id".into())]
    );
}

#[test]
fn verbs_belong_to_the_class_of_the_card() {
    // P-04
    assert_violations("/class", json!("premium"), &[("class", "/class")]);
    assert_violations(
        "/implements/1",
        json!("verify"),
        &[("verb-of-other-class", "/implements/1")],
    );
    let mut card = commercial();
    assert_eq!(violations(&card, Profile::Spec), []);
    set(&mut card, "/implements/1", json!("summarize"));
    assert_eq!(
        violations(&card, Profile::Spec),
        [("verb-of-other-class".into(), "/implements/1".into())]
    );
    // A commercial card must not be published as commons.
    let mut card = commercial();
    set(
        &mut card,
        "/$id",
        json!("https://commandlayer.org/agent-cards/agents/v1.0.0/commons/verifyagent.eth.json"),
    );
    assert_eq!(
        violations(&card, Profile::Spec),
        [("commercial-as-commons".into(), "/$id".into())]
    );
    // The verb "summarize" does not become commercial by a change of the class.
    let found = violations(&changed("/class", json!("commercial")), Profile::Spec);
    assert!(
        found.contains(&("verb-of-other-class".into(), "/implements/0".into())),
        "{found:?}"
    );
}

fn commercial() -> Value {
    let mut card = example();
    for (pointer, value) in [
        (
            "/$id",
            json!(
                "https://commandlayer.org/agent-cards/agents/v1.0.0/commercial/verifyagent.eth.json"
            ),
        ),
        ("/class", json!("commercial")),
        ("/implements", json!(["verify"])),
        ("/entry", json!("x402://summarizeagent.eth/verify/v1")),
        ("/schemas_mirror", Value::Null),
    ] {
        set(&mut card, pointer, value);
    }
    for kind in ["request", "receipt"] {
        let uri = format!(
            "https://commandlayer.org/schemas/v1.0.0/commercial/verify/{kind}s/verify.{kind}.schema.json"
        );
        set(&mut card, &format!("/schemas/{kind}"), json!(uri));
    }
    card
}

#[test]
fn verbs_are_known_and_have_no_aliases() {
    // P-05
    for (verb, fix) in [
        ("summarise", "use the canonical verb \"summarize\""),
        ("tldr", "use canonical verbs only; aliases are not allowed"),
    ] {
        let report = report(&changed("/implements/1", json!(verb)));
        let spec = report.profile(Profile::Spec);
        assert_eq!(
            short(&spec.violations),
            [("unknown-verb".into(), "/implements/1".into())],
            "{verb}"
        );
        assert_eq!(spec.violations[0].fix, fix);
    }
    assert_violations(
        "/implements/1",
        json!("Analyze"),
        &[("unknown-verb", "/implements/1")],
    );
    assert_violations(
        "/implements/1",
        json!("summarize"),
        &[("duplicate", "/implements")],
    );
    assert_violations("/implements/1", json!("analyze"), &[]);
    // The first verb is the primary one: entry and schemas follow it.
    let found = violations(
        &changed("/implements", json!(["analyze", "summarize"])),
        Profile::Spec,
    );
    let pointers: Vec<_> = found.iter().map(|(_, pointer)| pointer.as_str()).collect();
    assert_eq!(
        pointers,
        [
            "/entry",
            "/schemas/request",
            "/schemas/receipt",
            "/schemas_mirror/request",
            "/schemas_mirror/receipt"
        ]
    );
}

#[test]
fn verb_lists_are_configuration() {
    // T-51
    let mut config = Config::default();
    assert_eq!(
        (config.verbs.commons.len(), config.verbs.commercial.len()),
        (10, 5)
    );
    let mut card = changed("/implements/1", json!("translate"));
    let unknown = validate(&document(&card), &config);
    assert_eq!(unknown.profile(Profile::Spec).violations.len(), 1);
    config.verbs.commons.insert("translate".to_owned());
    let known = validate(&document(&card), &config);
    assert_eq!(known.profile(Profile::Spec).violations, []);
    config.verbs.commons.remove("summarize");
    set(&mut card, "/implements", json!(["summarize"]));
    let removed = validate(&document(&card), &config);
    assert_eq!(
        short(&removed.profile(Profile::Spec).violations),
        [("unknown-verb".into(), "/implements/0".into())]
    );
}

#[test]
fn schemas_are_the_canonical_ones_of_the_verb() {
    let card = example();
    let request = card["schemas"]["request"].clone();
    let receipt = card["schemas"]["receipt"].clone();
    assert_violations(
        "/schemas/request",
        receipt.clone(),
        &[("schema-uri", "/schemas/request")],
    );
    let mut swapped = example();
    set(
        &mut swapped,
        "/schemas",
        json!({"request": receipt, "receipt": request}),
    );
    assert_eq!(
        violations(&swapped, Profile::Spec),
        [
            ("schema-uri".into(), "/schemas/request".into()),
            ("schema-uri".into(), "/schemas/receipt".into())
        ]
    );
    let text = request.as_str().unwrap();
    for other in [
        text.replace("summarize", "analyze"),
        text.replace("commons", "commercial"),
        text.replace(".json", ".yaml"),
        format!("{text}#"),
    ] {
        assert_violations(
            "/schemas/request",
            json!(other),
            &[("schema-uri", "/schemas/request")],
        );
    }
    let template = text.replace(crate::support::SCHEMAS_CID, "SCHEMAS_CID");
    assert_violations(
        "/schemas/request",
        json!(template),
        &[("placeholder", "/schemas/request")],
    );
    let template = text.replace(crate::support::SCHEMAS_CID, "<cid-schemas>");
    assert_violations(
        "/schemas/request",
        json!(template),
        &[("schema-uri", "/schemas/request")],
    );
    // A release that is not configured could not be compared: a warning.
    let other = text.replace(
        crate::support::SCHEMAS_CID,
        "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
    );
    let unknown = changed("/schemas/request", json!(other));
    assert_eq!(violations(&unknown, Profile::Spec), []);
    assert_eq!(
        warnings(&unknown),
        [("schema-release-unknown".into(), "/schemas/request".into())]
    );
    // Two known releases must not be mixed.
    let mixed = changed(
        "/schemas/request",
        json!(
            "https://commandlayer.org/schemas/v1.1.0/commons/summarize/summarize.request.schema.json"
        ),
    );
    assert_eq!(
        violations(&mixed, Profile::Spec),
        [("schema-release-mixed".into(), "/schemas".into())]
    );
}

#[test]
fn schema_releases_are_configuration() {
    // T-51
    let config = Config {
        releases: SchemaReleases(vec![SchemaRelease {
            class: Class::Commons,
            version: "2.0.0".to_owned(),
            has_folders: false,
            roots: vec!["https://schemas.example/v2".to_owned()],
        }]),
        ..Config::default()
    };
    let mut card = example();
    for kind in ["request", "receipt"] {
        let uri =
            format!("https://schemas.example/v2/commons/summarize/summarize.{kind}.schema.json");
        set(&mut card, &format!("/schemas/{kind}"), json!(uri));
    }
    let report = validate(&document(&card), &config);
    let spec = report.profile(Profile::Spec);
    assert_eq!((&spec.violations, &spec.warnings), (&vec![], &vec![]));
}

#[test]
fn mirrors_are_https_and_of_the_same_schema() {
    // P-07
    let card = example();
    let mirror = card["schemas_mirror"]["request"].as_str().unwrap();
    for other in [
        mirror.replace("https:", "http:"),
        mirror.replace("summarize", "parse"),
        card["schemas_mirror"]["receipt"]
            .as_str()
            .unwrap()
            .to_owned(),
        "https://commandlayer.org/".to_owned(),
    ] {
        assert_violations(
            "/schemas_mirror/request",
            json!(other),
            &[("schema-mirror", "/schemas_mirror/request")],
        );
    }
    assert_violations("/schemas_mirror/receipt", Value::Null, &[]);
}

#[test]
fn the_entry_has_name_verb_and_route_version_exactly() {
    // P-08
    let vectors = vectors();
    let rows = vectors["entry"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    for row in rows {
        let mut card = example();
        set(&mut card, "/ens", row["card"]["ens"].clone());
        set(&mut card, "/implements", row["card"]["implements"].clone());
        set(&mut card, "/entry", row["entry"].clone());
        let expected: &[(String, String)] = match row["expect"].as_str().unwrap() {
            "accept" => &[],
            _ => &[("entry".into(), "/entry".into())],
        };
        assert_eq!(violations(&card, Profile::Spec), expected, "{row}");
    }
    for entry in [
        "x402://summarizeagent.eth/summarize/v1/",
        "x402://summarizeagent.eth/summarize/v1 ",
        "x402://summarizeagent.eth//summarize/v1",
    ] {
        assert_violations("/entry", json!(entry), &[("entry", "/entry")]);
    }
    let report = report(&changed(
        "/entry",
        json!("x402://summarizeagent.eth/summarize/v1.0.0"),
    ));
    assert_eq!(
        report.profile(Profile::Spec).violations[0].expected,
        "x402://summarizeagent.eth/summarize/v1"
    );
}

#[test]
fn networks_are_caip_2_ids() {
    // P-09
    for networks in [
        json!(["eip155:1", "eip155:8453"]),
        json!(["solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"]),
    ] {
        assert_violations("/networks", networks, &[]);
    }
    for network in [
        "base",
        "eip155",
        "eip155:",
        "eip155:01",
        "EIP155:1",
        "eip155:mainnet",
    ] {
        assert_violations("/networks/1", json!(network), &[("network", "/networks/1")]);
    }
    assert_violations(
        "/networks/1",
        json!("eip155:1"),
        &[("duplicate", "/networks")],
    );
    assert_violations("/networks", json!([]), &[("empty", "/networks")]);
}

#[test]
fn licenses_are_recognized_or_documented() {
    // P-09
    for license in [
        "Apache-2.0",
        "MIT OR Apache-2.0",
        "CC-BY-4.0",
        "GPL-3.0-only WITH Classpath-exception-2.0",
        "https://a.example/license",
    ] {
        assert_violations("/license", json!(license), &[]);
    }
    for license in [
        "proprietary",
        "Apache 2",
        "LicenseRef-Ours",
        "see below",
        "http://a.example/license",
    ] {
        assert_violations("/license", json!(license), &[("license", "/license")]);
    }
}

#[test]
fn timestamps_are_iso_8601_and_in_order() {
    // P-10
    for (created, updated, expected) in [
        ("2025-11-22T00:00:00Z", "2025-11-22T00:00:00Z", None),
        ("2025-11-22T00:00:00Z", "2025-11-22T00:00:00.001Z", None),
        ("2025-11-22T00:00:00Z", "2025-11-22T01:00:00+01:00", None),
        (
            "2025-11-22T00:00:00Z",
            "2025-11-22T00:59:59+01:00",
            Some(("timestamp-order", "/updated_at")),
        ),
        (
            "2025-11-22T00:00:00Z",
            "2025-11-21T23:59:59Z",
            Some(("timestamp-order", "/updated_at")),
        ),
        ("2025-11-22T00:00:00Z", "2025-11-21T20:00:00-05:00", None),
        (
            "2025-11-22",
            "2025-11-22T00:00:00Z",
            Some(("timestamp", "/created_at")),
        ),
        (
            "2025-02-30T00:00:00Z",
            "2025-11-22T00:00:00Z",
            Some(("timestamp", "/created_at")),
        ),
        (
            "2025-11-22T00:00:00Z",
            "yesterday",
            Some(("timestamp", "/updated_at")),
        ),
        (
            "2025-11-22T00:00:00Z",
            "2025-11-22T00:00:00",
            Some(("timestamp", "/updated_at")),
        ),
    ] {
        let mut card = example();
        set(&mut card, "/created_at", json!(created));
        set(&mut card, "/updated_at", json!(updated));
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(code, at)| (code.to_owned(), at.to_owned()))
            .collect();
        assert_eq!(
            violations(&card, Profile::Spec),
            expected,
            "{created} {updated}"
        );
    }
}

#[test]
fn documents_that_are_no_cards_violate_every_profile() {
    for text in ["[]", "null", "\"card\"", "7"] {
        let report = validate(&Document::parse(text).unwrap(), &Config::default());
        assert_eq!(report.satisfied().count(), 0);
        assert_eq!(report.profiles[2].violations[0].code, Code::NotAnObject);
    }
    let error = Document::parse("{\"id\":1,\"id\":2}").unwrap_err();
    let report = Report::from_error(&error);
    let finding = &report.profile(Profile::Spec).violations[0];
    assert_eq!(
        (finding.code, finding.pointer.as_str()),
        (Code::Document, "/id")
    );
    assert!(
        finding.found.ends_with("(duplicate-name)"),
        "{}",
        finding.found
    );
}

#[test]
fn profiles_have_names_entries_and_schemas() {
    for profile in Profile::ALL {
        assert_eq!(profile.as_str().parse(), Ok(profile));
        assert!(profile.json_schema().contains("2020-12"));
    }
    assert!("spec-1".parse::<Profile>().is_err());
    let card = example();
    let document = document(&card);
    let entries = Profile::ALL.map(|profile| profile.entries(Card::new(&document)));
    assert_eq!(entries[0], ["x402://summarizeagent.eth/summarize/v1"]);
    assert_eq!(entries[1], ["x402://summarizeagent.eth/summarize/v1.0.0"]);
    assert_eq!(
        entries[2],
        [
            "https://runtime.commandlayer.org/execute",
            "x402://summarizeagent.eth/summarize/v1.1.0"
        ]
    );
}

#[test]
fn findings_are_limited() {
    let many: Vec<_> = (0..400)
        .map(|index| json!(format!("verb-{index}")))
        .collect();
    let report = report(&changed("/implements", json!(many)));
    let spec = report.profile(Profile::Spec);
    assert_eq!((spec.violations.len(), spec.truncated), (256, true));
}
