//! Where a manifest must be served.

use std::{fmt, str::FromStr};

use crate::{Error, HttpsUrl, Origin, Slug, excerpt};

/// The registry refuses longer ones.
pub const MAX_METADATA_URI_BYTES: usize = 2048;

const FOLDER: &str = "/.well-known/ai-tool/";
const SUFFIX: &str = ".json";

/// A manifest's address: `<origin>/.well-known/ai-tool/<slug>.json` and nothing else (ERC-8257 § 6, W1 to W3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetadataUri {
    origin: Origin,
    slug: Slug,
}

impl MetadataUri {
    /// Where the manifest of a tool belongs.
    #[must_use]
    pub const fn new(origin: Origin, slug: Slug) -> Self {
        Self { origin, slug }
    }

    /// Who must serve it.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The tool's name within that origin.
    #[must_use]
    pub const fn slug(&self) -> &Slug {
        &self.slug
    }

    /// The part after the origin.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{FOLDER}{}{SUFFIX}", self.slug)
    }

    /// The same as a URL to ask.
    #[must_use]
    pub fn to_url(&self) -> HttpsUrl {
        HttpsUrl::new(self.origin.clone(), self.path())
    }

    /// Whether a tool at `endpoint` may be described here: same scheme, host and port; path, query and fragment play no part.
    #[must_use]
    pub fn binds(&self, endpoint: &HttpsUrl) -> bool {
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
        // The rule is about the characters: parsers report an empty query as no query (T-20).
        if let Some(character) = text
            .chars()
            .find(|character| matches!(character, '?' | '#'))
        {
            return Err(Error::QueryOrFragment { character });
        }
        let path = url.path_and_more();
        let slug = path
            .strip_prefix(FOLDER)
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
        write!(f, "{}{FOLDER}{}{SUFFIX}", self.origin, self.slug)
    }
}
