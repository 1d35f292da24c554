use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::mpsc,
};

use super::support::{Gate, full, serve};
use atr_gate::Body;

/// A body whose frames the test sends.
pub(crate) fn channel() -> (mpsc::Sender<Frame<Bytes>>, Body) {
    let (sender, mut receiver) = mpsc::channel::<Frame<Bytes>>(1);
    let frames = futures_util::stream::poll_fn(move |context| {
        receiver
            .poll_recv(context)
            .map(|frame| frame.map(Ok::<_, Infallible>))
    });
    let body = StreamBody::new(frames).map_err(|never| match never {});
    (sender, body.boxed_unsync())
}

fn data(text: &'static str) -> Frame<Bytes> {
    Frame::data(Bytes::from_static(text.as_bytes()))
}

#[tokio::test]
async fn an_event_reaches_the_client_before_the_next_one_is_sent() {
    let (sender, body) = channel();
    let body = std::sync::Arc::new(std::sync::Mutex::new(Some(body)));
    let upstream = serve(move |_| {
        let body = body.lock().unwrap().take().unwrap();
        let response = Response::builder().header("content-type", "text/event-stream");
        async move { response.body(body).unwrap() }
    })
    .await;
    let gate = Gate::start(&format!("http://{upstream}")).await;
    let mut stream = gate.connect().await;
    let request = "GET /events HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    for event in ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"] {
        sender.send(data(event)).await.unwrap();
        while !seen.contains(event) {
            let read = stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "{seen}");
            seen += std::str::from_utf8(&buffer[..read]).unwrap();
        }
    }
    drop(sender);
    while !seen.ends_with("0\r\n\r\n") {
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "{seen}");
        seen += std::str::from_utf8(&buffer[..read]).unwrap();
    }
}

#[tokio::test]
async fn request_and_response_stream_at_the_same_time() {
    let upstream = serve(|request| async move { Response::new(echo(request)) }).await;
    let gate = Gate::start(&format!("http://{upstream}")).await;
    let (sender, body) = channel();
    let uri = format!("http://{}/echo", gate.address);
    let request = Request::post(uri).body(body).unwrap();
    let client = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new())
        .build_http::<Body>();
    let (response, ()) = tokio::join!(client.request(request), async {
        sender.send(data("first")).await.unwrap();
    });
    let mut response = response.unwrap().into_body();
    let frame = response.frame().await.unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "first");
    sender.send(data("second")).await.unwrap();
    let frame = response.frame().await.unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "second");
    drop(sender);
    assert!(response.frame().await.is_none());
}

fn echo(request: Request<hyper::body::Incoming>) -> Body {
    request.into_body().map_err(Into::into).boxed_unsync()
}

#[tokio::test]
async fn trailers_pass_in_both_directions() {
    // The upstream server returns the trailers of the request as a header.
    let upstream = serve(|request| async move {
        let te = request.headers().get("te").cloned();
        let collected = request.into_body().collect().await.unwrap();
        let trailers = collected.trailers().cloned().unwrap_or_default();
        let mut reply = HeaderMap::new();
        reply.insert("x-checksum", HeaderValue::from_static("response"));
        reply.insert("x-tool-caller", HeaderValue::from_static("forged"));
        let body = with_trailers(reply);
        Response::builder()
            .header("x-received", format!("{trailers:?}"))
            .header("x-te", te.unwrap_or(HeaderValue::from_static("none")))
            .header("trailer", "x-checksum, x-tool-caller")
            .body(body)
            .unwrap()
    })
    .await;
    let gate = Gate::start(&format!("http://{upstream}")).await;
    let mut sent = HeaderMap::new();
    sent.insert("x-checksum", HeaderValue::from_static("request"));
    sent.insert("x-payment", HeaderValue::from_static("forged"));
    let request = Request::post(format!("http://{}/", gate.address))
        .header("te", "trailers")
        .header("trailer", "x-checksum, x-payment");
    let reply = gate.send(request, with_trailers(sent)).await;
    assert_eq!(
        reply.head.headers["x-received"],
        "{\"x-checksum\": \"request\"}"
    );
    assert_eq!(reply.head.headers["x-te"], "trailers");
    let trailers = reply.trailers.unwrap();
    assert_eq!(trailers["x-checksum"], "response");
    assert_eq!(trailers.len(), 1, "{trailers:?}");
}

/// A body of unknown length: only such bodies can have trailers in HTTP/1.1.
fn with_trailers(trailers: HeaderMap) -> Body {
    let frames = [data("content"), Frame::trailers(trailers)];
    let frames = futures_util::stream::iter(frames.map(Ok::<_, Infallible>));
    let body = StreamBody::new(frames).map_err(|never| match never {});
    body.boxed_unsync()
}

#[tokio::test]
async fn ten_mebibytes_pass_in_both_directions() {
    let upstream = serve(|request| async move { Response::new(echo(request)) }).await;
    let gate = Gate::start(&format!("http://{upstream}")).await;
    let content: Vec<u8> = (0..10 << 20)
        .map(|index: u32| (index % 251) as u8)
        .collect();
    let request = Request::post(format!("http://{}/echo", gate.address));
    let reply = gate.send(request, full(content.clone())).await;
    assert_eq!(reply.status(), 200);
    assert!(reply.body == content);
}

#[tokio::test]
async fn a_head_response_keeps_its_length_and_has_no_body() {
    let upstream = serve(|_| async {
        Response::builder()
            .header("content-length", "1234")
            .body(full(""))
            .unwrap()
    })
    .await;
    let gate = Gate::start(&format!("http://{upstream}")).await;
    let response = gate
        .raw("HEAD / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .await;
    assert!(response.contains("content-length: 1234\r\n"), "{response}");
    assert!(response.ends_with("\r\n\r\n"), "{response}");
}
