//! Text that strangers had a part in, made fit to be shown.

use atr_ids::excerpt_with_limit;
use atr_manifest::Pointer;

use crate::MAX_MESSAGE_CHARACTERS;

/// A message of bounded length.
pub(crate) fn bounded(text: &str) -> String {
    excerpt_with_limit(text, MAX_MESSAGE_CHARACTERS)
}

/// A JSON pointer as others write it, read.
pub(crate) fn pointer(text: &str) -> Pointer {
    let tokens = text.split('/').skip(1);
    tokens.fold(Pointer::root(), |pointer, token| {
        pointer.member(&unescaped(token))
    })
}

/// A token of a JSON pointer without its escapes.
pub(crate) fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_hidden_characters_shown() {
        assert_eq!(bounded("a \"b\" \u{1b}[31m"), "a \"b\" \\u{1b}[31m");
        let long = bounded(&"é".repeat(MAX_MESSAGE_CHARACTERS + 1));
        assert_eq!(long, "é".repeat(MAX_MESSAGE_CHARACTERS) + "…");
        let hidden = bounded(&"\u{1b}".repeat(MAX_MESSAGE_CHARACTERS));
        assert!(hidden.chars().count() <= MAX_MESSAGE_CHARACTERS + 1);
    }

    #[test]
    fn pointers_keep_their_text() {
        for text in ["", "/", "/a~1b/3/~0", "/~01"] {
            assert_eq!(pointer(text).as_str(), text);
        }
    }
}
