use std::{pin::Pin, sync::Arc};

use atr_gate::server::{App, AppError, Cors, Monitor, ServerConfig, TrustedProxies};
use atr_manifest::Document;
use http::Request;
use tower::service_fn;

use super::support::{Gate, full};

const MANIFEST: &str = "{ \"name\" : \"tést\",\r\n\t\"order\": [2, 1] }\n";

fn app() -> App {
    App::new(Cors::Any, TrustedProxies::default())
}

#[tokio::test]
async fn a_manifest_is_served_byte_for_byte() {
    // L-25
    let mut app = app();
    let manifest = Document::parse(MANIFEST).unwrap();
    app.add_manifest(&"oracle".parse().unwrap(), &manifest)
        .unwrap();
    let gate = Gate::serve(app, ServerConfig::default(), None).await;
    let path = "/.well-known/ai-tool/oracle.json";
    let reply = gate.get(path).await;
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.body, MANIFEST);
    assert_eq!(reply.head.headers["content-type"], "application/json");
    assert_eq!(reply.head.headers["access-control-allow-origin"], "*");
    let tag = reply.head.headers["etag"].clone();

    let uri = format!("http://{}{path}", gate.address);
    let head = gate.send(Request::head(&uri), full("")).await;
    let length = MANIFEST.len().to_string();
    assert_eq!(head.head.headers["content-length"], length.as_str());
    assert!(head.body.is_empty());
    let unchanged = gate
        .send(Request::get(&uri).header("if-none-match", tag), full(""))
        .await;
    assert_eq!((unchanged.status(), unchanged.body.len()), (304, 0));
    let post = gate.send(Request::post(&uri), full("{}")).await;
    assert_eq!(
        (post.status(), post.code().as_str()),
        (405, "method_not_allowed")
    );
    for other in [
        "/.well-known/ai-tool/oracle.json/",
        "/.well-known/ai-tool/other.json",
        "/.well-known/ai-tool/",
    ] {
        // No redirect, and nothing else is served there.
        assert_eq!(gate.get(other).await.status(), 404, "{other}");
    }
}

#[test]
fn two_tools_cannot_have_one_slug() {
    // G-09
    let mut app = app();
    let manifest = Document::parse(MANIFEST).unwrap();
    let slug = "oracle".parse().unwrap();
    app.add_manifest(&slug, &manifest).unwrap();
    assert_eq!(
        app.add_manifest(&slug, &manifest),
        Err(AppError::DuplicateSlug { slug })
    );
}

#[test]
fn routes_are_unique_and_not_reserved() {
    let mut app = app();
    let service = service_fn(async |_| Ok(http::Response::new(full(""))));
    app.add_route("/tool", service).unwrap();
    let mut error = |path: &str| app.add_route(path, service).unwrap_err();
    assert!(matches!(error("/Tool/"), AppError::DuplicateRoute { .. }));
    for path in [
        "/healthz",
        "/metrics/",
        "tool",
        "",
        "/a/../b",
        "/a%2fb%2e",
        "/%61",
        "//a",
        "/a?b",
        "/a#b",
    ] {
        assert!(
            matches!(error(path), AppError::InvalidRoute { .. }),
            "{path}"
        );
    }
}

#[derive(Debug)]
struct Problems(&'static [&'static str]);

impl Monitor for Problems {
    fn problems(&self) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>> {
        let problems = self.0.iter().map(|text| (*text).to_owned()).collect();
        Box::pin(std::future::ready(problems))
    }

    fn metrics(&self) -> String {
        "own_metric 1\n".to_owned()
    }
}

#[tokio::test]
async fn health_readiness_and_metrics() {
    for (problems, status) in [(&[][..], 200), (&["the head is too old"][..], 503)] {
        let app = app().with_monitor(Arc::new(Problems(problems)));
        let gate = Gate::serve(app, ServerConfig::default(), None).await;
        assert_eq!(gate.get("/healthz").await.status(), 200);
        let ready = gate.get("/readyz").await;
        assert_eq!(ready.status(), status);
        if let Some(problem) = problems.first() {
            assert!(
                String::from_utf8(ready.body.to_vec())
                    .unwrap()
                    .contains(problem)
            );
        }
        let metrics = String::from_utf8(gate.get("/metrics").await.body.to_vec()).unwrap();
        assert!(metrics.contains("own_metric 1"), "{metrics}");
        assert!(
            metrics.contains("atr_gate_responses_total{status=\"2xx\"}"),
            "{metrics}"
        );
    }
    let gate = Gate::serve(app(), ServerConfig::default(), None).await;
    assert_eq!(
        gate.get("/metrics").await.status(),
        404,
        "only with a monitor"
    );
}

#[tokio::test]
async fn preflight_requests_do_not_reach_the_route() {
    let mut app = app();
    let service = service_fn(async |_| panic!("not reached"));
    app.add_route("/", service).unwrap();
    let gate = Gate::serve(app, ServerConfig::default(), None).await;
    let request = Request::options(format!("http://{}/tool", gate.address))
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "x-payment");
    let reply = gate.send(request, full("")).await;
    assert_eq!(reply.status(), 204);
    let headers = &reply.head.headers;
    assert_eq!(headers["access-control-allow-headers"], "x-payment");
    let exposed = headers["access-control-expose-headers"].to_str().unwrap();
    assert!(exposed.contains("PAYMENT-REQUIRED"), "{exposed}");
    assert!(exposed.contains("X-PAYMENT-RESPONSE"), "{exposed}");
}

#[tokio::test]
async fn other_hosts_are_misdirected_but_health_is_not() {
    let app = app()
        .with_hosts(vec!["gate.example".parse().unwrap()])
        .with_monitor(Arc::new(Problems(&[])));
    let gate = Gate::serve(app, ServerConfig::default(), None).await;
    for (host, path, status) in [
        ("gate.example", "/", 404),
        ("GATE.example", "/", 404),
        ("other.example", "/", 421),
        ("other.example", "/healthz", 200),
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let response = gate.raw(request).await;
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status}")),
            "{host} {path}\n{response}"
        );
    }
}
