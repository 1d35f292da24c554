//! What the handler learns about a call.

use std::borrow::Cow;

use alloy_primitives::{Address, B256, U256};
use atr_ids::ToolRef;
use atr_rpc::Head;
use http::{HeaderMap, HeaderName, HeaderValue};

/// An admitted call. The gate puts it into the extensions of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateContext {
    /// The tool that is called.
    pub tool: ToolRef,
    /// Who calls. With a delegation, the account that delegated.
    pub caller: Address,
    /// Who signed, if that is not the caller but its delegate.
    pub agent: Option<Address>,
    /// The block at which access was granted; `None` if the gate only takes payments.
    pub granted_at: Option<Head>,
    /// The payment; `None` if the call is free.
    pub payment: Option<Payment>,
}

/// A payment that a facilitator verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// In base units of the token.
    pub amount: U256,
    /// The token.
    pub asset: Address,
    /// The account that pays.
    pub payer: Address,
    /// The transfer; `None` if it follows after the handler.
    pub transaction: Option<B256>,
}

const CALLER: HeaderName = HeaderName::from_static("x-tool-caller");
const AGENT: HeaderName = HeaderName::from_static("x-tool-agent");
const PAID: HeaderName = HeaderName::from_static("x-tool-paid");
const PAYMENT_TX: HeaderName = HeaderName::from_static("x-tool-payment-tx");

/// The account that an agent calls for.
pub(crate) const DELEGATE_FOR: HeaderName = HeaderName::from_static("x-delegate-for");

/// Data for the predicate, such as a Merkle proof.
pub(crate) const ACCESS_DATA: HeaderName = HeaderName::from_static("x-access-data");

/// Prefix of the headers that only the gate sets.
pub(crate) const PREFIX: &str = "x-tool-";

impl GateContext {
    /// Sets the headers that tell an upstream server about the call.
    pub(crate) fn set_headers(&self, headers: &mut HeaderMap) {
        let mut set = |name, text: String| {
            if let Ok(value) = HeaderValue::try_from(text) {
                headers.insert(name, value);
            }
        };
        set(CALLER, self.caller.to_string());
        if let Some(agent) = self.agent {
            set(AGENT, agent.to_string());
        }
        if let Some(payment) = &self.payment {
            set(PAID, "true".to_owned());
            if let Some(transaction) = payment.transaction {
                set(PAYMENT_TX, transaction.to_string());
            }
        }
    }
}

/// Removes headers of the caller that only the gate may set, also in spellings that CGI and WSGI servers confuse with them.
pub(crate) fn remove_reserved(headers: &mut HeaderMap) {
    remove_tool_headers(headers);
    let reserved = [DELEGATE_FOR, ACCESS_DATA];
    remove(headers, |name| {
        let canonical = canonical(name);
        reserved.iter().any(|other| canonical == other.as_str())
    });
}

/// Removes `X-Tool-Caller` and its like, which describe an admitted caller. Also from requests that no gate decides on: the server
/// behind an open route or a free MCP tool trusts them as well.
pub(crate) fn remove_tool_headers(headers: &mut HeaderMap) {
    remove(headers, |name| canonical(name).starts_with(PREFIX));
}

pub(crate) fn remove(headers: &mut HeaderMap, is_removed: impl Fn(&HeaderName) -> bool) {
    let names = headers.keys().filter(|name| is_removed(name)).cloned();
    for name in names.collect::<Vec<_>>() {
        headers.remove(name);
    }
}

/// The name with every character that is not a letter or a digit replaced by `-`. Header names are in lower case.
pub(crate) fn canonical(name: &HeaderName) -> Cow<'_, str> {
    let name = name.as_str();
    let is_canonical = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    // Nearly every name: this runs several times for each header of a request.
    if name.bytes().all(is_canonical) {
        return Cow::Borrowed(name);
    }
    let replace = |character: char| match character {
        'a'..='z' | '0'..='9' => character,
        _ => '-',
    };
    Cow::Owned(name.chars().map(replace).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_from_outside_are_removed_in_every_spelling() {
        let mut headers = HeaderMap::new();
        for name in [
            "x-tool-caller",
            "x_tool_caller",
            "x-tool_agent",
            "x-tool-anything",
            "x-delegate-for",
            "x_delegate_for",
            "x-access-data",
            "x-toolbox",
            "accept",
        ] {
            let name = HeaderName::from_static(name);
            headers.append(name.clone(), HeaderValue::from_static("1"));
            headers.append(name, HeaderValue::from_static("2"));
        }
        remove_reserved(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["accept", "x-toolbox"]);
    }
}
