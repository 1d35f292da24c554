//! One request and its answer over a connection that is closed afterwards.

use std::{error::Error as _, io};

use atr_ids::excerpt;
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, StatusCode,
    body::{Bytes, Incoming},
    client::conn::http1,
    header::{
        ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderMap,
        HeaderValue, TRANSFER_ENCODING, USER_AGENT,
    },
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinSet};
use tokio_rustls::client::TlsStream;

use super::{target::Target, tls};
use crate::{Error, operator};

/// More than any honest server puts in front of a document.
const MAX_HEAD_BYTES: usize = 16 * 1024;
const MAX_HEAD_LINES: usize = 64;

/// What is sent.
#[derive(Debug)]
pub(super) enum Ask {
    Get,
    Post { headers: HeaderMap, body: Bytes },
}

/// What came back, whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

/// Sends and reads; `refuse` has its say before the body is read.
pub(super) async fn run(
    target: &Target,
    ask: &Ask,
    stream: TlsStream<TcpStream>,
    limit: usize,
    refuse: fn(StatusCode, &HeaderMap) -> Result<(), Error>,
) -> Result<Answer, Error> {
    let failed = |error| broken(target, error);
    let (mut sender, connection) = http1::Builder::new()
        .max_header_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEAD_LINES)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    // Ends with this function, however that ends.
    let mut line = JoinSet::new();
    line.spawn(connection);
    let request = request(target, ask);
    let answer = sender.send_request(request).await.map_err(failed)?;
    let (head, body) = answer.into_parts();
    refuse(head.status, &head.headers)?;
    refuse_encodings(&head.headers)?;
    let body = read(target, &head.headers, body, limit).await?;
    Ok(Answer {
        status: head.status,
        body,
    })
}

fn request(target: &Target, ask: &Ask) -> Request<Full<Bytes>> {
    let (method, headers, body) = match ask {
        Ask::Get => (Method::GET, HeaderMap::new(), Bytes::new()),
        Ask::Post { headers, body } => (Method::POST, headers.clone(), body.clone()),
    };
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = target.resource.clone();
    let all = request.headers_mut();
    *all = headers;
    all.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    all.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    all.insert(CONNECTION, HeaderValue::from_static("close"));
    all.insert(USER_AGENT, HeaderValue::from_static(operator::USER_AGENT));
    // Letters, digits, dots, hyphens, brackets and colons: always a header.
    if let Ok(host) = HeaderValue::from_str(&target.authority) {
        all.insert(HOST, host);
    }
    request
}

/// Plain bytes only: what is packed has two sizes, and what unpacks it is one more thing to trust.
fn refuse_encodings(headers: &HeaderMap) -> Result<(), Error> {
    let encodings = headers.get_all(CONTENT_ENCODING).into_iter();
    let packed = encodings.filter(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"));
    let transfers = headers.get_all(TRANSFER_ENCODING).into_iter();
    let coded = transfers.filter(|value| !value.as_bytes().eq_ignore_ascii_case(b"chunked"));
    match packed.chain(coded).next() {
        Some(found) => Err(Error::Encoding {
            found: excerpt(&String::from_utf8_lossy(found.as_bytes())),
        }),
        None => Ok(()),
    }
}

async fn read(
    target: &Target,
    headers: &HeaderMap,
    mut body: Incoming,
    limit: usize,
) -> Result<Vec<u8>, Error> {
    let announced = headers.get(CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse().ok());
    if let Some(announced) = announced.filter(|length| *length > limit as u64) {
        return Err(Error::AnnouncedTooLarge { announced, limit });
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(target, error))?;
        // Trailers say nothing about the document.
        let Ok(chunk) = frame.into_data() else {
            continue;
        };
        // Counted as it arrives: a length the other side announces proves nothing.
        if bytes.len() + chunk.len() > limit {
            return Err(Error::TooLarge { limit });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// What the library's error means.
fn broken(target: &Target, error: hyper::Error) -> Error {
    if error.is_parse_too_large() {
        return Error::HeadersTooLarge {
            limit: MAX_HEAD_BYTES,
            lines: MAX_HEAD_LINES,
        };
    }
    if error.is_incomplete_message() {
        return Error::Truncated;
    }
    if error.is_parse() {
        return Error::NotHttp;
    }
    let line = error.source().and_then(|source| source.downcast_ref());
    match line.map(io::Error::kind) {
        Some(io::ErrorKind::UnexpectedEof) => Error::Truncated,
        // The library says so of chunks that are none.
        Some(io::ErrorKind::InvalidInput) => Error::NotHttp,
        Some(io::ErrorKind::InvalidData) => inside(target, line),
        _ => Error::Unreachable {
            host: target.to_string(),
            source: error.into(),
        },
    }
}

/// TLS that broke in the middle, or data that is not HTTP.
fn inside(target: &Target, line: Option<&io::Error>) -> Error {
    let tls: Option<&rustls::Error> = line
        .and_then(io::Error::get_ref)
        .and_then(|inner| inner.downcast_ref());
    match tls {
        Some(error) => tls::refused(
            target,
            io::Error::new(io::ErrorKind::InvalidData, error.clone()),
        ),
        None => Error::NotHttp,
    }
}
