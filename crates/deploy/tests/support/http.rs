//! A minimal HTTP server for tests: one request and one response per connection.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct HttpRequest {
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
}

/// Listens on a free port and calls `handle` for every request, each in its own thread. Returns the URL. The handler can leave
/// the request without a response.
pub(crate) fn serve(handle: impl Fn(HttpRequest, TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), handle) = (stream, handle.clone()) else {
                continue;
            };
            thread::spawn(move || {
                if let Some(request) = read_request(&mut stream) {
                    handle(request, stream);
                }
            });
        }
    });
    url
}

/// Responds and closes the connection.
pub(crate) fn respond(mut stream: TcpStream, status: u16, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // The client may be gone.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
}

fn read_request(stream: &mut TcpStream) -> Option<HttpRequest> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 65536];
    loop {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        let Some(start) = end_of_head(&bytes) else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..start]).into_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse().ok())?
        });
        if bytes.len() >= start + length.unwrap_or(0) {
            return Some(HttpRequest {
                target: head.split(' ').nth(1)?.to_owned(),
                body: bytes.split_off(start),
            });
        }
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some(end + 4)
}
