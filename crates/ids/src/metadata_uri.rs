//! The well-known URI of a manifest.

use std::{fmt, str::FromStr};

use crate::{Error, HttpsUrl, Origin, Slug, excerpt};

/// Limit of the registry contract.
pub const MAX_METADATA_URI_BYTES: usize = 2048;

const PREFIX: &str = "/.well-known/ai-tool/";
const SUFFIX: &str = ".json";

/// A manifest URL: `<origin>/.well-known/ai-tool/<slug>.json` (ERC-8257 § 6, W1 to W3). On chain it is `metadataURI`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetadataUri {
    origin: Origin,
    slug: Slug,
}

impl MetadataUri {
    /// Creates the URI of a tool's manifest.
    #[must_use]
    pub const fn new(origin: Origin, slug: Slug) -> Self {
        Self { origin, slug }
    }

    /// The origin that serves the manifest.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Name of the tool within the origin.
    #[must_use]
    pub const fn slug(&self) -> &Slug {
        &self.slug
    }

    /// Path of the URI.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{PREFIX}{}{SUFFIX}", self.slug)
    }

    /// Converts the URI to a URL.
    #[must_use]
    pub fn to_url(&self) -> HttpsUrl {
        HttpsUrl::new(self.origin.clone(), self.path())
    }

    /// The origin rule: whether `endpoint` has the same scheme, host and port.
    #[must_use]
    pub fn is_same_origin(&self, endpoint: &HttpsUrl) -> bool {
        self.origin == *endpoint.origin()
    }
}

impl FromStr for MetadataUri {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_METADATA_URI_BYTES {
            return Err(Error::TooLong { bytes: text.len() });
        }
        let url: HttpsUrl = text.parse()?;
        // The characters are forbidden even if query or fragment are empty (T-20).
        if let Some(character) = text
            .chars()
            .find(|character| matches!(character, '?' | '#'))
        {
            return Err(Error::QueryOrFragment { character });
        }
        let path = url.path_query_fragment();
        let slug = path
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.strip_suffix(SUFFIX))
            .ok_or_else(|| Error::Path {
                path: excerpt(path),
            })?;
        Ok(Self {
            slug: slug.parse()?,
            origin: url.into_origin(),
        })
    }
}

impl fmt::Display for MetadataUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{PREFIX}{}{SUFFIX}", self.origin, self.slug)
    }
}
