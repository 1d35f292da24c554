//! Tables.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, presets};
use unicode_width::UnicodeWidthStr;

use super::{Palette, Tone, escape_line, shorten};

/// A table without borders.
///
/// If it does not fit the terminal, first addresses and hashes are shortened, then texts are cut; `--full` prevents both.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    heading: [&'static str; N],
    rows: Vec<[Cell; N]>,
    right_aligned: &'static [usize],
}

#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self {
            text: escape_line(&text),
            tone: Tone::Neutral,
        }
    }
}

impl Cell {
    pub(crate) fn new(text: &str, tone: Tone) -> Self {
        Self {
            tone,
            ..text.to_owned().into()
        }
    }

    /// The text between marks that have no width. [`escape_line`] removes these characters from every other text.
    fn marked(&self) -> String {
        match MARKS.iter().find(|(tone, _)| *tone == self.tone) {
            Some((_, mark)) => format!("{mark}{}{END}", self.text),
            None => self.text.clone(),
        }
    }
}

const MARKS: [(Tone, char); 3] = [
    (Tone::Good, '\u{2061}'),
    (Tone::Bad, '\u{2062}'),
    (Tone::Uncertain, '\u{2063}'),
];
const END: char = '\u{2060}';

impl<const N: usize> Table<N> {
    pub(crate) const fn new(heading: [&'static str; N]) -> Self {
        Self {
            heading,
            rows: Vec::new(),
            right_aligned: &[],
        }
    }

    pub(crate) const fn with_right_aligned(mut self, columns: &'static [usize]) -> Self {
        self.right_aligned = columns;
        self
    }

    pub(crate) fn add_row<C: Into<Cell>>(&mut self, row: [C; N]) {
        self.rows.push(row.map(Into::into));
    }

    /// The text, ending with a newline.
    pub(crate) fn render(&self, palette: &Palette) -> String {
        let mut lines = self.lines(&self.rows, None);
        if let Some(width) = palette.table_width() {
            let fits = |lines: &[String]| lines.iter().all(|line| line.width() <= width);
            if !fits(&lines) {
                let short = |cell: &Cell| Cell {
                    text: shorten::hex(&cell.text),
                    ..cell.clone()
                };
                let rows: Vec<[Cell; N]> = self
                    .rows
                    .iter()
                    .map(|row| std::array::from_fn(|column| short(&row[column])))
                    .collect();
                lines = self.lines(&rows, None);
                if !fits(&lines) {
                    lines = self.lines(&rows, Some(width));
                }
            }
        }
        let mut lines = lines.into_iter();
        let heading = palette.heading(&lines.next().unwrap_or_default());
        let rows = lines.map(|line| paint(&line, palette));
        [heading]
            .into_iter()
            .chain(rows)
            .map(|line| line + "\n")
            .collect()
    }

    fn lines(&self, rows: &[[Cell; N]], width: Option<usize>) -> Vec<String> {
        let mut table = comfy_table::Table::new();
        table
            .load_preset(presets::NOTHING)
            .set_truncation_indicator("…")
            .set_header(self.heading);
        if let Some(width) = width {
            // The last column needs no padding.
            let width = u16::try_from(width + 2).unwrap_or(u16::MAX);
            table
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(width);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if self.right_aligned.contains(&index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            // Words such as `verified` are never cut.
            let has_tone = |row: &[Cell; N]| row[index].tone != Tone::Neutral;
            if rows.iter().any(has_tone) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        for row in rows {
            let cells: Vec<_> = row.iter().map(Cell::marked).collect();
            let mut row = comfy_table::Row::from(cells);
            if width.is_some() {
                row.max_height(1);
            }
            table.add_row(row);
        }
        let lines = table.lines().map(|line| line.trim_end().to_owned());
        lines.collect()
    }
}

fn paint(line: &str, palette: &Palette) -> String {
    let mut style = anstyle::Style::new();
    let mut output = String::with_capacity(line.len());
    for character in line.chars() {
        match MARKS.iter().find(|(_, mark)| *mark == character) {
            Some((tone, _)) => {
                style = palette.style(*tone);
                output += &style.render().to_string();
            }
            None if character == END => output += &style.render_reset().to_string(),
            None => output.push(character),
        }
    }
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

    #[test]
    fn untrusted_text_has_no_marks() {
        let hostile = table("\u{2061}verified\u{2060}").render(&Palette::new(true));
        assert!(
            hostile.contains("\\u{2061}verified\\u{2060}"),
            "{hostile:?}"
        );
    }
}
