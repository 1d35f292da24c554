//! Gas price argument.

use std::str::FromStr;

use super::amount;
use crate::args::InvalidValue;

/// Wei per gas. A unit is required: confusing wei and gwei is an error by a factor of 10⁹.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GasPrice(pub(crate) u128);

impl FromStr for GasPrice {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let price = amount::parse(text, &["gwei", "wei"]);
        let price = price.and_then(|price| price.try_into().ok());
        price.map(Self).ok_or_else(|| InvalidValue::GasPrice {
            found: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_numbers_with_a_unit() {
        for (text, wei) in [
            ("2gwei", 2_000_000_000),
            ("0.05gwei", 50_000_000),
            ("1.5 gwei", 1_500_000_000),
            ("7wei", 7),
        ] {
            assert_eq!(text.parse(), Ok(GasPrice(wei)), "{text}");
        }
    }

    #[test]
    fn rejects_numbers_without_a_unit_and_malformed_ones() {
        for text in [
            "",
            "2",
            "gwei",
            "-1gwei",
            "1e9gwei",
            "0.5wei",
            "2ether",
            ".gwei",
            "1.2.3gwei",
        ] {
            assert!(text.parse::<GasPrice>().is_err(), "{text:?}");
        }
    }
}
