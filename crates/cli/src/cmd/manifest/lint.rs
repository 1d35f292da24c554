//! `atr manifest lint`.

use crate::{
    cmd::manifest::{
        report::{As, Verdict},
        source::ManifestArgs,
    },
    context::Context,
    outcome::Outcome,
};

/// Tell everything that could be better about a manifest you publish.
///
/// The rules for producers, and all advice. Exit code 0 if there is nothing to say, 1 if there is anything at all, 3 if the
/// manifest could not be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    let verdict = Verdict::on(source, &bytes, As::Producer);
    context.output.present(&verdict)?;
    Ok(if verdict.is_clean() {
        Outcome::Yes
    } else {
        Outcome::No
    })
}
