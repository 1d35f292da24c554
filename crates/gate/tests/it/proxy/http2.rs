use std::sync::Arc;

use atr_gate::{Body, server::TlsIdentity};
use atr_loopback::CertificateAuthority;
use http::{Request, Version};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};

use super::support::{Backend, Gate, full, send, serve};

fn client_config(authority: &CertificateAuthority) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap();
    roots.add(root).unwrap();
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

#[tokio::test]
async fn a_client_can_use_http2_without_tls() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    let client: Client<_, Body> = Client::builder(TokioExecutor::new())
        .http2_only(true)
        .build_http();
    for index in 0..3 {
        let uri = format!("http://{}/{index}", gate.address);
        let reply = send(&client, Request::post(uri), full("body")).await;
        assert_eq!((reply.head.version, reply.status()), (Version::HTTP_2, 200));
    }
    for received in backend.received() {
        assert_eq!(received.head.version, Version::HTTP_11);
        assert_eq!(received.body, "body");
        assert_eq!(
            received.header("x-forwarded-host"),
            Some(gate.address.to_string().as_str())
        );
    }
}

#[tokio::test]
async fn alpn_selects_the_protocol_over_tls() {
    let authority = CertificateAuthority::new();
    let (certificate, key) = authority.issue_pem(&["localhost"]);
    let identity = TlsIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    let backend = Backend::start().await;
    let gate = Gate::start_with(&backend.url(), |settings| settings.tls = Some(identity)).await;
    let uri = format!("https://localhost:{}/", gate.address.port());
    for version in [Version::HTTP_11, Version::HTTP_2] {
        let builder = HttpsConnectorBuilder::new()
            .with_tls_config(client_config(&authority))
            .https_only();
        let connector = match version {
            Version::HTTP_2 => builder.enable_http2().build(),
            _ => builder.enable_http1().build(),
        };
        let client: Client<_, Body> = Client::builder(TokioExecutor::new()).build(connector);
        let reply = send(&client, Request::get(&uri), full("")).await;
        assert_eq!((reply.head.version, reply.status()), (version, 200));
    }
    for received in backend.received() {
        assert_eq!(received.header("x-forwarded-proto"), Some("https"));
    }
}

#[tokio::test]
async fn the_upstream_server_can_use_http2() {
    let backend = Backend::start().await;
    let gate = Gate::start_with(&backend.url(), |settings| settings.proxy.http2 = true).await;
    let reply = gate.get("/").await;
    assert_eq!(reply.status(), 200);
    assert_eq!(backend.only().head.version, Version::HTTP_2);
}

#[tokio::test]
async fn an_https_upstream_server_needs_a_trusted_certificate() {
    let authority = CertificateAuthority::new();
    let (certificate, key) = authority.issue_pem(&["localhost"]);
    let identity = TlsIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    // A gate is also an https server.
    let inner = Backend::start().await;
    let upstream = Gate::start_with(&inner.url(), |settings| settings.tls = Some(identity)).await;
    let url = format!("https://localhost:{}", upstream.address.port());
    let trusting = Gate::start_with(&url, |settings| {
        settings.proxy.root_certificates = authority.pem().into_bytes();
    })
    .await;
    assert_eq!(trusting.get("/").await.status(), 200);
    let reply = Gate::start(&url).await.get("/").await;
    assert_eq!(
        (reply.status(), reply.code().as_str()),
        (502, "upstream_unreachable")
    );
    assert_eq!(inner.received().len(), 1);
}

#[tokio::test]
async fn a_host_that_differs_from_the_authority_is_rejected() {
    let upstream = serve(|_| async { panic!("not reached") }).await;
    let gate = Gate::start(&format!("http://{upstream}")).await;
    let client: Client<_, Body> = Client::builder(TokioExecutor::new())
        .http2_only(true)
        .build_http();
    let request = Request::get(format!("http://{}/", gate.address)).header("host", "other.example");
    let reply = send(&client, request, full("")).await;
    assert_eq!(reply.status(), 400);
}
