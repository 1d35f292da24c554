use http::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::support::{Backend, Gate, full, read_head, serve};

const HANDSHAKE: &str = "GET /socket HTTP/1.1\r\nhost: a\r\nconnection: keep-alive, Upgrade\r\nupgrade: WebSocket\r\n\
                         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n";

/// Accepts the upgrade and returns all bytes.
async fn echo_server() -> std::net::SocketAddr {
    serve(|mut request| async move {
        assert_eq!(request.headers()["upgrade"], "websocket");
        assert_eq!(request.headers()["connection"], "upgrade");
        assert_eq!(request.headers()["sec-websocket-version"], "13");
        tokio::spawn(async move {
            let upgraded = hyper::upgrade::on(&mut request).await.unwrap();
            let (mut read, mut write) = tokio::io::split(TokioIo::new(upgraded));
            let _ = tokio::io::copy(&mut read, &mut write).await;
        });
        Response::builder()
            .status(StatusCode::SWITCHING_PROTOCOLS)
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            .body(full(""))
            .unwrap()
    })
    .await
}

#[tokio::test]
async fn a_websocket_connection_passes_bytes_in_both_directions() {
    let gate = Gate::start(&format!("http://{}", echo_server().await)).await;
    let mut stream = gate.connect().await;
    stream.write_all(HANDSHAKE.as_bytes()).await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert!(
        head.contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        "{head}"
    );
    for message in [&b"\x81\x05hello"[..], &[0; 100_000]] {
        stream.write_all(message).await.unwrap();
        let mut back = vec![0; message.len()];
        stream.read_exact(&mut back).await.unwrap();
        assert_eq!(back, message);
    }
    stream.shutdown().await.unwrap();
    assert_eq!(stream.read(&mut [0; 8]).await.unwrap(), 0);
}

#[tokio::test]
async fn an_upstream_server_can_decline_the_upgrade() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    let mut stream = gate.connect().await;
    stream.write_all(HANDSHAKE.as_bytes()).await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
}

#[tokio::test]
async fn other_protocols_are_not_switched_to() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    for upgrade in ["h2c", "websocket, h2c", "TLS/1.0"] {
        let request = HANDSHAKE.replace("WebSocket", upgrade);
        let mut stream = gate.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        let head = read_head(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    }
    for received in backend.received() {
        assert_eq!(received.header("upgrade"), None);
        assert_eq!(received.header("connection"), None);
    }
}

#[tokio::test]
async fn an_upgrade_that_nobody_asked_for_is_an_error() {
    let upstream = serve(|_| async {
        Response::builder()
            .status(StatusCode::SWITCHING_PROTOCOLS)
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .body(full(""))
            .unwrap()
    })
    .await;
    let gate = Gate::start(&format!("http://{upstream}")).await;
    let reply = gate.get("/").await;
    assert_eq!(
        (reply.status(), reply.code().as_str()),
        (502, "upstream_invalid_response")
    );
}
