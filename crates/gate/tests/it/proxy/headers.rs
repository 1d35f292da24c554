use atr_gate::proxy::HostPolicy;
use http::Response;

use super::support::{Backend, Gate, full, serve};

#[tokio::test]
async fn hop_by_hop_headers_are_removed_in_both_directions() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    gate.raw(
        "GET / HTTP/1.1\r\nhost: a\r\nconnection: close, x-private\r\nx-private: 1\r\nkeep-alive: 5\r\nte: gzip\r\n\
         upgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\nproxy-authorization: Basic c2VjcmV0\r\nexpect: 100-continue\r\n\
         x-public: 2\r\n\r\n",
    )
    .await;
    let received = backend.only();
    for name in [
        "connection",
        "x-private",
        "keep-alive",
        "te",
        "upgrade",
        "proxy-authorization",
        "expect",
    ] {
        assert_eq!(received.header(name), None, "{name}");
    }
    assert_eq!(received.header("x-public"), Some("2"));

    let upstream = serve(|_| async {
        let mut response = Response::new(full("ok"));
        for (name, value) in [
            ("connection", "x-private"),
            ("x-private", "1"),
            ("keep-alive", "timeout=5"),
            ("proxy-authenticate", "Basic"),
            ("upgrade", "h2c"),
            ("x-public", "2"),
        ] {
            response.headers_mut().insert(name, value.parse().unwrap());
        }
        response
    })
    .await;
    let reply = Gate::start(&format!("http://{upstream}"))
        .await
        .get("/")
        .await;
    for name in [
        "connection",
        "x-private",
        "keep-alive",
        "proxy-authenticate",
        "upgrade",
    ] {
        assert!(!reply.head.headers.contains_key(name), "{name}");
    }
    assert_eq!(reply.head.headers["x-public"], "2");
}

#[tokio::test]
async fn headers_that_describe_the_client_cannot_be_forged() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    gate.raw(
        "GET / HTTP/1.1\r\nhost: gate.example\r\nconnection: close\r\nx-forwarded-for: 192.0.2.1\r\nforwarded: for=192.0.2.1\r\n\
         x-real-ip: 192.0.2.1\r\nx-request-id: forged\r\nx_forwarded_for: 192.0.2.1\r\nx_tool_caller: 0x01\r\n\
         x-tool-caller: 0x01\r\nx-tool-paid: true\r\nx-original-url: /admin\r\n\r\n",
    )
    .await;
    let received = backend.only();
    assert_eq!(received.header("x-forwarded-for"), Some("127.0.0.1"));
    assert_eq!(received.header("x-forwarded-proto"), Some("http"));
    assert_eq!(received.header("x-forwarded-host"), Some("gate.example"));
    let forwarded = "for=127.0.0.1;proto=http;host=\"gate.example\"";
    assert_eq!(received.header("forwarded"), Some(forwarded));
    for name in [
        "x-real-ip",
        "x_forwarded_for",
        "x_tool_caller",
        "x-tool-caller",
        "x-tool-paid",
        "x-original-url",
    ] {
        assert_eq!(received.header(name), None, "{name}");
    }
    assert_ne!(received.header("x-request-id"), Some("forged"));
}

#[tokio::test]
async fn a_trusted_proxy_describes_the_client() {
    let backend = Backend::start().await;
    let gate = Gate::start_with(&backend.url(), |settings| {
        settings.trusted.0 = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let response = gate
        .raw(
            "GET / HTTP/1.1\r\nhost: internal\r\nconnection: close\r\nx-forwarded-for: 192.0.2.1\r\nx-forwarded-proto: https\r\n\
             x-forwarded-host: gate.example\r\nx-request-id: abc-1\r\n\r\n",
        )
        .await;
    assert!(
        response.contains("\r\nx-request-id: abc-1\r\n"),
        "{response}"
    );
    let received = backend.only();
    assert_eq!(
        received.header("x-forwarded-for"),
        Some("192.0.2.1, 127.0.0.1")
    );
    assert_eq!(received.header("x-forwarded-proto"), Some("https"));
    assert_eq!(received.header("x-forwarded-host"), Some("gate.example"));
    assert_eq!(received.header("x-request-id"), Some("abc-1"));
}

#[tokio::test]
async fn the_request_id_is_the_same_for_the_upstream_server_and_the_client() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    let reply = gate.get("/").await;
    let id = reply.head.headers["x-request-id"].to_str().unwrap();
    assert_eq!(backend.only().header("x-request-id"), Some(id));
    assert_ne!(gate.get("/").await.head.headers["x-request-id"], id);
}

#[tokio::test]
async fn the_host_policy_selects_the_host_header() {
    for policy in [HostPolicy::Upstream, HostPolicy::Preserve] {
        let backend = Backend::start().await;
        let gate = Gate::start_with(&backend.url(), |settings| settings.proxy.host = policy).await;
        gate.raw("GET / HTTP/1.1\r\nhost: gate.example\r\nconnection: close\r\n\r\n")
            .await;
        let upstream = backend.address.to_string();
        let expected = match policy {
            HostPolicy::Upstream => upstream.as_str(),
            HostPolicy::Preserve => "gate.example",
        };
        assert_eq!(backend.only().header("host"), Some(expected));
    }
}

#[tokio::test]
async fn base_path_and_prefix_change_the_path() {
    let backend = Backend::start().await;
    let url = format!("{}/base", backend.url());
    let gate = Gate::start_with(&url, |settings| {
        settings.proxy.strip_prefix = Some("/tool".to_owned());
    })
    .await;
    gate.get("/tool/a%20b?c=%2F&d").await;
    assert_eq!(backend.only().head.uri, "/base/a%20b?c=%2F&d");
}
