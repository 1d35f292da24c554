//! Request ids.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

use http::{HeaderMap, HeaderName, HeaderValue};

/// Header of requests and responses.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is accepted from a trusted proxy.
const MAX_LENGTH: usize = 128;

/// Identifies a request in logs and in the response (`X-Request-Id`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Accepts an id of letters, digits, `-`, `_`, `.`, `:`, `+`, `/` and `=`.
    fn parse(value: &HeaderValue) -> Option<Self> {
        let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:+/=".contains(byte);
        let bytes = value.as_bytes();
        let is_valid =
            !bytes.is_empty() && bytes.len() <= MAX_LENGTH && bytes.iter().all(is_allowed);
        is_valid.then(|| Self(value.clone()))
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// The id as a header.
    #[must_use]
    pub fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Creates unique ids: 128 bits from a keyed hash of a counter. The keys are random for each process.
#[derive(Debug, Default)]
pub struct RequestIds {
    keys: [RandomState; 2],
    count: AtomicU64,
}

impl RequestIds {
    /// The id that a trusted proxy sent, or a new one.
    pub fn id_of(&self, headers: &HeaderMap, is_from_trusted_proxy: bool) -> RequestId {
        let sent = headers.get(X_REQUEST_ID).filter(|_| is_from_trusted_proxy);
        sent.and_then(RequestId::parse)
            .unwrap_or_else(|| self.next())
    }

    fn next(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let [first, second] = &self.keys;
        let text = format!(
            "{:016x}{:016x}",
            first.hash_one(count),
            second.hash_one(count)
        );
        RequestId(HeaderValue::try_from(text).expect("hexadecimal digits are a valid header value"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique() {
        let ids = RequestIds::default();
        let all: BTreeSet<_> = (0..1000).map(|_| ids.next().to_string()).collect();
        assert_eq!(all.len(), 1000);
        let other = RequestIds::default();
        assert!(!all.contains(other.next().as_str()));
    }

    #[test]
    fn rejects_ids_that_could_forge_a_log_line() {
        for (text, is_valid) in [
            ("0f8fad5b-d9cb-469f-a165-70867728950e", true),
            ("Root=1-67891233-abcdef012345678912345678", true),
            ("", false),
            ("a b", false),
            ("a\tb", false),
            ("a\"b", false),
        ] {
            let value = HeaderValue::from_str(text).unwrap();
            assert_eq!(RequestId::parse(&value).is_some(), is_valid, "{text}");
        }
        let long = HeaderValue::from_str(&"a".repeat(129)).unwrap();
        assert_eq!(RequestId::parse(&long), None);
    }
}
