//! Amounts of a token.

use std::str::FromStr;

use alloy_primitives::{
    U256,
    utils::{ParseUnits, parse_units},
};

use crate::args::InvalidValue;

/// A decimal number of whole tokens. Its base units are known when the decimals of the token are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenAmount(String);

impl TokenAmount {
    /// The amount in base units; an error if it has more decimals than the token, or is too large.
    pub(crate) fn to_units(&self, decimals: u8) -> Result<U256, InvalidValue> {
        let fraction = self.0.split_once('.').map_or("", |(_, fraction)| fraction);
        if fraction.trim_end_matches('0').len() > usize::from(decimals) {
            return Err(InvalidValue::TooManyDecimals {
                found: self.0.clone(),
                decimals,
            });
        }
        match parse_units(&self.0, decimals) {
            Ok(ParseUnits::U256(units)) => Ok(units),
            _ => Err(self.invalid()),
        }
    }

    fn invalid(&self) -> InvalidValue {
        InvalidValue::TokenAmount {
            found: atr_ids::excerpt(&self.0),
        }
    }
}

impl FromStr for TokenAmount {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let amount = Self(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number(whole) && is_number(fraction) {
            Ok(amount)
        } else {
            Err(amount.invalid())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_in_base_units() {
        let units = |text: &str, decimals| text.parse::<TokenAmount>().unwrap().to_units(decimals);
        assert_eq!(units("100", 6), Ok(U256::from(100_000_000)));
        assert_eq!(units("0.5", 6), Ok(U256::from(500_000)));
        assert_eq!(units("1.50", 1), Ok(U256::from(15)));
        assert_eq!(units("7", 0), Ok(U256::from(7)));
        assert!(units("0.1", 0).is_err());
        assert!(units("0.0000001", 6).is_err());
        assert!(units(&"9".repeat(78), 0).is_err());
    }

    #[test]
    fn rejects_values_that_are_not_decimal_numbers() {
        for text in [
            "", ".", "1.", ".5", "-1", "+1", "1,000", "1e6", "0x10", "1_000", "1 ",
        ] {
            assert!(text.parse::<TokenAmount>().is_err(), "{text:?}");
        }
    }
}
