//! Everything around the routes.

use std::{collections::HashMap, net::SocketAddr, num::NonZeroU32, time::Duration};

use atr_api::server::{Peer, RateLimit, Server, ServerConfig, TrustedProxies};
use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
};

use crate::world::{REGISTRY, Spec, World, unlimited};

#[tokio::test]
async fn unchanged_responses_are_not_sent_again() {
    let mut world = World::new().await;
    world.add(&[Spec::new("one")]).await;
    for path in [
        "/api/v2/tools".to_owned(),
        world.path(1),
        "/api/openapi.json".to_owned(),
    ] {
        let first = world.get(&path).await;
        let tag = first.headers["etag"].clone();
        let request = Request::get(&path)
            .header("if-none-match", &tag)
            .body(Body::empty())
            .unwrap();
        let again = world.send(request).await;
        assert_eq!(
            (again.status, again.body.len()),
            (StatusCode::NOT_MODIFIED, 0),
            "{path}"
        );
        assert_eq!(again.headers["etag"], tag);
    }
    let before = world.get("/api/v2/tools").await.headers["etag"].clone();
    world.add(&[Spec::new("two")]).await;
    let request = Request::get("/api/v2/tools")
        .header("if-none-match", &before)
        .body(Body::empty())
        .unwrap();
    let after = world.send(request).await;
    assert_eq!(after.status, StatusCode::OK);
    assert_ne!(after.headers["etag"], before);
}

#[tokio::test]
async fn compresses_and_allows_other_origins() {
    let mut world = World::new().await;
    world
        .add(
            &(0..30)
                .map(|number| Spec::new(&format!("tool {number}")))
                .collect::<Vec<_>>(),
        )
        .await;
    let plain = world.get("/api/v2/tools").await;
    for encoding in ["gzip", "br"] {
        let request = Request::get("/api/v2/tools")
            .header("accept-encoding", encoding)
            .header("origin", "https://app.example")
            .body(Body::empty())
            .unwrap();
        let answer = world.send(request).await;
        assert_eq!(answer.headers["content-encoding"], encoding);
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        assert!(answer.body.len() < plain.body.len() / 4);
    }
    let preflight = Request::options("/api/v2/tools/usage")
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type,x-api-key")
        .body(Body::empty())
        .unwrap();
    let answer = world.send(preflight).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(
        answer.headers["access-control-allow-headers"]
            .to_str()
            .unwrap()
            .contains("x-api-key")
    );
}

#[tokio::test]
async fn clients_above_their_rate_are_rejected() {
    let limit = |number| NonZeroU32::new(number).unwrap();
    let config = ServerConfig {
        rate_limit: Some(RateLimit {
            per_second: limit(1),
            burst: limit(3),
        }),
        trusted_proxies: TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]),
        ..unlimited()
    };
    let world = World::with(REGISTRY, HashMap::new(), &config).await;
    let request = |peer: [u8; 4], forwarded: Option<&str>| {
        let mut request = Request::get("/api/v2/tools").body(Body::empty()).unwrap();
        request
            .extensions_mut()
            .insert(Peer(SocketAddr::from((peer, 1))));
        if let Some(forwarded) = forwarded {
            request
                .headers_mut()
                .insert("x-forwarded-for", forwarded.parse().unwrap());
        }
        request
    };
    let client = [203, 0, 113, 5];
    for _ in 0..3 {
        assert_eq!(
            world.send(request(client, None)).await.status,
            StatusCode::OK
        );
    }
    // A forged address does not help; it counts from a trusted proxy only.
    let rejected = world.send(request(client, Some("198.51.100.1"))).await;
    assert_eq!(rejected.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(
        rejected.headers["retry-after"]
            .to_str()
            .unwrap()
            .parse::<u64>()
            .unwrap()
            >= 1
    );
    assert_eq!(rejected.json()["type"], "urn:atr:too-many-requests");
    assert_eq!(
        world
            .send(request([10, 0, 0, 1], Some("198.51.100.1")))
            .await
            .status,
        StatusCode::OK
    );
    assert_eq!(
        world
            .send(request([10, 0, 0, 1], Some("203.0.113.5")))
            .await
            .status,
        StatusCode::TOO_MANY_REQUESTS
    );
    // Health checks are not limited.
    let mut health = Request::get("/healthz").body(Body::empty()).unwrap();
    health
        .extensions_mut()
        .insert(Peer(SocketAddr::from((client, 1))));
    assert_eq!(world.send(health).await.status, StatusCode::OK);
}

#[tokio::test]
async fn every_response_has_a_request_id_and_errors_are_problems() {
    let world = World::new().await;
    for (method, path, status) in [
        ("GET", "/nowhere", StatusCode::NOT_FOUND),
        ("DELETE", "/api/v2/tools", StatusCode::METHOD_NOT_ALLOWED),
        ("GET", "/api/v2/tools?limit=0", StatusCode::BAD_REQUEST),
        ("GET", "/api/v2/tools/1/0x12/3", StatusCode::BAD_REQUEST),
        ("POST", "/api/v2/tools/usage", StatusCode::BAD_REQUEST),
    ] {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .body(Body::empty())
            .unwrap();
        let answer = world.send(request).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(
            answer.headers["content-type"], "application/problem+json",
            "{path}"
        );
        assert_eq!(answer.json()["status"], status.as_u16());
        assert_eq!(answer.headers["x-request-id"].len(), 32);
    }
    let large = world
        .post("/api/v2/tools/usage", &json!({ "x": "y".repeat(100_000) }))
        .await;
    assert!(large.status.is_client_error(), "{}", large.status);
    // Ids of clients are not accepted: they could forge log lines.
    let request = Request::get("/healthz")
        .header("x-request-id", "mine")
        .body(Body::empty())
        .unwrap();
    assert_ne!(world.send(request).await.headers["x-request-id"], "mine");
}

#[tokio::test]
async fn reports_health_readiness_and_metrics() {
    let mut world = World::new().await;
    world.add(&[Spec::new("one"), Spec::failed("two", 1)]).await;
    assert_eq!(world.get("/healthz").await.status, StatusCode::OK);
    assert_eq!(world.get("/readyz").await.status, StatusCode::OK);
    world.search("query=one").await;
    let metrics = String::from_utf8(world.get("/metrics").await.body).unwrap();
    for line in [
        "atr_api_requests_total{method=\"GET\",route=\"/api/v2/tools/search\",status=\"200\"} 1",
        "atr_api_request_seconds_count{route=\"/api/v2/tools/search\"} 1",
        "atr_index_tools{verification=\"verified\"} 1",
        "atr_index_tools{verification=\"failed\"} 1",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    let status = world.json("/api/v2/status").await;
    assert_eq!(
        (&status["verified"], &status["failed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(status["sequence"], status["search_sequence"]);
    assert_eq!(status["registries"][0]["state"], "following");
}

#[tokio::test]
async fn finishes_requests_in_progress_before_it_stops() {
    let mut world = World::new().await;
    world.add(&[Spec::new("one")]).await;
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), &unlimited())
        .await
        .unwrap();
    let address = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(world.router.clone(), async {
        let _ = stopped.await;
    }));
    // The first part of a request, then the signal, then the rest.
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream
        .write_all(b"GET /api/v2/tools HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let mut buffer = vec![0; 65_536];
    let count = stream.read(&mut buffer).await.unwrap();
    assert!(buffer[..count].starts_with(b"HTTP/1.1 200 OK"));
    stop.send(()).unwrap();
    // The idle connection is closed, and the server ends.
    assert!(serving.await.unwrap());
    assert_eq!(stream.read(&mut buffer).await.unwrap_or(0), 0);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let mut config = unlimited();
    config.connections.header_timeout = Duration::from_millis(50);
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), &config)
        .await
        .unwrap();
    let address = server.address();
    let world = World::new().await;
    tokio::spawn(server.serve(world.router.clone(), std::future::pending()));
    for start in ["", "GET / HT", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(start.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        // Ends when the server closes the connection.
        let _ = stream.read_to_end(&mut rest).await;
        assert!(!rest.starts_with(b"HTTP/1.1 2"), "{start:?}");
    }
}
