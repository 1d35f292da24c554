//! Shortened hex values.

/// Hex digits of an address, and of a hash.
const LENGTHS: [usize; 2] = [40, 64];

/// Hex digits that are kept on each side.
const KEPT: usize = 4;

/// Replaces each address and hash in a text by its first and last digits.
pub(super) fn hex(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let (before, value) = rest.split_at(at);
        let digits = value[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let (value, after) = value.split_at(2 + digits);
        output += before;
        if LENGTHS.contains(&digits) {
            output += &value[..2 + KEPT];
            output.push('…');
            output += &value[value.len() - KEPT..];
        } else {
            output += value;
        }
        rest = after;
    }
    output + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_hashes_are_shortened_and_other_hex_is_not() {
        let address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        let hash = format!("0x{}", "ab".repeat(32));
        assert_eq!(
            hex(&format!("from {address}, {hash}; 0x01 0x")),
            "from 0xf39F…2266, 0xabab…abab; 0x01 0x"
        );
        // Call data that starts with an address.
        let data = format!("{address}00");
        assert_eq!(hex(&data), data);
    }
}
