//! Commands. Each module has `Args` and `run`, and the report it prints.

mod access;
mod call;
mod card;
mod completions;
mod config;
mod deploy;
mod dev;
mod gate;
mod index;
mod ledger;
mod man;
mod manifest;
mod mcp;
mod predicate;
mod search;
mod serve;
mod tool;
mod verify;

use clap::Subcommand;

pub(crate) use dev::DevError;
pub(crate) use gate::GateError;

use crate::{context::Context, outcome::Outcome};

#[derive(Debug, Subcommand)]
pub(crate) enum Cmd {
    Deploy(Box<deploy::Args>),
    Manifest(manifest::Args),
    Tool(tool::Args),
    Access(access::Args),
    Predicate(predicate::Args),
    Verify(verify::Args),
    Gate(Box<gate::Args>),
    Call(Box<call::Args>),
    Ledger(ledger::Args),
    Dev(dev::Args),
    Card(Box<card::Args>),
    Index(Box<index::Args>),
    Search(Box<search::Args>),
    Serve(Box<serve::Args>),
    Mcp(Box<mcp::Args>),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Cmd {
    pub(crate) fn run(&self, context: &Context) -> eyre::Result<Outcome> {
        match self {
            Self::Deploy(args) => deploy::run(args, context),
            Self::Manifest(args) => manifest::run(args, context),
            Self::Tool(args) => tool::run(args, context),
            Self::Access(args) => access::run(args, context),
            Self::Predicate(args) => predicate::run(args, context),
            Self::Verify(args) => verify::run(args, context),
            Self::Gate(args) => gate::run(args, context),
            Self::Call(args) => call::run(args, context),
            Self::Ledger(args) => ledger::run(args, context),
            Self::Dev(args) => dev::run(args, context),
            Self::Card(args) => card::run(args, context),
            Self::Index(args) => index::run(args, context),
            Self::Search(args) => search::run(args, context),
            Self::Serve(args) => serve::run(args, context),
            Self::Mcp(args) => mcp::run(args, context),
            Self::Config(args) => config::run(args, context),
            Self::Completions(args) => completions::run(args, context),
            Self::Man(args) => man::run(args, context),
        }
    }

    /// Whether the command runs until it is stopped. With `--json`, its log is JSON too.
    pub(crate) fn is_server(&self) -> bool {
        match self {
            Self::Gate(_) | Self::Dev(_) | Self::Serve(_) | Self::Mcp(_) => true,
            Self::Index(args) => args.is_server(),
            _ => false,
        }
    }

    /// Whether standard output belongs to a protocol: errors are printed to standard error, also with `--json`.
    pub(crate) const fn owns_stdout(&self) -> bool {
        matches!(self, Self::Mcp(_))
    }

    /// Whether the command must not read `atr.toml`: completions and man pages must not depend on the directory.
    pub(crate) const fn ignores_configuration(&self) -> bool {
        matches!(self, Self::Completions(_) | Self::Man(_))
    }
}
