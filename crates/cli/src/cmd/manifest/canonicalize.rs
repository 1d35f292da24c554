//! `atr manifest canonicalize`.

use crate::{
    cmd::manifest::{canonical_form::CanonicalForm, source::ManifestArgs},
    context::Context,
    outcome::Outcome,
};

/// Print the canonical form of a manifest: exactly the bytes that are hashed.
///
/// RFC 8785, without a newline at the end. A document that readers could read differently, whose texts are not in NFC or whose
/// hex is not in lower case has none: exit code 1, and the reasons on standard error. Whether the manifest keeps the other
/// rules is not asked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,

    /// Bring all texts to Unicode NFC first, as a publisher must
    #[arg(long)]
    nfc: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    match CanonicalForm::of(source, bytes, args.nfc) {
        Ok(form) => {
            context.output.present(&form)?;
            Ok(Outcome::Yes)
        }
        Err(verdict) => {
            context.output.present_aside(&verdict);
            Ok(Outcome::No)
        }
    }
}
