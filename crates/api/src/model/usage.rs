use std::fmt;

use alloy_primitives::U256;
use atr_store::index::{UsageEntry, UsageStats};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::text;

/// A decimal number, as JSON number or text. Numbers above 2^53 need text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Integer {
    /// JSON number.
    Number(u64),
    /// Decimal text.
    Text(String),
}

impl Integer {
    pub(crate) fn value(&self) -> Option<U256> {
        match self {
            Self::Number(number) => Some(U256::from(*number)),
            Self::Text(text) => atr_ids::parse_decimal(text).ok(),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// A report that a tool was called, with a proof.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct UsageReport {
    /// `eip3009_authorization` or `x402_settlement`.
    pub verification_type: String,
    pub tool_chain_id: Option<Integer>,
    pub tool_registry_address: Option<String>,
    pub tool_onchain_id: Option<Integer>,
    /// Not supported without the members above.
    pub tool_endpoint: Option<String>,
    pub latency_ms: Option<Integer>,
    pub eip3009: Option<Eip3009Report>,
    pub x402: Option<SettlementReport>,
}

/// The authorization that the caller signed.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct Eip3009Report {
    pub caller_address: Option<String>,
    pub signature: String,
    /// Chain of the token whose domain was signed.
    pub chain_id: Integer,
    pub from: String,
    pub to: String,
    pub value: Integer,
    pub valid_after: Integer,
    pub valid_before: Integer,
    pub nonce: String,
}

/// The transfer that paid for the call.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct SettlementReport {
    pub caller_address: String,
    pub tx_hash: String,
    pub chain_id: Integer,
}

/// What became of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageReceipt {
    /// The same for the same proof.
    pub id: String,
    /// Whether the proof was verified. A verified proof counts once, however often it is reported.
    pub verified: bool,
    #[expect(missing_docs, reason = "plain data")]
    pub verification_type: String,
    /// The tool for which the proof counts: the one for which it was reported first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_for: Option<String>,
    /// Why the proof could not be verified, or does not count for this tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Totals of a tool's verified usage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct UsageTotals {
    /// Calls that were paid to the creator, in a known token.
    pub total_calls: u64,
    /// Accounts that paid.
    pub unique_callers: u64,
    /// Free calls with a signature. They cost nothing, so anybody can make many.
    pub authorized_calls: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
}

impl From<UsageStats> for UsageTotals {
    fn from(stats: UsageStats) -> Self {
        Self {
            total_calls: stats.count,
            unique_callers: stats.callers,
            authorized_calls: stats.authorized,
            first_at: stats.first_at.map(text::timestamp),
            last_at: stats.last_at.map(text::timestamp),
        }
    }
}

/// Verified usage of a tool, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Activity {
    #[expect(missing_docs, reason = "plain data")]
    pub activity: Vec<ActivityEntry>,
    /// The next `offset`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A verified call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct ActivityEntry {
    pub id: String,
    /// `signature` or `settlement`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Always `tool`: only usage with a proof for this tool is recorded.
    pub attribution: String,
    pub paid: bool,
    pub caller_address: String,
    pub timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset: Option<String>,
    pub chain_id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_hash: Option<String>,
    /// Always empty: see `attribution`.
    pub candidate_tool_slugs: Vec<String>,
}

impl ActivityEntry {
    pub(crate) fn new(entry: &UsageEntry) -> Self {
        let record = &entry.record;
        Self {
            id: entry.id.to_string(),
            kind: record.verification_type.clone(),
            attribution: "tool".to_owned(),
            paid: record.payment.is_some(),
            caller_address: record.caller.to_string(),
            timestamp: text::timestamp(record.used_at),
            amount: record.payment.map(|(_, amount)| amount.to_string()),
            asset: record.payment.map(|(asset, _)| asset.to_string()),
            chain_id: record.chain_id,
            tx_hash: record.transaction.map(|hash| hash.to_string()),
            candidate_tool_slugs: Vec::new(),
        }
    }
}
