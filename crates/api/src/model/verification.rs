use atr_store::index::{ToolDetail, ToolState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    Risk, VerificationStatus,
    tool::{check_name, is_verified, reference},
};
use crate::text;

/// Why a tool is, or is not, verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct VerificationReport {
    pub tool_ref: String,
    pub verified: bool,
    pub status: VerificationStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_check: Option<String>,
    /// The four checks in order; empty before the first verification.
    pub checks: Vec<CheckOutcome>,
    /// The registered hash.
    pub manifest_hash: String,
    /// The canonical hash of the served manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served_hash: Option<String>,
    pub metadata_uri: String,
    pub creator: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    /// Time of the next attempt; absent for a deregistered tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<String>,
    /// Inconclusive attempts since the last conclusive one.
    pub attempts: u32,
    /// Findings of the manifest rules, beside the four checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Value>,
    /// The server's certificate at the last verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateInfo>,
    /// Name servers of the manifest's host at the last verification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub name_servers: Vec<String>,
    /// Difference to the previous manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Value>,
    /// Whether the endpoint asks for the price that the manifest states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_probe: Option<Value>,
    pub risks: Vec<Risk>,
    /// What this registration is not: a statement about whether the tool works.
    pub note: String,
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct CheckOutcome {
    /// 1 to 4, as in the ERC.
    pub number: u8,
    /// `fetch`, `origin`, `hash` or `creator`.
    pub check: String,
    /// `passed`, `failed`, `inconclusive` or `skipped`.
    pub outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What the publisher has to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Why a check was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Parts of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct CertificateInfo {
    pub issuer: String,
    pub not_before: String,
}

/// A re-check was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct VerificationRequest {
    pub tool_ref: String,
    /// Path of the report.
    pub report: String,
}

impl VerificationReport {
    pub(crate) fn new(detail: &ToolDetail) -> Self {
        let tool = &detail.tool;
        let verification = detail.verification.as_ref();
        let report: Value = verification
            .and_then(|verification| serde_json::from_str(&verification.report).ok())
            .unwrap_or_default();
        let checks = report.get("checks").and_then(Value::as_array);
        let json = |text: Option<&String>| text.and_then(|text| serde_json::from_str(text).ok());
        let is_live = tool.state == ToolState::Live;
        Self {
            tool_ref: reference(tool.key),
            verified: is_verified(tool),
            status: tool.status.into(),
            failing_check: tool.failing_check.and_then(check_name).map(str::to_owned),
            checks: checks.into_iter().flatten().filter_map(CheckOutcome::new).collect(),
            manifest_hash: tool.manifest_hash.to_string(),
            served_hash: verification
                .and_then(|verification| verification.served_hash)
                .map(|hash| hash.to_string()),
            metadata_uri: text::line(&tool.metadata_uri, text::MAX_URL),
            creator: tool.creator.to_string(),
            checked_at: tool.checked_at.map(text::timestamp),
            next_attempt_at: is_live.then(|| text::timestamp(tool.next_check_at)),
            attempts: verification.map_or(0, |verification| verification.attempts),
            rules: report.get("rules").filter(|rules| !rules.is_null()).map(neutralize),
            certificate: verification.and_then(|verification| verification.certificate.as_ref()).map(
                |certificate| CertificateInfo {
                    issuer: text::line(&certificate.issuer, 500),
                    not_before: text::timestamp(certificate.not_before),
                },
            ),
            name_servers: verification
                .and_then(|verification| verification.name_servers.as_ref())
                .into_iter()
                .flatten()
                .map(|name| text::line(name, 255))
                .collect(),
            diff: json(verification.and_then(|verification| verification.diff.as_ref()))
                .as_ref()
                .map(neutralize),
            price_probe: json(verification.and_then(|verification| verification.price_probe.as_ref()))
                .as_ref()
                .map(neutralize),
            risks: super::Trust::new(tool, &[]).risks,
            note: "Verified means that the manifest is the one its creator registered. It does not mean that the tool works or is safe."
                .to_owned(),
        }
    }
}

impl CheckOutcome {
    /// From the JSON of a verdict.
    fn new(value: &Value) -> Option<Self> {
        let text = |name: &str| Some(text::line(value.get(name)?.as_str()?, 2_000));
        Some(Self {
            number: value.get("number")?.as_u64()?.try_into().ok()?,
            check: text("check")?,
            outcome: text("outcome")?,
            code: text("code"),
            observed: text("observed"),
            expected: text("expected"),
            cause: text("cause"),
            fix: text("fix"),
            reason: text("reason"),
        })
    }
}

/// All texts of a JSON value, made safe.
fn neutralize(value: &Value) -> Value {
    match value {
        Value::String(string) => Value::String(text::paragraphs(string, text::MAX_DESCRIPTION)),
        Value::Array(values) => values.iter().map(neutralize).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (text::line(name, 256), neutralize(value)))
            .collect(),
        other => other.clone(),
    }
}
