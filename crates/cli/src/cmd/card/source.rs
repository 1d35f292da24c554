//! Card argument and lists of verbs.

use std::path::{Path, PathBuf};

use atr_agent_card::Config;

use crate::{
    args::{DocumentKind, DocumentSource, FetchArgs},
    context::Context,
};

#[derive(Debug, clap::Args)]
pub(crate) struct CardArgs {
    /// Card: a file, an https URL, or `-` for standard input
    #[arg(value_name = "FILE|URL")]
    source: PathBuf,

    #[command(flatten)]
    fetch: FetchArgs,
}

impl CardArgs {
    pub(crate) const fn fetch(&self) -> &FetchArgs {
        &self.fetch
    }

    pub(crate) fn read(&self, context: &Context) -> eyre::Result<(DocumentSource, Vec<u8>)> {
        self.read_other(&self.source, context)
    }

    /// Reads another card with the same options.
    pub(crate) fn read_other(
        &self,
        source: &Path,
        context: &Context,
    ) -> eyre::Result<(DocumentSource, Vec<u8>)> {
        DocumentSource::open(source, DocumentKind::Card, &self.fetch, context)
    }
}

/// Verbs beside those of the published standards.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct VerbArgs {
    /// Verb that cards of class commons may implement, in addition to the published ones [repeatable]
    #[arg(long = "commons-verb", value_name = "VERB")]
    commons: Vec<String>,

    /// Verb that cards of class commercial may implement, in addition to the published ones [repeatable]
    #[arg(long = "commercial-verb", value_name = "VERB")]
    commercial: Vec<String>,
}

impl VerbArgs {
    pub(crate) fn config(&self) -> Config {
        let mut config = Config::default();
        config.verbs.commons.extend(self.commons.iter().cloned());
        config
            .verbs
            .commercial
            .extend(self.commercial.iter().cloned());
        config
    }
}
