//! Why a request is not passed to the handler, each with a fixed status and code.

use std::{borrow::Cow, sync::Arc};

use alloy_primitives::Address;
use atr_auth::{CredentialError, PaymentHeader};
use atr_ids::ToolRef;
use atr_registry::Introspection;
use atr_schema::Failure;
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::access::AccessUnknown;

/// A rejected request. The body of the response is JSON with `error`, a text, and `code`, which is stable.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: Cow<'static, str>,
    /// The response carries a challenge: the caller may try again with another credential.
    pub(crate) is_challenge: bool,
    /// What only some rejections have.
    pub(crate) details: Box<Details>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Details {
    /// Seconds until another attempt makes sense.
    pub(crate) retry_after: Option<u64>,
    /// Header with the receipt, once money moved.
    pub(crate) receipt: Option<PaymentHeader>,
    /// Further members of the body.
    members: Map<String, Value>,
}

impl Rejection {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            is_challenge: false,
            details: Box::default(),
        }
    }

    /// HTTP status.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// Stable, machine-readable.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// A 402 with a challenge. `error` is what clients of x402 show.
    pub(crate) fn challenge(code: &'static str, error: impl Into<Cow<'static, str>>) -> Self {
        Self {
            is_challenge: true,
            ..Self::new(StatusCode::PAYMENT_REQUIRED, code, error)
        }
    }

    pub(crate) fn bad_gateway(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, code, message)
    }

    pub(crate) fn bad_request(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.members.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.details.retry_after = Some(seconds);
        self
    }

    pub(crate) fn with_receipt(mut self, receipt: PaymentHeader) -> Self {
        self.details.receipt = Some(receipt);
        self
    }

    /// The caller sent no credential, and the gate cannot offer a challenge.
    pub(crate) fn unauthorized(hint: String) -> Self {
        let message = "a credential is required";
        Self::new(StatusCode::UNAUTHORIZED, "credential_required", message).with("hint", hint)
    }

    pub(crate) fn rate_limited(seconds: u64) -> Self {
        let message = "too many requests";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message).retry_after(seconds)
    }

    /// A credential that was rejected without asking a node.
    pub(crate) fn credential(error: &CredentialError) -> Self {
        use atr_auth::Rejection::{BadRequest, PaymentRequired, Unauthorized};
        let (code, message) = (error.code(), error.to_string());
        let rejection = match error.rejection() {
            BadRequest => Self::bad_request(code, message),
            Unauthorized => Self::new(StatusCode::UNAUTHORIZED, code, message),
            PaymentRequired => Self::challenge(code, message),
        };
        match error.field() {
            Some(field) => rejection.with("field", field),
            None => rejection,
        }
    }

    pub(crate) fn not_delegated() -> Self {
        let message = "the account has not delegated to the signer";
        let hint = "the account must delegate to the signer at https://delegate.xyz";
        Self::new(StatusCode::FORBIDDEN, "not_delegated", message).with("hint", hint)
    }

    /// The predicate denied access.
    pub(crate) fn denied(
        tool: ToolRef,
        predicate: Option<Address>,
        requirements: Option<&Arc<Introspection>>,
    ) -> Self {
        let message = "the access predicate of the tool denies access";
        let mut rejection = Self::new(StatusCode::FORBIDDEN, "access_denied", message)
            .with("toolId", tool.id().to_string());
        if let Some(predicate) = predicate {
            rejection = rejection.with("predicate", predicate.to_string());
        }
        if let Some(requirements) = requirements.filter(|found| is_readable(found)) {
            rejection = rejection.with("requirements", json!(requirements));
        }
        rejection
    }

    /// Access could not be determined. A misconfigured gate is not the caller's fault either.
    pub(crate) fn unknown(tool: ToolRef, reason: &AccessUnknown) -> Self {
        let code = match reason {
            AccessUnknown::NodeUnavailable | AccessUnknown::BlockUnavailable => "node_unavailable",
            AccessUnknown::WrongChain { .. } => "wrong_chain",
            AccessUnknown::HeadTooOld { .. } => "head_too_old",
            AccessUnknown::NodeBehind { .. } => "node_behind",
            AccessUnknown::PredicateFailed => "predicate_failed",
            AccessUnknown::DelegationFailed => "delegation_registry_failed",
            AccessUnknown::ToolNotFound => "tool_not_found",
            AccessUnknown::ToolDeregistered => "tool_deregistered",
            AccessUnknown::NotARegistry => "not_a_registry",
        };
        let message = format!("access cannot be determined: {reason}");
        let rejection = Self::bad_gateway(code, message);
        match reason {
            AccessUnknown::ToolNotFound | AccessUnknown::ToolDeregistered => {
                rejection.with("toolId", tool.id().to_string())
            }
            _ => rejection,
        }
    }

    pub(crate) fn body_too_large(limit: usize) -> Self {
        let message = format!("the request body is larger than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
    }

    /// The input or output does not follow the schema of the manifest.
    pub(crate) fn with_failures(self, failures: &[Failure]) -> Self {
        self.with("failures", json!(failures))
    }

    /// The JSON body. A challenge is merged into it by the caller.
    pub(crate) fn body(&self) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("error".to_owned(), self.message.as_ref().into());
        body.insert("code".to_owned(), self.code.into());
        body.extend(self.details.members.clone());
        body
    }
}

fn is_readable(introspection: &Introspection) -> bool {
    matches!(introspection, Introspection::Known { .. })
}
