//! Term argument.

use std::str::FromStr;

use alloy_primitives::Address;
use atr_registry::predicates::composite::Term;

use crate::args::{InvalidValue, PredicateArg};

/// `PREDICATE` or `not:PREDICATE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermArg {
    predicate: PredicateArg,
    negate: bool,
}

impl TermArg {
    pub(crate) fn term(self, registry: Address) -> Term {
        Term {
            predicate: self.predicate.address(registry),
            negate: self.negate,
        }
    }
}

impl FromStr for TermArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (negate, predicate) = match text.strip_prefix("not:") {
            Some(predicate) => (true, predicate),
            None => (false, text),
        };
        let predicate = predicate.parse()?;
        Ok(Self { predicate, negate })
    }
}

#[cfg(test)]
mod tests {
    use atr_bindings::PredicateKind;
    use atr_deploy::predicate_address;

    use super::*;

    #[test]
    fn accepts_a_predicate_and_its_negation() {
        let (registry, predicate) = (Address::repeat_byte(2), Address::repeat_byte(1));
        let term = |text: String| text.parse::<TermArg>().unwrap().term(registry);
        for negate in [false, true] {
            let not = if negate { "not:" } else { "" };
            let expected = Term { predicate, negate };
            assert_eq!(term(format!("{not}{predicate}")), expected);
            let predicate = predicate_address(registry, PredicateKind::Erc20);
            assert_eq!(term(format!("{not}erc20")), Term { predicate, negate });
        }
        assert!(format!("not:not:{predicate}").parse::<TermArg>().is_err());
    }
}
