//! Image URLs that are safe to display (ERC-8257, Rendering Manifest Content; T-24).

use std::{fmt, str::FromStr};

use atr_ids::HttpsUrl;

/// Image types that cannot contain scripts.
const SAFE_TYPES: [&str; 5] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/gif",
    "image/avif",
];

/// An image URL that is safe to display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// An https URL.
    Https(HttpsUrl),
    /// An ipfs URL. Resolve it through your own gateway only.
    Ipfs(String),
    /// A data URL of a safe image type.
    Data(String),
}

/// Why an image should not be displayed. The manifest stays valid for consumers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// A scheme that can run scripts or read local files.
    #[error("the scheme is unsafe")]
    ForbiddenScheme,
    /// A scheme without integrity (http), or one that is valid in one browser session only (blob).
    #[error("the scheme is discouraged")]
    DiscouragedScheme,
    /// SVG can contain scripts.
    #[error("SVG can contain scripts")]
    Svg,
    /// A data URL of another type.
    #[error("the media type is not an allowed image type")]
    DataType,
    /// An invalid https URL.
    #[error(transparent)]
    Url(#[from] atr_ids::Error),
    /// Another scheme.
    #[error("the scheme is unknown")]
    UnknownScheme,
}

impl ImageError {
    /// Stable machine-readable code.
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
    /// Length of the normalized URL in bytes.
    #[must_use]
    pub fn byte_length(&self) -> usize {
        match self {
            Self::Https(url) => url.byte_length(),
            Self::Ipfs(text) | Self::Data(text) => text.len(),
        }
    }
}

impl FromStr for Image {
    type Err = ImageError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Browsers drop whitespace and control characters inside a scheme. Here such a scheme is unknown.
        let scheme = text
            .split_once(':')
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("https") => Ok(Self::Https(text.parse()?)),
            Some("ipfs") => Ok(Self::Ipfs(text.to_owned())),
            Some("data") => match data_type(text).as_str() {
                "text/html" => Err(ImageError::ForbiddenScheme),
                "image/svg+xml" => Err(ImageError::Svg),
                known if SAFE_TYPES.contains(&known) => Ok(Self::Data(text.to_owned())),
                _ => Err(ImageError::DataType),
            },
            Some("javascript" | "file" | "vbscript") => Err(ImageError::ForbiddenScheme),
            Some("http" | "blob") => Err(ImageError::DiscouragedScheme),
            _ => Err(ImageError::UnknownScheme),
        }
    }
}

/// The media type of a data URL, without parameters.
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
