//! https URLs, strictly read and normalised by G1 to G3 of ERC-8257 § 6 and by nothing else.

mod grammar;
mod host;

use std::{fmt, str::FromStr};

use crate::{Error, Origin};

/// An https URL in its normal form: scheme and host in lower case, no port 443, an ASCII host. Path, query and fragment are
/// as written; no slash is added.
///
/// A raw-text grammar decides what is a URL. Parsers repair what they are given (T-20), and what is repaired has two readers
/// who see two hosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HttpsUrl {
    origin: Origin,
    /// Path, query and fragment.
    rest: String,
}

impl HttpsUrl {
    /// A URL from parts that are in normal form.
    pub(crate) const fn new(origin: Origin, rest: String) -> Self {
        Self { origin, rest }
    }

    /// The URL for a writer: a host in other letters than ASCII becomes an A-label (G3), which readers refuse to do (T-19).
    pub fn from_unicode(text: &str) -> Result<Self, Error> {
        match text.parse() {
            Err(Error::ULabelHost { .. }) => grammar::with_a_labels(text)?.parse(),
            other => other,
        }
    }

    /// Who answers for it.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The same, giving up the rest.
    #[must_use]
    pub fn into_origin(self) -> Origin {
        self.origin
    }

    /// Path, query and fragment, as written.
    #[must_use]
    pub fn path_and_more(&self) -> &str {
        &self.rest
    }

    /// Bytes of the normal form.
    #[must_use]
    pub fn byte_length(&self) -> usize {
        let port = self.origin.port().map_or(0, |port| {
            1 + port
                .checked_ilog10()
                .map_or(0, |digits| digits as usize + 1)
        });
        "https://".len() + self.origin.host().len() + port + self.rest.len()
    }

    /// Whether a text that was read as this URL already was in its normal form.
    #[must_use]
    pub fn is_spelt(&self, text: &str) -> bool {
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
            origin: Origin::new(host::normalised(parts.host)?, parts.port),
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
    fn the_length_is_that_of_the_normal_form() {
        for text in [
            "https://a.example",
            "HTTPS://A.example:443/x",
            "https://a.example:8443/?#",
            "https://a.example:1/é",
        ] {
            if let Ok(url) = text.parse::<HttpsUrl>() {
                assert_eq!(url.byte_length(), url.to_string().len(), "{text}");
            }
        }
    }

    #[test]
    fn a_text_in_normal_form_is_told_from_one_that_is_not() {
        for (text, normal) in [
            ("https://a.example/X", true),
            ("https://A.example/X", false),
            ("https://a.example:443/X", false),
        ] {
            assert_eq!(
                text.parse::<HttpsUrl>().unwrap().is_spelt(text),
                normal,
                "{text}"
            );
        }
    }

    #[test]
    fn writers_convert_a_host_that_readers_refuse() {
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
