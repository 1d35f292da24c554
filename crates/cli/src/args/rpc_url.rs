//! RPC URL argument.

use std::{fmt, str::FromStr};

use url::Url;

use crate::args::InvalidValue;

/// An RPC URL. `Display` and `Debug` print scheme and host only, because providers put API keys in the other parts.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RpcUrl(Url);

impl RpcUrl {
    /// The full URL including an API key; must not be logged.
    pub(crate) fn expose(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn url(&self) -> Url {
        self.0.clone()
    }
}

impl FromStr for RpcUrl {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |reason: &str| InvalidValue::RpcUrl {
            reason: reason.to_owned(),
        };
        let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("the scheme must be http or https"));
        }
        Ok(Self(url))
    }
}

/// One or more RPC URLs, comma-separated; tried in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RpcUrls(pub(crate) Vec<RpcUrl>);

impl RpcUrls {
    /// The full URLs including API keys; must not be logged.
    pub(crate) fn expose(&self) -> String {
        let urls: Vec<_> = self.0.iter().map(RpcUrl::expose).collect();
        urls.join(",")
    }

    pub(crate) fn urls(&self) -> Vec<Url> {
        self.0.iter().map(|url| url.0.clone()).collect()
    }
}

impl From<RpcUrl> for RpcUrls {
    fn from(url: RpcUrl) -> Self {
        Self(vec![url])
    }
}

impl FromStr for RpcUrls {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for RpcUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&urls.join(","))
    }
}

/// A request header, `Name: value`. `Debug` prints the name only, because the value can be an API key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RpcHeader(pub(crate) (String, String));

impl FromStr for RpcHeader {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once(':').ok_or(InvalidValue::RpcHeader)?;
        Ok(Self((name.trim().to_owned(), value.trim().to_owned())))
    }
}

impl fmt::Debug for RpcHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcHeader({})", self.0.0)
    }
}

impl fmt::Display for RpcUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = self.0.origin().ascii_serialization();
        let bare = Url::parse(&origin).is_ok_and(|origin| origin == self.0);
        f.write_str(&origin)?;
        if bare { Ok(()) } else { f.write_str("/…") }
    }
}

impl fmt::Debug for RpcUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_debug_hide_everything_but_the_origin() {
        for (url, shown) in [
            ("http://localhost:8545", "http://localhost:8545"),
            ("https://node.example/v2/SECRET", "https://node.example/…"),
            ("https://node.example?key=SECRET", "https://node.example/…"),
            ("https://node.example/#SECRET", "https://node.example/…"),
            ("https://SECRET@node.example", "https://node.example/…"),
        ] {
            let url: RpcUrl = url.parse().unwrap();
            assert_eq!(url.to_string(), shown);
            assert!(!format!("{url:?}").contains("SECRET"));
        }
    }

    #[test]
    fn several_urls_are_separated_by_commas() {
        let urls: RpcUrls = "http://a.example/KEY,http://b.example".parse().unwrap();
        assert_eq!(urls.urls().len(), 2);
        assert_eq!(urls.to_string(), "http://a.example/…,http://b.example");
        assert_eq!(urls.expose(), "http://a.example/KEY,http://b.example/");
        assert!("http://a.example,".parse::<RpcUrls>().is_err());
    }

    #[test]
    fn a_header_has_a_name_and_a_value() {
        let header: RpcHeader = "Authorization: Bearer SECRET".parse().unwrap();
        assert_eq!(header.0.1, "Bearer SECRET");
        assert_eq!(format!("{header:?}"), "RpcHeader(Authorization)");
        assert!("Authorization".parse::<RpcHeader>().is_err());
    }

    #[test]
    fn expose_returns_the_full_url() {
        let url: RpcUrl = "https://node.example/v2/SECRET".parse().unwrap();
        assert_eq!(url.expose(), "https://node.example/v2/SECRET");
    }

    #[test]
    fn rejects_other_schemes_and_values_that_are_not_urls() {
        for text in [
            "",
            "localhost:8545",
            "node.example",
            "file:///node.ipc",
            "ws://localhost:8545",
            "https://",
        ] {
            assert!(
                matches!(text.parse::<RpcUrl>(), Err(InvalidValue::RpcUrl { .. })),
                "{text:?}"
            );
        }
    }
}
