//! Gas price argument.

use std::str::FromStr;

use alloy_primitives::utils::{ParseUnits, parse_units};

use crate::args::InvalidValue;

/// Wei per gas. A unit is required: confusing wei and gwei is an error by a factor of 10⁹.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GasPrice(pub(crate) u128);

impl FromStr for GasPrice {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidValue::GasPrice {
            found: text.to_owned(),
        };
        let unit = ["gwei", "wei"]
            .into_iter()
            .find(|unit| text.ends_with(unit));
        let unit = unit.ok_or_else(invalid)?;
        let number = text.trim_end_matches(unit).trim_end();
        let is_decimal = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
            && number.bytes().any(|byte| byte.is_ascii_digit());
        if !is_decimal || (unit == "wei" && number.contains('.')) {
            return Err(invalid());
        }
        match parse_units(number, unit) {
            Ok(ParseUnits::U256(price)) => price.try_into().map(Self).map_err(|_| invalid()),
            _ => Err(invalid()),
        }
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
