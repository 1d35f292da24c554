//! Safe display of untrusted text: limited length, no control characters.

const EXCERPT_CHARACTERS: usize = 60;

/// Longer than a valid `metadataURI`.
const MAX_CHARACTERS: usize = 2048;

/// The first 60 characters of a text, for error messages. See [`excerpt_with_limit`].
#[must_use]
pub fn excerpt(text: &str) -> String {
    excerpt_with_limit(text, EXCERPT_CHARACTERS)
}

/// The first 2,048 characters of a text. A valid URL is returned whole, so it can be copied. See [`excerpt_with_limit`].
#[must_use]
pub fn sanitize(text: &str) -> String {
    excerpt_with_limit(text, MAX_CHARACTERS)
}

/// The first `max_characters` characters of a text, followed by an ellipsis if it is longer.
///
/// Control characters and invisible characters are escaped, so that the result cannot change the terminal it is printed to.
/// Escapes count at their printed width and are never split.
#[must_use]
pub fn excerpt_with_limit(text: &str, max_characters: usize) -> String {
    let mut output = String::new();
    let mut remaining = max_characters;
    for character in text.chars() {
        let is_plain = is_printable(character);
        let escaped = character.escape_debug();
        let width = if is_plain { 1 } else { escaped.len() };
        if width > remaining {
            output.push('…');
            break;
        }
        remaining -= width;
        if is_plain {
            output.push(character);
        } else {
            output.extend(escaped);
        }
    }
    output
}

/// Whether a terminal shows a character as itself. False for control, format, private-use and unassigned characters, line
/// separators, and spaces other than U+0020.
#[must_use]
pub fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~');
    }
    // After another character, `escape_debug` does not escape combining marks, which many scripts need.
    let mut buffer = [b' '; 5];
    let length = 1 + character.encode_utf8(&mut buffer[1..]).len();
    let text = str::from_utf8(&buffer[..length]).unwrap_or_default();
    text.escape_debug().count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_returned_whole_and_long_text_is_truncated() {
        assert_eq!(excerpt("a \"b\" \\ 'c' é 😀"), "a \"b\" \\ 'c' é 😀");
        let long = excerpt(&"é".repeat(EXCERPT_CHARACTERS + 1));
        assert_eq!(long, "é".repeat(EXCERPT_CHARACTERS) + "…");
    }

    #[test]
    fn control_and_bidirectional_characters_are_escaped() {
        assert_eq!(excerpt("\u{1b}[31m\u{202e}\n"), "\\u{1b}[31m\\u{202e}\\n");
        assert_eq!(sanitize("\u{1b}[2J"), "\\u{1b}[2J");
    }

    #[test]
    fn letters_marks_and_symbols_of_all_scripts_are_printable() {
        for character in "aé東ि\u{301}😀…\\\"'".chars() {
            assert!(is_printable(character), "{character:?}");
        }
        for character in "\u{1b}\r\n\t\u{7f}\u{9b}\u{a0}\u{ad}\u{200d}\u{202e}\u{2028}\u{feff}\u{e000}\u{e0041}\u{10ffff}".chars() {
            assert!(!is_printable(character), "{character:?}");
        }
    }

    #[test]
    fn escapes_count_at_their_printed_width() {
        let hidden = "\u{1b}".repeat(EXCERPT_CHARACTERS);
        let escaped = "\\u{1b}".repeat(EXCERPT_CHARACTERS / 6) + "…";
        assert_eq!(excerpt(&hidden), escaped);
        assert_eq!(excerpt_with_limit("a\nb", 4), "a\\nb");
        assert_eq!(excerpt_with_limit("a\nb", 2), "a…");
        assert_eq!(excerpt_with_limit("", 0), "");
    }

    #[test]
    fn a_url_is_sanitized_whole() {
        let url = format!("https://tools.example.com/{}", "x".repeat(200));
        assert_eq!(sanitize(&url), url);
        assert!(sanitize(&"x".repeat(5000)).len() < 2100);
    }
}
