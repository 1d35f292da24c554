//! Term argument.

use std::str::FromStr;

use atr_registry::predicates::composite::Term;

use crate::args::{AddressArg, InvalidValue};

/// `PREDICATE` or `not:PREDICATE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermArg(pub(crate) Term);

impl FromStr for TermArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (negate, address) = match text.strip_prefix("not:") {
            Some(address) => (true, address),
            None => (false, text),
        };
        let AddressArg(predicate) = address.parse()?;
        Ok(Self(Term { predicate, negate }))
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;

    use super::*;

    #[test]
    fn accepts_a_predicate_and_its_negation() {
        let predicate = Address::repeat_byte(1);
        for (text, negate) in [
            (predicate.to_string(), false),
            (format!("not:{predicate}"), true),
        ] {
            assert_eq!(text.parse(), Ok(TermArg(Term { predicate, negate })));
        }
        assert!(format!("not:not:{predicate}").parse::<TermArg>().is_err());
    }
}
