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

/// An RPC URL, or the name of an endpoint in `foundry.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Url(RpcUrl),
    Name(String),
}

/// Such as `base` or `base_sepolia`; never a URL or a host with a port.
pub(super) fn is_endpoint_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

impl FromStr for Endpoint {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_endpoint_name(text) {
            return Ok(Self::Name(text.to_owned()));
        }
        text.parse().map(Self::Url)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => url.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// One or more endpoints, comma-separated; tried in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RpcUrls(pub(crate) Vec<Endpoint>);

impl From<Endpoint> for RpcUrls {
    fn from(endpoint: Endpoint) -> Self {
        Self(vec![endpoint])
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
        let urls: RpcUrls = "http://a.example/KEY,base_sepolia".parse().unwrap();
        let shown: Vec<_> = urls.0.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["http://a.example/…", "base_sepolia"]);
        assert!(matches!(urls.0[1], Endpoint::Name(_)));
        assert!("http://a.example,".parse::<RpcUrls>().is_err());
        assert!("localhost:8545".parse::<RpcUrls>().is_err());
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
