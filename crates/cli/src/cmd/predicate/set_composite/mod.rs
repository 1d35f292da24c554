//! `atr predicate set-composite`.

mod term;

use atr_registry::{Configuration, Logic};

use crate::{
    cmd::predicate::{configure::ConfigureArgs, set_composite::term::TermArg},
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Let in whom all or any of several predicates let in.
///
/// Replaces what was set before. Each predicate is configured for the tool by itself. What nobody can tell of one term nobody can
/// tell of its opposite, and a predicate that reads the call's data cannot be negated.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("logic").required(true))]
pub(crate) struct Args {
    #[command(flatten)]
    configure: ConfigureArgs,

    /// All terms have to let in
    #[arg(long, group = "logic")]
    all: bool,

    /// One term is enough
    #[arg(long, group = "logic")]
    any: bool,

    /// Predicate, or not:PREDICATE for its opposite [repeatable]
    #[arg(long, value_name = "TERM", required = true)]
    term: Vec<TermArg>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = Configuration::Composite {
        logic: if args.all { Logic::All } else { Logic::Any },
        terms: args.term.iter().map(|term| term.0).collect(),
    };
    let set = args.configure.configure(context, |_| Ok(configuration));
    runtime::block_on(set)?
}
