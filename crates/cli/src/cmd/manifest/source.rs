//! Where a manifest is read from.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use atr_ids::{HttpsUrl, excerpt};
use atr_manifest::MAX_MANIFEST_BYTES;

use crate::{args::GuardArgs, context::Context, error::Error, process::runtime};

/// The manifest a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct ManifestArgs {
    /// File or https URL to read, or `-` for standard input
    #[arg(value_name = "FILE|URL")]
    source: PathBuf,

    #[command(flatten)]
    guard: GuardArgs,
}

impl ManifestArgs {
    /// What a report calls it, and its bytes: at most one more than a manifest may have, enough to be refused for its length.
    pub(crate) fn read(&self, context: &Context) -> eyre::Result<(String, Vec<u8>)> {
        let source = ManifestSource::try_new(&self.source)?;
        let bytes = match &source {
            ManifestSource::Stdin => source.of_reader(Ok(io::stdin().lock()))?,
            ManifestSource::File(path) => source.of_reader(File::open(path))?,
            ManifestSource::Url(url) => {
                let door = self.guard.door(context)?;
                let fetched = runtime::block_on(door.document(url))?;
                fetched.map_err(|source| Error::FetchManifest {
                    url: url.to_string(),
                    source,
                })?
            }
        };
        Ok((source.name(), bytes))
    }
}

/// A file, standard input or a URL.
#[derive(Debug)]
enum ManifestSource {
    Stdin,
    File(PathBuf),
    Url(HttpsUrl),
}

impl ManifestSource {
    /// What an argument names.
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

    fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
            Self::Url(url) => url.to_string(),
        }
    }

    fn of_reader(&self, reader: io::Result<impl Read>) -> Result<Vec<u8>, Error> {
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
    fn urls_are_told_from_files() {
        for url in ["https://a.example/x.json", "HTTPS://A.example/x.json"] {
            let source = ManifestSource::try_new(Path::new(url)).unwrap();
            assert!(matches!(source, ManifestSource::Url(_)), "{url}");
            assert_eq!(source.name(), "https://a.example/x.json");
        }
        for url in ["HTTP://a.example", "https://", "https://a b"] {
            let refused = ManifestSource::try_new(Path::new(url));
            assert!(matches!(refused, Err(Error::ManifestUrl { .. })), "{url}");
        }
        for file in ["https.json", "./https://x", "a:b"] {
            let source = ManifestSource::try_new(Path::new(file)).unwrap();
            assert_eq!(source.name(), file);
        }
    }
}
