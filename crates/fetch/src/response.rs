//! What came back.

/// Status and body. What they mean is for the caller to say: a 404 is an answer, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body, whole.
    pub body: Vec<u8>,
}

impl Response {
    /// Whether the status is one of success.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }
}
