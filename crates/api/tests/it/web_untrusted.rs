//! Manifests and queries of attackers, as pages show them.

use alloy_primitives::Address;
use atr_store::index::{AccessType, PredicateFacts, Risk};
use scraper::Html;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use crate::{
    web::{browse, html, texts, tool},
    world::{CREATOR, Spec, World},
};

/// Each would add an element, an attribute or a scheme if it were not escaped. `xss` marks what came from here.
const CORPUS: [&str; 12] = [
    "<script>xss()</script>",
    "\"><img src=x onerror=xss()>",
    "'><svg/onload=xss()>",
    "</title><script>xss()</script>",
    "</code></pre><iframe src=//xss.example></iframe>",
    "\" autofocus onfocus=xss() data-xss=\"",
    "javascript:xss()",
    "[a](javascript:xss()) <a href=\"javascript:xss()\">b</a> ![c](https://xss.example/pixel)",
    "<style>*{display:none}</style><link rel=stylesheet href=//xss.example>",
    "<base href=//xss.example><meta http-equiv=refresh content=0;url=//xss.example>",
    "{{7*7}}${7*7}<%= 7*7 %><form action=//xss.example><button>",
    "]]><x:script xmlns:x='http://www.w3.org/1999/xhtml'>xss()</x:script>&lt;b&gt;\u{2028}",
];

/// Elements that our templates and the Markdown renderer write.
const ELEMENTS: &str = "html head meta title link script body a header div img span nav main section h1 h2 h3 p form label input button details summary \
     select option ul ol li dl dt dd strong em code pre footer aside table thead tbody tr th td del ins blockquote br hr";

fn assert_harmless(page: &Html, context: &str) {
    let known: Vec<_> = ELEMENTS.split_whitespace().collect();
    for node in page.tree.nodes() {
        let Some(element) = node.value().as_element() else {
            continue;
        };
        assert!(
            known.contains(&element.name()),
            "{context}: <{}>",
            element.name()
        );
        for (name, value) in element.attrs() {
            assert!(
                !name.starts_with("on") && name != "style" && !name.contains("xss"),
                "{context}: {name}={value}"
            );
            match (element.name(), name) {
                ("script", _) => assert!(
                    name == "defer" || value.starts_with("/assets/explorer.js?v="),
                    "{context}: {value}"
                ),
                ("link" | "form", "href" | "action") => assert!(
                    value.starts_with('/') && !value.starts_with("//"),
                    "{context}: {value}"
                ),
                ("img", "src") => assert!(
                    value.starts_with("/assets/")
                        || value.starts_with("/tools/")
                        || value.starts_with("data:image/png;base64,"),
                    "{context}: {value}"
                ),
                ("a", "href") if !value.starts_with('/') && !value.starts_with('#') => {
                    assert!(value.starts_with("https://"), "{context}: {value}");
                    assert!(
                        element.attr("rel").unwrap().contains("noopener noreferrer"),
                        "{context}: {value}"
                    );
                }
                ("meta", "http-equiv") | (_, "srcset" | "autofocus" | "target") => {
                    panic!("{context}: {name}={value}")
                }
                _ => {}
            }
        }
    }
}

fn hostile(text: &str) -> Spec {
    let schema = json!({ "type": "object", "required": [text], "properties": { text: {
        "type": text, "description": text, "enum": [text], "pattern": text, "format": text, "default": text, "examples": [text] } } });
    Spec {
        name: text.to_owned(),
        description: text.to_owned(),
        tags: vec![text.to_owned()],
        endpoint: Some(text.to_owned()),
        image: Some(text.to_owned()),
        claimed_tier: Some(text.to_owned()),
        uri: Some(text.to_owned()),
        evidence: text.to_owned(),
        predicate: Some(Address::repeat_byte(0x77)),
        risks: vec![Risk {
            code: text.to_owned(),
            detail: text.to_owned(),
            since: 1,
        }],
        manifest: Some(
            json!({ "name": text, text: text, "creatorAddress": text, "inputs": schema, "outputs": schema }),
        ),
        ..Spec::new("hostile")
    }
}

#[tokio::test]
async fn no_field_of_a_manifest_becomes_markup() {
    // K-16
    // K-17
    // K-20
    let mut world = World::new().await;
    for (id, text) in (1..).zip(CORPUS) {
        world.add(&[hostile(text)]).await;
        let requirements = json!({ "status": text, "logic": text, "requirements": [
            { "kind": text, "data": text, "label": text, "decoded": { "type": text } },
            { "kind": text, "label": text, "decoded": { "type": "erc721", "collection": text } },
            { "kind": text, "label": text, "decoded": { "type": "erc20", "token": text, "minBalance": text } }] });
        let facts = PredicateFacts {
            has_code: true,
            name: Some(text.to_owned()),
            proxy_indicators: "[]".to_owned(),
            is_proxy: true,
            advertises_interface: None,
            upgraded_at: None,
            checked_at: 1,
        };
        world
            .set_access(
                id,
                Address::repeat_byte(0x77),
                AccessType::Gated,
                requirements,
                facts,
            )
            .await;
        let path = tool(&world, id);
        let page = html(&browse(&world, &path).await);
        assert_harmless(&page, &format!("{path} {text}"));
        // The text is there, as text.
        let shown = text.replace('\u{2028}', "\u{fffd}");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(texts(&page, "h1"), [shown], "{text}");
        let report = html(&browse(&world, &format!("{path}/check")).await);
        assert_harmless(&report, &format!("{path}/check {text}"));
    }
    for path in [
        "/?include_unverified=true".to_owned(),
        format!("/creators/{CREATOR}"),
        "/status".to_owned(),
    ] {
        assert_harmless(&html(&browse(&world, &path).await), &path);
    }
    let feed = browse(&world, &format!("/creators/{CREATOR}/feed.atom")).await;
    let feed = String::from_utf8(feed.body).unwrap();
    let parsed = parse_xml(&feed);
    assert!(
        parsed.iter().all(|name| [
            "feed", "id", "title", "updated", "author", "name", "link", "entry", "summary"
        ]
        .contains(&name.as_str())),
        "{parsed:?}"
    );
    assert_eq!(
        parsed.iter().filter(|name| *name == "entry").count(),
        CORPUS.len()
    );
}

/// Names of the elements of a well-formed document; panics if it is not.
fn parse_xml(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = Vec::new();
    let body = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
        .unwrap();
    for part in body.split('<').skip(1) {
        let (tag, rest) = part
            .split_once('>')
            .unwrap_or_else(|| panic!("not closed: {part}"));
        let entities = rest.split('&').skip(1);
        assert!(
            entities
                .clone()
                .all(|entity| entity.starts_with('#') || entity.starts_with("amp;")),
            "{rest}"
        );
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let name = tag
            .trim_end_matches('/')
            .split_whitespace()
            .next()
            .unwrap()
            .to_owned();
        names.push(name.clone());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

#[tokio::test]
async fn no_parameter_of_a_query_becomes_markup() {
    // K-16
    let mut world = World::new().await;
    world.add(&[Spec::new("harmless")]).await;
    for text in CORPUS {
        let value: String = byte_serialize(text.as_bytes()).collect();
        for name in [
            "query",
            "tags",
            "max_price",
            "callable_by",
            "registry_chain",
            "access_type",
            "sort_by",
            "cursor",
            "include_unverified",
            "limit",
        ] {
            let path = format!("/?{name}={value}");
            assert_harmless(&html(&browse(&world, &path).await), &path);
        }
        for path in [
            format!("/check?tool={value}"),
            format!("/creators/{value}"),
            format!("/tools/{value}/{value}/{value}"),
            format!("/{value}"),
            format!("{}/check?requested={value}", tool(&world, 1)),
            format!("/creators/{CREATOR}?cursor={value}"),
        ] {
            assert_harmless(&html(&browse(&world, &path).await), &path);
        }
    }
}

#[tokio::test]
async fn icons_are_never_loaded_from_elsewhere() {
    // K-19
    let vectors: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/urls.json")).unwrap();
    let mut world = World::new().await;
    for (id, vector) in (1..).zip(vectors["image"].as_array().unwrap()) {
        let input = vector["input"].as_str().unwrap();
        world
            .add(&[Spec {
                image: Some(input.to_owned()),
                ..Spec::new("icon")
            }])
            .await;
        let page = html(&browse(&world, &tool(&world, id)).await);
        assert_harmless(&page, input);
        assert!(texts(&page, "img.tile").is_empty(), "{input}");
        let terms = texts(&page, "dt");
        let expected = if vector["expect"] == "accept" {
            "Icon (not loaded)"
        } else {
            "Icon (refused)"
        };
        assert!(
            terms.iter().any(|term| term == expected),
            "{input}: {terms:?}"
        );
        assert_eq!(
            texts(&page, "a")
                .iter()
                .filter(|text| text.contains("icon"))
                .count(),
            0,
            "{input}"
        );
    }
    let id = vectors["image"].as_array().unwrap().len() as u64 + 1;
    world
        .add(&[Spec {
            image: Some("data:image/png;base64,iVBORw0KGgo=".to_owned()),
            ..Spec::new("inline")
        }])
        .await;
    let page = html(&browse(&world, &tool(&world, id)).await);
    assert_eq!(texts(&page, "img.tile[src^='data:image/png']").len(), 1);
}

#[tokio::test]
async fn pages_of_the_largest_manifests_are_bounded() {
    let mut world = World::new().await;
    let properties: serde_json::Map<_, _> = (0..2_000)
        .map(|number| {
            (
                format!("{}{number}", "n".repeat(300)),
                json!({ "description": "<".repeat(5_000), "enum": vec!["<".repeat(500); 20] }),
            )
        })
        .collect();
    let schema = json!({ "type": "object", "properties": properties });
    world
        .add(&[Spec {
            description: "word ".repeat(20_000),
            manifest: Some(json!({ "inputs": schema, "outputs": schema })),
            ..Spec::new(&"n".repeat(5_000))
        }])
        .await;
    let answer = browse(&world, &tool(&world, 1)).await;
    assert!(answer.body.len() < 300_000, "{}", answer.body.len());
    assert!(browse(&world, "/").await.body.len() < 60_000);
}
