//! The conformance matrix, `tests/requirements.md`.

use std::{collections::BTreeMap, fmt};

use eyre::{ContextCompat, Result, WrapErr, bail};
use serde::Serialize;

use super::RequirementId;

/// The letter of the traps; every other letter is a group of the matrix.
pub const TRAPS: char = 'T';

/// How strongly a row is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// As in RFC 2119.
    Must,
    /// As in RFC 2119.
    Should,
    /// As in RFC 2119.
    May,
    /// A reading the project chose where the text leaves room; as binding as a MUST.
    Trap,
}

impl Level {
    /// Whether a row of this level may be declined with a reason.
    pub fn may_be_declined(self) -> bool {
        matches!(self, Self::Should | Self::May)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::May => "MAY",
            Self::Trap => "TRAP",
        })
    }
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub id: RequirementId,
    /// How strongly it is meant.
    pub level: Level,
    /// What must hold; for a trap, what is unclear.
    pub text: String,
}

/// The whole matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Requirements in the order of the file.
    pub rows: Vec<Row>,
    /// Title of each group.
    pub titles: BTreeMap<char, String>,
    /// Rows per group as the table at the top promises.
    promised: BTreeMap<char, usize>,
    /// Rows in all as that table promises, traps not counted.
    promised_total: usize,
}

impl Matrix {
    /// Reads the matrix; fails on a row that cannot be read, naming its line.
    pub fn parse(text: &str) -> Result<Self> {
        let mut matrix = Self {
            rows: Vec::new(),
            titles: BTreeMap::new(),
            promised: BTreeMap::new(),
            promised_total: 0,
        };
        for (index, line) in text.lines().enumerate() {
            matrix
                .read_line(line)
                .wrap_err_with(|| format!("requirements.md:{}", index + 1))?;
        }
        Ok(matrix)
    }

    fn read_line(&mut self, line: &str) -> Result<()> {
        let Some(cells) = cells(line) else {
            if line.starts_with("## Traps") {
                self.titles
                    .insert(TRAPS, line.trim_start_matches("## ").to_owned());
            }
            return Ok(());
        };
        match cells.as_slice() {
            [group, count] if group == "**Total**" => {
                self.promised_total = count.trim_matches('*').parse()?;
            }
            [group, count] if count.bytes().all(|byte| byte.is_ascii_digit()) => {
                let (letter, title) = group.split_once(". ").wrap_err("a group is `A. Title`")?;
                let letter = letter.parse()?;
                self.titles.insert(letter, title.to_owned());
                self.promised.insert(letter, count.parse()?);
            }
            [id, level, text, ..] if id.contains('-') && !id.starts_with("---") => {
                let id: RequirementId = id.parse()?;
                let (level, text) = match level.as_str() {
                    _ if id.group == TRAPS => (Level::Trap, level),
                    "MUST" => (Level::Must, text),
                    "SHOULD" => (Level::Should, text),
                    "MAY" => (Level::May, text),
                    other => bail!("{id}: `{other}` is no level"),
                };
                self.rows.push(Row {
                    id,
                    level,
                    text: text.clone(),
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// The row with this number.
    pub fn row(&self, id: RequirementId) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// Where the rows and the table at the top disagree, and numbers that are missing or used twice.
    pub fn miscounts(&self, traps: usize) -> Vec<String> {
        let mut faults = Vec::new();
        let mut promised = self.promised.clone();
        promised.insert(TRAPS, traps);
        let mut found: BTreeMap<char, Vec<u8>> =
            promised.keys().map(|group| (*group, Vec::new())).collect();
        for row in &self.rows {
            found.entry(row.id.group).or_default().push(row.id.number);
        }
        for (group, mut numbers) in found {
            let promised = promised.get(&group).copied().unwrap_or_default();
            numbers.sort_unstable();
            if numbers.len() != promised {
                faults.push(format!(
                    "group {group} has {} rows, the table promises {promised}",
                    numbers.len()
                ));
            } else if !numbers
                .iter()
                .enumerate()
                .all(|(at, number)| usize::from(*number) == at + 1)
            {
                faults.push(format!(
                    "group {group} is not numbered 1 to {promised}: {numbers:?}"
                ));
            }
        }
        let total = self.rows.iter().filter(|row| row.id.group != TRAPS).count();
        if total != self.promised_total {
            faults.push(format!(
                "the matrix has {total} rows, the table promises {} in all",
                self.promised_total
            ));
        }
        faults
    }
}

/// The cells of a Markdown table's line; none if it is not one. `\|` is a bar inside a cell.
pub(super) fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let hidden = inner.replace(r"\|", "\u{0}");
    Some(
        hidden
            .split('|')
            .map(|cell| cell.trim().replace('\u{0}', "|"))
            .collect(),
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A small matrix: two groups and one trap.
    pub(crate) const SMALL: &str = r"
| Group | Rows |
| --- | --- |
| A. First | 2 |
| B. Second | 2 |
| **Total** | **4** |

## A. First

| ID | Level | Requirement | Source | Test |
| --- | --- | --- | --- | --- |
| A-01 | MUST | one `^(0\|1)$` | §1 | x |
| A-02 | MUST | two | §1 | x |

## B. Second

| B-01 | SHOULD | three | §1 | x |
| B-02 | MAY | four | §1 | x |

## Traps and ambiguities

| ID | Issue | Reading | Why |
| --- | --- | --- | --- |
| T-01 | five | x | x |
";

    #[test]
    fn rows_levels_and_escaped_bars_are_read() {
        let matrix = Matrix::parse(SMALL).unwrap();
        let levels: Vec<_> = matrix
            .rows
            .iter()
            .map(|row| row.level.to_string())
            .collect();
        assert_eq!(levels, ["MUST", "MUST", "SHOULD", "MAY", "TRAP"]);
        assert_eq!(matrix.rows[0].text, "one `^(0|1)$`");
        assert_eq!(matrix.rows[4].text, "five");
        assert_eq!(matrix.titles[&'B'], "Second");
        assert_eq!(matrix.miscounts(1), [""; 0]);
    }

    #[test]
    fn a_lost_row_a_double_number_and_a_lost_trap_are_miscounts() {
        let lost = Matrix::parse(&SMALL.replace("| A-02 | MUST", "A-02 MUST")).unwrap();
        let faults = lost.miscounts(2).join("\n");
        assert!(
            faults.contains("group A has 1 rows, the table promises 2"),
            "{faults}"
        );
        assert!(
            faults.contains("group T has 1 rows, the table promises 2"),
            "{faults}"
        );
        assert!(
            faults.contains("3 rows, the table promises 4 in all"),
            "{faults}"
        );
        let twice = Matrix::parse(&SMALL.replace("A-02", "A-01")).unwrap();
        assert!(twice.miscounts(1)[0].contains("not numbered 1 to 2"));
    }

    #[test]
    fn an_unknown_level_is_refused_with_its_line() {
        let error = Matrix::parse(&SMALL.replace("| MAY |", "| MIGHT |")).unwrap_err();
        assert!(
            format!("{error:#}").contains("requirements.md:18"),
            "{error:#}"
        );
    }
}
