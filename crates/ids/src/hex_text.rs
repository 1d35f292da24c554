//! Lower-case hex with the prefix `0x`. Upper case is rejected, not converted (F-08).

use alloy_primitives::Address;

use crate::{Error, excerpt};

const ADDRESS_CHARACTERS: usize = 42;

/// Whether a text is `0x` followed by zero or more lower-case hex digits.
#[must_use]
pub fn is_lowercase_hex(text: &str) -> bool {
    // No early exit, so that the compiler vectorizes the loop.
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.strip_prefix("0x")
        .is_some_and(|digits| digits.bytes().fold(true, |all, byte| all & is_digit(byte)))
}

/// Validates a lower-case address.
pub(crate) fn check_address(text: &str) -> Result<(), Error> {
    if text.len() == ADDRESS_CHARACTERS && is_lowercase_hex(text) {
        Ok(())
    } else {
        Err(Error::Address {
            found: excerpt(text),
        })
    }
}

/// Parses a lower-case address. A checksummed address is rejected, because its text hashes differently.
pub fn parse_address(text: &str) -> Result<Address, Error> {
    check_address(text)?;
    text.parse().map_err(|_| Error::Address {
        found: excerpt(text),
    })
}

/// Parses an address as people write it: mixed case must match the EIP-55 checksum; all lower or all upper case has no checksum.
pub fn parse_checksummed_address(text: &str) -> Result<Address, Error> {
    let invalid = || Error::Address {
        found: excerpt(text),
    };
    let digits = text.strip_prefix("0x").ok_or_else(invalid)?;
    // `Address::from_str` would accept a second prefix.
    if digits.len() != ADDRESS_CHARACTERS - 2 {
        return Err(invalid());
    }
    let address: Address = digits.parse().map_err(|_| invalid())?;
    let is_mixed = digits.bytes().any(|byte| byte.is_ascii_lowercase())
        && digits.bytes().any(|byte| byte.is_ascii_uppercase());
    if is_mixed && address.to_checksum(None) != text {
        return Err(Error::Checksum {
            found: excerpt(text),
        });
    }
    Ok(address)
}

/// T-28: in every namespace, a reference that starts with `0x` must be lower-case hex. Other references are case-sensitive.
pub(crate) fn check_hex_case(reference: &str) -> Result<(), Error> {
    let has_hex_prefix = reference.starts_with("0x") || reference.starts_with("0X");
    if has_hex_prefix && !is_lowercase_hex(reference) {
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
    fn a_checksum_is_checked_where_there_is_one() {
        let lower = "0xc8721c9a776958ffffeb602da1b708bf1d318379";
        let address = parse_address(lower).unwrap();
        let upper = format!("0x{}", lower[2..].to_uppercase());
        for text in [lower, &upper, &address.to_checksum(None)] {
            assert_eq!(parse_checksummed_address(text), Ok(address), "{text}");
        }
        let wrong = lower.replacen('c', "C", 1);
        let expected = Err(Error::Checksum {
            found: wrong.clone(),
        });
        assert_eq!(parse_checksummed_address(&wrong), expected);
        for text in [
            "",
            "0x",
            "0x00",
            &lower[2..],
            &format!("0x{lower}"),
            "name.eth",
        ] {
            let parsed = parse_checksummed_address(text);
            assert!(matches!(parsed, Err(Error::Address { .. })), "{text:?}");
        }
    }

    #[test]
    fn accepts_only_lower_case_digits_and_prefix() {
        assert!(is_lowercase_hex("0x") && is_lowercase_hex("0x09af"));
        for text in ["", "0", "0X09", "0xA", "0xg", "0x1 ", "0x1\n"] {
            assert!(!is_lowercase_hex(text), "{text:?}");
        }
    }

    #[test]
    fn references_without_the_prefix_are_case_sensitive() {
        assert_eq!(check_hex_case("EPjFWdd5AufqSSqeM2qN1"), Ok(()));
        assert!(check_hex_case("0X12").is_err());
    }
}
