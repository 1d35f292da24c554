//! One HTTP/1.1 request and its response. The connection is closed afterwards.

use std::{
    error::Error as _,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use atr_ids::excerpt;
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, StatusCode,
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
use crate::{Certificate, Error, http_client::USER_AGENT as USER_AGENT_VALUE};

const MAX_HEAD_BYTES: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;
const MAX_INFORMATIONAL: usize = 8;

#[derive(Debug)]
pub(super) enum Request {
    Get,
    Post { headers: HeaderMap, body: Bytes },
}

/// A complete response.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) certificate: Option<Certificate>,
}

/// Sends a request and reads the response. `check_head` runs before the body is read.
pub(super) async fn run(
    target: &Target,
    request: &Request,
    stream: TlsStream<TcpStream>,
    limit: usize,
    check_head: fn(StatusCode, &HeaderMap) -> Result<(), Error>,
) -> Result<Response, Error> {
    let failed = |error| convert_error(target, error);
    let certificates = stream.get_ref().1.peer_certificates();
    let certificate = certificates.and_then(|chain| Certificate::parse(chain.first()?));
    let (mut sender, connection) = http1::Builder::new()
        .max_header_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    // The set aborts the task when this function returns.
    let mut tasks = JoinSet::new();
    let task = tasks.spawn(connection);
    let mut request = build_request(target, request);
    let informational = Arc::new(AtomicUsize::new(0));
    let counter = informational.clone();
    hyper::ext::on_informational(&mut request, move |_| {
        if counter.fetch_add(1, Ordering::Relaxed) == MAX_INFORMATIONAL {
            task.abort();
        }
    });
    let response = sender.send_request(request).await;
    if informational.load(Ordering::Relaxed) > MAX_INFORMATIONAL {
        return Err(Error::TooManyInformational {
            limit: MAX_INFORMATIONAL,
        });
    }
    let response = response.map_err(failed)?;
    let (head, body) = response.into_parts();
    check_head(head.status, &head.headers)?;
    check_encodings(&head.headers)?;
    let body = read_body(target, &head.headers, body, limit).await?;
    Ok(Response {
        status: head.status,
        headers: head.headers,
        body,
        certificate,
    })
}

fn build_request(target: &Target, request: &Request) -> hyper::Request<Full<Bytes>> {
    let (method, headers, body) = match request {
        Request::Get => (Method::GET, HeaderMap::new(), Bytes::new()),
        Request::Post { headers, body } => (Method::POST, headers.clone(), body.clone()),
    };
    let mut request = hyper::Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = target.path_and_query.clone();
    *request.headers_mut() = headers;
    let headers = request.headers_mut();
    headers
        .entry(ACCEPT)
        .or_insert(HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
    // Letters, digits, dots, hyphens, brackets and colons: always a valid header value.
    if let Ok(host) = HeaderValue::from_str(&target.authority) {
        headers.insert(HOST, host);
    }
    request
}

/// Rejects compressed bodies: the limit counts bytes on the wire, and decompression could exceed it.
fn check_encodings(headers: &HeaderMap) -> Result<(), Error> {
    let encodings = headers.get_all(CONTENT_ENCODING).into_iter();
    let compressed = encodings.filter(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"));
    let transfers = headers.get_all(TRANSFER_ENCODING).into_iter();
    let encoded = transfers.filter(|value| !value.as_bytes().eq_ignore_ascii_case(b"chunked"));
    match compressed.chain(encoded).next() {
        Some(found) => Err(Error::Encoding {
            found: excerpt(&String::from_utf8_lossy(found.as_bytes())),
        }),
        None => Ok(()),
    }
}

async fn read_body(
    target: &Target,
    headers: &HeaderMap,
    mut body: Incoming,
    limit: usize,
) -> Result<Vec<u8>, Error> {
    let content_length = headers.get(CONTENT_LENGTH);
    let content_length = content_length.and_then(|length| length.to_str().ok()?.parse().ok());
    if let Some(content_length) = content_length.filter(|length| *length > limit as u64) {
        return Err(Error::ContentLengthTooLarge {
            content_length,
            limit,
        });
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| convert_error(target, error))?;
        // Trailers are ignored.
        let Ok(chunk) = frame.into_data() else {
            continue;
        };
        // Counted while reading: `content-length` is not trusted.
        if bytes.len() + chunk.len() > limit {
            return Err(Error::TooLarge { limit });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Converts an error of the HTTP library.
fn convert_error(target: &Target, error: hyper::Error) -> Error {
    if error.is_parse_too_large() {
        return Error::HeadersTooLarge {
            limit: MAX_HEAD_BYTES,
            lines: MAX_HEADERS,
        };
    }
    if error.is_incomplete_message() {
        return Error::Truncated;
    }
    if error.is_parse() {
        return Error::NotHttp;
    }
    let io_error = error.source().and_then(|source| source.downcast_ref());
    match io_error.map(io::Error::kind) {
        Some(io::ErrorKind::UnexpectedEof) => Error::Truncated,
        // Invalid chunk encoding.
        Some(io::ErrorKind::InvalidInput) => Error::NotHttp,
        Some(io::ErrorKind::InvalidData) => convert_invalid_data(target, io_error),
        _ => Error::Unreachable {
            host: target.to_string(),
            source: error.into(),
        },
    }
}

/// Invalid data is a TLS error or data that is not HTTP.
fn convert_invalid_data(target: &Target, io_error: Option<&io::Error>) -> Error {
    let tls: Option<&rustls::Error> = io_error
        .and_then(io::Error::get_ref)
        .and_then(|inner| inner.downcast_ref());
    match tls {
        Some(error) => tls::convert_error(
            target,
            io::Error::new(io::ErrorKind::InvalidData, error.clone()),
        ),
        None => Error::NotHttp,
    }
}
