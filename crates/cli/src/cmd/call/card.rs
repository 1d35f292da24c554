//! Calls of the tool that an Agent Card names.

use std::{fmt, str::FromStr};

use atr_agent_card::{
    receipt::{self, Expected, ReceiptFinding, ReceiptOutcome, SchemaError},
    txt::Trust,
};
use atr_manifest::{Document, Manifest};
use atr_rpc::EnsName;
use atr_verify::card::{CARD_MEMBER, TrustedCard, named_card};
use serde::Serialize;

use crate::{
    args::{InvalidValue, ToolArg},
    error::Error,
    outcome::Outcome,
};

/// A tool, or the name of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Tool(ToolArg),
    Card(EnsName),
}

impl FromStr for Target {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(tool) => Ok(Self::Tool(tool)),
            Err(_) if text.contains('.') && !text.contains([':', '/']) => {
                Ok(Self::Card(text.parse::<EnsName>()?))
            }
            Err(error) => Err(error),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => tool.fmt(f),
            Self::Card(name) => name.fmt(f),
        }
    }
}

/// The card of a call, and who binds it to the tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CalledCard {
    name: String,
    pub(super) verb: String,
    entry: Option<String>,
    /// `record`, `manifest`, `user`: each binds the card to the tool.
    bound_by: Vec<&'static str>,
    #[serde(skip)]
    card: TrustedCard,
    #[serde(skip)]
    pub(super) tool: ToolArg,
}

impl CalledCard {
    /// The card must be trusted (P-17) and implement the verb. The tool is that of the user, else that of the name's record.
    pub(super) fn try_new(
        verdict: atr_verify::card::CardVerdict,
        verb: Option<&str>,
        tool: Option<&ToolArg>,
    ) -> Result<Self, Error> {
        let name = verdict.name.clone();
        let card = verdict.into_trusted().map_err(|verdict| {
            let mismatches = verdict.mismatches();
            let reasons = mismatches.iter().take(3);
            let reasons = reasons.map(|one| format!("{} ({})", one.code, one.at));
            let mut reasons: Vec<_> = reasons.collect();
            if verdict.trust == Trust::Unknown {
                let unknown = verdict.checks.iter().filter(|one| one.check.is_unknown());
                reasons = unknown.map(|one| one.subject.clone()).collect();
            }
            Error::CardNotTrusted {
                name: verdict.name.clone(),
                is_unknown: verdict.trust == Trust::Unknown,
                reasons: reasons.join(", "),
            }
        })?;
        let verbs = card.verbs();
        let verb = verb.or(verbs.first().map(String::as_str));
        let verb = verb.unwrap_or_default().to_owned();
        if !verbs.contains(&verb) {
            return Err(Error::NoVerb {
                name,
                verb: atr_ids::excerpt(&verb),
                verbs: verbs.join(", "),
            });
        }
        let record = card.tool(&verb);
        let (tool, bound_by) = match (tool, record) {
            (Some(tool), record) => {
                let is_same = record.is_some_and(|record| *tool == ToolArg::Reference(record));
                let bound_by = if is_same {
                    vec!["record", "user"]
                } else {
                    vec!["user"]
                };
                (tool.clone(), bound_by)
            }
            (None, Some(tool)) => (ToolArg::Reference(tool), vec!["record"]),
            (None, None) => return Err(Error::NoToolOfCard { name, verb }),
        };
        let entry = card.verdict().card.as_ref();
        Ok(Self {
            entry: entry.and_then(|card| card.entry.clone()),
            name,
            verb,
            bound_by,
            card,
            tool,
        })
    }

    /// Reads what the manifest of the verified tool says about the card. Returns a warning if it names another one, or if only the
    /// user binds card and tool.
    pub(super) fn read_manifest(&mut self, manifest: &Manifest) -> Option<String> {
        match named_card(manifest) {
            Some(name) if name.as_str() == self.name => self.bound_by.push("manifest"),
            Some(other) => {
                return Some(format!(
                    "the manifest of the tool names the card {other} (`{CARD_MEMBER}`), not {}",
                    self.name
                ));
            }
            None if self.bound_by == ["user"] => {
                return Some(format!(
                    "neither {} nor the manifest of the tool names the other; only --tool binds them",
                    self.name
                ));
            }
            None => {}
        }
        None
    }

    /// Validates the body of an answer against the receipt schema of the card (P-19).
    pub(super) fn check_receipt(&self, request: &str, body: &[u8]) -> ReceiptView {
        let schema = self.card.receipt_schema(&self.verb);
        let missing = SchemaError::Missing {
            id: format!("of receipts of {}", self.verb),
        };
        let request = Document::parse(request).ok();
        let expected = Expected {
            verb: Some(&self.verb),
            request: request.as_ref(),
        };
        let outcome = match Document::parse(body) {
            Ok(document) => receipt::check(schema.ok_or(&missing), expected, &document),
            Err(error) => ReceiptOutcome::Invalid {
                findings: vec![ReceiptFinding {
                    code: "document",
                    pointer: atr_manifest::Pointer::root(),
                    message: format!("the answer is not a JSON document: {error}"),
                }],
            },
        };
        ReceiptView(outcome)
    }
}

/// Whether the answer is a receipt that the card promises.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct ReceiptView(ReceiptOutcome);

impl ReceiptView {
    pub(super) const fn outcome(&self) -> Outcome {
        match self.0 {
            ReceiptOutcome::Valid => Outcome::Success,
            ReceiptOutcome::Invalid { .. } => Outcome::Failure,
            ReceiptOutcome::Unknown { .. } => Outcome::Unknown,
        }
    }

    /// One line for each finding.
    pub(super) fn lines(&self) -> Vec<String> {
        match &self.0 {
            ReceiptOutcome::Valid => vec!["follows the receipt schema of the card".to_owned()],
            ReceiptOutcome::Unknown { reason } => vec![format!("could not be checked: {reason}")],
            ReceiptOutcome::Invalid { findings } => findings
                .iter()
                .map(|finding| {
                    let pointer = atr_ids::excerpt(finding.pointer.as_str());
                    format!("invalid: {pointer} {} ({})", finding.message, finding.code)
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_tool_or_a_name() {
        for (text, is_card) in [
            ("7", false),
            ("https://a.example/.well-known/ai-tool/x.json", false),
            ("Summarize.eth", true),
        ] {
            let target: Target = text.parse().unwrap();
            assert_eq!(matches!(target, Target::Card(_)), is_card, "{text}");
        }
        for text in ["summarize", "a..eth", "http://a.eth"] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }
}
