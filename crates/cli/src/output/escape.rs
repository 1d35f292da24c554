//! Escaping of untrusted text: manifests, contract names, and messages of nodes and servers must not control the terminal.
//!
//! [`Output`](super::Output) escapes everything it writes, so commands do not have to. Text that is one line by itself, such as an
//! error message, also passes [`line`], because a line break could forge a line of the report.

use std::fmt::Write;

use atr_ids::is_printable;

use super::{Palette, Report};

/// Renders a report. Text with characters to escape is rendered without colors, so that an escape sequence that is printed
/// comes from the palette.
pub(super) fn render(report: &impl Report, palette: &Palette) -> String {
    let plain = report.render(&palette.plain());
    if plain.chars().all(is_safe) {
        report.render(palette)
    } else {
        text(&plain)
    }
}

/// Escapes every character that is not printable, except line breaks.
pub(super) fn text(text: &str) -> String {
    escape(text, is_safe)
}

/// Escapes every character that is not printable.
pub(crate) fn line(text: &str) -> String {
    escape(text, is_printable)
}

/// Escapes every character of a JSON text that is not printable. JSON requires this of U+0000 to U+001F only; DEL, C1 and
/// bidirectional characters would reach the terminal.
pub(crate) fn json(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for character in text.chars() {
        if is_safe(character) {
            output.push(character);
            continue;
        }
        // Outside of strings, JSON text is printable.
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(output, "\\u{unit:04x}");
        }
    }
    output
}

fn is_safe(character: char) -> bool {
    character == '\n' || is_printable(character)
}

fn escape(text: &str, is_allowed: fn(char) -> bool) -> String {
    let mut output = String::with_capacity(text.len());
    for character in text.chars() {
        if is_allowed(character) {
            output.push(character);
        } else {
            output.extend(character.escape_debug());
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    struct Greeting(&'static str);

    impl Report for Greeting {
        fn render(&self, palette: &Palette) -> String {
            format!("{} {}\n", palette.heading("name"), self.0)
        }
    }

    #[test]
    fn escapes_everything_that_controls_the_terminal() {
        let hostile =
            "\u{1b}[2J\r\t\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200b}\u{2028}\u{feff}\u{e0041}";
        let escaped = "\\u{1b}[2J\\r\\t\\u{7f}\\u{9b}31m\\u{202e}\\u{2066}\\u{200b}\\u{2028}\\u{feff}\\u{e0041}";
        assert_eq!(text(hostile), escaped);
        assert_eq!(line(hostile), escaped);
        assert_eq!(text("a\nb"), "a\nb");
        assert_eq!(line("a\nb"), "a\\nb");
        let plain = "\"C:\\\" isn't é 東京 नमस्ते 😀";
        assert_eq!(line(plain), plain);
    }

    #[test]
    fn json_stays_equal_and_becomes_printable() {
        let value = serde_json::json!({"\u{9b}": "\u{7f}\u{85}\u{202e}\u{e0041}é\n"});
        let escaped = json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(
            escaped,
            "{\n  \"\\u009b\": \"\\u007f\\u0085\\u202e\\udb40\\udc41é\\n\"\n}"
        );
        let parsed: serde_json::Value = serde_json::from_str(&escaped).unwrap();
        assert_eq!(parsed, value);
    }

    #[test]
    fn escape_sequences_come_from_the_palette_only() {
        let palette = Palette::new(true);
        let bold = "\u{1b}[1mname\u{1b}[0m";
        assert_eq!(render(&Greeting("x"), &palette), format!("{bold} x\n"));
        let forged = "\u{1b}[32mverified\u{1b}[0m";
        let escaped = "name \\u{1b}[32mverified\\u{1b}[0m\n";
        assert_eq!(render(&Greeting(forged), &palette), escaped);
        assert_eq!(render(&Greeting(forged), &Palette::default()), escaped);
    }
}
