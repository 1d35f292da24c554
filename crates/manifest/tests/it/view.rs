use atr_ids::{HttpsUrl, Tag};
use atr_manifest::{
    AccessLogic, AttestationEvidence, DataRetention, Execution, Image, Manifest, Offer, Policy,
    SourceVisibility, Tier,
};
use serde_json::json;

use crate::support::{full, with, without};

fn read(manifest: &serde_json::Value) -> Manifest {
    Manifest::read(manifest.to_string(), Policy::consumer()).unwrap()
}

#[test]
fn a_manifest_says_what_stands_in_it() {
    let manifest = read(&full());
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
fn an_access_hint_says_how_its_requirements_count_together() {
    for (name, logic) in [("AND", AccessLogic::And), ("OR", AccessLogic::Or)] {
        let manifest = read(&with("/access/logic", json!(name)));
        assert_eq!(manifest.access().unwrap().logic, logic);
    }
}

#[test]
fn a_picture_is_on_the_web_on_ipfs_or_in_the_manifest() {
    let data = "data:image/png;base64,AAAA";
    for (text, image) in [
        (
            "https://a.example/x.png",
            Image::Https("https://a.example/x.png".parse().unwrap()),
        ),
        ("ipfs://bafy/x.png", Image::Ipfs("ipfs://bafy/x.png".into())),
        (data, Image::Data(data.into())),
    ] {
        assert_eq!(read(&with("/image", json!(text))).image(), Some(&image));
        assert_eq!(image.to_string(), text);
        assert_eq!(image.byte_length(), text.len());
    }
}

#[test]
fn an_absent_version_stays_absent() {
    // E-09
    let manifest = read(&without("/version"));
    assert_eq!(manifest.version(), None);
    assert!(
        !String::from_utf8(manifest.canonical().into_bytes())
            .unwrap()
            .contains("version\"")
    );
    assert_ne!(
        manifest.hash(),
        read(&with("/version", json!("1.0.0"))).hash()
    );
}

#[test]
fn category_tags_filter_and_others_stay() {
    // E-16
    let tools = [
        json!(["nft", "oracle"]),
        json!(["defi", "nft"]),
        json!(["oracle"]),
    ]
    .map(|tags| read(&with("/tags", tags)));
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
fn an_agent_takes_the_first_price_it_can_pay_and_none_is_not_free() {
    // E-23
    let manifest = read(&full());
    let prices = manifest.prices();
    let chosen = |supported: &[&str]| Offer::choose(prices, supported);
    assert_eq!(chosen(&["made-up", "x402"]), Offer::At(&prices[0]));
    assert_eq!(chosen(&["made-up"]), Offer::At(&prices[1]));
    assert!(prices[1].amount.is_zero());
    assert_eq!(chosen(&["cash"]), Offer::Unknown);
    assert_eq!(
        Offer::choose(read(&without("/pricing")).prices(), &["x402"]),
        Offer::NotPriced
    );
}

#[test]
fn no_claim_raises_trust_by_itself() {
    // E-38
    for tier in Tier::NAMES {
        for execution in ["standard", "tee", "e2ee", "io.example.vm"] {
            let mut manifest = with("/verifiability/tier", json!(tier));
            manifest["verifiability"]["execution"] = json!(execution);
            let manifest = read(&manifest);
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
    let manifest = read(&full());
    let claims = manifest.verifiability().unwrap();
    assert_eq!(
        claims.trusted_tier(AttestationEvidence::Verified),
        Tier::Verifiable
    );
}

#[test]
fn an_execution_nobody_knows_counts_as_standard() {
    // E-32
    let manifest = read(&with(
        "/verifiability/execution",
        json!("io.phala.tee-sidevm"),
    ));
    let claims = manifest.verifiability().unwrap();
    assert_eq!(claims.execution(), Execution::Standard);
    assert_eq!(claims.execution_name(), "io.phala.tee-sidevm");
    assert_eq!(claims.effective_tier(), Tier::SelfAttested);
}

#[test]
fn a_tier_nobody_knows_counts_as_self_attested() {
    // T-32
    let manifest = read(&with("/verifiability/tier", json!("military-grade")));
    let claims = manifest.verifiability().unwrap();
    assert_eq!(
        (claims.declared_tier(), claims.effective_tier()),
        (None, Tier::SelfAttested)
    );
}

#[test]
fn what_is_not_claimed_is_not_implied() {
    // E-40
    let manifest = read(&without("/verifiability/dataRetention"));
    assert_eq!(manifest.verifiability().unwrap().data_retention, None);
    let manifest = read(&without("/verifiability/sourceVisibility"));
    assert_eq!(manifest.verifiability().unwrap().source_visibility, None);
    let manifest = read(&full());
    let claims = manifest.verifiability().unwrap();
    assert_eq!(claims.data_retention, Some(DataRetention::None));
    assert_eq!(claims.source_visibility, Some(SourceVisibility::OpenSource));
}

#[test]
fn findings_stand_in_for_a_manifest_that_is_none() {
    let findings = Manifest::read("[]", Policy::consumer()).unwrap_err();
    assert_eq!(findings.violations[0].code.as_str(), "not-an-object");
    assert_eq!(
        Manifest::read("{", Policy::consumer())
            .unwrap_err()
            .violations[0]
            .code
            .as_str(),
        "not-json"
    );
}
