//! uint256 values in decimal, for amounts and tool ids.

use alloy_primitives::U256;

use crate::{Error, excerpt};

/// Number of digits of 2^256-1.
pub const MAX_DECIMAL_DIGITS: usize = 78;

/// Parses a number from 0 to 2^256-1 without sign and leading zeros.
///
/// The length is checked before the value is computed, to bound the work. A value of 78 digits can still be out of range (T-27).
pub fn parse_decimal(text: &str) -> Result<U256, Error> {
    let invalid = || Error::Decimal {
        found: excerpt(text),
    };
    let bytes = text.as_bytes();
    let is_number = bytes.len() <= MAX_DECIMAL_DIGITS
        && bytes.iter().all(u8::is_ascii_digit)
        && (bytes == b"0" || bytes.first().is_some_and(|first| *first != b'0'));
    if !is_number {
        return Err(invalid());
    }
    // Fast path for small values.
    if let Ok(small) = text.parse::<u64>() {
        return Ok(U256::from(small));
    }
    U256::from_str_radix(text, 10).map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_maximum_and_rejects_the_next_value() {
        let max = U256::MAX.to_string();
        assert_eq!(max.len(), MAX_DECIMAL_DIGITS);
        assert_eq!(parse_decimal(&max), Ok(U256::MAX));
        let next = format!("{}6", &max[..max.len() - 1]);
        assert!(parse_decimal(&next).is_err());
        assert_eq!(parse_decimal("0"), Ok(U256::ZERO));
    }

    #[test]
    fn rejects_signs_spaces_points_and_leading_zeros() {
        for text in [
            "", "00", "01", "+1", "-1", "1.0", "1e3", "0x1", " 1", "1\n", "١",
        ] {
            assert!(parse_decimal(text).is_err(), "{text:?}");
        }
    }
}
