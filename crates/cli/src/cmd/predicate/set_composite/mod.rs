//! `atr predicate set-composite`.

mod budget;
mod term;

use alloy_primitives::Address;
use atr_bindings::PredicateKind;
use atr_deploy::predicate_address;
use atr_registry::{
    Logic,
    predicates::composite::{Configuration, Expression},
};

pub(crate) use self::budget::Budget;
use crate::{
    args::AddressArg,
    cmd::predicate::{configure::ConfigureArgs, set_composite::term::TermArg},
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
    /// Expression of predicates with and, or, not and parentheses, such as '(erc721 or erc20) and not erc1155'
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

    /// Predicate, or not:PREDICATE to negate it [repeatable]
    #[arg(long, value_name = "TERM", required_unless_present = "expr")]
    term: Vec<TermArg>,

    /// Gas of each term, in order [default: what each predicate needs, and an equal share of the rest]
    #[arg(long, value_name = "GAS,…", value_delimiter = ',')]
    term_gas: Vec<u64>,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configure = args.configure.run(context, None, |_, registry| {
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
                self.term.iter().map(|term| term.0),
            ));
        };
        Expression::parse(text, |name| predicate(registry, name))
            .and_then(|expression| expression.to_configuration())
            .map_err(|source| Error::Expression {
                source,
                names: PredicateKind::ALL.map(PredicateKind::slug).to_vec(),
            })
    }
}

/// The predicate with a short name or an address.
fn predicate(registry: Address, name: &str) -> Option<Address> {
    match PredicateKind::from_slug(&name.to_lowercase()) {
        Some(kind) => Some(predicate_address(registry, kind)),
        None => name.parse::<AddressArg>().ok().map(|address| address.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_names_of_the_registry_and_addresses() {
        let registry = Address::repeat_byte(1);
        let erc721 = predicate_address(registry, PredicateKind::Erc721);
        assert_eq!(predicate(registry, "ERC721"), Some(erc721));
        let other = Address::repeat_byte(2);
        assert_eq!(predicate(registry, &other.to_string()), Some(other));
        assert_eq!(predicate(registry, "nft"), None);
    }
}
