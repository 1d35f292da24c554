//! Tables.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Palette, Tone, escape_line, shorten};

/// Spaces between columns.
const GAP: usize = 2;

/// Columns are not made narrower than this.
const MIN_WIDTH: usize = 8;

/// The last column, which has the longest text, is cut to this width before the others.
const MIN_LAST_WIDTH: usize = 14;

/// A table without borders.
///
/// If it does not fit the terminal, first addresses and hashes are shortened, then the widest columns are cut; `--full` prevents
/// both.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    rows: Vec<[Cell; N]>,
    right_aligned: &'static [usize],
    whole: &'static [usize],
}

#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(&text, Tone::Neutral)
    }
}

impl Cell {
    pub(crate) fn new(text: &str, tone: Tone) -> Self {
        Self {
            text: escape_line(text),
            tone,
        }
    }

    fn width(&self) -> usize {
        self.text.width()
    }

    fn shortened(&self) -> Self {
        Self {
            text: shorten::hex(&self.text),
            tone: self.tone,
        }
    }

    /// Padding is not styled.
    fn render(&self, width: usize, is_right: bool, palette: &Palette) -> String {
        let text = cut(&self.text, width);
        let padding = " ".repeat(width.saturating_sub(text.width()));
        let text = palette.tone(self.tone, &text);
        if is_right {
            padding + &text
        } else {
            text + &padding
        }
    }
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(heading: [&str; N]) -> Self {
        let heading = heading.map(|text| Cell::new(text, Tone::Heading));
        Self {
            rows: vec![heading],
            right_aligned: &[],
            whole: &[],
        }
    }

    pub(crate) const fn with_right_aligned(mut self, columns: &'static [usize]) -> Self {
        self.right_aligned = columns;
        self
    }

    /// Columns that are never cut, such as amounts.
    pub(crate) const fn with_whole(mut self, columns: &'static [usize]) -> Self {
        self.whole = columns;
        self
    }

    pub(crate) fn add_row<C: Into<Cell>>(&mut self, row: [C; N]) {
        self.rows.push(row.map(Into::into));
    }

    /// The text, ending with a newline.
    pub(crate) fn render(&self, palette: &Palette) -> String {
        let widths = widths(&self.rows);
        match palette.table_width() {
            Some(max) if total(&widths) > max => {
                let rows: Vec<[Cell; N]> = self
                    .rows
                    .iter()
                    .map(|row| std::array::from_fn(|column| row[column].shortened()))
                    .collect();
                let mut widths = self::widths(&rows);
                self.fit(&mut widths, max);
                self.lines(&rows, widths, palette)
            }
            _ => self.lines(&self.rows, widths, palette),
        }
    }

    /// Cuts the last column, then the widest ones until the table fits. Columns with tones, such as `verified`, stay whole.
    fn fit(&self, widths: &mut [usize; N], max: usize) {
        let has_tone = |column: usize| {
            let mut rows = self.rows.iter().skip(1);
            rows.any(|row| row[column].tone != Tone::Neutral)
        };
        let is_cut: [bool; N] =
            std::array::from_fn(|column| !has_tone(column) && !self.whole.contains(&column));
        let excess = total(widths).saturating_sub(max);
        if let (Some(last), Some(true)) = (widths.last_mut(), is_cut.last()) {
            *last -= excess.min(last.saturating_sub(MIN_LAST_WIDTH));
        }
        while total(widths) > max {
            let columns = (0..N).filter(|column| is_cut[*column]);
            let Some(widest) = columns.max_by_key(|column| widths[*column]) else {
                return;
            };
            if widths[widest] <= MIN_WIDTH {
                return;
            }
            widths[widest] -= 1;
        }
    }

    fn lines(&self, rows: &[[Cell; N]], widths: [usize; N], palette: &Palette) -> String {
        let mut text = String::new();
        for row in rows {
            let mut line = String::new();
            let last = row.iter().rposition(|cell| !cell.text.is_empty());
            for (column, cell) in row.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
                if column > 0 {
                    line += &" ".repeat(GAP);
                }
                let is_right = self.right_aligned.contains(&column);
                line += &cell.render(widths[column], is_right, palette);
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

fn widths<const N: usize>(rows: &[[Cell; N]]) -> [usize; N] {
    std::array::from_fn(|column| {
        let widths = rows.iter().map(|row| row[column].width());
        widths.max().unwrap_or_default()
    })
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The start of a text that fits a width, with an ellipsis if something is left out.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut output = String::new();
    let mut remaining = width.saturating_sub(1);
    for character in text.chars() {
        let Some(left) = remaining.checked_sub(character.width().unwrap_or(0)) else {
            break;
        };
        remaining = left;
        output.push(character);
    }
    output.push('…');
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

    fn table(name: &str) -> Table<3> {
        let mut table = Table::new(["ID", "STATUS", "NAME"]).with_right_aligned(&[0]);
        table.add_row([
            Cell::from("7".to_owned()),
            Cell::new("failed", Tone::Bad),
            Cell::from(name.to_owned()),
        ]);
        table
    }

    #[test]
    fn a_table_that_fits_is_not_shortened() {
        let wide = Palette::default().with_width(Some(80));
        let expected = format!("ID  STATUS  NAME\n 7  failed  {ADDRESS}\n");
        assert_eq!(table(ADDRESS).render(&wide), expected);
        let full = Palette::default().with_width(Some(20)).with_full_text(true);
        assert_eq!(table(ADDRESS).render(&full), expected);
        assert_eq!(table(ADDRESS).render(&Palette::default()), expected);
    }

    #[test]
    fn addresses_are_shortened_before_texts_are_cut() {
        let narrow = Palette::default().with_width(Some(24));
        assert_eq!(
            table(ADDRESS).render(&narrow),
            "ID  STATUS  NAME\n 7  failed  0xf39F…2266\n"
        );
        assert_eq!(
            table("a name that is far too long").render(&narrow),
            "ID  STATUS  NAME\n 7  failed  a name that…\n"
        );
    }

    #[test]
    fn the_widest_columns_are_cut_first() {
        let mut table = Table::new(["A", "B", "C"]);
        table.add_row(["a".repeat(30), "b".repeat(12), "c".repeat(20)]);
        let row = |width| {
            let text = table.render(&Palette::default().with_width(Some(width)));
            text.lines().nth(1).unwrap().to_owned()
        };
        let expected = |first, last| {
            let part = |letter: &str, width: usize| match width {
                0 => String::new(),
                width => letter.repeat(width - 1) + "…",
            };
            format!(
                "{}  {}  {}",
                part("a", first),
                "b".repeat(12),
                part("c", last)
            )
        };
        // The last column is cut to 14 before the others.
        assert_eq!(row(64), expected(30, 18).replace("a…", "aa"));
        assert_eq!(row(50), expected(20, 14));
        assert_eq!(row(40), expected(12, 12));
    }

    #[test]
    fn whole_columns_are_not_cut() {
        let mut table = Table::new(["A", "B", "C"]).with_whole(&[0, 2]);
        table.add_row(["a".repeat(20), "b".repeat(20), "c".repeat(20)]);
        let text = table.render(&Palette::default().with_width(Some(54)));
        let expected = format!("{}  {}…  {}", "a".repeat(20), "b".repeat(9), "c".repeat(20));
        assert_eq!(text.lines().nth(1).unwrap(), expected);
    }

    #[test]
    fn texts_are_cut_by_their_printed_width() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("東京都", 6), "東京都");
        assert_eq!(cut("東京都", 5), "東京…");
        assert_eq!(cut("東京都", 4), "東…");
    }

    #[test]
    fn colors_do_not_change_the_alignment() {
        let plain = table("name").render(&Palette::default());
        let colored = table("name").render(&Palette::new(true));
        assert!(
            colored.contains("\u{1b}[1m\u{1b}[31mfailed\u{1b}[0m  name"),
            "{colored:?}"
        );
        let without = ["\u{1b}[1m", "\u{1b}[31m", "\u{1b}[0m"];
        let stripped = without
            .iter()
            .fold(colored, |text, code| text.replace(code, ""));
        assert_eq!(stripped, plain);
    }
}
