//! Amounts of a chain's native coin.

use std::fmt;

use alloy_primitives::U256;
use serde::{Serialize, Serializer};

/// Digits of a fraction that people care about.
const DIGITS: usize = 6;

/// How many of the smallest unit make one coin, as a power of ten.
const DECIMALS: usize = 18;

/// An amount in the smallest unit. In JSON it is a decimal string, exact, because no JSON number holds it; for people it is
/// told in whole coins, rounded to what they care about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wei(pub U256);

impl Wei {
    /// Gas at a price.
    #[must_use]
    pub fn of_gas(gas: u64, price: u128) -> Self {
        Self(U256::from(gas) * U256::from(price))
    }

    /// The sum, or the largest amount there is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, if there is enough.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }
}

impl fmt::Display for Wei {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Six digits after the point, and more where those would all be zeroes.
        let idle = DECIMALS.saturating_sub(self.0.to_string().len());
        let step = U256::from(10).pow(U256::from(DECIMALS.saturating_sub(idle + DIGITS)));
        let rounded = (self.0.saturating_add(step / U256::from(2)) / step).saturating_mul(step);
        let coin = U256::from(10).pow(U256::from(DECIMALS));
        let fraction = format!("{:0>DECIMALS$}", (rounded % coin).to_string());
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{}", rounded / coin),
            fraction => write!(f, "{}.{fraction}", rounded / coin),
        }
    }
}

impl Serialize for Wei {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_told_in_whole_coins_without_idle_zeroes() {
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
    fn is_a_decimal_string_in_json() {
        let json = serde_json::to_string(&Wei(U256::MAX)).unwrap();
        assert_eq!(json, format!("\"{}\"", U256::MAX));
    }
}
