//! Names of request headers that only the gate may set.

use http::{HeaderMap, HeaderName};

use crate::context::{PREFIX, canonical, remove};

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

/// Whether a name is reserved, in the spelling of HTTP or in one that CGI and WSGI servers confuse with it.
pub(crate) fn is_reserved(name: &HeaderName) -> bool {
    let name = canonical(name);
    RESERVED.contains(&name.as_str())
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
}
