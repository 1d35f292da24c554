//! What a tool replies.

use atr_auth::x402::Receipt;
use atr_schema::Outcome;

use crate::Demand;

/// The reply to a request.
#[derive(Debug)]
pub enum CallResult {
    /// The tool answered, with any status.
    ToolResponse(ToolResponse),
    /// The tool demands an identity or a payment (status 402).
    Demand(Box<Demand>),
}

/// The answer of a tool. Everything in it is untrusted.
#[derive(Debug)]
pub struct ToolResponse {
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// The receipt of a payment, if the server sent a valid one.
    pub receipt: Option<Receipt>,
    /// Whether the body follows the `outputs` of the manifest. `None` unless the status is 2xx and the body is JSON.
    pub output: Option<Outcome>,
}

impl ToolResponse {
    /// Whether the status is 2xx.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }
}
