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
