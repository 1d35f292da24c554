//! Names of request headers that only the gate may set.

use http::{HeaderMap, HeaderName, header::AUTHORIZATION};

use crate::context::{PREFIX, canonical, remove, remove_reserved};

/// Headers with these names describe the caller or the client: upstream servers trust them.
const RESERVED: [&str; 13] = [
    "authorization",
    "content-length",
    "forwarded",
    "host",
    "payment-signature",
    "transfer-encoding",
    "x-access-data",
    "x-delegate-for",
    "x-original-url",
    "x-payment",
    "x-real-ip",
    "x-request-id",
    "x-rewrite-url",
];
const RESERVED_PREFIXES: [&str; 2] = [PREFIX, "x-forwarded-"];

/// Payment headers of both versions of x402.
pub(crate) const PAYMENT_HEADERS: [HeaderName; 2] = [
    HeaderName::from_static("x-payment"),
    HeaderName::from_static("payment-signature"),
];

/// Headers that make frameworks handle a request as one of another method.
const METHOD_OVERRIDES: [&str; 3] = [
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// Schemes of `Authorization` that carry a credential for a gate.
const SCHEMES: [&str; 2] = ["eip-3009", "siwe"];

/// Whether a name is reserved, in the spelling of HTTP or in one that CGI and WSGI servers confuse with it.
pub(crate) fn is_reserved(name: &HeaderName) -> bool {
    let name = canonical(name);
    RESERVED.contains(&&*name)
        || RESERVED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Removes headers such as `X_Tool_Caller`: CGI, WSGI and Rack servers cannot distinguish them from `X-Tool-Caller`.
pub(crate) fn remove_lookalikes(headers: &mut HeaderMap) {
    remove(headers, |name| {
        canonical(name) != name.as_str() && is_reserved(name)
    });
}

/// Removes what a request to a gate carries, for requests that pass without one: the credentials are valid elsewhere.
pub(crate) fn remove_credentials(headers: &mut HeaderMap) {
    remove_reserved(headers);
    remove(headers, |name| {
        let name = canonical(name);
        PAYMENT_HEADERS.iter().any(|header| *header == *name)
    });
    let has_credential = headers.get_all(AUTHORIZATION).iter().any(|value| {
        let value = value.as_bytes().trim_ascii_start();
        let end = value.iter().position(u8::is_ascii_whitespace);
        let scheme = &value[..end.unwrap_or(value.len())];
        SCHEMES
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
    });
    if has_credential {
        headers.remove(AUTHORIZATION);
    }
}

/// Removes headers that change the method: the gate decides by the method of the request.
pub(crate) fn remove_method_overrides(headers: &mut HeaderMap) {
    remove(headers, |name| {
        METHOD_OVERRIDES.contains(&&*canonical(name))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_only_lookalikes_of_reserved_names() {
        let names = [
            "x-tool-caller",
            "x_tool_caller",
            "x-tool_paid",
            "x.tool.agent",
            "x_forwarded_for",
            "x_payment",
            "api_key",
            "authorization",
        ];
        let mut headers: HeaderMap = names
            .iter()
            .map(|name| (HeaderName::from_static(name), "1".parse().unwrap()))
            .collect();
        remove_lookalikes(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["api_key", "authorization", "x-tool-caller"]);
    }

    #[test]
    fn removes_credentials_and_keeps_what_belongs_to_the_application() {
        let names = [
            "x-tool-caller",
            "x_tool_paid",
            "x-payment",
            "payment-signature",
            "x-delegate-for",
            "x-access-data",
            "x-http-method-override",
            "x_http_method",
            "accept",
        ];
        let mut headers: HeaderMap = names
            .iter()
            .map(|name| (HeaderName::from_static(name), "1".parse().unwrap()))
            .collect();
        headers.insert(AUTHORIZATION, "Bearer token".parse().unwrap());
        remove_credentials(&mut headers);
        remove_method_overrides(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["accept", "authorization"]);
        for credential in ["EIP-3009 e30=", "siwe e30="] {
            headers.insert(AUTHORIZATION, credential.parse().unwrap());
            remove_credentials(&mut headers);
            assert!(!headers.contains_key(AUTHORIZATION), "{credential}");
        }
    }
}
