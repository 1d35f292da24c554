//! Strangers' texts on a terminal, whole.

use crate::cut;

/// More than any text that is worth reading whole.
const MAX_CHARACTERS: usize = 2048;

/// The text with control and invisible characters escaped, so that it cannot repaint the terminal it is shown in. Unlike an
/// [`excerpt`](crate::excerpt) it can be copied; only beyond 2,048 characters it is cut.
#[must_use]
pub fn shown(text: &str) -> String {
    cut(text, MAX_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_whole_and_nothing_steers_the_terminal() {
        let url = format!("https://tools.example.com/{}", "x".repeat(200));
        assert_eq!(shown(&url), url);
        assert_eq!(shown("\u{1b}[2J"), "\\u{1b}[2J");
        assert!(shown(&"x".repeat(5000)).len() < 2100);
    }
}
