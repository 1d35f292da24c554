//! A document to read: a file, a URL or standard input.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use atr_ids::{HttpsUrl, excerpt};
use atr_manifest::MAX_MANIFEST_BYTES;

use super::FetchArgs;
use crate::{context::Context, error::Error, process::runtime};

/// What a document is, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    Manifest,
    Card,
    A2aCard,
    RegistrationFile,
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Manifest => "manifest",
            Self::Card => "card",
            Self::A2aCard => "A2A card",
            Self::RegistrationFile => "registration file",
        })
    }
}

#[derive(Debug)]
pub(crate) enum DocumentSource {
    Stdin,
    File(PathBuf),
    Url(HttpsUrl),
}

impl DocumentSource {
    /// Source and bytes; reads at most one byte more than the maximum size, so that validation reports the excess.
    pub(crate) fn open(
        argument: &Path,
        kind: DocumentKind,
        fetch: &FetchArgs,
        context: &Context,
    ) -> eyre::Result<(Self, Vec<u8>)> {
        let source = Self::try_new(argument, kind)?;
        let bytes = match &source {
            Self::Stdin => source.read(Ok(io::stdin().lock()), kind)?,
            Self::File(path) => source.read(File::open(path), kind)?,
            Self::Url(url) => {
                let client = fetch.client(context)?;
                let fetched = runtime::block_on(client.fetch_document(url))?;
                fetched.map_err(|source| Error::FetchDocument {
                    url: url.to_string(),
                    kind,
                    source,
                })?
            }
        };
        Ok((source, bytes))
    }

    fn try_new(argument: &Path, kind: DocumentKind) -> Result<Self, Error> {
        let text = argument.to_string_lossy();
        if text == "-" {
            return Ok(Self::Stdin);
        }
        let scheme = text
            .split_once("://")
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        if matches!(scheme.as_deref(), Some("http" | "https")) {
            let url = text.parse().map_err(|source| Error::DocumentUrl {
                url: excerpt(&text),
                kind,
                source,
            })?;
            return Ok(Self::Url(url));
        }
        Ok(Self::File(argument.to_owned()))
    }

    pub(crate) const fn url(&self) -> Option<&HttpsUrl> {
        match self {
            Self::Url(url) => Some(url),
            Self::Stdin | Self::File(_) => None,
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
            Self::Url(url) => url.to_string(),
        }
    }

    fn read(&self, reader: io::Result<impl Read>, kind: DocumentKind) -> Result<Vec<u8>, Error> {
        let limit = MAX_MANIFEST_BYTES as u64 + 1;
        let mut bytes = Vec::new();
        match reader.and_then(|reader| reader.take(limit).read_to_end(&mut bytes)) {
            Ok(_) => Ok(bytes),
            Err(source) => Err(Error::ReadDocument {
                name: self.name(),
                kind,
                source,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_urls_from_files() {
        let try_new = |text: &str| DocumentSource::try_new(Path::new(text), DocumentKind::Card);
        for url in ["https://a.example/x.json", "HTTPS://A.example/x.json"] {
            let source = try_new(url).unwrap();
            assert!(matches!(source, DocumentSource::Url(_)), "{url}");
            assert_eq!(source.name(), "https://a.example/x.json");
        }
        for url in ["HTTP://a.example", "https://", "https://a b"] {
            let rejected = try_new(url);
            assert!(matches!(rejected, Err(Error::DocumentUrl { .. })), "{url}");
        }
        for file in ["https.json", "./https://x", "a:b"] {
            let source = try_new(file).unwrap();
            assert_eq!(source.name(), file);
        }
    }
}
