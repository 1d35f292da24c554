//! Order of member names in the canonical form: by UTF-16 code units (RFC 8785 § 3.2.3).

use std::cmp::Ordering;

/// Compares UTF-8 text in the order of its UTF-16 code units.
///
/// The orders of UTF-8 and UTF-16 differ in one case: in UTF-16, code points from U+10000 (surrogates, D800 to DFFF) come before
/// U+E000 to U+FFFF. In UTF-8 the former start with F0 to F4, the latter with EE or EF. So the order of the first different byte
/// is adjusted.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let (left_bytes, right_bytes) = (left.as_bytes(), right.as_bytes());
    match left_bytes
        .iter()
        .zip(right_bytes)
        .find(|(left, right)| left != right)
    {
        None => left.len().cmp(&right.len()),
        Some((left, right)) => rank(*left).cmp(&rank(*right)),
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
    fn agrees_with_utf16_at_every_boundary() {
        // F-12
        let boundaries = [
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
        for left in boundaries {
            for right in boundaries {
                let (left, right) = (format!("x{left}y"), format!("x{right}"));
                let expected = left.encode_utf16().cmp(right.encode_utf16());
                assert_eq!(compare(&left, &right), expected, "{left:?} {right:?}");
            }
        }
    }
}
