//! `atr manifest canonicalize`.

use crate::{
    cmd::manifest::{
        canonical_form::{CanonicalForm, NO_CANONICAL_FORM},
        source::ManifestArgs,
    },
    context::Context,
    outcome::Outcome,
};

/// Print the canonical form of a manifest
///
/// Prints the RFC 8785 form whose hash is registered, without a trailing newline. Ambiguous JSON, strings that are not in NFC and
/// upper-case hex have no canonical form: the reasons are printed to standard error and the exit code is 1. Other manifest rules
/// are not checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,

    /// Normalize all strings to Unicode NFC first
    #[arg(long)]
    nfc: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    match CanonicalForm::try_new(source.name(), bytes, args.nfc) {
        Ok(form) => {
            context.output.print(&form)?;
            Ok(Outcome::Success)
        }
        Err(report) => {
            context.output.print_refusal(&report, NO_CANONICAL_FORM)?;
            Ok(Outcome::Failure)
        }
    }
}
