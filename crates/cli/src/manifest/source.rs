//! Where a manifest is read from.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use atr_manifest::MAX_MANIFEST_BYTES;

use crate::error::Error;

/// A file or standard input.
#[derive(Debug)]
pub(crate) enum ManifestSource {
    Stdin,
    File(PathBuf),
}

impl ManifestSource {
    /// What an argument names; `command` is told to whoever gives a URL.
    pub(crate) fn try_new(argument: &Path, command: &'static str) -> Result<Self, Error> {
        let text = argument.to_string_lossy();
        if text == "-" {
            return Ok(Self::Stdin);
        }
        let scheme = text
            .split_once("://")
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        if matches!(scheme.as_deref(), Some("http" | "https")) {
            return Err(Error::UrlNotRead {
                url: text.into_owned(),
                command,
            });
        }
        Ok(Self::File(argument.to_owned()))
    }

    /// What a report calls it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Its bytes, at most one more than a manifest may have: enough to be refused for its length.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Error> {
        let limit = MAX_MANIFEST_BYTES as u64 + 1;
        let mut bytes = Vec::new();
        let read = match self {
            Self::Stdin => io::stdin().lock().take(limit).read_to_end(&mut bytes),
            Self::File(path) => {
                File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
            }
        };
        match read {
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
        for url in ["https://a.example/x.json", "HTTP://a.example"] {
            let refused = ManifestSource::try_new(Path::new(url), "hash");
            assert!(matches!(refused, Err(Error::UrlNotRead { .. })), "{url}");
        }
        for file in ["https.json", "./https://x", "a:b"] {
            let source = ManifestSource::try_new(Path::new(file), "hash").unwrap();
            assert_eq!(source.name(), file);
        }
    }
}
