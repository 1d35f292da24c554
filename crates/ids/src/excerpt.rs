//! Strangers choose how long their texts are; what we quote of them has a limit.

const MAX_CHARACTERS: usize = 60;

/// The text, or its beginning and an ellipsis. Control and invisible characters are escaped, so that a quotation cannot
/// repaint the terminal it is shown in.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut quoted = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == MAX_CHARACTERS {
            quoted.push('…');
            break;
        }
        // `escape_debug` knows which characters cannot be seen; it also escapes three that can.
        match character {
            '\\' | '"' | '\'' => quoted.push(character),
            other => quoted.extend(other.escape_debug()),
        }
    }
    quoted
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
}
