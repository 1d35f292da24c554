//! Pictures of a tool, as far as a careful surface shows them (ERC-8257, Rendering Manifest Content; T-24).

use std::{fmt, str::FromStr};

use atr_ids::HttpsUrl;

/// Picture types that cannot carry script.
const SHOWN_TYPES: [&str; 5] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/gif",
    "image/avif",
];

/// Where a picture is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// On the web, in normal form.
    Https(HttpsUrl),
    /// On IPFS: to be resolved through a gateway of one's own only.
    Ipfs(String),
    /// In the manifest itself, of a harmless type.
    Data(String),
}

/// Why a picture is not shown. The tool is no worse for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageFault {
    /// Can run script or read local files.
    #[error("this scheme can do harm")]
    ForbiddenScheme,
    /// Can be changed on the way, or means nothing elsewhere.
    #[error("careful surfaces do not load this scheme")]
    DiscouragedScheme,
    /// SVG can carry script.
    #[error("SVG can carry script")]
    Svg,
    /// Not a type that is known to be a picture.
    #[error("the type is not that of a picture")]
    DataType,
    /// An https URL that is none.
    #[error(transparent)]
    Url(#[from] atr_ids::Error),
    /// Anything else.
    #[error("no surface knows this scheme")]
    UnknownScheme,
}

impl ImageFault {
    /// A short word that stays the same from version to version.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ForbiddenScheme => "forbidden-scheme",
            Self::DiscouragedScheme => "discouraged-scheme",
            Self::Svg => "svg",
            Self::DataType => "data-mime",
            Self::Url(error) => error.code(),
            Self::UnknownScheme => "unknown-scheme",
        }
    }
}

impl Image {
    /// Bytes of the URL in its normal form.
    #[must_use]
    pub fn byte_length(&self) -> usize {
        match self {
            Self::Https(url) => url.byte_length(),
            Self::Ipfs(text) | Self::Data(text) => text.len(),
        }
    }
}

impl FromStr for Image {
    type Err = ImageFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Browsers drop whitespace and control characters inside a scheme; such a URL is nobody's.
        let scheme = text
            .split_once(':')
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("https") => Ok(Self::Https(text.parse()?)),
            Some("ipfs") => Ok(Self::Ipfs(text.to_owned())),
            Some("data") => match data_type(text).as_str() {
                "text/html" => Err(ImageFault::ForbiddenScheme),
                "image/svg+xml" => Err(ImageFault::Svg),
                known if SHOWN_TYPES.contains(&known) => Ok(Self::Data(text.to_owned())),
                _ => Err(ImageFault::DataType),
            },
            Some("javascript" | "file" | "vbscript") => Err(ImageFault::ForbiddenScheme),
            Some("http" | "blob") => Err(ImageFault::DiscouragedScheme),
            _ => Err(ImageFault::UnknownScheme),
        }
    }
}

/// The media type of a data URL, parameters left out.
fn data_type(text: &str) -> String {
    let after = &text["data:".len()..];
    let end = after.find([',', ';']).unwrap_or(after.len());
    after[..end].trim().to_ascii_lowercase()
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Https(url) => url.fmt(f),
            Self::Ipfs(text) | Self::Data(text) => f.write_str(text),
        }
    }
}
