//! One predicate of several, on the command line.

use std::str::FromStr;

use atr_registry::predicates::Term;

use crate::args::{Account, InvalidValue};

/// A predicate as it is, or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermArg(pub(crate) Term);

impl FromStr for TermArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (negate, address) = match text.strip_prefix("not:") {
            Some(address) => (true, address),
            None => (false, text),
        };
        let Account(predicate) = address.parse()?;
        Ok(Self(Term { predicate, negate }))
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;

    use super::*;

    #[test]
    fn a_predicate_is_taken_as_it_is_or_negated() {
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
