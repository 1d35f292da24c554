//! `tests/requirements.md`, `tests/pending.txt` and `tests/reviewed.md`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
    sync::LazyLock,
};

use eyre::{ContextCompat, Report, Result, WrapErr, bail, ensure};
use regex::Regex;
use serde::{Serialize, Serializer};

/// The group letter of the traps. They bind like a MUST.
const TRAPS: char = 'T';

static ID: LazyLock<Regex> = LazyLock::new(|| regex(r"^([A-Z])-(\d\d)$"));
static WORD: LazyLock<Regex> = LazyLock::new(|| regex(r"[\w-]+"));
static CELL: LazyLock<Regex> = LazyLock::new(|| regex(r"((?:\\\||[^|])*)\|"));

#[expect(clippy::expect_used, reason = "the patterns are constants")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("valid pattern")
}

/// For example `A-01`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequirementId {
    pub group: char,
    pub number: u8,
}

impl RequirementId {
    /// The ids that are whole words of a text: `A-01`, but not `CAIP-19`, `P-256` or `X-A-01`.
    pub fn find_all(text: &str) -> BTreeSet<Self> {
        let words = WORD.find_iter(text).map(|word| word.as_str());
        words.filter_map(|word| word.parse().ok()).collect()
    }
}

impl FromStr for RequirementId {
    type Err = Report;

    fn from_str(text: &str) -> Result<Self> {
        let parts = ID.captures(text);
        let parts =
            parts.wrap_err_with(|| format!("`{text}` is not a requirement id like A-01"))?;
        Ok(Self {
            group: parts[1].parse()?,
            number: parts[2].parse()?,
        })
    }
}

impl fmt::Display for RequirementId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{}-{:02}", self.group, self.number))
    }
}

impl Serialize for RequirementId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    Must,
    Should,
    May,
    /// An interpretation the project chose for an unclear passage; binds like a MUST.
    Trap,
}

impl Level {
    pub fn may_be_declined(self) -> bool {
        matches!(self, Self::Should | Self::May)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{self:?}").to_uppercase())
    }
}

#[derive(Clone, Debug)]
pub struct Requirement {
    pub id: RequirementId,
    pub level: Level,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    Reviewed,
    Declined,
}

#[derive(Clone, Debug)]
pub struct Requirements {
    /// In the order of the file.
    pub rows: Vec<Requirement>,
    /// Group letter to title.
    pub groups: BTreeMap<char, String>,
    pub pending: Vec<RequirementId>,
    pub reviews: Vec<(RequirementId, Review)>,
    /// Rows per group according to the table at the top of the file.
    counts: BTreeMap<char, usize>,
}

impl Requirements {
    pub fn parse(requirements: &str, pending: &str, reviewed: &str) -> Result<Self> {
        let mut parsed = Self {
            rows: Vec::new(),
            groups: BTreeMap::new(),
            pending: Vec::new(),
            reviews: Vec::new(),
            counts: BTreeMap::new(),
        };
        each_line("requirements.md", requirements, |line| {
            parsed.requirement(line)
        })?;
        each_line("pending.txt", pending, |line| parsed.pending_range(line))?;
        each_line("reviewed.md", reviewed, |line| parsed.review(line))?;
        Ok(parsed)
    }

    pub fn get(&self, id: RequirementId) -> Option<&Requirement> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// Differences between the rows and the counts at the top of the file; numbers that are missing or used twice.
    pub fn count_errors(&self, traps: usize) -> Vec<String> {
        let mut expected = self.counts.clone();
        expected.insert(TRAPS, traps);
        let mut errors = Vec::new();
        for (group, count) in &expected {
            let rows = self.rows.iter().filter(|row| row.id.group == *group);
            let mut numbers: Vec<_> = rows.map(|row| usize::from(row.id.number)).collect();
            numbers.sort_unstable();
            if !numbers.iter().copied().eq(1..=*count) {
                errors.push(format!(
                    "group {group}: expected 1 to {count}, found {numbers:?}"
                ));
            }
        }
        let unlisted = self
            .rows
            .iter()
            .filter(|row| !expected.contains_key(&row.id.group));
        errors.extend(unlisted.map(|row| format!("{}: its group is not in the table", row.id)));
        errors
    }

    fn requirement(&mut self, line: &str) -> Result<()> {
        if let Some(title) = line
            .strip_prefix("## ")
            .filter(|title| title.starts_with("Traps"))
        {
            self.groups.insert(TRAPS, title.to_owned());
        }
        match cells(line).as_slice() {
            [group, count] if count.parse::<usize>().is_ok() => {
                let (letter, title) = group.split_once(". ").wrap_err("expected `A. Title`")?;
                self.groups.insert(letter.parse()?, title.to_owned());
                self.counts.insert(letter.parse()?, count.parse()?);
            }
            [id, level, text, ..] if !id.starts_with("---") && id.contains('-') => {
                let id: RequirementId = id.parse()?;
                let (level, text) = match level.as_str() {
                    _ if id.group == TRAPS => (Level::Trap, level),
                    "MUST" => (Level::Must, text),
                    "SHOULD" => (Level::Should, text),
                    "MAY" => (Level::May, text),
                    level => bail!("{id}: unknown level `{level}`"),
                };
                let text = text.clone();
                self.rows.push(Requirement { id, level, text });
            }
            _ => {}
        }
        Ok(())
    }

    /// One id, or one range `A-01..A-04` within a group; `#` starts a comment.
    fn pending_range(&mut self, line: &str) -> Result<()> {
        let entry = line.split('#').next().unwrap_or_default().trim();
        if entry.is_empty() {
            return Ok(());
        }
        let (first, last) = entry.split_once("..").unwrap_or((entry, entry));
        let (first, last): (RequirementId, RequirementId) = (first.parse()?, last.parse()?);
        ensure!(
            first.group == last.group && first.number <= last.number,
            "`{entry}` is not an ascending range within one group"
        );
        let numbers = first.number..=last.number;
        self.pending
            .extend(numbers.map(|number| RequirementId { number, ..first }));
        Ok(())
    }

    fn review(&mut self, line: &str) -> Result<()> {
        let cells = cells(line);
        match cells
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [] | ["ID", ..] => {}
            [rule, ..] if rule.starts_with("---") => {}
            [id, "reviewed", reason] if !reason.is_empty() => {
                self.reviews.push((id.parse()?, Review::Reviewed));
            }
            [id, "declined", reason] if !reason.is_empty() => {
                self.reviews.push((id.parse()?, Review::Declined));
            }
            _ => bail!("expected `| id | reviewed or declined | reasoning |`"),
        }
        Ok(())
    }
}

fn each_line(file: &str, text: &str, mut parse: impl FnMut(&str) -> Result<()>) -> Result<()> {
    for (index, line) in text.lines().enumerate() {
        parse(line).wrap_err_with(|| format!("tests/{file}:{}", index + 1))?;
    }
    Ok(())
}

/// Cells of a Markdown table row; empty for any other line. `\|` is a bar inside a cell.
fn cells(line: &str) -> Vec<String> {
    let Some(row) = line.trim().strip_prefix('|') else {
        return Vec::new();
    };
    let cells = CELL.captures_iter(row);
    cells
        .map(|cell| cell[1].trim().replace(r"\|", "|"))
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two groups and one trap.
    pub(crate) const SMALL: &str = r"
| Group | Rows |
| --- | --- |
| A. First | 2 |
| B. Second | 2 |
| **Total** | **4** |

| ID | Level | Requirement | Source | Test |
| --- | --- | --- | --- | --- |
| A-01 | MUST | one `^(0\|1)$` | §1 | x |
| A-02 | MUST | two | §1 | x |
| B-01 | SHOULD | three | §1 | x |
| B-02 | MAY | four | §1 | x |

## Traps and ambiguities

| T-01 | five | x | x |
";

    #[test]
    fn parses_requirements() {
        let parsed = Requirements::parse(SMALL, "", "").unwrap();
        let levels: Vec<_> = parsed
            .rows
            .iter()
            .map(|row| row.level.to_string())
            .collect();
        assert_eq!(levels, ["MUST", "MUST", "SHOULD", "MAY", "TRAP"]);
        assert_eq!(parsed.rows[0].text, "one `^(0|1)$`");
        assert_eq!(parsed.rows[4].text, "five");
        assert_eq!(parsed.groups[&'B'], "Second");
        assert_eq!(parsed.count_errors(1), [""; 0]);
    }

    #[test]
    fn reports_missing_and_duplicate_numbers() {
        for (text, group) in [
            (SMALL.replace("| A-02 | MUST", "A-02 MUST"), "group A"),
            (SMALL.replace("A-02", "A-01"), "group A"),
            (SMALL.replace("T-01", "T-02"), "group T"),
            (SMALL.replace("| B-02", "| C-01"), "group B"),
        ] {
            let errors = Requirements::parse(&text, "", "").unwrap().count_errors(1);
            assert!(errors[0].starts_with(group), "{errors:?}");
        }
    }

    #[test]
    fn finds_only_ids_that_are_whole_words() {
        let found = |text| {
            let ids = RequirementId::find_all(text);
            ids.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            found("// A-01, (B-02): `C-03`/D-04."),
            "A-01 B-02 C-03 D-04"
        );
        assert_eq!(found("\"E-05…E-07\""), "E-05 E-07");
        let others = "CAIP-19 P-256 ERC-20 UTF-16 X-A-01 A-01_b A-01-b ÄA-01 a-01";
        assert_eq!(found(others), "");
    }

    #[test]
    fn parses_pending_and_reviewed() {
        let reviewed = "| ID | Verdict | Reasoning |\n| --- | --- | --- |\n| C-18 | reviewed | why |\n| B-07 | declined | why |";
        let parsed =
            Requirements::parse("", "# heading\n\nA-09\nB-01..B-03 # why", reviewed).unwrap();
        let pending: Vec<_> = parsed.pending.iter().map(ToString::to_string).collect();
        assert_eq!(pending, ["A-09", "B-01", "B-02", "B-03"]);
        assert_eq!(parsed.reviews[1].1, Review::Declined);
    }

    #[test]
    fn rejects_malformed_lines_with_file_and_line() {
        let level = SMALL.replace("| MAY |", "| MIGHT |");
        for (requirements, pending, reviewed, place) in [
            (level.as_str(), "", "", "requirements.md:13"),
            ("", "\nA1", "", "pending.txt:2"),
            ("", "A-02..A-01", "", "pending.txt:1"),
            ("", "A-01..B-02", "", "pending.txt:1"),
            ("", "A-01..", "", "pending.txt:1"),
            ("", "", "| C-18 | reviewed | |", "reviewed.md:1"),
            ("", "", "| C-18 | maybe | why |", "reviewed.md:1"),
            ("", "", "| C18 | reviewed | why |", "reviewed.md:1"),
        ] {
            let error = Requirements::parse(requirements, pending, reviewed).unwrap_err();
            assert!(format!("{error:#}").contains(place), "{error:#}");
        }
    }
}
