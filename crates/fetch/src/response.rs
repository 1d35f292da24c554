//! HTTP responses.

use hyper::header::HeaderMap;

/// A complete response. Every status is a response, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Response {
    pub status: u16,
    /// In the order of arrival; a name can occur more than once.
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header that occurs exactly once. Names are not case-sensitive.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.headers.get_all(name).into_iter();
        let value = values.next()?;
        values.next().is_none().then_some(value.as_bytes())
    }

    /// Whether the status is 2xx.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }
}
