//! Amounts of native currency.

use std::str::FromStr;

use alloy_primitives::{
    U256,
    utils::{ParseUnits, parse_units},
};
use atr_rpc::Wei;

use crate::args::InvalidValue;

/// An amount with a unit: confusing wei and ether is an error by a factor of 10¹⁸.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Amount(pub(crate) Wei);

impl FromStr for Amount {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let amount = parse(text, &["gwei", "wei", "ether"]);
        amount
            .map(Wei)
            .map(Self)
            .ok_or_else(|| InvalidValue::Amount {
                found: text.to_owned(),
            })
    }
}

/// Parses a decimal number with one of the units; `wei` must come after units that end with it.
pub(super) fn parse(text: &str, units: &[&str]) -> Option<U256> {
    let unit = units.iter().find(|unit| text.ends_with(**unit))?;
    let number = text.trim_end_matches(unit).trim_end();
    let is_decimal = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
        && number.bytes().any(|byte| byte.is_ascii_digit());
    if !is_decimal || (*unit == "wei" && number.contains('.')) {
        return None;
    }
    match parse_units(number, *unit) {
        Ok(ParseUnits::U256(amount)) => Some(amount),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_numbers_with_a_unit() {
        for (text, wei) in [
            ("0.002ether", 2_000_000_000_000_000_u64),
            ("5 gwei", 5_000_000_000),
            ("7wei", 7),
        ] {
            assert_eq!(text.parse(), Ok(Amount(Wei(U256::from(wei)))), "{text}");
        }
    }

    #[test]
    fn rejects_numbers_without_a_unit_and_malformed_ones() {
        for text in ["", "2", "ether", "-1ether", "0.5wei", "1eth", "1.2.3gwei"] {
            assert!(text.parse::<Amount>().is_err(), "{text:?}");
        }
    }
}
