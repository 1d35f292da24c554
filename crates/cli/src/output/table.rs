//! Tables.

use comfy_table::{CellAlignment, presets};

use crate::output::{Palette, escape_line};

/// A table without borders.
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

    pub(crate) fn with_right_aligned(mut self, columns: &[usize]) -> Self {
        for column in columns {
            if let Some(column) = self.inner.column_mut(*column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self
    }

    pub(crate) fn add_row(&mut self, row: [String; N]) {
        self.inner.add_row(row.map(|cell| escape_line(&cell)));
    }

    /// The text, ending with a newline.
    pub(crate) fn render(&self, palette: &Palette) -> String {
        let mut lines = self.inner.lines().map(|line| line.trim_end().to_owned());
        let heading = palette.heading(&lines.next().unwrap_or_default());
        [heading]
            .into_iter()
            .chain(lines)
            .map(|line| line + "\n")
            .collect()
    }
}
