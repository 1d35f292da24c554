//! Peak memory of streams. A separate binary, because it measures the allocations of the whole process.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use atr_gate::{
    proxy::{Proxy, ProxyConfig, Upstream},
    server::{App, Cors, Server, ServerConfig, TrustedProxies},
};
use peak_alloc::PeakAlloc;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const STREAM_BYTES: u64 = 64 << 20;
const MAX_PEAK_BYTES: usize = 4 << 20;

async fn gate(upstream: SocketAddr) -> SocketAddr {
    let upstream = Upstream::parse(&format!("http://{upstream}")).unwrap();
    let mut config = ProxyConfig::new(upstream);
    config.max_request_bytes = STREAM_BYTES;
    let mut app = App::new(Cors::Any, TrustedProxies::default());
    app.add_route("/", Proxy::try_new(config).unwrap()).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::bind(any, None, ServerConfig::default(), app)
        .await
        .unwrap();
    let address = server.local_address().unwrap();
    tokio::spawn(server.serve(std::future::pending()));
    address
}

/// Waits until a counter does not change any more, because the writer is blocked.
async fn settled(counter: &AtomicU64) {
    let mut before = u64::MAX;
    while before != counter.load(Ordering::SeqCst) {
        before = counter.load(Ordering::SeqCst);
        for _ in 0..10_000 {
            tokio::task::yield_now().await;
        }
    }
}

async fn write_all(stream: &mut TcpStream, written: &AtomicU64) {
    let chunk = vec![7; 64 << 10];
    for _ in 0..STREAM_BYTES / chunk.len() as u64 {
        stream.write_all(&chunk).await.unwrap();
        written.fetch_add(chunk.len() as u64, Ordering::SeqCst);
    }
}

/// Reads until the stream ends, and returns the number of bytes.
async fn read_all(stream: &mut TcpStream) -> u64 {
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    loop {
        match stream.read(&mut buffer).await.unwrap() {
            0 => return total,
            read => total += read as u64,
        }
    }
}

async fn read_head(stream: &mut TcpStream) {
    let mut last = [0; 4];
    while last != *b"\r\n\r\n" {
        last.rotate_left(1);
        last[3] = stream.read_u8().await.unwrap();
    }
}

#[tokio::test]
async fn a_reader_that_stops_does_not_fill_the_memory() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = gate(listener.local_addr().unwrap()).await;

    // Download: the client reads nothing until the upstream server is blocked.
    let written = Arc::<AtomicU64>::default();
    let count = written.clone();
    let mut client = TcpStream::connect(address).await.unwrap();
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let head = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    client.write_all(head.as_bytes()).await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    let writer = tokio::spawn(async move {
        read_head(&mut stream).await;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {STREAM_BYTES}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        write_all(&mut stream, &count).await;
    });
    settled(&written).await;
    assert!(
        written.load(Ordering::SeqCst) < STREAM_BYTES,
        "the writer was not blocked"
    );
    read_head(&mut client).await;
    assert_eq!(read_all(&mut client).await, STREAM_BYTES);
    writer.await.unwrap();
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    assert!(peak < MAX_PEAK_BYTES, "{peak} bytes");

    // Upload: the upstream server reads nothing until the client is blocked.
    let written = Arc::<AtomicU64>::default();
    let count = written.clone();
    let mut client = TcpStream::connect(address).await.unwrap();
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let writer = tokio::spawn(async move {
        let head = format!(
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {STREAM_BYTES}\r\nconnection: close\r\n\r\n"
        );
        client.write_all(head.as_bytes()).await.unwrap();
        write_all(&mut client, &count).await;
        client
    });
    let (mut stream, _) = listener.accept().await.unwrap();
    settled(&written).await;
    assert!(
        written.load(Ordering::SeqCst) < STREAM_BYTES,
        "the writer was not blocked"
    );
    read_head(&mut stream).await;
    let mut received = 0;
    let mut buffer = vec![0; 64 << 10];
    while received < STREAM_BYTES {
        received += stream.read(&mut buffer).await.unwrap() as u64;
    }
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
        .await
        .unwrap();
    let mut client = writer.await.unwrap();
    let mut response = String::new();
    client.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    assert!(peak < MAX_PEAK_BYTES, "{peak} bytes");
}
