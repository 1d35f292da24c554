use atr_ids::{HttpsUrl, Tag};
use atr_manifest::{
    AccessLogic, AttestationEvidence, CheckedDocument, DataRetention, Document, Execution, Image,
    Manifest, Offer, Policy, SourceVisibility, Tier, check,
};
use serde_json::json;

use crate::support::{full, with, without};

fn parse(manifest: &serde_json::Value) -> Manifest {
    Manifest::parse(manifest.to_string(), Policy::consumer()).unwrap()
}

#[test]
fn accessors_return_the_members() {
    let manifest = parse(&full());
    assert_eq!(manifest.name(), "premium-analytics");
    assert!(manifest.description().starts_with("Advanced"));
    assert_eq!(
        manifest.endpoint().origin().to_string(),
        "https://tools.example.com:8443"
    );
    assert_eq!(
        manifest.creator_address().to_string().to_lowercase(),
        full()["creatorAddress"]
    );
    assert_eq!(manifest.version(), Some("1.2.3-rc.1+build.5"));
    let banner: HttpsUrl = "https://tools.example.com/banner.png".parse().unwrap();
    assert_eq!(manifest.featured_image(), Some(&Image::Https(banner)));
    assert_eq!(manifest.max_age(), Some(0));
    assert_eq!(manifest.inputs().get("required").unwrap().len(), 1);
    assert!(manifest.outputs().get("properties").is_some());
    let access = manifest.access().unwrap();
    assert_eq!(access.logic, AccessLogic::Or);
    assert_eq!(access.requirements[0].kind.to_string(), "0xbdf8c428");
    assert_eq!(access.requirements[0].data.len(), 32);
    assert_eq!(access.requirements[0].links[0].0, "buy");
    assert_eq!(access.requirements[1].label, "");
    let build = manifest
        .verifiability()
        .unwrap()
        .reproducible_build
        .as_ref()
        .unwrap();
    assert_eq!(build.instructions.as_deref(), Some("nix build .#enclave"));
    assert_eq!(
        manifest
            .verifiability()
            .unwrap()
            .attestation
            .as_ref()
            .unwrap()
            .max_age,
        Some(1800)
    );
}

#[test]
fn access_logic_is_and_or_or() {
    for (name, logic) in [("AND", AccessLogic::And), ("OR", AccessLogic::Or)] {
        let manifest = parse(&with("/access/logic", json!(name)));
        assert_eq!(manifest.access().unwrap().logic, logic);
    }
}

#[test]
fn images_are_https_ipfs_or_data_urls() {
    let data = "data:image/png;base64,AAAA";
    for (text, image) in [
        (
            "https://a.example/x.png",
            Image::Https("https://a.example/x.png".parse().unwrap()),
        ),
        ("ipfs://bafy/x.png", Image::Ipfs("ipfs://bafy/x.png".into())),
        (data, Image::Data(data.into())),
    ] {
        assert_eq!(parse(&with("/image", json!(text))).image(), Some(&image));
        assert_eq!(image.to_string(), text);
        assert_eq!(image.byte_length(), text.len());
    }
}

#[test]
fn an_absent_version_has_no_default() {
    // E-09
    let manifest = parse(&without("/version"));
    assert_eq!(manifest.version(), None);
    assert!(
        !String::from_utf8(manifest.canonical().into_bytes())
            .unwrap()
            .contains("version\"")
    );
    assert_ne!(
        manifest.hash(),
        parse(&with("/version", json!("1.0.0"))).hash()
    );
}

#[test]
fn categories_are_a_subset_of_the_tags() {
    // E-16
    let tools = [
        json!(["nft", "oracle"]),
        json!(["defi", "nft"]),
        json!(["oracle"]),
    ]
    .map(|tags| parse(&with("/tags", tags)));
    let in_category = |category: &str| {
        tools
            .iter()
            .filter(|tool| tool.categories().any(|tag| tag == category))
            .count()
    };
    assert_eq!(
        [
            in_category("nft"),
            in_category("defi"),
            in_category("oracle")
        ],
        [2, 1, 0]
    );
    let oracle: Tag = "oracle".parse().unwrap();
    assert_eq!(
        tools
            .iter()
            .filter(|tool| tool.tags().contains(&oracle))
            .count(),
        2
    );
}

#[test]
fn an_agent_selects_the_first_price_it_can_pay() {
    // E-23
    let manifest = parse(&full());
    let prices = manifest.prices();
    let chosen = |supported: &[&str]| Offer::choose(prices, supported);
    assert_eq!(chosen(&["made-up", "x402"]), Offer::Price(&prices[0]));
    assert_eq!(chosen(&["made-up"]), Offer::Price(&prices[1]));
    assert!(prices[1].amount.is_zero());
    assert_eq!(chosen(&["cash"]), Offer::Unknown);
    assert_eq!(
        Offer::choose(parse(&without("/pricing")).prices(), &["x402"]),
        Offer::NotPriced
    );
}

#[test]
fn claims_do_not_raise_the_trusted_tier() {
    // E-38
    for tier in Tier::NAMES {
        for execution in ["standard", "tee", "e2ee", "io.example.vm"] {
            let mut manifest = with("/verifiability/tier", json!(tier));
            manifest["verifiability"]["execution"] = json!(execution);
            let manifest = parse(&manifest);
            let claims = manifest.verifiability().unwrap();
            assert_eq!(
                claims.trusted_tier(AttestationEvidence::NotChecked),
                Tier::SelfAttested
            );
            assert_eq!(
                claims.trusted_tier(AttestationEvidence::Verified),
                claims.effective_tier()
            );
        }
    }
    let manifest = parse(&full());
    let claims = manifest.verifiability().unwrap();
    assert_eq!(
        claims.trusted_tier(AttestationEvidence::Verified),
        Tier::Verifiable
    );
}

#[test]
fn an_unknown_execution_counts_as_standard() {
    // E-32
    let manifest = parse(&with(
        "/verifiability/execution",
        json!("io.phala.tee-sidevm"),
    ));
    let claims = manifest.verifiability().unwrap();
    assert_eq!(claims.execution(), Execution::Standard);
    assert_eq!(claims.execution_name(), "io.phala.tee-sidevm");
    assert_eq!(claims.effective_tier(), Tier::SelfAttested);
}

#[test]
fn an_unknown_tier_counts_as_self_attested() {
    // T-32
    let manifest = parse(&with("/verifiability/tier", json!("military-grade")));
    let claims = manifest.verifiability().unwrap();
    assert_eq!(
        (claims.declared_tier(), claims.effective_tier()),
        (None, Tier::SelfAttested)
    );
}

#[test]
fn absent_claims_imply_nothing() {
    // E-40
    let manifest = parse(&without("/verifiability/dataRetention"));
    assert_eq!(manifest.verifiability().unwrap().data_retention, None);
    let manifest = parse(&without("/verifiability/sourceVisibility"));
    assert_eq!(manifest.verifiability().unwrap().source_visibility, None);
    let manifest = parse(&full());
    let claims = manifest.verifiability().unwrap();
    assert_eq!(claims.data_retention, Some(DataRetention::None));
    assert_eq!(claims.source_visibility, Some(SourceVisibility::OpenSource));
}

#[test]
fn parsing_an_invalid_manifest_returns_findings() {
    let findings = Manifest::parse("[]", Policy::consumer()).unwrap_err();
    assert_eq!(findings.violations[0].code.as_str(), "not-an-object");
    assert_eq!(
        Manifest::parse("{", Policy::consumer())
            .unwrap_err()
            .violations[0]
            .code
            .as_str(),
        "not-json"
    );
}

#[test]
fn a_checked_document_has_the_findings_of_its_manifest() {
    let document = Document::parse(with("/version", json!("v2")).to_string()).unwrap();
    let expected = check(&document, Policy::consumer());
    let checked = CheckedDocument::new(document, Policy::consumer());
    assert_eq!(checked.findings(), &expected);
    let manifest = checked.into_manifest().unwrap();
    assert_eq!(manifest.warnings(), expected.warnings);

    let document = Document::parse(without("/endpoint").to_string()).unwrap();
    let checked = CheckedDocument::new(document, Policy::consumer());
    let expected = checked.findings().clone();
    assert_eq!(checked.into_manifest().unwrap_err(), expected);
}
