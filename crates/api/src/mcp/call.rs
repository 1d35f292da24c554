//! Calls of tools. This crate speaks the protocol: it asks the user through the host, and keeps the approval safe on its way. Whoever
//! embeds the server verifies, calls and pays.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use alloy_primitives::{Address, B256, keccak256};
use atr_ids::ToolRef;
use futures_util::future::BoxFuture;
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::content;

/// How long the user may think about a payment.
pub(super) const APPROVAL_TTL: Duration = Duration::from_secs(5 * 60);

/// Calls verified tools for the user, within limits that the user set.
pub trait Caller: fmt::Debug + Send + Sync {
    /// Calls a tool. If the user must agree first, nothing was signed.
    fn call<'a>(&'a self, request: CallRequest<'a>) -> BoxFuture<'a, CallOutcome>;
}

/// A call that a model asks for.
#[derive(Clone, Copy, Debug)]
pub struct CallRequest<'a> {
    /// A tool that the index calls verified. It must be verified again.
    pub tool: ToolRef,
    /// The only manifest that may be used.
    pub manifest_hash: Option<B256>,
    /// A JSON object.
    pub arguments: &'a str,
    /// Whether the host can ask the user.
    pub can_ask: bool,
    /// A payment that the user agreed to.
    pub approved: Option<&'a Payment>,
}

/// What became of a call.
#[derive(Clone, Debug)]
pub enum CallOutcome {
    /// The tool answered, with any status.
    Answered(Box<CallAnswer>),
    /// The user has to agree to a payment.
    ConsentNeeded {
        /// What is paid.
        payment: Payment,
        /// For the user.
        question: String,
    },
    /// The tool was not called, or did not answer: for the model and the user.
    Refused(String),
}

/// All that an approval is bound to. A demand that differs in anything needs another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Payment {
    pub tool_ref: String,
    pub manifest_hash: B256,
    /// keccak256 of the arguments.
    pub arguments_hash: B256,
    /// CAIP-19 id of the token.
    pub asset: String,
    pub payee: Address,
    /// In base units of the token.
    pub amount: String,
}

/// The answer of a tool. Its texts are untrusted.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct CallAnswer {
    pub tool_ref: String,
    /// HTTP status.
    pub status: u16,
    /// JSON, or a text.
    pub body: Value,
    /// `valid`, `invalid` or `unknown`: whether the body follows the manifest. `None` if the manifest does not say.
    pub output: Option<&'static str>,
    pub payment: Option<Paid>,
    /// Values that the manifest suggests for arguments that were not given, and that were not sent.
    pub suggestions: Vec<String>,
    pub warnings: Vec<String>,
}

/// A payment that was sent.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Paid {
    pub price: String,
    pub amount: String,
    pub asset: String,
    pub payee: Address,
    /// As the server says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<B256>,
}

/// Largest answer that a model gets, as JSON.
const MAX_BODY: usize = 128 * 1024;

/// Suggestions and warnings quote the manifest: this many, with this many characters each.
const MAX_TEXTS: usize = 20;
const MAX_TEXT: usize = 200;

/// The first texts, and how many there are more.
fn bounded(texts: &[String]) -> Vec<String> {
    let first = texts.iter().take(MAX_TEXTS);
    let mut bounded: Vec<_> = first
        .map(|text| crate::text::line(text, MAX_TEXT))
        .collect();
    if texts.len() > MAX_TEXTS {
        bounded.push(format!("and {} more", texts.len() - MAX_TEXTS));
    }
    bounded
}

impl CallAnswer {
    pub(super) fn into_result(self) -> rmcp::model::CallToolResult {
        let is_success = (200..300).contains(&self.status);
        let mut body = content::neutralize_answer(&self.body);
        let text = body.to_string();
        let mut warnings = self.warnings;
        if text.len() > MAX_BODY {
            body = crate::text::paragraphs(&text, MAX_BODY / 4).into();
            warnings.push(format!(
                "the answer has {} bytes: `body` is the start of its JSON, as a text",
                text.len()
            ));
        }
        let mut object = content::marked(&json!({
            "tool_ref": self.tool_ref,
            "status": self.status,
            "suggestions": bounded(&self.suggestions),
            "warnings": bounded(&warnings),
        }));
        object.insert("body".to_owned(), body);
        if let Some(output) = self.output {
            object.insert("output".to_owned(), output.into());
        }
        if let Some(payment) = &self.payment {
            object.insert("payment".to_owned(), json!(payment));
        }
        let mut result = content::structured(object);
        result.is_error = Some(!is_success);
        result
    }
}

/// Approvals that wait for the user. The host carries them as `requestState`: it is sealed with a key of this process, belongs to one
/// tool and its arguments, expires, and counts once.
pub(super) struct Approvals {
    codec: RequestStateCodec,
    used: Mutex<HashMap<B256, Instant>>,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    payment: Payment,
    nonce: B256,
}

impl Approvals {
    /// `None` without random numbers.
    pub(super) fn new() -> Option<Self> {
        let key = [B256::try_random().ok()?, B256::try_random().ok()?];
        Some(Self {
            codec: RequestStateCodec::try_new(key.concat()).ok()?,
            used: Mutex::default(),
        })
    }

    /// `None` without random numbers.
    pub(super) fn seal(&self, payment: Payment, purpose: B256) -> Option<String> {
        let nonce = B256::try_random().ok()?;
        let options = SealOptions::new()
            .associated_data(purpose.as_slice())
            .ttl(APPROVAL_TTL);
        self.codec
            .seal_json_with(&Sealed { payment, nonce }, &options)
            .ok()
    }

    /// `None` if the state is forged, changed, expired, of another call, or was used.
    pub(super) fn open(&self, state: &str, purpose: B256) -> Option<Payment> {
        let sealed: Result<Sealed, _> = self.codec.open_json_with(state, purpose.as_slice());
        let Sealed { payment, nonce } = sealed
            .inspect_err(|error| tracing::warn!(%error, "an approval was rejected"))
            .ok()?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        // What is older has expired.
        used.retain(|_, time| time.elapsed() <= APPROVAL_TTL);
        match used.insert(nonce, Instant::now()) {
            None => Some(payment),
            Some(_) => {
                tracing::warn!("an approval was used before");
                None
            }
        }
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").finish_non_exhaustive()
    }
}

/// What a state belongs to: the tool of the server and its arguments.
pub(super) fn purpose(name: &str, tool: ToolRef, arguments: &str) -> B256 {
    keccak256(json!([name, tool.to_string(), arguments]).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_manifest_are_bounded_in_a_result() {
        let answer = CallAnswer {
            tool_ref: "eip155:1/erc8257:0x01/1".to_owned(),
            status: 200,
            body: json!({ "ok": 1 }),
            output: None,
            payment: None,
            suggestions: vec!["x".repeat(660); 1_000],
            warnings: vec!["y".repeat(660); 32],
        };
        let result = serde_json::to_string(&answer.into_result()).unwrap();
        assert!(result.len() < 32 * 1024, "{}", result.len());
        assert!(result.contains("and 980 more") && result.contains("and 12 more"));
    }

    fn payment() -> Payment {
        Payment {
            tool_ref: "eip155:8453/erc8257:0x1111111111111111111111111111111111111111/1".to_owned(),
            manifest_hash: B256::repeat_byte(1),
            arguments_hash: B256::repeat_byte(2),
            asset: "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913".to_owned(),
            payee: Address::repeat_byte(3),
            amount: "10000".to_owned(),
        }
    }

    #[test]
    fn an_approval_counts_once_for_one_call() {
        let approvals = Approvals::new().unwrap();
        let tool = payment().tool_ref.parse().unwrap();
        let (own, other) = (
            purpose("call_tool", tool, "{}"),
            purpose("call_tool", tool, r#"{"to":"me"}"#),
        );
        let state = approvals.seal(payment(), own).unwrap();
        assert_eq!(approvals.open(&state, other), None);
        assert_eq!(approvals.open(&state, own), Some(payment()));
        assert_eq!(approvals.open(&state, own), None);
        // Of a process before.
        let earlier = Approvals::new().unwrap().seal(payment(), own).unwrap();
        assert_eq!(approvals.open(&earlier, own), None);
    }

    #[test]
    fn no_byte_of_an_approval_can_be_changed() {
        let approvals = Approvals::new().unwrap();
        let own = B256::repeat_byte(9);
        let state = approvals.seal(payment(), own).unwrap();
        for index in 0..state.len() {
            let mut changed = state.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(approvals.open(&changed, own), None, "{index}");
        }
        assert_eq!(approvals.open("", own), None);
        assert_eq!(approvals.open(&state, own), Some(payment()));
    }
}
