//! Strangers choose how long their texts are; what we quote of them has a limit.

const MAX_CHARACTERS: usize = 60;

/// The text, or its beginning and an ellipsis. Control and invisible characters are escaped, so that a quotation cannot
/// repaint the terminal it is shown in.
#[must_use]
pub fn excerpt(text: &str) -> String {
    cut(text, MAX_CHARACTERS)
}

/// The same with a limit of the caller's: at most so many characters are shown, escapes counted as they are written out, and
/// none is cut in two.
#[must_use]
pub fn cut(text: &str, max_characters: usize) -> String {
    let mut shown = String::new();
    let mut room = max_characters;
    for character in text.chars() {
        // `escape_debug` knows which characters cannot be seen; it also escapes three that can.
        let is_plain = matches!(character, '\\' | '"' | '\'');
        let escaped = character.escape_debug();
        let width = if is_plain { 1 } else { escaped.len() };
        if width > room {
            shown.push('…');
            break;
        }
        room -= width;
        if is_plain {
            shown.push(character);
        } else {
            shown.extend(escaped);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_quoted_whole_and_long_ones_are_cut() {
        assert_eq!(excerpt("a \"b\" \\ 'c' é 😀"), "a \"b\" \\ 'c' é 😀");
        let long = excerpt(&"é".repeat(MAX_CHARACTERS + 1));
        assert_eq!(long, "é".repeat(MAX_CHARACTERS) + "…");
    }

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        assert_eq!(excerpt("\u{1b}[31m\u{202e}\n"), "\\u{1b}[31m\\u{202e}\\n");
    }

    #[test]
    fn escapes_count_as_they_are_shown() {
        let hidden = "\u{1b}".repeat(MAX_CHARACTERS);
        assert_eq!(excerpt(&hidden), "\\u{1b}".repeat(MAX_CHARACTERS / 6) + "…");
        assert_eq!(cut("a\nb", 4), "a\\nb");
        assert_eq!(cut("a\nb", 2), "a…");
        assert_eq!(cut("", 0), "");
    }
}
