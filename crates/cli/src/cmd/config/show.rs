//! `atr config show`.

use crate::{cmd::config::report::SettingsReport, context::Context, outcome::Outcome};

/// Show every setting, its value, and where the value comes from.
///
/// Of the node's URL only scheme and host are shown, because the rest often is a key: `atr config get rpc-url` prints it
/// whole.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(_: &Args, context: &Context) -> eyre::Result<Outcome> {
    context
        .output
        .present(&SettingsReport::of(&context.settings))?;
    Ok(Outcome::Yes)
}
