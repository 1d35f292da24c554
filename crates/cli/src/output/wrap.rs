//! Line breaks of text on a terminal.

use unicode_width::UnicodeWidthChar;

/// Starts of a command to copy.
const COMMANDS: [&str; 5] = ["atr ", "ATR_", "cast ", "curl ", "source "];

/// Continuation lines have at least this width.
const MIN_WIDTH: usize = 24;

/// Breaks lines that are longer than the width between words. Continuation lines are aligned with the value of a line
/// `label  value`. A word that is too long, such as a URL, a command in backticks, and a line with a command stay whole, so that they
/// can be copied.
pub(super) fn text(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let mut output = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        wrap(line, width, &mut output);
    }
    output
}

fn wrap(line: &str, width: usize, output: &mut String) {
    let indent = continuation(line, width);
    let value = strip(line).chars().skip(indent).collect::<String>();
    if columns(line) <= width || is_command(&value) {
        output.push_str(line);
        return;
    }
    let mut column = 0;
    let mut has_word = false;
    // Each piece is a word with the spaces in front of it.
    for piece in pieces(line) {
        let word = piece.trim_start_matches(' ');
        let is_break = has_word
            && piece.len() > word.len()
            && column + columns(piece) > width
            && column > indent;
        if is_break {
            output.push('\n');
            output.extend(std::iter::repeat_n(' ', indent));
            output.push_str(word);
            column = indent + columns(word);
        } else {
            output.push_str(piece);
            column += columns(piece);
        }
        has_word |= !word.is_empty();
    }
}

fn is_command(text: &str) -> bool {
    COMMANDS.iter().any(|command| text.starts_with(command))
}

/// Column of the value in a line `label  value`. Otherwise the line's own indentation, and two more after `label: `.
fn continuation(line: &str, width: usize) -> usize {
    let own = line.len() - line.trim_start_matches(' ').len();
    let plain = strip(line);
    let value = plain.trim_start_matches(' ').find("  ").map(|gap| {
        let after = &plain[own + gap..];
        let spaces = after.len() - after.trim_start_matches(' ').len();
        columns(&plain[..own + gap]) + spaces
    });
    let value = value.filter(|column| column + MIN_WIDTH <= width);
    let first = plain.split_whitespace().next().unwrap_or_default();
    let hanging = if first.ends_with(':') { 2 } else { 0 };
    value.unwrap_or(own + hanging)
}

fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let end = end_of_word(&rest[spaces..]).map_or(rest.len(), |end| spaces + end);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// The first space that is not between backticks.
fn end_of_word(text: &str) -> Option<usize> {
    let mut start = 0;
    loop {
        let end = start + text[start..].find([' ', '`'])?;
        if text[end..].starts_with(' ') {
            return Some(end);
        }
        // A single backtick is a character like others.
        start = match text[end + 1..].find('`') {
            Some(closing) => end + closing + 2,
            None => end + 1,
        };
    }
}

/// Printed width, without styles.
fn columns(text: &str) -> usize {
    strip(text)
        .chars()
        .filter_map(UnicodeWidthChar::width)
        .sum()
}

/// The text without the escape sequences of styles. Untrusted text has none: they are escaped before.
fn strip(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once('\u{1b}') {
        output += before;
        rest = sequence.split_once('m').map_or("", |(_, after)| after);
    }
    output + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_aligned_with_the_value() {
        let line = "cause     the manifest changed after registration, or another file is served\n";
        assert_eq!(
            text(line, Some(40)),
            "cause     the manifest changed after\n          registration, or another file\n          is served\n"
        );
        assert_eq!(text(line, Some(80)), line);
        assert_eq!(text(line, None), line);
        assert_eq!(
            text("warning: one two three\n", Some(14)),
            "warning: one\n  two three\n"
        );
    }

    #[test]
    fn long_words_stay_whole() {
        let url = "https://tools.example.com/.well-known/ai-tool/oracle.json";
        let line = format!("manifest  {url} and more\n");
        assert_eq!(
            text(&line, Some(40)),
            format!("manifest  {url}\n          and more\n")
        );
        let command = "next  atr access check 1 0x0000000000000000000000000000000000000001\n";
        assert_eq!(text(command, Some(40)), command);
        assert_eq!(text("one two three\n", Some(8)), "one two\nthree\n");
        let curl = "try  curl -i 'http://127.0.0.1:1/a' -H 'content-type: application/json'\n";
        assert_eq!(text(curl, Some(40)), curl);
        assert_eq!(
            text(
                "  hint: run `atr verify eip155:1/x` for details\n",
                Some(30)
            ),
            "  hint: run\n    `atr verify eip155:1/x`\n    for details\n"
        );
        assert_eq!(text("one `two three\n", Some(8)), "one `two\nthree\n");
    }

    #[test]
    fn styles_have_no_width() {
        let styled = "\u{1b}[1mwarning:\u{1b}[0m one two\n";
        assert_eq!(text(styled, Some(16)), styled);
        assert_eq!(
            text(styled, Some(14)),
            "\u{1b}[1mwarning:\u{1b}[0m one\n  two\n"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_if_its_words_fit() {
        let line = format!("  label  {}\n", "word ".repeat(60).trim_end());
        for width in [20, 30, 80] {
            for part in text(&line, Some(width)).lines() {
                assert!(columns(part) <= width, "{width}: {part}");
            }
        }
    }
}
