//! Exact decimal numbers.
//!
//! JSON numbers are compared by value and without rounding: `1`, `1.0` and `10e-1` are equal, `9007199254740993` and
//! `9007199254740992` are not.

use std::cmp::Ordering;

/// Exponents beyond this magnitude are clamped. A document of 1 MiB cannot otherwise distinguish such numbers.
const MAX_EXPONENT: i64 = 1 << 60;

/// `digits × 10^exponent`. `digits` has no leading and no trailing zero; zero has no digits, no sign and exponent 0. The
/// representation is unique, so equal numbers have equal fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Parses a number that follows the JSON grammar.
    pub(crate) fn parse(text: &str) -> Self {
        let unsigned = text.trim_start_matches('-');
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [integer, fraction].concat();
        let digits = all.trim_end_matches('0');
        let zeros = (all.len() - digits.len()) as i64;
        let digits = digits.trim_start_matches('0').to_owned();
        let limit = if exponent.starts_with('-') {
            -MAX_EXPONENT
        } else {
            MAX_EXPONENT
        };
        let exponent: i64 = exponent.parse().unwrap_or(limit);
        let exponent = exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT) + zeros - fraction.len() as i64;
        let is_zero = digits.is_empty();
        Self {
            is_negative: !is_zero && text.starts_with('-'),
            digits,
            exponent: if is_zero { 0 } else { exponent },
        }
    }

    pub(crate) const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    pub(crate) const fn is_positive(&self) -> bool {
        !self.is_negative && !self.digits.is_empty()
    }

    /// The value if it is a non-negative integer. Larger integers saturate.
    pub(crate) fn to_count(&self) -> Option<u64> {
        if self.is_negative || !self.is_integer() {
            return None;
        }
        let digits = format!("0{}", self.digits).parse().unwrap_or(u64::MAX);
        let power = u32::try_from(self.exponent).unwrap_or(u32::MAX);
        Some(digits.saturating_mul(10_u64.saturating_pow(power)))
    }

    /// The significant digits as an integer, if they fit 64 bits, and the exponent.
    pub(crate) fn to_scaled(&self) -> Option<(u64, i64)> {
        Some((self.digits.parse().ok()?, self.exponent))
    }

    /// Whether the value is an integer multiple of `divisor × 10^exponent`. `divisor` must not be zero.
    pub(crate) fn is_multiple_of(&self, divisor: u64, exponent: i64) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        let divisor = u128::from(divisor);
        // The last digit is not zero, so the digits are not divisible by a power of ten.
        let Ok(shift) = u64::try_from(self.exponent - exponent) else {
            return false;
        };
        let digits = self.digits.bytes().map(|digit| u128::from(digit - b'0'));
        let remainder = digits.fold(0, |remainder, digit| (remainder * 10 + digit) % divisor);
        (remainder * power_of_ten(shift, divisor)).is_multiple_of(divisor)
    }

    /// Text that is the same for equal numbers only, and the beginning of no other.
    pub(crate) fn canonical(&self) -> String {
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}{}e{};", self.digits, self.exponent)
    }

    /// -1, 0 or 1.
    const fn sign(&self) -> i8 {
        if self.is_negative {
            -1
        } else {
            !self.digits.is_empty() as i8
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = |number: &Self| number.digits.len() as i64 + number.exponent;
        let magnitude = order(self).cmp(&order(other));
        let magnitude = magnitude.then_with(|| self.digits.cmp(&other.digits));
        let same_sign = if self.is_negative {
            magnitude.reverse()
        } else {
            magnitude
        };
        self.sign().cmp(&other.sign()).then(same_sign)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn power_of_ten(mut exponent: u64, modulus: u128) -> u128 {
    let (mut power, mut base) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent /= 2;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text)
    }

    #[test]
    fn numbers_are_equal_by_value() {
        for texts in [
            &["1", "1.0", "10e-1", "0.1E+1", "0.01e2"][..],
            &["0", "-0", "0.00", "0e99", "-0.0e-5"],
            &["-1200", "-1.2e3", "-12E2", "-0012e2"],
            &["1e-400", "0.1e-399"],
        ] {
            for text in texts {
                assert_eq!(number(text), number(texts[0]), "{text}");
            }
        }
        assert_ne!(number("9007199254740993"), number("9007199254740992"));
        assert_ne!(number("1e-400"), number("0"));
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let sorted = [
            "-1e308",
            "-10",
            "-2",
            "-1.5",
            "-1e-9",
            "0",
            "1e-400",
            "0.5",
            "0.55",
            "1",
            "9.99",
            "10",
            "11",
            "1e20",
            "123456789012345678901",
            "1e308",
        ];
        for (left, right) in sorted.iter().zip(&sorted[1..]) {
            assert_eq!(
                number(left).cmp(&number(right)),
                Ordering::Less,
                "{left} {right}"
            );
            assert_eq!(
                number(right).cmp(&number(left)),
                Ordering::Greater,
                "{left} {right}"
            );
            assert_eq!(
                number(left).partial_cmp(&number(left)),
                Some(Ordering::Equal)
            );
        }
        assert_eq!(number("0").cmp(&number("-0")), Ordering::Equal);
    }

    #[test]
    fn integers_are_recognized_in_every_spelling() {
        for text in [
            "0",
            "-0.0",
            "1.0",
            "1e2",
            "1.5e1",
            "-3",
            "123456789012345678901234567890",
        ] {
            assert!(number(text).is_integer(), "{text}");
        }
        for text in ["0.5", "1e-1", "15e-2", "1e-400"] {
            assert!(!number(text).is_integer(), "{text}");
        }
    }

    #[test]
    fn counts_are_non_negative_integers_and_saturate() {
        for (text, count) in [
            ("0", Some(0)),
            ("2.0", Some(2)),
            ("1e3", Some(1_000)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(u64::MAX)),
            ("2e19", Some(u64::MAX)),
            ("1e300", Some(u64::MAX)),
            ("-1", None),
            ("0.5", None),
        ] {
            assert_eq!(number(text).to_count(), count, "{text}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (value, divisor, expected) in [
            ("0", "7", true),
            ("21", "7", true),
            ("22", "7", false),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("4.5", "1.5", true),
            ("-4.5", "1.5", true),
            ("35", "1.5", false),
            ("1e308", "0.5", true),
            ("1e308", "0.123456789", false),
            ("1e300", "1e300", true),
            ("1e299", "1e300", false),
            ("12391239123", "1e-8", true),
            ("18446744073709551614", "18446744073709551615", false),
            (
                "340282366920938463426481119284349108225",
                "18446744073709551615",
                true,
            ),
            ("10", "4", false),
            ("100", "4", true),
        ] {
            let (divisor, exponent) = number(divisor).to_scaled().unwrap();
            assert_eq!(
                number(value).is_multiple_of(divisor, exponent),
                expected,
                "{value} {divisor}"
            );
        }
        assert_eq!(number("18446744073709551617").to_scaled(), None);
    }

    #[test]
    fn huge_exponents_are_clamped() {
        let tiny = number("1e-99999999999999999999");
        assert!(tiny.is_positive());
        assert_eq!(tiny, number("1e-99999999999999999998"));
        assert!(tiny < number("1e-1000000"));
        assert!(!number("-1").is_positive());
        assert!(!number("0").is_positive());
    }
}
