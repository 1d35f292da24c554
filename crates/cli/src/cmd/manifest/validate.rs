//! `atr manifest validate`.

use crate::{
    cmd::manifest::{
        report::{As, Verdict},
        source::ManifestArgs,
    },
    context::Context,
    outcome::Outcome,
};

/// Hold a manifest to the rules of ERC-8257.
///
/// Everything that is wrong is told at once: where (a JSON pointer), what was found, what is allowed, and how to put it right.
/// Exit code 0 if the manifest is valid, 1 if it is refused, 3 if it could not be read. Warnings do not refuse; `atr manifest
/// lint` does not forgive them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,

    /// Whose rules to apply
    #[arg(long = "as", value_name = "ROLE", default_value_t, value_enum)]
    role: As,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    let verdict = Verdict::on(source, &bytes, args.role);
    context.output.present(&verdict)?;
    Ok(if verdict.is_valid() {
        Outcome::Yes
    } else {
        Outcome::No
    })
}
