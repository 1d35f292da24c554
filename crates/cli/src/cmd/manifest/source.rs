//! Manifest argument: a file, a URL or standard input.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use atr_ids::{HttpsUrl, excerpt};
use atr_manifest::MAX_MANIFEST_BYTES;

use crate::{args::FetchArgs, context::Context, error::Error, process::runtime};

#[derive(Debug, clap::Args)]
pub(crate) struct ManifestArgs {
    /// Manifest: a file, an https URL, or `-` for standard input
    #[arg(value_name = "FILE|URL")]
    source: PathBuf,

    #[command(flatten)]
    fetch: FetchArgs,
}

impl ManifestArgs {
    /// Source and bytes; reads at most one byte more than the maximum size, so that validation reports the excess.
    pub(crate) fn read(&self, context: &Context) -> eyre::Result<(ManifestSource, Vec<u8>)> {
        let source = ManifestSource::try_new(&self.source)?;
        let bytes = match &source {
            ManifestSource::Stdin => source.read(Ok(io::stdin().lock()))?,
            ManifestSource::File(path) => source.read(File::open(path))?,
            ManifestSource::Url(url) => {
                let client = self.fetch.client(context)?;
                let fetched = runtime::block_on(client.fetch_document(url))?;
                fetched.map_err(|source| Error::FetchManifest {
                    url: url.to_string(),
                    source,
                })?
            }
        };
        Ok((source, bytes))
    }
}

#[derive(Debug)]
pub(crate) enum ManifestSource {
    Stdin,
    File(PathBuf),
    Url(HttpsUrl),
}

impl ManifestSource {
    fn try_new(argument: &Path) -> Result<Self, Error> {
        let text = argument.to_string_lossy();
        if text == "-" {
            return Ok(Self::Stdin);
        }
        let scheme = text
            .split_once("://")
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        if matches!(scheme.as_deref(), Some("http" | "https")) {
            let url = text.parse().map_err(|source| Error::ManifestUrl {
                url: excerpt(&text),
                source,
            })?;
            return Ok(Self::Url(url));
        }
        Ok(Self::File(argument.to_owned()))
    }

    pub(super) const fn url(&self) -> Option<&HttpsUrl> {
        match self {
            Self::Url(url) => Some(url),
            Self::Stdin | Self::File(_) => None,
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
            Self::Url(url) => url.to_string(),
        }
    }

    fn read(&self, reader: io::Result<impl Read>) -> Result<Vec<u8>, Error> {
        let limit = MAX_MANIFEST_BYTES as u64 + 1;
        let mut bytes = Vec::new();
        match reader.and_then(|reader| reader.take(limit).read_to_end(&mut bytes)) {
            Ok(_) => Ok(bytes),
            Err(source) => Err(Error::ReadManifest {
                name: self.name(),
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
        for url in ["https://a.example/x.json", "HTTPS://A.example/x.json"] {
            let source = ManifestSource::try_new(Path::new(url)).unwrap();
            assert!(matches!(source, ManifestSource::Url(_)), "{url}");
            assert_eq!(source.name(), "https://a.example/x.json");
        }
        for url in ["HTTP://a.example", "https://", "https://a b"] {
            let rejected = ManifestSource::try_new(Path::new(url));
            assert!(matches!(rejected, Err(Error::ManifestUrl { .. })), "{url}");
        }
        for file in ["https.json", "./https://x", "a:b"] {
            let source = ManifestSource::try_new(Path::new(file)).unwrap();
            assert_eq!(source.name(), file);
        }
    }
}
