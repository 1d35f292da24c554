//! Tables for people.

use comfy_table::{CellAlignment, presets};

use crate::output::Palette;

/// A table without lines: columns line up, the first row is the heading.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    inner: comfy_table::Table,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(heading: [&str; N]) -> Self {
        let mut inner = comfy_table::Table::new();
        inner.load_preset(presets::NOTHING).set_header(heading);
        for column in inner.column_iter_mut() {
            column.set_padding((0, 2));
        }
        Self { inner }
    }

    /// Numbers line up at their end.
    pub(crate) fn with_numbers_in(mut self, columns: &[usize]) -> Self {
        for column in columns {
            if let Some(column) = self.inner.column_mut(*column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self
    }

    pub(crate) fn add(&mut self, row: [String; N]) {
        self.inner.add_row(row);
    }

    /// The table as text, newline at the end.
    pub(crate) fn human(&self, palette: &Palette) -> String {
        let mut lines = self.inner.lines().map(|line| line.trim_end().to_owned());
        let heading = palette.heading(&lines.next().unwrap_or_default());
        [heading]
            .into_iter()
            .chain(lines)
            .map(|line| line + "\n")
            .collect()
    }
}
