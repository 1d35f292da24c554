//! The coverage table as text and as JSON.

use std::{collections::BTreeMap, fmt::Write};

use serde::Serialize;

use super::{Coverage, Level, Row, State};

#[derive(Default, Serialize)]
struct Counts {
    rows: usize,
    must: usize,
    proved: usize,
    pending: usize,
    reviewed: usize,
    declined: usize,
    open: usize,
}

impl Counts {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut counts = Self::default();
        for row in rows {
            counts.rows += 1;
            counts.must += usize::from(row.level == Level::Must);
            *match row.state {
                State::Proved => &mut counts.proved,
                State::Pending => &mut counts.pending,
                State::Reviewed => &mut counts.reviewed,
                State::Declined => &mut counts.declined,
                State::Open => &mut counts.open,
            } += 1;
        }
        counts
    }

    fn line(&self, name: &str) -> String {
        let Self {
            rows,
            must,
            proved,
            pending,
            reviewed,
            declined,
            open,
        } = self;
        format!(
            "{name:<46} {rows:>4} {must:>4} {proved:>6} {pending:>7} {reviewed:>8} {declined:>8} {open:>4}\n"
        )
    }
}

fn counts(coverage: &Coverage) -> BTreeMap<char, Counts> {
    let groups = coverage.rows.iter().map(|row| row.id.group);
    let count = |group| Counts::of(coverage.rows.iter().filter(|row| row.id.group == group));
    groups.map(|group| (group, count(group))).collect()
}

/// Groups, then requirements with the tests that prove them, then errors.
pub fn text(coverage: &Coverage) -> String {
    let mut out = format!(
        "{:<46} {:>4} {:>4} {:>6} {:>7} {:>8} {:>8} {:>4}\n",
        "group", "rows", "MUST", "proved", "pending", "reviewed", "declined", "open"
    );
    for (group, counts) in counts(coverage) {
        let title = coverage.groups.get(&group).map_or("", String::as_str);
        out += &counts.line(&format!("{group}. {title}"));
    }
    out += &Counts::of(coverage.rows.iter()).line("total");
    out += "\nid    level   state     proved by\n";
    for row in &coverage.rows {
        let state = format!("{:?}", row.state).to_lowercase();
        let tests = row.tests.join(&format!("\n{:24}", ""));
        let line = format!("{:<5} {:<7} {state:<9} {tests}", row.id, row.level);
        out += line.trim_end();
        out.push('\n');
    }
    if !coverage.errors.is_empty() {
        let _ = write!(
            out,
            "\nerrors: {}\n{}",
            coverage.errors.len(),
            errors(coverage)
        );
    }
    out
}

/// One line if there are no errors.
pub fn summary(coverage: &Coverage) -> String {
    let Counts {
        rows,
        proved,
        pending,
        reviewed,
        declined,
        ..
    } = Counts::of(coverage.rows.iter());
    let counts = format!(
        "requirements: {rows}, {proved} proved by tests that passed, {pending} pending, {reviewed} reviewed, {declined} declined\n"
    );
    counts + &errors(coverage)
}

fn errors(coverage: &Coverage) -> String {
    coverage
        .errors
        .iter()
        .map(|error| format!("- {error}\n"))
        .collect()
}

pub fn json(coverage: &Coverage) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Document<'a> {
        ok: bool,
        groups: BTreeMap<char, Counts>,
        requirements: &'a [Row],
        errors: &'a [String],
    }
    serde_json::to_string_pretty(&Document {
        ok: coverage.errors.is_empty(),
        groups: counts(coverage),
        requirements: &coverage.rows,
        errors: &coverage.errors,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage() -> Coverage {
        let row = |id: &str, state, tests| Row {
            id: id.parse().unwrap(),
            level: Level::Must,
            state,
            text: "text".into(),
            tests,
        };
        Coverage {
            rows: vec![
                row(
                    "A-01",
                    State::Proved,
                    vec!["a.t.sol::test_A".into(), "b.rs::holds".into()],
                ),
                row("A-02", State::Open, vec![]),
            ],
            groups: BTreeMap::from([('A', "Registry".to_owned())]),
            errors: vec!["A-02 is open".into()],
        }
    }

    #[test]
    fn prints_groups_requirements_and_errors() {
        let text = text(&coverage());
        let counts: Vec<_> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(counts.join(" "), "A. Registry 2 2 1 0 0 0 1");
        let proved = format!(
            "A-01  MUST    proved    a.t.sol::test_A\n{:24}b.rs::holds\n",
            ""
        );
        assert!(text.contains(&proved), "{text}");
        assert!(
            text.ends_with("\nA-02  MUST    open\n\nerrors: 1\n- A-02 is open\n"),
            "{text}"
        );
    }

    #[test]
    fn prints_json() {
        let json: serde_json::Value = serde_json::from_str(&json(&coverage()).unwrap()).unwrap();
        assert_eq!(json["ok"], false);
        assert_eq!(json["groups"]["A"]["open"], 1);
        assert_eq!(json["requirements"][0]["tests"][1], "b.rs::holds");
    }
}
