//! What is recorded about a payment.

use alloy_primitives::{Address, B256, hex, keccak256};
use atr_ids::ToolRef;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri};
use serde::{Deserialize, Serialize};

use crate::{Body, body::full};

/// Headers of a response that belong to its connection or its moment.
const NOT_STORED: [&str; 7] = [
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "set-cookie",
    "transfer-encoding",
    "trailer",
];

/// A payment and how far it got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Hash of the request that the payment is for.
    pub(crate) request: B256,
    /// The process that works on it.
    pub(crate) owner: B256,
    pub(crate) state: State,
}

/// How far a payment got. Every state is written before the step that follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(crate) enum State {
    /// The handler may be running. Nothing was sent to settle the payment.
    Reserved,
    /// A settlement may have been sent. Only the chain knows its outcome.
    Settling {
        /// Released when the payment is settled; `None` if it is settled before the handler runs.
        response: Option<StoredResponse>,
    },
    /// The transfer was included.
    Settled {
        transaction: Option<B256>,
        response: Option<StoredResponse>,
        /// The caller got an answer that is not stored.
        is_delivered: bool,
    },
}

/// A complete response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredResponse {
    status: u16,
    headers: Vec<(String, String)>,
    /// Hexadecimal.
    body: String,
}

impl StoredResponse {
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, body: &Bytes) -> Self {
        let headers = headers.iter().filter_map(|(name, value)| {
            let is_stored = !NOT_STORED.contains(&name.as_str());
            let value = value.to_str().ok().filter(|_| is_stored)?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        Self {
            status: status.as_u16(),
            headers: headers.collect(),
            body: hex::encode(body),
        }
    }

    /// `None` if the store returned something else than what was stored.
    pub(crate) fn into_response(self) -> Option<Response<Body>> {
        let body = hex::decode(&self.body).ok()?;
        let mut response = Response::new(full(body));
        *response.status_mut() = StatusCode::from_u16(self.status).ok()?;
        for (name, value) in self.headers {
            let name = HeaderName::try_from(name).ok()?;
            let value = HeaderValue::try_from(value).ok()?;
            response.headers_mut().append(name, value);
        }
        Some(response)
    }
}

/// Hash of what a payment is for: tool, method, path, query, body, and the account that a delegate calls for.
pub(crate) fn request_hash(
    tool: ToolRef,
    method: &Method,
    uri: &Uri,
    body: &[u8],
    holder: Option<Address>,
) -> B256 {
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let tool = tool.to_string();
    let parts = [
        tool.as_bytes(),
        method.as_str().as_bytes(),
        target.as_bytes(),
        body,
    ];
    let mut hashes = parts.map(keccak256).concat();
    if let Some(holder) = holder {
        hashes.extend_from_slice(holder.as_slice());
    }
    keccak256(hashes)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::*;

    #[test]
    fn a_response_survives_storage() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("content-type", "application/json"),
            ("x-own", "1"),
            ("x-own", "2"),
            ("date", "now"),
            ("set-cookie", "session=1"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        let stored = StoredResponse::new(StatusCode::CREATED, &headers, &Bytes::from("a\0b"));
        let text = serde_json::to_vec(&stored).unwrap();
        let read: StoredResponse = serde_json::from_slice(&text).unwrap();
        assert_eq!(read, stored);
        let response = read.into_response().unwrap();
        assert_eq!(response.status(), StatusCode::CREATED);
        let own: Vec<_> = response.headers().get_all("x-own").iter().collect();
        assert_eq!(own, ["1", "2"]);
        assert!(!response.headers().contains_key("date"));
        assert!(!response.headers().contains_key("set-cookie"));
    }

    #[test]
    fn the_hash_covers_tool_method_target_body_and_holder() {
        let tool = |id: u64| ToolRef::try_new(1, Address::ZERO, U256::from(id)).unwrap();
        let hash = |method, uri: &'static str, body| {
            request_hash(tool(1), &method, &Uri::from_static(uri), body, None)
        };
        let delegated = |holder| {
            let (method, uri) = (Method::POST, Uri::from_static("/a?b=1"));
            request_hash(tool(1), &method, &uri, b"x", Some(holder))
        };
        let first = hash(Method::POST, "/a?b=1", b"x");
        assert_eq!(first, hash(Method::POST, "/a?b=1", b"x"));
        for other in [
            hash(Method::PUT, "/a?b=1", b"x"),
            hash(Method::POST, "/a?b=2", b"x"),
            hash(Method::POST, "/a", b"x"),
            hash(Method::POST, "/a?b=1", b"y"),
            hash(Method::POST, "/a?b=1x", b""),
            request_hash(
                tool(2),
                &Method::POST,
                &Uri::from_static("/a?b=1"),
                b"x",
                None,
            ),
            delegated(Address::ZERO),
        ] {
            assert_ne!(first, other);
        }
        assert_ne!(
            delegated(Address::repeat_byte(1)),
            delegated(Address::repeat_byte(2))
        );
    }
}
