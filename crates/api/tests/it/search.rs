//! Search through the API.

use alloy_primitives::Address;
use http::StatusCode;

use crate::world::{Spec, World};

async fn world() -> World {
    let mut world = World::new().await;
    let payee = Address::repeat_byte(0x77);
    world
        .add(&[
            Spec {
                tags: vec!["nft".to_owned(), "price".to_owned()],
                price: Some((10_000, payee)),
                ..Spec::new("NFT price oracle")
            },
            Spec {
                tags: vec!["nft".to_owned()],
                creator: Address::repeat_byte(0xbb),
                ..Spec::new("NFT rarity")
            },
            Spec {
                price: Some((2_000_000, payee)),
                properties: vec!["latitude".to_owned()],
                ..Spec::new("weather forecast")
            },
        ])
        .await;
    world
}

#[tokio::test]
async fn searches_by_words_and_filters() {
    let world = world().await;
    let creator = Address::repeat_byte(0xbb);
    // O-02: keyword, tags, access type, creator, chain; each alone and combined.
    for (query, expected) in [
        ("query=weather".to_owned(), vec!["weather forecast"]),
        ("query=wether".to_owned(), vec!["weather forecast"]),
        ("query=latitude".to_owned(), vec!["weather forecast"]),
        ("query=rari".to_owned(), vec!["NFT rarity"]),
        ("tags=price".to_owned(), vec!["NFT price oracle"]),
        ("tags=nft&tags=price".to_owned(), vec!["NFT price oracle"]),
        ("tags=nft,price".to_owned(), vec!["NFT price oracle"]),
        (format!("creator={creator}"), vec!["NFT rarity"]),
        (format!("creator={creator}&tags=nft&query=nft&registry_chain=8453&access_type=open"), vec!["NFT rarity"]),
        ("registry_chain=1".to_owned(), vec![]),
        ("access_type=subscription".to_owned(), vec![]),
        ("collection=apes".to_owned(), vec![]),
        ("source=x402_bazaar".to_owned(), vec![]),
        ("max_price=0.009".to_owned(), vec!["NFT rarity"]),
        ("max_price=0.01&query=oracle".to_owned(), vec!["NFT price oracle"]),
        ("max_price=0&tags=nft".to_owned(), vec!["NFT rarity"]),
        ("price_asset=eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913&max_price=2000000&query=weather".to_owned(), vec!["weather forecast"]),
        ("price_asset=eip155:1/slip44:60&max_price=1&query=weather".to_owned(), vec![]),
        ("query=nothing-like-this".to_owned(), vec![]),
    ] {
        assert_eq!(world.search(&query).await, expected, "{query}");
    }
    assert_eq!(
        world.search("sort_by=newest").await,
        ["weather forecast", "NFT rarity", "NFT price oracle"]
    );
    assert_eq!(
        world.search("query=nft&sort_by=newest&limit=1").await,
        ["NFT rarity"]
    );
}

#[tokio::test]
async fn the_database_decides_when_the_search_index_is_behind() {
    let mut world = world().await;
    world.add(&[Spec::new("temporary tool")]).await;
    // The verification fails now, and the index does not know it yet.
    let hash = world
        .store
        .tool(world.key(4))
        .await
        .unwrap()
        .unwrap()
        .manifest_hash;
    world
        .verify(4, hash, &Spec::failed("temporary tool", 3))
        .await;
    assert_eq!(world.search("query=temporary").await, Vec::<String>::new());
    assert_eq!(
        world
            .search("query=temporary&include_unverified=true")
            .await,
        ["temporary tool"]
    );
    world.follower.catch_up().await.unwrap();
    assert_eq!(world.search("query=temporary").await, Vec::<String>::new());
}

#[tokio::test]
async fn pages_of_results_are_disjoint() {
    let mut world = World::new().await;
    world
        .add(
            &(0..60)
                .map(|number| Spec::new(&format!("paged tool {number}")))
                .collect::<Vec<_>>(),
        )
        .await;
    let mut path = "query=paged&limit=7".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = world.json(&format!("/api/v2/tools/search?{path}")).await;
        seen.extend(crate::world::names(&page));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        path = format!("query=paged&limit=7&cursor={next}");
    }
    assert_eq!(seen.len(), 60);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 60);
}

#[tokio::test]
async fn hostile_queries_are_answered() {
    let world = world().await;
    let encode =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02x}")).collect() };
    let long = "a".repeat(512);
    for text in [
        "title:nft AND (price^9 OR \"oracle",
        "*",
        "?",
        "nft*",
        "[a TO z]",
        "\\",
        "\"",
        "+-&&||!(){}[]^~:/",
        "\u{0}\u{1}\u{7f}",
        "\u{202e}tfn",
        "👩‍🚀👩‍🚀",
        "天気予報",
        "ا\u{654}",
        "a\u{300}\u{301}\u{302}",
        "<script>alert(1)</script>",
        "'; DROP TABLE tools;--",
        "%00",
        "{{7*7}}",
        &long,
    ] {
        for name in [
            "query",
            "tags",
            "collection",
            "cursor",
            "creator",
            "registry_chain",
            "access_type",
            "sort_by",
            "limit",
            "max_price",
            "price_asset",
            "callable_by",
        ] {
            let answer = world
                .get(&format!("/api/v2/tools/search?{name}={}", encode(text)))
                .await;
            assert!(
                answer.status == StatusCode::OK || answer.status == StatusCode::BAD_REQUEST,
                "{name} {text:?}: {answer:?}"
            );
        }
    }
    for query in [
        "query=%ff%fe",
        "query=%",
        "%=%&&&==",
        "limit=-1",
        "limit=18446744073709551616",
        "limit=1e3",
        "limit=+5",
        "offset=1",
    ] {
        let answer = world.get(&format!("/api/v2/tools/search?{query}")).await;
        assert!(!answer.status.is_server_error(), "{query}: {answer:?}");
    }
    let answer = world
        .get(&format!(
            "/api/v2/tools/search?query={}",
            "b".repeat(20_000)
        ))
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(
        answer.json()["detail"],
        "query: must be at most 512 characters long"
    );
}
