//! `atr completions`.

use clap_complete::Shell;

use crate::{args, context::Context, outcome::Outcome, output::Document};

/// Print the completion script of a shell.
///
/// Put it where your shell looks for completions, for instance
/// `atr completions fish > ~/.config/fish/completions/atr.fish`. The configuration is not read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Shell to complete for
    shell: Shell,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "atr", &mut script);
    let text = String::from_utf8(script)?;
    context.output.present(&Document {
        file: format!("atr.{}", args.shell),
        text,
    })?;
    Ok(Outcome::Yes)
}
