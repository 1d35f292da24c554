//! `atr predicate set-composite`.

mod term;

use atr_registry::{Logic, predicates::composite};

use crate::{
    cmd::predicate::{configure::ConfigureArgs, set_composite::term::TermArg},
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Combine several predicates
///
/// Replaces the current configuration. Each predicate must be configured for the tool separately. The negation of an unknown
/// result is unknown. Predicates that read `data` cannot be negated.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("logic").required(true))]
pub(crate) struct Args {
    /// Grant access if all terms grant it
    #[arg(long, group = "logic")]
    all: bool,

    /// Grant access if any term grants it
    #[arg(long, group = "logic")]
    any: bool,

    /// Predicate, or not:PREDICATE to negate it [repeatable]
    #[arg(long, value_name = "TERM", required = true)]
    term: Vec<TermArg>,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = composite::Configuration {
        logic: if args.all { Logic::All } else { Logic::Any },
        terms: args.term.iter().map(|term| term.0).collect(),
    };
    let configure = args.configure.run(context, |_| Ok(configuration.into()));
    runtime::block_on(configure)?
}
