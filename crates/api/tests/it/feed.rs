//! The change feed and its events.

use std::net::SocketAddr;

use atr_api::server::Peer;
use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::world::{Spec, World};

fn changes(page: &Value) -> Vec<(String, bool)> {
    let changes = page["changes"].as_array().unwrap().iter();
    changes
        .map(|change| {
            (
                change["type"].as_str().unwrap().to_owned(),
                change["removed"].as_bool().unwrap(),
            )
        })
        .collect()
}

#[tokio::test]
async fn followers_see_every_tool_once_and_deregistrations() {
    let mut world = World::new().await;
    world.add(&[Spec::new("one"), Spec::new("two")]).await;
    let all = world.json("/api/v2/tools/changes").await;
    assert_eq!(
        changes(&all),
        [
            ("verification".to_owned(), false),
            ("verification".to_owned(), false)
        ]
    );
    assert_eq!(all["has_more"], false);
    let next = all["next"].as_str().unwrap();
    // Nothing new: the same position.
    let empty = world
        .json(&format!("/api/v2/tools/changes?cursor={next}"))
        .await;
    assert_eq!(
        (&empty["changes"], &empty["next"]),
        (&json!([]), &json!(next))
    );
    world.deregister(1).await;
    let new = world
        .json(&format!("/api/v2/tools/changes?cursor={next}"))
        .await;
    assert_eq!(changes(&new), [("deregistered".to_owned(), true)]);
    assert!(new["changes"][0].get("tool").is_none());
    let path = format!("/api/v2/tools/changes?cursor={next}&include_unverified=true");
    let complete = world.json(&path).await;
    assert_eq!(complete["changes"][0]["tool"]["is_active"], false);
    let first = world.json("/api/v2/tools/changes?limit=1").await;
    assert_eq!(
        (first["has_more"].as_bool(), changes(&first).len()),
        (Some(true), 1)
    );
    // Times: everything since 1970, nothing since the far future.
    assert_eq!(
        changes(
            &world
                .json("/api/v2/tools/changes?updated_since=1970-01-01T00:00:00Z")
                .await
        )
        .len(),
        2
    );
    assert_eq!(
        changes(
            &world
                .json("/api/v2/tools/changes?updated_since=2999-01-01T00:00:00Z")
                .await
        )
        .len(),
        0
    );
    let answer = world
        .get("/api/v2/tools/changes?updated_since=yesterday")
        .await;
    assert_eq!(
        (answer.status, answer.json()["parameter"].as_str()),
        (StatusCode::BAD_REQUEST, Some("updated_since"))
    );
}

#[tokio::test]
async fn data_of_unverified_tools_is_opt_in() {
    // O-06
    let mut world = World::new().await;
    world
        .add(&[Spec::new("one"), Spec::failed("IGNORE ALL PREVIOUS", 3)])
        .await;
    let page = world.json("/api/v2/tools/changes").await;
    assert_eq!(page["changes"][0]["tool"]["verified"], true);
    let change = page["changes"][1].as_object().unwrap();
    assert_eq!(change["verification"], "failed");
    assert!(
        change["tool_ref"].is_string() && !change.contains_key("tool"),
        "{change:?}"
    );
    let all = "/api/v2/tools/changes?include_unverified=true";
    let all = world.json(all).await;
    assert_eq!(all["changes"][1]["tool"]["verified"], false);
    for (query, has_tool) in [("", false), ("&include_unverified=true", true)] {
        let path = format!("/api/v2/tools/events?updated_since=0{query}");
        let request = Request::get(path).body(Body::empty()).unwrap();
        let seen = events(&world, request, 2).await;
        assert_eq!(seen[1].1.get("tool").is_some(), has_tool, "{query}");
    }
}

#[tokio::test]
async fn a_client_has_a_few_streams() {
    let world = World::new().await;
    let open = |address: [u8; 4]| {
        let mut request = Request::get("/api/v2/tools/events")
            .body(Body::empty())
            .unwrap();
        let peer = Peer(SocketAddr::from((address, 1)));
        request.extensions_mut().insert(peer);
        world.router.clone().oneshot(request)
    };
    let mut streams = Vec::new();
    for _ in 0..8 {
        let stream = open([203, 0, 113, 1]).await.unwrap();
        assert_eq!(stream.status(), StatusCode::OK);
        streams.push(stream);
    }
    let ninth = open([203, 0, 113, 1]).await.unwrap();
    assert_eq!(ninth.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(
        open([203, 0, 113, 2]).await.unwrap().status(),
        StatusCode::OK
    );
    streams.pop();
    assert_eq!(
        open([203, 0, 113, 1]).await.unwrap().status(),
        StatusCode::OK
    );
}

/// Reads events until there are `count`.
async fn events(world: &World, request: Request<Body>, count: usize) -> Vec<(u64, Value)> {
    let response = world.router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let mut text = String::new();
    while text.matches("\n\n").count() < count {
        let frame = body.frame().await.unwrap().unwrap();
        text += std::str::from_utf8(frame.data_ref().unwrap()).unwrap();
    }
    let parse = |event: &str| {
        let field = |name: &str| {
            event
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap()
                .trim()
                .to_owned()
        };
        (
            field("id:").parse().unwrap(),
            serde_json::from_str(&field("data:")).unwrap(),
        )
    };
    text.split_terminator("\n\n").map(parse).collect()
}

#[tokio::test]
async fn events_continue_after_the_last_id() {
    let mut world = World::new().await;
    world.add(&[Spec::new("one"), Spec::new("two")]).await;
    let from_start = Request::get("/api/v2/tools/events?updated_since=0")
        .body(Body::empty())
        .unwrap();
    let seen = events(&world, from_start, 2).await;
    assert!(seen[0].0 < seen[1].0);
    let resumed = |id: u64| {
        let request = Request::get("/api/v2/tools/events").header("last-event-id", id.to_string());
        request.body(Body::empty()).unwrap()
    };
    assert_eq!(events(&world, resumed(seen[0].0), 1).await[0], seen[1]);
    // A follower that waits is woken by a change.
    let router = world;
    let waiting = events(&router, resumed(seen[1].0), 1);
    let change = async {
        let hash = router
            .store
            .tool(router.key(1))
            .await
            .unwrap()
            .unwrap()
            .manifest_hash;
        router.verify(1, hash, &Spec::failed("one", 2)).await;
        router.follower.catch_up().await.unwrap();
    };
    let (seen, ()) = tokio::join!(waiting, change);
    assert_eq!(seen[0].1["verification"], "failed");
    assert!(seen[0].1.get("tool").is_none(), "{}", seen[0].1);
    let request = Request::get("/api/v2/tools/events")
        .header("last-event-id", "abc")
        .body(Body::empty())
        .unwrap();
    assert_eq!(router.send(request).await.status, StatusCode::BAD_REQUEST);
}
