//! `tests/requirements.md`, `tests/pending.txt` and `tests/reviewed.md`.

use std::collections::{BTreeMap, BTreeSet};

use eyre::{Result, WrapErr, ensure, eyre};
use regex::Regex;
use serde::Serialize;

use super::State;

const ROW: &str = r"(?m)^\| ([A-S]-\d\d \| (?:MUST|SHOULD|MAY)|T-\d\d) \| ((?:\\\||[^|\n])+) \|";
const HEADING: &str = r"(?m)^## ([A-S]\. .+|Traps .+)$";
const REVIEW: &str = r"^\| ([A-Z]-\d\d) \| (reviewed|declined) \| [^ |].*\|$";

#[derive(Clone, Debug, Serialize)]
pub struct Requirement {
    pub id: String,
    /// MUST, SHOULD, MAY or TRAP. A trap binds like a MUST.
    pub level: String,
    pub state: State,
    pub text: String,
    /// `path::name` of the tests that prove it.
    pub tests: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Requirements {
    /// In the order of the file.
    pub rows: Vec<Requirement>,
    /// Group letter to heading.
    pub groups: BTreeMap<char, String>,
    pub pending: Vec<String>,
    /// Ids with [`State::Reviewed`] or [`State::Declined`].
    pub reviews: Vec<(String, State)>,
}

impl Requirements {
    pub fn parse(requirements: &str, pending: &str, reviewed: &str) -> Result<Self> {
        let (row, heading) = (Regex::new(ROW)?, Regex::new(HEADING)?);
        let rows = row.captures_iter(requirements).map(|row| {
            let (id, level) = row[1].split_once(" | ").unwrap_or((&row[1], "TRAP"));
            Requirement {
                id: id.to_owned(),
                level: level.to_owned(),
                state: State::Open,
                text: row[2].replace(r"\|", "|"),
                tests: Vec::new(),
            }
        });
        let headings = heading.captures_iter(requirements);
        let groups = headings.filter_map(|title| Some((title[1].chars().next()?, title[1].into())));
        Ok(Self {
            rows: rows.collect(),
            groups: groups.collect(),
            pending: parse_pending(pending).wrap_err("tests/pending.txt")?,
            reviews: parse_reviews(reviewed).wrap_err("tests/reviewed.md")?,
        })
    }

    pub fn contains(&self, id: &str) -> bool {
        self.rows.iter().any(|row| row.id == id)
    }
}

/// One id, or one range `A-01..A-04` within a group, per line; `#` starts a comment.
fn parse_pending(text: &str) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for line in text.lines() {
        let entry = line.split('#').next().unwrap_or_default().trim();
        if entry.is_empty() {
            continue;
        }
        let (first, last) = entry.split_once("..").unwrap_or((entry, entry));
        ensure!(
            is_id(first) && is_id(last) && first[..1] == last[..1] && first <= last,
            "`{entry}` is not a requirement id or an ascending range within one group"
        );
        let numbers = first[2..].parse::<u8>()?..=last[2..].parse()?;
        ids.extend(numbers.map(|number| format!("{}-{number:02}", &first[..1])));
    }
    Ok(ids)
}

fn parse_reviews(text: &str) -> Result<Vec<(String, State)>> {
    let row = Regex::new(REVIEW)?;
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let parse = |line| {
        let cells = row.captures(line).ok_or_else(|| {
            eyre!("expected `| id | reviewed or declined | reasoning |`, found `{line}`")
        })?;
        let is_declined = &cells[2] == "declined";
        let state = if is_declined {
            State::Declined
        } else {
            State::Reviewed
        };
        Ok((cells[1].to_owned(), state))
    };
    rows.skip(2).map(parse).collect() // header and rule
}

/// The ids that are whole words of a text: `A-01`, but not `CAIP-19`, `P-256` or `X-A-01`.
pub(super) fn find_ids(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    words
        .filter(|word| is_id(word))
        .map(str::to_owned)
        .collect()
}

fn is_id(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        [b'A'..=b'Z', b'-', b'0'..=b'9', b'0'..=b'9']
    )
}
