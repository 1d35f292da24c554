//! `atr manifest hash`.

use crate::{
    cmd::manifest::{canonical_form::CanonicalForm, source::ManifestArgs},
    context::Context,
    outcome::Outcome,
};

/// Print the hash of a manifest, as the registry holds it.
///
/// keccak256 of the canonical form. A document without one has no hash: exit code 1, and the reasons on standard error. If the
/// manifest breaks other rules its hash is printed with a warning, because consumers will refuse it all the same.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    match CanonicalForm::of(source, bytes, false) {
        Ok(form) => {
            let broken = form.broken_rules();
            if broken > 0 {
                tracing::warn!(
                    broken,
                    "consumers refuse this manifest: see `atr manifest validate`"
                );
            }
            context.output.present(&form.into_hash())?;
            Ok(Outcome::Yes)
        }
        Err(verdict) => {
            context.output.present_aside(&verdict);
            Ok(Outcome::No)
        }
    }
}
