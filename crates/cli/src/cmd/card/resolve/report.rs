//! Who vouches for what.

use std::fmt::Write;

use atr_agent_card::{
    Check,
    txt::{self, Trust},
};
use atr_ids::excerpt;
use atr_verify::card::{CardCheck, CardVerdict, Mismatch, TxtRecord};
use serde::Serialize;

use super::outcome;
use crate::{
    outcome::Outcome,
    output::{Palette, Report, count_noun, escape_line, field},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolveReport {
    #[serde(flatten)]
    verdict: CardVerdict,
    /// Every difference.
    mismatches: Vec<Mismatch>,
    /// What could not be compared.
    unknown: Vec<String>,
}

/// Column of the outcomes in the tree.
const WIDTH: usize = 36;

impl ResolveReport {
    pub(crate) fn new(verdict: CardVerdict) -> Self {
        let unknown = verdict
            .checks
            .iter()
            .filter(|check| check.check.is_unknown());
        Self {
            mismatches: verdict.mismatches(),
            unknown: unknown.map(|check| check.subject.clone()).collect(),
            verdict,
        }
    }

    pub(crate) const fn outcome(&self) -> Outcome {
        outcome(self.verdict.trust)
    }

    fn why(&self) -> String {
        match self.verdict.trust {
            Trust::Trusted => "records, card and schemas agree".to_owned(),
            Trust::Untrusted => count_noun(self.mismatches.len(), "difference"),
            Trust::Unknown => format!(
                "no difference, but {} could not be made",
                count_noun(self.unknown.len(), "comparison")
            ),
        }
    }

    fn trust(&self, palette: &Palette) -> String {
        match self.verdict.trust {
            Trust::Trusted => palette.success("trusted"),
            Trust::Untrusted => palette.error("untrusted"),
            Trust::Unknown => palette.warning("unknown"),
        }
    }

    fn summary(&self, palette: &Palette) -> String {
        let verdict = &self.verdict;
        let mut text = String::new();
        if let Some(card) = &verdict.card {
            let optional = |value: &Option<String>| escape_line(value.as_deref().unwrap_or("-"));
            let owner = optional(&card.owner);
            let who = match &card.display_name {
                Some(name) => format!("{} of {owner}", escape_line(name)),
                None => format!("an agent of {owner}"),
            };
            text += &field("who", &who);
            let verbs: Vec<_> = card.verbs.iter().map(|verb| escape_line(verb)).collect();
            text += &field("verb", &verbs.join(", "));
            text += &field("entry", &optional(&card.entry));
        }
        for record in &verdict.tools {
            let tool = match &record.tool {
                Some(tool) => tool.to_string(),
                None => format!(
                    "{}, which is no reference of a tool",
                    excerpt(&record.value)
                ),
            };
            text += &field("tool", &format!("{tool} ({})", escape_line(&record.verb)));
        }
        text += &field("trust", &format!("{}: {}", self.trust(palette), self.why()));
        text
    }

    /// The name vouches for its records, the records for the card, and the card for the schemas.
    fn tree(&self, palette: &Palette) -> String {
        let verdict = &self.verdict;
        let resolver = match verdict.resolver {
            None => "no resolver".to_owned(),
            Some(address) if verdict.is_wildcard => format!("resolver {address} of a parent"),
            Some(address) => format!("resolver {address}"),
        };
        let mut text = format!("\n{}  {resolver}\n", escape_line(&verdict.name));
        let is_record = |check: &&CardCheck| {
            txt::KEYS.contains(&check.subject.as_str()) || check.subject == "agent-registration"
        };
        for check in verdict.checks.iter().filter(is_record) {
            line(&mut text, 1, &check.subject, &result(check, palette));
            if check.subject == txt::CARD_URL {
                self.card(&mut text, palette);
            }
        }
        for record in &verdict.tools {
            let key = escape_line(&record.key);
            line(
                &mut text,
                1,
                &key,
                &format!("claims a tool for {}", escape_line(&record.verb)),
            );
        }
        for key in &verdict.schema_keys {
            line(
                &mut text,
                1,
                key,
                &palette.warning("does not belong on the name of a card"),
            );
        }
        for TxtRecord { key, value } in &verdict.signatures {
            line(
                &mut text,
                1,
                key,
                &format!("{}, not verified", excerpt(value)),
            );
        }
        text
    }

    fn card(&self, text: &mut String, palette: &Palette) {
        for check in &self.verdict.checks {
            let (depth, label) = match check.subject.as_str() {
                "card" => (2, format!("card, profile {}", self.verdict.profile)),
                "ens" => (3, "ens".to_owned()),
                subject if subject.starts_with("schemas.") => (3, subject.to_owned()),
                subject if subject.starts_with("schemas_mirror.") => (4, subject.to_owned()),
                _ => continue,
            };
            line(text, depth, &label, &result(check, palette));
        }
    }
}

fn result(check: &CardCheck, palette: &Palette) -> String {
    match &check.check {
        Check::Match => palette.success("match"),
        Check::Mismatch { .. } => palette.error(check.code.unwrap_or("mismatch")),
        Check::Unknown { .. } => palette.warning("unknown"),
    }
}

fn line(text: &mut String, depth: usize, label: &str, result: &str) {
    let label = format!("{}{label}", "  ".repeat(depth));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{label:<WIDTH$}  {result}");
}

impl Report for ResolveReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = self.summary(palette);
        text += &self.tree(palette);
        for mismatch in &self.mismatches {
            let _ = write!(
                text,
                "\n  {}  {}\n    found     {}\n    expected  {}\n",
                palette.heading(&escape_line(&mismatch.at)),
                mismatch.code,
                escape_line(&mismatch.found),
                escape_line(&mismatch.expected),
            );
        }
        for check in &self.verdict.checks {
            if let Check::Unknown { reason } = &check.check {
                let _ = write!(
                    text,
                    "\n  {}  unknown\n    reason    {}\n",
                    palette.heading(&escape_line(&check.subject)),
                    escape_line(reason),
                );
            }
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
