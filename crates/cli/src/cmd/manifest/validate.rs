//! `atr manifest validate`.

use crate::{
    cmd::manifest::{
        report::{RoleArg, ValidationReport},
        source::ManifestArgs,
    },
    context::Context,
    outcome::Outcome,
};

/// Validate a manifest
///
/// Checks the manifest rules, compiles `inputs` and `outputs` as JSON Schema, and for a URL compares its origin with that of the endpoint.
/// Reports all findings, each with a JSON pointer, line and column, the value found, the allowed values and a fix. Warnings do not
/// make a manifest invalid; use `atr manifest lint` to fail on them.
///
/// Exit codes: 0 valid, 1 invalid, 2 usage error or unreadable file, 3 the manifest cannot be fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    manifest: ManifestArgs,

    /// Rules to apply
    #[arg(long = "as", value_name = "ROLE", default_value_t, value_enum)]
    role: RoleArg,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.manifest.read(context)?;
    let report = ValidationReport::check(source.name(), source.url(), bytes, args.role);
    context.output.print(&report)?;
    Ok(report.outcome())
}
