//! `atr manifest hash`.

use crate::{
    cmd::manifest::{
        canonical_form::{CanonicalForm, NO_CANONICAL_FORM},
        source::ManifestArgs,
    },
    context::Context,
    outcome::Outcome,
    output::count_noun,
};

/// Print the hash of a manifest
///
/// Prints the keccak256 hash of the canonical form, which the registry stores. A document without a canonical form has no hash: the
/// reasons are printed to standard error and the exit code is 1. If the manifest violates other rules, a warning is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    match CanonicalForm::try_new(source.name(), bytes, false) {
        Ok(form) => {
            let violations = form.violations();
            if violations > 0 {
                context.output.print_warning(&format!(
                    "consumers reject this manifest: {}; run `atr manifest validate`",
                    count_noun(violations, "violation")
                ));
            }
            context.output.print(&form.into_hash())?;
            Ok(Outcome::Success)
        }
        Err(report) => {
            context.output.print_refusal(&report, NO_CANONICAL_FORM)?;
            Ok(Outcome::Failure)
        }
    }
}
