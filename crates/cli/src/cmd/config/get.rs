//! `atr config get`.

use crate::{cmd::config::report::ValueReport, config::Key, context::Context, outcome::Outcome};

/// Print the value of one setting.
///
/// Exit code 1, and nothing printed, when it is not set. The node's URL is printed whole, a key in it included.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Setting to print
    #[arg(value_parser = Key::parser())]
    setting: &'static Key,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let Some(report) = ValueReport::of(&context.settings, args.setting) else {
        return Ok(Outcome::No);
    };
    context.output.present(&report)?;
    Ok(Outcome::Yes)
}
