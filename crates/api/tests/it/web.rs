//! The explorer: pages, their states and headers.

use alloy_primitives::Address;
use atr_store::index::{AccessType, PredicateFacts, VerificationStatus};
use axum::body::Body;
use http::{Request, StatusCode};
use scraper::{Html, Selector};
use serde_json::json;

use crate::world::{Answer, CREATOR, Spec, World};

pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
     form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

pub(crate) fn tool(world: &World, id: u64) -> String {
    world.path(id).replace("/api/v2", "")
}

pub(crate) async fn browse(world: &World, path: &str) -> Answer {
    let request = Request::get(path).header("accept", "text/html,*/*;q=0.8");
    world.send(request.body(Body::empty()).unwrap()).await
}

pub(crate) fn html(answer: &Answer) -> Html {
    Html::parse_document(std::str::from_utf8(&answer.body).unwrap())
}

/// Texts of the elements that a selector finds.
pub(crate) fn texts(page: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    let texts = page
        .select(&selector)
        .map(|element| element.text().collect::<String>());
    texts
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

async fn world() -> World {
    let mut world = World::new().await;
    world
        .add(&[
            Spec {
                tags: vec!["weather".to_owned()],
                price: Some((10_000, CREATOR)),
                claimed_tier: Some("verifiable".to_owned()),
                ..Spec::new("Weather forecast")
            },
            Spec::failed("Broken oracle", 3),
            Spec {
                status: VerificationStatus::Pending,
                ..Spec::new("New tool")
            },
            Spec {
                predicate: Some(Address::repeat_byte(0x77)),
                ..Spec::new("Holders only")
            },
            Spec::new("Gone tool"),
        ])
        .await;
    let requirements = json!({ "status": "known", "logic": "AND", "requirements": [
        { "kind": "0x12345678", "data": "0x", "label": "Members",
          "decoded": { "type": "erc721", "collection": "0x4242424242424242424242424242424242424242" } }] });
    let facts = PredicateFacts {
        has_code: true,
        name: None,
        proxy_indicators: "[]".to_owned(),
        is_proxy: true,
        advertises_interface: Some(true),
        upgraded_at: None,
        checked_at: 1,
    };
    world
        .set_access(
            4,
            Address::repeat_byte(0x77),
            AccessType::NftGated,
            requirements,
            facts,
        )
        .await;
    world.deregister(5).await;
    world
}

#[tokio::test]
async fn people_can_ask_for_unverified_tools() {
    // O-06
    let world = world().await;
    let page = html(&browse(&world, "/").await);
    assert_eq!(
        texts(&page, ".card h3"),
        ["Holders only Verified", "Weather forecast Verified"]
    );
    let page = html(&browse(&world, "/?query=&include_unverified=true&sort_by=newest").await);
    let names = texts(&page, ".card h3");
    assert!(
        names.contains(&"Broken oracle Check failed".to_owned()),
        "{names:?}"
    );
    assert!(
        names.contains(&"Tool 3 Not checked".to_owned()),
        "{names:?}"
    );
    assert_eq!(names.len(), 4);
    let page = html(
        &browse(
            &world,
            "/?query=weather&access_type=open&max_price=0.01&registry_chain=8453",
        )
        .await,
    );
    assert_eq!(texts(&page, ".card h3 a"), ["Weather forecast"]);
    let page = html(&browse(&world, "/?query=zeppelin").await);
    assert_eq!(texts(&page, ".empty h2"), ["No tools found"]);
    let invalid = browse(&world, "/?max_price=cheap").await;
    assert_eq!(invalid.status, StatusCode::BAD_REQUEST);
    assert!(texts(&html(&invalid), "[role=alert]")[0].contains("Highest price must be"));
}

#[tokio::test]
async fn a_search_for_a_reference_or_an_address_opens_its_page() {
    let world = world().await;
    let reference = format!("eip155:8453/erc8257:{:#x}/1", world.registry.address);
    for (path, target) in [
        (format!("/?query={reference}"), tool(&world, 1)),
        (
            format!("/check?tool={reference}"),
            format!("{}/check", tool(&world, 1)),
        ),
        (
            format!(
                "/check?tool=https://explorer.example{}/manifest",
                tool(&world, 1)
            ),
            format!("{}/check", tool(&world, 1)),
        ),
        (
            "/check?tool=2".to_owned(),
            format!("{}/check", tool(&world, 2)),
        ),
        (
            format!("/?query={CREATOR:#x}"),
            format!("/creators/{CREATOR}"),
        ),
    ] {
        let answer = browse(&world, &path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        assert_eq!(answer.headers["location"], target);
    }
}

#[tokio::test]
async fn a_tool_page_has_price_access_checks_and_commands() {
    // K-14
    let world = world().await;
    let page = html(&browse(&world, &tool(&world, 1)).await);
    assert_eq!(texts(&page, "h1"), ["Weather forecast"]);
    assert_eq!(texts(&page, ".head .price"), ["0.01 USDC"]);
    assert_eq!(texts(&page, ".checks li")[2], "hash: passed");
    let claim = texts(&page, ".claim");
    assert!(
        claim[0].contains("claimed by the publisher, not verified"),
        "{claim:?}"
    );
    assert!(texts(&page, ".attested").is_empty());
    let commands = texts(&page, "#call ~ pre.copy");
    assert!(
        commands[0].starts_with("atr call 'eip155:8453/erc8257:0x"),
        "{commands:?}"
    );
    assert!(
        commands[0].ends_with("--max-amount 0.01")
            && commands[1].starts_with("curl 'https://tools.example.com/")
    );
    assert_eq!(texts(&page, ".history strong"), ["Registered"]);

    let page = html(&browse(&world, &tool(&world, 4)).await);
    let side = texts(&page, ".side").concat();
    assert!(
        side.contains("Hold an NFT of 0x4242") && side.contains("can be upgraded"),
        "{side}"
    );

    let page = html(&browse(&world, &tool(&world, 2)).await);
    assert!(texts(&page, ".notice")[0].starts_with("This tool is not verified."));
    let page = html(&browse(&world, &format!("{}/check", tool(&world, 2))).await);
    assert_eq!(
        texts(&page, ".report .failed .fix"),
        ["serve the registered manifest"]
    );
    assert_eq!(
        texts(&page, ".report .failed h2"),
        ["3. The manifest has the registered hash failed"]
    );
}

#[tokio::test]
async fn every_page_has_a_strict_policy_and_is_small() {
    // K-18
    let world = world().await;
    let (first, second) = (tool(&world, 1), tool(&world, 2));
    let pages = [
        ("/".to_owned(), 200),
        ("/?include_unverified=true".to_owned(), 200),
        ("/?limit=0".to_owned(), 400),
        (first.clone(), 200),
        (second.clone(), 200),
        (format!("{second}/check"), 200),
        ("/check".to_owned(), 200),
        ("/check?tool=x".to_owned(), 400),
        (format!("/creators/{CREATOR}"), 200),
        ("/creators/0x12".to_owned(), 400),
        ("/status".to_owned(), 200),
        (tool(&world, 5), 410),
        (tool(&world, 99), 404),
        ("/nothing".to_owned(), 404),
    ];
    for (path, status) in pages {
        let answer = browse(&world, &path).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.headers["content-security-policy"], POLICY, "{path}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["referrer-policy"], "same-origin");
        assert_eq!(
            answer.headers["content-type"], "text/html; charset=utf-8",
            "{path}"
        );
        assert!(answer.body.len() < 60_000, "{path}: {}", answer.body.len());
        let page = html(&answer);
        assert_eq!(texts(&page, "h1").len(), 1, "{path}");
        // Nothing inline, which the policy would block.
        assert!(
            texts(&page, "style, [style], script:not([src]), [onclick]").is_empty(),
            "{path}"
        );
    }
    for path in [
        "/assets/style.css",
        "/assets/explorer.js",
        "/assets/icon.svg",
        "/llms.txt",
        &format!("{first}/manifest"),
        &format!("{first}/badge.svg"),
    ] {
        let answer = browse(&world, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert!(
            answer.headers["content-security-policy"]
                .to_str()
                .unwrap()
                .starts_with("default-src 'none'"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn api_errors_are_problem_json_for_browsers_too() {
    let world = world().await;
    for path in [world.path(99), "/api/v2/nothing".to_owned()] {
        let answer = browse(&world, &path).await;
        assert_eq!(
            answer.headers["content-type"], "application/problem+json",
            "{path}"
        );
    }
    // A program that asks for a page's path.
    assert_eq!(
        world.get("/nothing").await.headers["content-type"],
        "application/problem+json"
    );
}

#[tokio::test]
async fn recheck_form_rejects_cross_site_requests() {
    let world = world().await;
    let path = format!("{}/check", tool(&world, 2));
    let post = |headers: &[(&str, &str)]| {
        let mut request = Request::post(&path)
            .header("host", "explorer.example:8257")
            .header("accept", "text/html");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        world.send(request.body(Body::empty()).unwrap())
    };
    for headers in [
        &[][..],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://explorer.example:8258")],
        &[
            ("sec-fetch-site", "cross-site"),
            ("origin", "http://explorer.example:8257"),
        ],
        &[("sec-fetch-site", "same-site")],
    ] {
        let answer = post(headers).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{headers:?}");
    }
    let answer = post(&[("origin", "http://explorer.example:8257")]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let location = answer.headers["location"].to_str().unwrap();
    assert!(
        location.starts_with(&format!("{path}?requested=")),
        "{location}"
    );
    let page = html(&browse(&world, location).await);
    let notice = texts(&page, "[role=status]");
    assert!(notice[0].starts_with("A re-check was requested."));
    assert_eq!(texts(&page, "meta[http-equiv=refresh]").len(), 1);
    assert!(texts(&page, ".recheck")[0].contains("An attempt is due now."));
    // The last check is later than the request: it is complete, and the page does not reload.
    let page = html(&browse(&world, &format!("{path}?requested=1")).await);
    let notice = texts(&page, "[role=status]");
    assert_eq!(notice, ["The re-check is complete."]);
    assert!(texts(&page, "meta[http-equiv=refresh]").is_empty());
    // A second click.
    let again = post(&[("sec-fetch-site", "same-origin")]).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER);
    let location = again.headers["location"].to_str().unwrap();
    let page = html(&browse(&world, location).await);
    let notice = &texts(&page, "[role=status]")[0];
    assert!(
        notice.contains("The next one is available again in"),
        "{notice}"
    );
}

#[tokio::test]
async fn badges_show_one_of_four_states() {
    let world = world().await;
    for (id, words) in [
        (1, "verified"),
        (2, "check failed"),
        (3, "not checked"),
        (5, "deregistered"),
    ] {
        let answer = world.get(&format!("{}/badge.svg", tool(&world, id))).await;
        let svg = String::from_utf8(answer.body).unwrap();
        assert!(
            svg.contains(&format!("<title>ERC-8257: {words}</title>")),
            "{svg}"
        );
        assert_eq!(
            answer.headers["cross-origin-resource-policy"],
            "cross-origin"
        );
        assert_eq!(answer.headers["content-type"], "image/svg+xml");
    }
}

#[tokio::test]
async fn a_badge_can_be_copied_with_its_absolute_url() {
    let world = world().await;
    let path = tool(&world, 1);
    let get = |path: String, host: &'static str| {
        let request = Request::get(path).header("host", host);
        world.send(request.body(Body::empty()).unwrap())
    };
    let snippets = texts(
        &html(&get(path.clone(), "tools.example.org").await),
        "pre.copy",
    );
    let url = format!("https://tools.example.org{path}");
    let markdown = format!("[![ERC-8257 verification]({url}/badge.svg)]({url})");
    assert!(snippets.contains(&markdown), "{snippets:?}");
    let forged = get(path, "x\"><img src=x>").await;
    assert!(!texts(&html(&forged), "pre.copy").concat().contains("badge"));
    let feed = get(
        format!("/creators/{CREATOR}/feed.atom"),
        "tools.example.org",
    );
    let feed = String::from_utf8(feed.await.body).unwrap();
    assert!(feed.contains(&format!("href=\"{url}\"")), "{feed}");
}

#[tokio::test]
async fn what_is_not_known_is_not_free_and_not_unchecked() {
    let mut world = World::new().await;
    world
        .add(&[
            Spec {
                has_invalid_prices: true,
                ..Spec::new("Secret price")
            },
            Spec {
                status: VerificationStatus::Unknown,
                failing_check: Some(1),
                ..Spec::new("Unreachable")
            },
        ])
        .await;
    let json = world.json(&world.path(1)).await;
    assert_eq!(json["price_known"], false);
    assert!(world.search("max_price=1000").await.is_empty());
    let page = html(&browse(&world, &tool(&world, 1)).await);
    assert_eq!(texts(&page, ".head .price"), ["Price not known"]);
    assert!(!texts(&page, "main").concat().contains("Free"));
    let page = html(&browse(&world, &tool(&world, 2)).await);
    assert_eq!(texts(&page, ".head .mark"), ["Not reachable"]);
}
