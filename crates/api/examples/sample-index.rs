//! Serves the explorer and the API with sample tools, without a chain: `cargo run -p atr-api --example sample-index [-- ADDRESS]`.
//!
//! Prints the address when it listens. Every state of a tool is there, and a manifest of an attacker.
#![expect(clippy::unwrap_used, reason = "a panic ends the example")]
#![allow(unused_crate_dependencies, reason = "those of the tests")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/it/world.rs"]
mod world;

use alloy_primitives::{Address, address};
use atr_api::server::{Server, ServerConfig};
use atr_store::index::{AccessType, PredicateFacts, Risk, VerificationStatus};
use serde_json::{Value, json};

use crate::world::{NOW, Spec, World};

const STUDIO: Address = address!("5a3f7c1e0b9d48a6c2e4f8091b7d6a53c0e1f294");
const PREDICATE: Address = address!("77a1c0de00000000000000000000000000008257");

fn spec(name: &str, host: &str, description: &str, tags: &[&str]) -> Spec {
    Spec {
        description: description.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        creator: STUDIO,
        endpoint: Some(format!("https://{host}/v1/call")),
        uri: Some(format!(
            "https://{host}/.well-known/ai-tool/{}.json",
            name.to_lowercase().replace(' ', "-")
        )),
        evidence: "as registered".to_owned(),
        ..Spec::new(name)
    }
}

fn forecast() -> Value {
    json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "Weather forecast",
        "endpoint": "https://weather.example.com/v1/call",
        "creatorAddress": format!("{STUDIO:#x}"),
        "inputs": { "type": "object", "required": ["city"], "properties": {
            "city": { "type": "string", "description": "City, in English or the local language", "maxLength": 80, "examples": ["Lisbon"] },
            "days": { "type": "integer", "description": "Days ahead", "minimum": 1, "maximum": 14, "default": 3 },
            "units": { "type": "string", "description": "Units of temperature and wind", "enum": ["metric", "imperial"] } } },
        "outputs": { "type": "object", "required": ["days"], "properties": {
            "days": { "type": "array", "description": "One entry for each day", "items": { "type": "object", "properties": {
                "date": { "type": "string", "format": "date" },
                "high": { "type": "number", "description": "Highest temperature" },
                "rain": { "type": "number", "description": "Probability of rain", "minimum": 0, "maximum": 1 } } } } } },
    })
}

fn tools() -> Vec<Spec> {
    let risk = |detail: &str| Risk {
        code: "price".to_owned(),
        detail: detail.to_owned(),
        since: NOW - 86_400,
    };
    vec![
        Spec {
            price: Some((20_000, STUDIO)),
            ..spec(
                "Contract audit notes",
                "audit.example.org",
                "Reads a verified contract and lists risky functions, owners and upgrade paths, each with the line of source.",
                &["security", "solidity"],
            )
        },
        Spec {
            status: VerificationStatus::Pending,
            ..spec("Just registered", "new.example.net", "", &[])
        },
        Spec {
            status: VerificationStatus::Unknown,
            failing_check: Some(1),
            evidence: "no answer within 10 s".to_owned(),
            ..spec(
                "Sleepy translator",
                "translate.example.net",
                "Translates between 40 languages.",
                &["language"],
            )
        },
        Spec {
            evidence: "0x6b1f…, another hash".to_owned(),
            risks: vec![risk(
                "The endpoint asks for another price than the manifest",
            )],
            ..Spec {
                status: VerificationStatus::Failed,
                failing_check: Some(3),
                ..spec(
                    "Token price oracle",
                    "prices.example.io",
                    "Prices of tokens on ten chains, updated every block.",
                    &["defi", "data"],
                )
            }
        },
        Spec {
            predicate: Some(PREDICATE),
            ..spec(
                "Members’ research desk",
                "desk.example.club",
                "Answers questions about collections and floor prices.\n\nOnly for holders of the membership NFT.",
                &["nft", "research"],
            )
        },
        spec(
            "Sunrise and sunset",
            "sky.example.com",
            "Times of sunrise, sunset and twilight for a place and a day.",
            &["weather", "time"],
        ),
        Spec {
            predicate: Some(PREDICATE),
            price: Some((500_000, STUDIO)),
            ..spec(
                "Satellite images",
                "orbit.example.space",
                "Recent images of a place, at ten metres per pixel.",
                &["images", "data"],
            )
        },
        Spec {
            status: VerificationStatus::Failed,
            failing_check: Some(4),
            name: "<script>xss()</script><img src=x onerror=xss()>".to_owned(),
            tags: vec!["\"><svg/onload=xss()>".to_owned()],
            ..spec(
                "attack",
                "xss.example.com",
                "<script>xss()</script> [link](javascript:xss()) ![x](https://xss.example.com/pixel) <iframe src=//xss.example.com>",
                &[],
            )
        },
        Spec {
            price: Some((10_000, STUDIO)),
            manifest: Some(forecast()),
            claimed_tier: Some("hardware-attested".to_owned()),
            image: Some("https://weather.example.com/icon.png".to_owned()),
            ..spec(
                "Weather forecast",
                "weather.example.com",
                "Forecasts for **40,000 cities**, up to 14 days ahead:\n\n- temperature, wind and probability of rain\n- metric or imperial units\n- updated every hour\n\nSee the [documentation](https://weather.example.com/docs).",
                &["weather", "forecast", "data"],
            )
        },
        spec("Retired tool", "old.example.com", "Was useful once.", &[]),
    ]
}

#[tokio::main]
async fn main() {
    let listen = std::env::args().nth(1);
    let listen = listen.as_deref().unwrap_or("127.0.0.1:8257");
    let mut world = World::new().await;
    let ids = world.add(&tools()).await;
    let requirement = json!({ "kind": "0x13f7f2ee", "data": "0x", "label": "Orbit members",
        "decoded": { "type": "erc721", "collection": "0x8a90cab2b38dba80c64b7734e58ee1db38b8992e" } });
    for (id, is_proxy) in [(5, false), (7, true)] {
        let facts = PredicateFacts {
            has_code: true,
            name: None,
            proxy_indicators: "[]".to_owned(),
            is_proxy,
            advertises_interface: Some(true),
            upgraded_at: None,
            checked_at: NOW,
        };
        let requirements =
            json!({ "status": "known", "logic": "AND", "requirements": [requirement] });
        world
            .set_access(id, PREDICATE, AccessType::NftGated, requirements, facts)
            .await;
    }
    world.deregister(*ids.last().unwrap()).await;
    let config = ServerConfig::default();
    let server = Server::bind(listen.parse().unwrap(), &config)
        .await
        .unwrap();
    #[expect(
        clippy::print_stdout,
        clippy::disallowed_macros,
        reason = "the address of the server"
    )]
    {
        println!("http://{}", server.address());
    }
    server
        .serve(world.router.clone(), std::future::pending())
        .await;
}
