//! The URL of a node, which often carries a key.

use std::{fmt, str::FromStr};

use url::Url;

use crate::args::InvalidValue;

/// The URL of a node. Printed (`Display`, `Debug`) it shows scheme and host only: providers put keys in all other parts.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RpcUrl(Url);

impl RpcUrl {
    /// The whole URL, key included: for the one who asked for it by name, never for a log.
    pub(crate) fn expose(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for RpcUrl {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |rule: &str| InvalidValue::RpcUrl {
            rule: rule.to_owned(),
        };
        let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") {
            return Err(refused(
                "it must begin with http://, https://, ws:// or wss://",
            ));
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
    fn shows_nothing_that_may_be_a_key() {
        for (url, shown) in [
            ("http://localhost:8545", "http://localhost:8545"),
            ("https://node.example/v2/SECRET", "https://node.example/…"),
            ("https://node.example?key=SECRET", "https://node.example/…"),
            ("https://node.example/#SECRET", "https://node.example/…"),
            ("wss://SECRET@node.example", "wss://node.example/…"),
        ] {
            let url: RpcUrl = url.parse().unwrap();
            assert_eq!(url.to_string(), shown);
            assert!(!format!("{url:?}").contains("SECRET"));
        }
    }

    #[test]
    fn keeps_the_whole_url_for_the_one_who_asks() {
        let url: RpcUrl = "https://node.example/v2/SECRET".parse().unwrap();
        assert_eq!(url.expose(), "https://node.example/v2/SECRET");
    }

    #[test]
    fn refuses_other_schemes_and_things_that_are_no_url() {
        for text in [
            "",
            "localhost:8545",
            "node.example",
            "file:///node.ipc",
            "https://",
        ] {
            assert!(
                matches!(text.parse::<RpcUrl>(), Err(InvalidValue::RpcUrl { .. })),
                "{text:?}"
            );
        }
    }
}
