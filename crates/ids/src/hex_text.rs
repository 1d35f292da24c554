//! Hex as the ERC wants it: `0x` and lower-case digits, refused rather than folded (F-08).

use alloy_primitives::Address;

use crate::{Error, excerpt};

const ADDRESS_CHARACTERS: usize = 42;

/// Whether a text is `0x` and nothing but lower-case hex digits, possibly none.
#[must_use]
pub fn is_lowercase_hex(text: &str) -> bool {
    // No early end: so the compiler looks at many bytes at once.
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.strip_prefix("0x")
        .is_some_and(|digits| digits.bytes().fold(true, |all, byte| all & is_digit(byte)))
}

/// Refuses what is not an address in lower case.
pub(crate) fn check_address(text: &str) -> Result<(), Error> {
    if text.len() == ADDRESS_CHARACTERS && is_lowercase_hex(text) {
        Ok(())
    } else {
        Err(Error::Address {
            found: excerpt(text),
        })
    }
}

/// An address in lower case; a checksummed one is refused, because its bytes would hash differently.
pub fn parse_address(text: &str) -> Result<Address, Error> {
    check_address(text)?;
    text.parse().map_err(|_| Error::Address {
        found: excerpt(text),
    })
}

/// T-28: whatever starts with 0x is hex and in lower case, in every namespace; the rest keeps its case.
pub(crate) fn refuse_bad_hex(reference: &str) -> Result<(), Error> {
    let claims_hex = reference.starts_with("0x") || reference.starts_with("0X");
    if claims_hex && !is_lowercase_hex(reference) {
        return Err(Error::HexCase {
            found: excerpt(reference),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_digits_after_a_small_x_are_hex() {
        assert!(is_lowercase_hex("0x") && is_lowercase_hex("0x09af"));
        for text in ["", "0", "0X09", "0xA", "0xg", "0x1 ", "0x1\n"] {
            assert!(!is_lowercase_hex(text), "{text:?}");
        }
    }

    #[test]
    fn references_without_0x_keep_their_case() {
        assert_eq!(refuse_bad_hex("EPjFWdd5AufqSSqeM2qN1"), Ok(()));
        assert!(refuse_bad_hex("0X12").is_err());
    }
}
