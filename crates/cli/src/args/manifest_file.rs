//! A manifest in a file, for a URL that does not serve it yet.

use atr_ids::MetadataUri;
use atr_verify::ManifestSource;

/// The content of the file, used instead of what the URL serves.
#[derive(Clone, Debug)]
pub(crate) struct ManifestFile(pub(crate) Vec<u8>);

impl ManifestSource for ManifestFile {
    async fn manifest(&self, _: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        Ok(self.0.clone())
    }
}
