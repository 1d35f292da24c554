//! What is known of a card.

use std::sync::Arc;

use alloy_primitives::Address;
use atr_agent_card::{
    Card, Check, Finding, Profile,
    txt::{self, BindingCheck, Records, Trust},
};
use atr_ids::{ToolRef, sanitize};
use atr_schema::Schema;
use serde::Serialize;

use super::ToolRecord;

/// The outcome of resolving a card.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CardVerdict {
    /// The normalized ENS name.
    pub name: String,
    /// Trusted if everything was compared and matches.
    pub trust: Trust,
    /// The rules for the card.
    pub profile: Profile,
    /// The contract with the records.
    pub resolver: Option<Address>,
    /// Whether it belongs to a parent of the name.
    pub is_wildcard: bool,
    /// What the card says. Claims, unless the card is trusted.
    pub card: Option<CardSummary>,
    /// SHA-256 of the bytes.
    pub sha256: Option<String>,
    /// All comparisons.
    pub checks: Vec<CardCheck>,
    /// Why the card is invalid.
    pub violations: Vec<Finding>,
    /// Findings that do not make it invalid.
    pub warnings: Vec<Finding>,
    /// The tools of the card's verbs. They are no part of the specification.
    pub tools: Vec<ToolRecord>,
    /// Records that do not belong on the name of a card (P-14). They do not change the verdict.
    pub schema_keys: Vec<String>,
    /// Signature records, as published. They are not verified.
    pub signatures: Vec<TxtRecord>,
    /// All records that were found.
    pub records: Vec<TxtRecord>,
    #[serde(skip)]
    pub(super) receipt_schema: Option<Arc<Schema>>,
}

/// A text record as published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct TxtRecord {
    pub key: String,
    pub value: String,
}

impl TxtRecord {
    pub(super) fn new(key: &str, value: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }
}

/// Members of a card, escaped for display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are those of the card")]
pub struct CardSummary {
    pub display_name: Option<String>,
    pub owner: Option<String>,
    pub version: Option<String>,
    pub class: Option<String>,
    pub status: Option<String>,
    pub verbs: Vec<String>,
    pub entry: Option<String>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardCheck {
    /// What was compared: the key of a record, or a part of the card.
    pub subject: String,
    /// Stable code of a mismatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The outcome.
    #[serde(flatten)]
    pub check: Check,
}

/// A difference that makes a card untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Mismatch {
    pub code: &'static str,
    /// The key of a record, or a location in the card.
    pub at: String,
    pub found: String,
    pub expected: String,
}

impl CardCheck {
    pub(super) fn new(subject: impl Into<String>, check: Check) -> Self {
        Self {
            subject: subject.into(),
            code: None,
            check,
        }
    }

    pub(super) fn set_code(&mut self, records: &Records) {
        self.code = self
            .check
            .is_mismatch()
            .then(|| match self.subject.as_str() {
                "card" => "card-invalid",
                "ens" => "name-mismatch",
                "agent-registration" => "registration-missing",
                subject if subject.starts_with("schemas_mirror.") => "mirror-mismatch",
                subject if subject.starts_with("schemas.") => "schema-mismatch",
                key if records.value(key).is_none() => "record-missing",
                txt::CHECKSUM => "checksum-mismatch",
                txt::CID | txt::MIRROR => "cid-mismatch",
                _ => "record-mismatch",
            });
    }
}

impl From<BindingCheck> for CardCheck {
    fn from(check: BindingCheck) -> Self {
        Self::new(check.subject, check.check)
    }
}

impl CardSummary {
    pub(super) fn new(card: Card<'_>) -> Self {
        let text = |name: &str| card.text(name).map(sanitize);
        Self {
            display_name: text("display_name"),
            owner: text("owner"),
            version: text("version"),
            class: text("class"),
            status: text("status"),
            verbs: card.verbs().map(sanitize).collect(),
            entry: text("entry"),
        }
    }
}

impl CardVerdict {
    /// The comparison of a subject.
    #[must_use]
    pub fn check(&self, subject: &str) -> Option<&CardCheck> {
        self.checks.iter().find(|check| check.subject == subject)
    }

    /// Every difference: of the records, the schemas, and the card from its rules.
    #[must_use]
    pub fn mismatches(&self) -> Vec<Mismatch> {
        let of_check = |check: &CardCheck| match &check.check {
            Check::Mismatch { found, expected } => Some(Mismatch {
                code: check.code?,
                at: check.subject.clone(),
                found: found.clone(),
                expected: expected.clone(),
            }),
            Check::Match | Check::Unknown { .. } => None,
        };
        let of_card = |finding: &Finding| Mismatch {
            code: finding.code.as_str(),
            at: format!("card{}", sanitize(finding.pointer.as_str())),
            found: finding.found.clone(),
            expected: finding.expected.to_string(),
        };
        // The violations say more than the check of the card.
        let checks = self
            .checks
            .iter()
            .filter(|check| check.subject != "card" || self.violations.is_empty());
        let checks = checks.filter_map(of_check);
        checks.chain(self.violations.iter().map(of_card)).collect()
    }

    /// Converts a trusted card to one whose tool may be called. This is the only way to create a [`TrustedCard`] (P-17).
    pub fn into_trusted(self) -> Result<TrustedCard, Box<Self>> {
        match self.trust {
            Trust::Trusted => Ok(TrustedCard(self)),
            Trust::Untrusted | Trust::Unknown => Err(Box::new(self)),
        }
    }
}

/// A card that was compared with its records and schemas, without a difference.
#[derive(Clone, Debug)]
pub struct TrustedCard(CardVerdict);

impl TrustedCard {
    /// What was compared.
    #[must_use]
    pub const fn verdict(&self) -> &CardVerdict {
        &self.0
    }

    /// The verbs, primary verb first.
    #[must_use]
    pub fn verbs(&self) -> &[String] {
        self.0.card.as_ref().map_or(&[], |card| &card.verbs)
    }

    /// The tool that the name gives for a verb.
    #[must_use]
    pub fn tool(&self, verb: &str) -> Option<ToolRef> {
        let mut tools = self.0.tools.iter();
        tools.find(|record| record.verb == verb)?.tool
    }

    /// The receipt schema of a verb. The schemas of a card are those of its primary verb.
    #[must_use]
    pub fn receipt_schema(&self, verb: &str) -> Option<&Schema> {
        let is_primary = self.verbs().first().is_some_and(|primary| primary == verb);
        self.0.receipt_schema.as_deref().filter(|_| is_primary)
    }
}
