//! https URLs, parsed strictly and normalized by G1 to G3 of ERC-8257 § 6.

mod grammar;
mod host;

use std::{fmt, str::FromStr};

use crate::{Error, Origin};

/// A normalized https URL: lower-case scheme, lower-case ASCII host, no port 443. Path, query and fragment are unchanged; no
/// slash is added.
///
/// A grammar validates the raw text. Lenient URL parsers repair invalid input (T-20), so two of them can see different hosts
/// in the same text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HttpsUrl {
    origin: Origin,
    /// Path, query and fragment.
    rest: String,
}

impl HttpsUrl {
    /// Creates a URL from normalized parts.
    pub(crate) const fn new(origin: Origin, rest: String) -> Self {
        Self { origin, rest }
    }

    /// Parses a URL and converts a Unicode host to A-labels (G3). For producers only: consumers must reject such a host (T-19).
    pub fn from_unicode(text: &str) -> Result<Self, Error> {
        match text.parse() {
            Err(Error::ULabelHost { .. }) => grammar::with_a_labels(text)?.parse(),
            other => other,
        }
    }

    /// Scheme, host and port.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Scheme, host and port.
    #[must_use]
    pub fn into_origin(self) -> Origin {
        self.origin
    }

    /// Path, query and fragment, unchanged.
    #[must_use]
    pub fn path_query_fragment(&self) -> &str {
        &self.rest
    }

    /// Whether path, query and fragment have only characters that RFC 3986 allows. Others must be percent-encoded in a request.
    #[must_use]
    pub fn is_percent_encoded(&self) -> bool {
        grammar::is_rfc_3986(&self.rest)
    }

    /// Length of the normalized URL in bytes.
    #[must_use]
    pub fn byte_length(&self) -> usize {
        let port = self.origin.port().map_or(0, |port| {
            1 + port
                .checked_ilog10()
                .map_or(0, |digits| digits as usize + 1)
        });
        "https://".len() + self.origin.host().len() + port + self.rest.len()
    }

    /// Whether `text`, from which this URL was parsed, is already normalized.
    #[must_use]
    pub fn is_normalized(&self, text: &str) -> bool {
        let rest = text
            .strip_prefix("https://")
            .and_then(|rest| rest.strip_prefix(self.origin.host()))
            .and_then(|rest| rest.strip_suffix(self.rest.as_str()));
        match (rest, self.origin.port()) {
            (Some(port), None) => port.is_empty(),
            (Some(port), Some(number)) => port == format!(":{number}"),
            (None, _) => false,
        }
    }
}

impl FromStr for HttpsUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = grammar::parse(text)?;
        Ok(Self {
            origin: Origin::new(host::normalize(parts.host)?, parts.port),
            rest: parts.rest.to_owned(),
        })
    }
}

impl fmt::Display for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_length_is_the_length_of_the_normalized_url() {
        for text in [
            "https://a.example",
            "HTTPS://A.example:443/x",
            "https://a.example:8443/?#",
            "https://a.example:1/é",
            "https://a.example:65535",
        ] {
            let url: HttpsUrl = text.parse().unwrap();
            assert_eq!(url.byte_length(), url.to_string().len(), "{text}");
        }
    }

    #[test]
    fn is_normalized_detects_text_that_is_not_normalized() {
        for (text, is_normalized) in [
            ("https://a.example/X", true),
            ("https://A.example/X", false),
            ("https://a.example:443/X", false),
        ] {
            assert_eq!(
                text.parse::<HttpsUrl>().unwrap().is_normalized(text),
                is_normalized,
                "{text}"
            );
        }
    }

    #[test]
    fn from_unicode_converts_a_host_that_parse_rejects() {
        // G-03, T-19
        let text = "https://Bücher.example:8443/x?y#z";
        assert!(matches!(
            text.parse::<HttpsUrl>(),
            Err(Error::ULabelHost { .. })
        ));
        let url = HttpsUrl::from_unicode(text).unwrap();
        assert_eq!(url.to_string(), "https://xn--bcher-kva.example:8443/x?y#z");
        assert_eq!(
            HttpsUrl::from_unicode("https://a.example/x")
                .unwrap()
                .to_string(),
            "https://a.example/x"
        );
        assert!(HttpsUrl::from_unicode("https://user@bücher.example").is_err());
        assert!(HttpsUrl::from_unicode("https://a\u{ff0f}b.example").is_err());
    }
}
