//! `atr completions`.

use clap_complete::Shell;

use crate::{args, context::Context, outcome::Outcome, output::Document};

/// Print a shell completion script
///
/// Example: `atr completions fish > ~/.config/fish/completions/atr.fish`. Does not read atr.toml.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Shell
    shell: Shell,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "atr", &mut script);
    let text = String::from_utf8(script)?;
    context.output.print(&Document {
        file: format!("atr.{}", args.shell),
        text,
    })?;
    Ok(Outcome::Success)
}
