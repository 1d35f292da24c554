//! The order of names in the canonical form: by UTF-16 code units (RFC 8785 § 3.2.3).

use std::cmp::Ordering;

/// Compares two names as UTF-16 would, looking at their UTF-8.
///
/// The two orders agree except that UTF-16 puts code points from U+10000 on (surrogates, D800 to DFFF) before U+E000 to U+FFFF.
/// In UTF-8 the former begin with F0 to F4, the latter with EE or EF, so the first byte that differs decides.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    match left.iter().zip(right).find(|(one, other)| one != other) {
        None => left.len().cmp(&right.len()),
        Some((one, other)) => rank(*one).cmp(&rank(*other)),
    }
}

const fn rank(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 5,
        0xF0..=0xF4 => byte - 2,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_utf16_at_every_border() {
        // F-12
        let borders = [
            "",
            "a",
            "aa",
            "b",
            "\u{7f}",
            "\u{80}",
            "\u{7ff}",
            "\u{800}",
            "\u{d7ff}",
            "\u{e000}",
            "\u{ffff}",
            "\u{10000}",
            "\u{3ffff}",
            "\u{40000}",
            "\u{10ffff}",
        ];
        for left in borders {
            for right in borders {
                let (left, right) = (format!("x{left}y"), format!("x{right}"));
                let expected = left.encode_utf16().cmp(right.encode_utf16());
                assert_eq!(compare(&left, &right), expected, "{left:?} {right:?}");
            }
        }
    }
}
