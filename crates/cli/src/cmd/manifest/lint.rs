//! `atr manifest lint`.

use std::path::PathBuf;

use crate::{
    context::Context,
    manifest::{As, ManifestSource, Verdict},
    outcome::Outcome,
};

/// Tell everything that could be better about a manifest you publish.
///
/// The rules for producers, and all advice. Exit code 0 if there is nothing to say, 1 if there is anything at all, 3 if the
/// manifest could not be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File to read, or `-` for standard input
    #[arg(value_name = "FILE")]
    source: PathBuf,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let source = ManifestSource::try_new(&args.source, "lint")?;
    let verdict = Verdict::of(&source, As::Producer)?;
    context.output.present(&verdict)?;
    Ok(if verdict.is_clean() {
        Outcome::Yes
    } else {
        Outcome::No
    })
}
