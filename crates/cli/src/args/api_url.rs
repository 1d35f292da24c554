//! URL of a server of the index.

use std::{fmt, str::FromStr};

use url::Url;

use crate::args::InvalidValue;

/// Base URL of an `atr serve`. Requests contain no secrets, so plain HTTP is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiUrl(Url);

impl ApiUrl {
    pub(crate) const fn url(&self) -> &Url {
        &self.0
    }

    /// The URL of a path of the API.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}/{path}", self.0.path().trim_end_matches('/')));
        url
    }
}

impl FromStr for ApiUrl {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).ok().filter(|url| {
            let has_credentials = !url.username().is_empty() || url.password().is_some();
            matches!(url.scheme(), "http" | "https") && url.has_host() && !has_credentials
        });
        let mut url = url.ok_or_else(|| InvalidValue::ApiUrl {
            found: text.to_owned(),
        })?;
        url.set_query(None);
        url.set_fragment(None);
        Ok(Self(url))
    }
}

impl fmt::Display for ApiUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_appended() {
        for (base, expected) in [
            (
                "http://127.0.0.1:8257",
                "http://127.0.0.1:8257/api/v2/tools",
            ),
            (
                "https://index.example/base/?x#y",
                "https://index.example/base/api/v2/tools",
            ),
        ] {
            let url: ApiUrl = base.parse().unwrap();
            assert_eq!(url.join("api/v2/tools").as_str(), expected);
        }
        for text in ["", "index.example", "ftp://x", "https://user:secret@x"] {
            assert!(text.parse::<ApiUrl>().is_err(), "{text}");
        }
    }
}
