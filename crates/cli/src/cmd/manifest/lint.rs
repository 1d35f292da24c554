//! `atr manifest lint`.

use crate::{
    cmd::manifest::{
        report::{RoleArg, ValidationReport},
        source::ManifestArgs,
    },
    context::Context,
    outcome::Outcome,
};

/// Validate a manifest and fail on warnings
///
/// Applies the producer rules. Exit codes: 0 no findings, 1 violations or warnings, 2 usage error or unreadable file, 3 the manifest
/// cannot be fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    let report = ValidationReport::check(source.name(), source.url(), bytes, RoleArg::Producer);
    let report = report.failing_on_warnings();
    context.output.print(&report)?;
    Ok(report.outcome())
}
