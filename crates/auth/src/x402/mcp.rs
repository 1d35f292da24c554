//! x402 over MCP: payments and receipts in `_meta`, challenges as tool results.

use atr_manifest::{Document, Value};
use serde_json::json;

use super::{Receipt, v2};
use crate::{
    Challenge, DecodeError, Json,
    wire::{read::Object, write},
};

/// Member of a request's `params._meta` with a payment.
pub const PAYMENT: &str = "x402/payment";
/// Member of a result's `_meta` with a receipt.
pub const RECEIPT: &str = "x402/payment-response";
/// Older servers wrap the challenge in this member.
const WRAPPER: &str = "x402/error";

/// The tool result that asks for a payment.
#[must_use]
pub fn challenge_result(challenge: &v2::PaymentRequired) -> Json {
    let structured = write::to_json(challenge);
    json!({
        "isError": true,
        "content": [{ "type": "text", "text": structured.to_string() }],
        "structuredContent": structured,
    })
}

/// Reads the challenge of a tool result. `None` if the result does not ask for a payment.
pub fn read_challenge(result: Value<'_>) -> Option<Result<Challenge, DecodeError>> {
    let result = Object::new(result).ok()?;
    if result.get("isError").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let structured = result.get("structuredContent").and_then(find);
    if let Some(challenge) = structured {
        return Some(Challenge::from_value(challenge));
    }
    let first = result.get("content")?.elements().next()?;
    let text = first.get("text").and_then(Value::as_str)?;
    let document = Document::parse(text).ok()?;
    find(document.root()).map(Challenge::from_value)
}

/// The challenge, or the one inside the wrapper.
fn find(value: Value<'_>) -> Option<Value<'_>> {
    let is_challenge = |value: &Value<'_>| value.get("x402Version").is_some();
    let wrapped = || value.get(WRAPPER)?.get("data");
    Some(value)
        .filter(is_challenge)
        .or_else(|| wrapped().filter(is_challenge))
}

/// Reads the receipt of a tool result.
pub fn read_receipt(result: Value<'_>) -> Option<Result<Receipt, DecodeError>> {
    let receipt = result.get("_meta")?.get(RECEIPT)?;
    Some(Receipt::from_value(receipt))
}
