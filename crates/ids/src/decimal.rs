//! Decimal numbers of uint256, as amounts and tool ids are written.

use alloy_primitives::U256;

use crate::{Error, excerpt};

/// Digits of 2^256-1.
pub const MAX_DECIMAL_DIGITS: usize = 78;

/// A number from 0 to 2^256-1 in digits, without sign, leading zeros or anything else.
///
/// Grammar, then length, then range (T-27): 78 digits may still be too large, and length first keeps the arithmetic short.
pub fn parse_decimal(text: &str) -> Result<U256, Error> {
    let refused = || Error::Decimal {
        found: excerpt(text),
    };
    let bytes = text.as_bytes();
    let is_number = bytes.len() <= MAX_DECIMAL_DIGITS
        && bytes.iter().all(u8::is_ascii_digit)
        && (bytes == b"0" || bytes.first().is_some_and(|first| *first != b'0'));
    if !is_number {
        return Err(refused());
    }
    // The usual case, without big numbers.
    if let Ok(small) = text.parse::<u64>() {
        return Ok(U256::from(small));
    }
    U256::from_str_radix(text, 10).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_passes_and_the_next_does_not() {
        let max = U256::MAX.to_string();
        assert_eq!(max.len(), MAX_DECIMAL_DIGITS);
        assert_eq!(parse_decimal(&max), Ok(U256::MAX));
        let next = format!("{}6", &max[..max.len() - 1]);
        assert!(parse_decimal(&next).is_err());
        assert_eq!(parse_decimal("0"), Ok(U256::ZERO));
    }

    #[test]
    fn signs_spaces_points_and_leading_zeros_are_refused() {
        for text in [
            "", "00", "01", "+1", "-1", "1.0", "1e3", "0x1", " 1", "1\n", "١",
        ] {
            assert!(parse_decimal(text).is_err(), "{text:?}");
        }
    }
}
