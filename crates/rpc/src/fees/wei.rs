//! Amounts of a chain's native currency.

use std::fmt;

use alloy_primitives::U256;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Significant digits after the decimal point.
const DIGITS: usize = 6;

/// Decimals of the native currency.
const DECIMALS: usize = 18;

/// An amount in wei. Displayed in whole units of the native currency, rounded to six significant decimals; serialized as an
/// exact decimal string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wei(pub U256);

impl Wei {
    /// The cost of this much gas at a price in wei per gas.
    #[must_use]
    pub fn for_gas(gas: u64, price: u128) -> Self {
        Self(U256::from(gas) * U256::from(price))
    }

    /// The sum, saturating at the maximum.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference; zero if it would be negative.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The difference; `None` if it would be negative.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }
}

impl fmt::Display for Wei {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leading zeros of the fraction do not count as digits.
        let leading_zeros = DECIMALS.saturating_sub(self.0.to_string().len());
        let step = U256::from(10).pow(U256::from(DECIMALS.saturating_sub(leading_zeros + DIGITS)));
        let rounded = (self.0.saturating_add(step / U256::from(2)) / step).saturating_mul(step);
        let unit = U256::from(10).pow(U256::from(DECIMALS));
        let fraction = format!("{:0>DECIMALS$}", (rounded % unit).to_string());
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{}", rounded / unit),
            fraction => write!(f, "{}.{fraction}", rounded / unit),
        }
    }
}

impl Serialize for Wei {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Wei {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let amount = U256::from_str_radix(&text, 10).map_err(de::Error::custom)?;
        Ok(Self(amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_displayed_in_whole_units_without_trailing_zeros() {
        for (wei, text) in [
            (0_u64, "0"),
            (1, "0.000000000000000001"),
            (10_000_000_000_000_000, "0.01"),
            (12_345_678_901_234_567, "0.0123457"),
            (1_234_567_890_123_456_789, "1.234568"),
            (999_999_999_999_999_999, "1"),
            (1_000_000_000_000_000_000, "1"),
            (10_000_000_000_000_000_000, "10"),
        ] {
            assert_eq!(Wei(U256::from(wei)).to_string(), text);
        }
    }

    #[test]
    fn sums_and_differences_do_not_overflow() {
        let wei = |amount: u64| Wei(U256::from(amount));
        assert_eq!(wei(5).saturating_add(wei(3)), wei(8));
        assert_eq!(Wei(U256::MAX).saturating_add(wei(1)), Wei(U256::MAX));
        assert_eq!(
            (wei(5).saturating_sub(wei(3)), wei(3).saturating_sub(wei(5))),
            (wei(2), wei(0))
        );
        assert_eq!(
            (wei(5).checked_sub(wei(3)), wei(3).checked_sub(wei(5))),
            (Some(wei(2)), None)
        );
    }

    #[test]
    fn serializes_as_a_decimal_string() {
        let json = serde_json::to_string(&Wei(U256::MAX)).unwrap();
        assert_eq!(json, format!("\"{}\"", U256::MAX));
        assert_eq!(serde_json::from_str::<Wei>(&json).unwrap(), Wei(U256::MAX));
    }
}
