//! Styles, width and length of the text that is printed.

use alloy_primitives::B256;
use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::{field, shorten, table};

/// How text is printed: colors, the width of the terminal, and whether addresses may be shortened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    heading: Style,
    success: Style,
    error: Style,
    warning: Style,
    /// `None` if lines can have any length, as in a file or a pipe.
    width: Option<usize>,
    /// Whether addresses, hashes and texts are never shortened.
    is_full: bool,
    shows_hints: bool,
}

impl Palette {
    pub(super) fn new(color: bool) -> Self {
        if !color {
            return Self::default();
        }
        let colored = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        Self {
            heading: Style::new().bold(),
            success: colored(AnsiColor::Green),
            error: colored(AnsiColor::Red).bold(),
            warning: colored(AnsiColor::Yellow).bold(),
            ..Self::default()
        }
    }

    pub(super) const fn with_width(mut self, width: Option<usize>) -> Self {
        self.width = width;
        self
    }

    pub(super) const fn with_full_text(mut self, is_full: bool) -> Self {
        self.is_full = is_full;
        self
    }

    pub(super) const fn with_hints(mut self, shows_hints: bool) -> Self {
        self.shows_hints = shows_hints;
        self
    }

    /// The same without colors.
    pub(super) fn plain(&self) -> Self {
        Self {
            width: self.width,
            is_full: self.is_full,
            shows_hints: self.shows_hints,
            ..Self::default()
        }
    }

    pub(super) const fn width(&self) -> Option<usize> {
        self.width
    }

    /// Width of a table whose cells may be shortened.
    pub(super) fn table_width(&self) -> Option<usize> {
        self.width.filter(|_| !self.is_full)
    }

    /// Whether lines of this width fit without shortening.
    pub(crate) fn fits(&self, width: usize) -> bool {
        self.table_width().is_none_or(|max| width <= max)
    }

    /// Text after `used` columns of a line. If the line does not fit, the text is abbreviated, its addresses and hashes are
    /// shortened, and its end is cut.
    pub(crate) fn fit(
        &self,
        used: usize,
        text: &str,
        abbreviate: impl Fn(&str) -> String,
    ) -> String {
        match self.table_width() {
            Some(width) if used + text.width() > width => {
                let text = shorten::hex(&abbreviate(text));
                table::cut(&text, width.saturating_sub(used))
            }
            _ => text.to_owned(),
        }
    }

    /// A hash that was printed in full before: shortened on a terminal, unless `--full` or `--quiet` is used.
    pub(crate) fn hash(&self, hash: B256) -> String {
        let text = hash.to_string();
        match self.table_width() {
            Some(_) if self.shows_hints => shorten::hex(&text),
            _ => text,
        }
    }

    /// Whether hints and warnings are printed.
    pub(crate) const fn shows_hints(&self) -> bool {
        self.shows_hints
    }

    /// The command to run next; nothing with `--quiet`.
    pub(crate) fn next(&self, command: &str) -> String {
        if self.shows_hints {
            field("next", command)
        } else {
            String::new()
        }
    }

    pub(crate) fn heading(&self, text: &str) -> String {
        paint(self.heading, text)
    }

    pub(crate) fn success(&self, text: &str) -> String {
        paint(self.success, text)
    }

    pub(crate) fn error(&self, text: &str) -> String {
        paint(self.error, text)
    }

    pub(crate) fn warning(&self, text: &str) -> String {
        paint(self.warning, text)
    }

    /// Text in the style of a tone.
    pub(crate) fn tone(&self, tone: Tone, text: &str) -> String {
        paint(self.style(tone), text)
    }

    const fn style(&self, tone: Tone) -> Style {
        match tone {
            Tone::Good => self.success,
            Tone::Bad => self.error,
            Tone::Uncertain => self.warning,
            Tone::Heading => self.heading,
            Tone::Neutral => Style::new(),
        }
    }
}

/// What a word says, which decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Uncertain,
    Heading,
    Neutral,
}

/// Padding belongs inside of the style: escape sequences count as characters in a format width.
fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_palette_without_colors_adds_nothing() {
        assert_eq!(Palette::new(false).heading("x"), "x");
        assert_eq!(Palette::new(true).heading("x"), "\u{1b}[1mx\u{1b}[0m");
        let plain = Palette::new(true).with_width(Some(80)).plain();
        assert_eq!(plain.error("x"), "x");
        assert_eq!(plain.width(), Some(80));
    }
}
