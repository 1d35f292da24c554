//! `atr config show`.

use crate::{cmd::config::report::SettingsReport, context::Context, outcome::Outcome};

/// Show all settings with their values and sources, and the environment variables that are set
///
/// Only scheme and host of the RPC URL are shown, because the rest can contain an API key; `atr config get rpc-url` prints the
/// full URL. Values of variables with secrets are not shown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(_: &Args, context: &Context) -> eyre::Result<Outcome> {
    context.output.print(&SettingsReport::try_new(context)?)?;
    Ok(Outcome::Success)
}
