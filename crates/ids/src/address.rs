//! Addresses that people type.

use alloy_primitives::Address;

/// Why a text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not `0x` and 40 hexadecimal digits.
    #[error("not `0x` and 40 hexadecimal digits")]
    Malformed,
    /// Mixed case that is not the EIP-55 checksum.
    #[error("invalid EIP-55 checksum")]
    Checksum,
}

/// Parses `0x` and 40 hexadecimal digits. Mixed case must be the EIP-55 checksum; all lower or all upper case has no checksum.
///
/// # Errors
///
/// When the text is malformed, or the checksum is wrong.
pub fn parse_checksummed_address(text: &str) -> Result<Address, AddressError> {
    // `Address::from_str` would accept a second `0x` prefix.
    let digits = text.strip_prefix("0x").filter(|text| text.len() == 40);
    let digits = digits.ok_or(AddressError::Malformed)?;
    let address: Address = digits.parse().map_err(|_| AddressError::Malformed)?;
    let has = |is_case: fn(&u8) -> bool| digits.as_bytes().iter().any(is_case);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    if is_mixed && address.to_checksum(None) != text {
        return Err(AddressError::Checksum);
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOWER: &str = "0xc8721c9a776958ffffeb602da1b708bf1d318379";

    #[test]
    fn accepts_one_case_and_the_checksum() {
        let upper = format!("0x{}", LOWER[2..].to_uppercase());
        let checksummed = parse_checksummed_address(LOWER).unwrap().to_checksum(None);
        assert_eq!(checksummed, "0xc8721c9A776958FfFfEb602DA1b708bf1D318379");
        assert_eq!(
            parse_checksummed_address(LOWER),
            parse_checksummed_address(&upper)
        );
        assert_eq!(
            parse_checksummed_address(LOWER),
            parse_checksummed_address(&checksummed)
        );
    }

    #[test]
    fn rejects_a_wrong_checksum() {
        let wrong = "0xC8721c9A776958FfFfEb602DA1b708bf1D318379";
        assert_eq!(
            parse_checksummed_address(wrong),
            Err(AddressError::Checksum)
        );
    }

    #[test]
    fn rejects_other_texts() {
        let twice = format!("0x{LOWER}");
        let letter = LOWER.replace('9', "g");
        for text in ["", "0x", "0x00", &LOWER[2..], &twice, &letter, "name.eth"] {
            assert_eq!(
                parse_checksummed_address(text),
                Err(AddressError::Malformed),
                "{text:?}"
            );
        }
    }
}
