//! The coverage table, for people and for machines.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Coverage, Level, State, Verdict};

/// The widest line a person is shown.
const COLUMNS: usize = 120;

/// Where the column of tests begins.
const INDENT: usize = 24;

/// How the rows of one group stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Tally {
    rows: usize,
    must: usize,
    proved: usize,
    pending: usize,
    reviewed: usize,
    declined: usize,
    open: usize,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        self.rows += 1;
        self.must += usize::from(verdict.level == Level::Must);
        *match verdict.state {
            State::Proved => &mut self.proved,
            State::Pending => &mut self.pending,
            State::Reviewed => &mut self.reviewed,
            State::Declined => &mut self.declined,
            State::Open => &mut self.open,
        } += 1;
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:<48} {:>5} {:>5} {:>7} {:>8} {:>9} {:>9} {:>5}\n",
            self.rows,
            self.must,
            self.proved,
            self.pending,
            self.reviewed,
            self.declined,
            self.open
        )
    }
}

fn tallies(coverage: &Coverage) -> BTreeMap<char, Tally> {
    let mut tallies: BTreeMap<char, Tally> = BTreeMap::new();
    for verdict in &coverage.verdicts {
        tallies.entry(verdict.id.group).or_default().add(verdict);
    }
    tallies
}

/// The table for a terminal: groups, then rows with the tests that prove them, then what is wrong.
pub fn human(coverage: &Coverage) -> String {
    let mut out = format!(
        "{:<48} {:>5} {:>5} {:>7} {:>8} {:>9} {:>9} {:>5}\n",
        "group", "rows", "MUST", "proved", "pending", "reviewed", "declined", "open"
    );
    let mut total = Tally::default();
    coverage
        .verdicts
        .iter()
        .for_each(|verdict| total.add(verdict));
    for (group, tally) in tallies(coverage) {
        let title = coverage.titles.get(&group).map_or("", String::as_str);
        out += &tally.line(&format!("{group}. {title}"));
    }
    out += &total.line("all");
    out += "\nid    level   state     proved by\n";
    for verdict in &coverage.verdicts {
        out += &row(verdict);
    }
    if !coverage.faults.is_empty() {
        out += &format!("\nfaults: {}\n", coverage.faults.len());
        coverage
            .faults
            .iter()
            .for_each(|fault| out += &wrapped(&fault.to_string()));
    }
    out
}

/// A paragraph whose further lines are indented; a word longer than a line stays whole.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::from("-")];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines.join("\n") + "\n"
}

fn row(verdict: &Verdict) -> String {
    let state = format!("{:?}", verdict.state).to_lowercase();
    let head = format!("{:<5} {:<7} {state:<9}", verdict.id, verdict.level);
    let tests: Vec<_> = verdict
        .tests
        .iter()
        .map(|test| shortened(test, COLUMNS - INDENT))
        .collect();
    let tests = tests.join(&format!("\n{:INDENT$}", ""));
    format!("{head} {tests}").trim_end().to_owned() + "\n"
}

/// Drops folders from the left, and if that is not enough characters from the right, until the label fits.
fn shortened(label: &str, width: usize) -> String {
    let mut rest = label;
    let mut short = label.to_owned();
    while short.chars().count() > width {
        match rest.split_once('/') {
            Some((_, tail)) => {
                rest = tail;
                short = format!("…/{rest}");
            }
            None => return short.chars().take(width - 1).chain(['…']).collect(),
        }
    }
    short
}

/// The same as one JSON document.
pub fn json(coverage: &Coverage) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Document<'a> {
        ok: bool,
        groups: BTreeMap<char, Tally>,
        requirements: &'a [Verdict],
        faults: Vec<String>,
    }
    serde_json::to_string_pretty(&Document {
        ok: coverage.faults.is_empty(),
        groups: tallies(coverage),
        requirements: &coverage.verdicts,
        faults: coverage.faults.iter().map(ToString::to_string).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::Fault;

    fn coverage() -> Coverage {
        let deep = format!("contracts/{}/a.t.sol::test_A", "folder/".repeat(20));
        let verdict = |id: &str, state, tests| Verdict {
            id: id.parse().unwrap(),
            level: Level::Must,
            state,
            text: "what must hold".into(),
            tests,
        };
        let id = "A-02".parse().unwrap();
        Coverage {
            verdicts: vec![
                verdict("A-01", State::Proved, vec![deep, "b.rs::holds".into()]),
                verdict("A-02", State::Open, vec![]),
            ],
            titles: BTreeMap::from([('A', "Registry".to_owned())]),
            faults: vec![Fault::Unaccounted {
                id,
                level: Level::Must,
            }],
        }
    }

    #[test]
    fn people_see_groups_rows_tests_and_faults_in_120_columns() {
        let text = human(&coverage());
        assert!(
            text.lines().all(|line| line.chars().count() <= COLUMNS),
            "{text}"
        );
        let tally = text
            .lines()
            .nth(1)
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(tally, "A. Registry 2 2 1 0 0 0 1");
        assert!(text.contains("A-01  MUST    proved    …/folder/"), "{text}");
        assert!(
            text.contains("a.t.sol::test_A\n                        b.rs::holds\n"),
            "{text}"
        );
        assert!(text.contains("\nA-02  MUST    open\n"), "{text}");
        assert!(
            text.contains("\nfaults: 1\n- A-02 (MUST) is neither"),
            "{text}"
        );
    }

    #[test]
    fn a_label_that_cannot_lose_more_folders_loses_its_end() {
        assert_eq!(shortened("abc/defghij", 20), "abc/defghij");
        assert_eq!(shortened("abc/defghij", 9), "…/defghij");
        assert_eq!(shortened("abc/defghij", 5), "…/de…");
    }

    #[test]
    fn machines_get_the_same_in_full() {
        let json: serde_json::Value = serde_json::from_str(&json(&coverage()).unwrap()).unwrap();
        assert_eq!(json["ok"], false);
        assert_eq!(json["groups"]["A"]["open"], 1);
        assert_eq!(json["requirements"][0]["state"], "proved");
        assert_eq!(json["requirements"][0]["tests"][1], "b.rs::holds");
        assert!(json["faults"][0].as_str().unwrap().contains("A-02"));
    }
}
