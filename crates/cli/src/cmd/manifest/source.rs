//! Manifest argument: a file, a URL or standard input.

use std::path::PathBuf;

use crate::{
    args::{DocumentKind, DocumentSource, FetchArgs},
    context::Context,
};

#[derive(Debug, clap::Args)]
pub(crate) struct ManifestArgs {
    /// Manifest: a file, an https URL, or `-` for standard input
    #[arg(value_name = "FILE|URL")]
    source: PathBuf,

    #[command(flatten)]
    fetch: FetchArgs,
}

impl ManifestArgs {
    pub(crate) fn read(&self, context: &Context) -> eyre::Result<(DocumentSource, Vec<u8>)> {
        DocumentSource::open(&self.source, DocumentKind::Manifest, &self.fetch, context)
    }
}
