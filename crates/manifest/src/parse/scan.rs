//! Inner loops of the parser.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Number of bytes before the first quote, backslash or control character. Reads eight bytes at a time.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (chunks, tail) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let special = special(u64::from_le_bytes(*chunk));
        if special != 0 {
            return index * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let length = tail
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))
        .unwrap_or(tail.len());
    chunks.len() * 8 + length
}

/// Sets the high bit of bytes that are quotes, backslashes or control characters. A borrow can set the bit of a further byte, but
/// only above a correct one, so the lowest set bit is always correct.
const fn special(chunk: u64) -> u64 {
    let quotes = chunk ^ (ONES * b'"' as u64);
    let backslashes = chunk ^ (ONES * b'\\' as u64);
    let zero_quotes = quotes.wrapping_sub(ONES) & !quotes;
    let zero_backslashes = backslashes.wrapping_sub(ONES) & !backslashes;
    let controls = chunk.wrapping_sub(ONES * 0x20) & !chunk;
    (zero_quotes | zero_backslashes | controls) & HIGHS
}

/// Number of bytes that can precede a node, and of colons. Upper bounds on the number of nodes and members.
pub(super) fn count_structure(bytes: &[u8]) -> (usize, usize) {
    let (mut followers, mut colons) = (0, 0);
    // `u8` counters, so that the compiler vectorizes the loop.
    for chunk in bytes.chunks(u8::MAX as usize) {
        let (mut chunk_followers, mut chunk_colons) = (0_u8, 0_u8);
        for byte in chunk {
            chunk_colons += u8::from(*byte == b':');
            chunk_followers +=
                u8::from(*byte == b':') | u8::from(*byte == b',') | u8::from(*byte & 0xDF == b'[');
        }
        followers += usize::from(chunk_followers);
        colons += usize::from(chunk_colons);
    }
    (followers, colons)
}

/// Whether an integer of this many digits may exceed the range of a double. The largest double has 309 digits.
const fn is_long(digits: usize) -> bool {
    digits > 300
}

/// Length of the JSON number at the start (0 if there is none), and whether it may exceed the range of a double.
pub(super) fn number(bytes: &[u8]) -> (usize, bool) {
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(start);
    if whole == 0 || (whole > 1 && bytes[start] == b'0') {
        return (0, false);
    }
    let mut at = start + whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return (0, false);
        }
        at += 1 + fraction;
    }
    let mut may_overflow = is_long(whole);
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent == 0 {
            return (0, false);
        }
        at += 1 + sign + exponent;
        may_overflow = true;
    }
    (at, may_overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_byte_is_found_at_every_offset() {
        for special in (0..=0x1f).chain(*b"\"\\") {
            for offset in 0..20 {
                // Bytes adjacent to the special ones, and bytes with the high bit set, must not match.
                let mut bytes: Vec<u8> = [0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f, 0x80, 0xff].repeat(3);
                bytes[offset] = special;
                assert_eq!(plain_length(&bytes), offset, "{special:#x}");
            }
        }
        assert_eq!(plain_length("é😀 plain".as_bytes()), "é😀 plain".len());
    }

    #[test]
    fn numbers_follow_the_json_grammar() {
        for (text, length) in [
            ("0", 1),
            ("-0", 2),
            ("10,", 2),
            ("1.5e+3]", 6),
            ("1E9", 3),
            ("01", 0),
            ("-", 0),
            ("1.", 0),
            ("1.e3", 0),
            ("1e", 0),
            ("1e+", 0),
            ("+1", 0),
            (".5", 0),
            ("-x", 0),
        ] {
            assert_eq!(number(text.as_bytes()).0, length, "{text}");
        }
    }

    #[test]
    fn structure_counts_are_upper_bounds() {
        assert_eq!(count_structure(br#"{"a":[1,2],"b":{}}"#), (7, 2));
        assert_eq!(count_structure(&b":".repeat(1000)), (1000, 1000));
    }
}
