//! `atr config get`.

use crate::{
    cmd::config::report::ValueReport, config::Key, context::Context, error::Error, outcome::Outcome,
};

/// Print the value of a setting
///
/// Exits with code 1 if the setting is not set. Prints the full RPC URL including an API key.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Setting to print
    #[arg(value_parser = Key::parser())]
    setting: &'static Key,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let Some(report) = ValueReport::find(context, args.setting)? else {
        let name = args.setting.name;
        return Err(Error::NotSet { name }.into());
    };
    context.output.print(&report)?;
    Ok(Outcome::Success)
}
