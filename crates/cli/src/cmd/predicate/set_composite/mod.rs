//! `atr predicate set-composite`.

mod budget;
mod term;

use alloy_primitives::Address;
use atr_registry::{
    Logic,
    predicates::composite::{Configuration, Expression},
};

pub(crate) use self::budget::Budget;
use crate::{
    args::{AddressArg, InvalidValue, PredicateArg},
    cmd::predicate::{
        configure::{ConfigureArgs, TokenOptions},
        set_composite::term::TermArg,
    },
    context::Context,
    error::Error,
    outcome::Outcome,
    process::runtime,
};

/// Combine several predicates
///
/// Replaces the current configuration. Each predicate must be configured for the tool separately, best before this command: the gas of
/// each term is chosen from what its predicate needs. The negation of an unknown result is unknown. Predicates that read `data` cannot
/// be negated.
///
/// An expression is converted to at most eight terms in clauses. Names of the registry's predicates: access-proof, allowlist,
/// always-deny, composite, erc1155, erc20, erc721, subscription, trait.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("logic").required(true))]
pub(crate) struct Args {
    /// Expression of predicates with and, or, not, any(…), all(…) and parentheses, such as '(erc721 or erc20) and not erc1155'
    #[arg(
        long,
        value_name = "EXPRESSION",
        group = "logic",
        conflicts_with = "term"
    )]
    expr: Option<String>,

    /// Grant access if all terms grant it
    #[arg(long, group = "logic")]
    all: bool,

    /// Grant access if any term grants it
    #[arg(long, group = "logic")]
    any: bool,

    /// Predicate by name or address, or not:PREDICATE to negate it [repeatable]
    #[arg(long, value_name = "TERM", required_unless_present = "expr")]
    term: Vec<TermArg>,

    /// Gas of each term, in order [default: what each predicate needs, and an equal share of the rest]
    #[arg(long, value_name = "GAS,…", value_delimiter = ',')]
    term_gas: Vec<u64>,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let options = TokenOptions::default();
    let configure = args.configure.run(context, options, |_, registry| {
        let mut configuration = args.configuration(registry)?;
        configuration.term_gas.clone_from(&args.term_gas);
        Ok(configuration.into())
    });
    runtime::block_on(configure)?
}

impl Args {
    fn configuration(&self, registry: Address) -> Result<Configuration, Error> {
        let Some(text) = &self.expr else {
            let logic = if self.all { Logic::All } else { Logic::Any };
            return Ok(Configuration::flat(
                logic,
                self.term.iter().map(|term| term.term(registry)),
            ));
        };
        for word in text.split(|character: char| !character.is_ascii_alphanumeric()) {
            if let Err(reason @ InvalidValue::Checksum { .. }) = word.parse::<AddressArg>() {
                let flag = "--expr";
                return Err(Error::InvalidFlag { flag, reason });
            }
        }
        let predicate = |name: &str| {
            let predicate = name.parse::<PredicateArg>().ok();
            predicate.map(|predicate| predicate.address(registry))
        };
        Expression::parse(text, predicate)
            .and_then(|expression| expression.to_configuration())
            .map_err(|source| Error::Expression {
                source,
                names: PredicateArg::names(),
            })
    }
}
