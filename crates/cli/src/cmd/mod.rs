//! The commands, one file each: `Args` and `run`.

mod access;
mod completions;
mod config;
mod deploy;
mod man;
mod manifest;
mod predicate;
mod tool;
mod verify;

use clap::Subcommand;

use crate::{context::Context, outcome::Outcome};

/// Every command of `atr`.
#[derive(Debug, Subcommand)]
pub(crate) enum Cmd {
    Deploy(Box<deploy::Args>),
    Manifest(manifest::Args),
    Tool(tool::Args),
    Access(access::Args),
    Predicate(predicate::Args),
    Verify(verify::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Cmd {
    /// Runs the command that was asked for.
    pub(crate) fn run(&self, context: &Context) -> eyre::Result<Outcome> {
        match self {
            Self::Deploy(args) => deploy::run(args, context),
            Self::Manifest(args) => manifest::run(args, context),
            Self::Tool(args) => tool::run(args, context),
            Self::Access(args) => access::run(args, context),
            Self::Predicate(args) => predicate::run(args, context),
            Self::Verify(args) => verify::run(args, context),
            Self::Config(args) => config::run(args, context),
            Self::Completions(args) => completions::run(args, context),
            Self::Man(args) => man::run(args, context),
        }
    }

    /// Whether the command is about the program alone, so that a broken atr.toml must not stop it, nor `json = true`
    /// in one change what a shell's start-up file reads.
    pub(crate) const fn stands_apart_from_configuration(&self) -> bool {
        matches!(self, Self::Completions(_) | Self::Man(_))
    }
}
