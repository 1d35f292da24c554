//! The ERC-8257 tool that a card is bound to.

use atr_agent_card::{
    Card, Check,
    txt::{self, Records},
};
use atr_ids::ToolRef;
use atr_manifest::{Manifest, Value};
use atr_rpc::EnsName;
use serde::Serialize;

/// The extension member of a manifest that names the card of the tool's agent, by its ENS name. The creator of the tool claims it; the
/// name confirms it with its own record.
pub const CARD_MEMBER: &str = "org.commandlayer.agent-card";

/// Verbs whose records are read.
const MAX_VERBS: usize = 16;

/// A record that names the tool for a verb.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRecord {
    /// The verb; every verb of the card has at most one record.
    pub verb: String,
    /// The key of the record.
    pub key: String,
    /// The record as published.
    pub value: String,
    /// The tool. `None` if the value is not a reference of a tool.
    #[serde(serialize_with = "text")]
    pub tool: Option<ToolRef>,
}

fn text<S: serde::Serializer>(tool: &Option<ToolRef>, serializer: S) -> Result<S::Ok, S::Error> {
    match tool {
        Some(tool) => serializer.collect_str(tool),
        None => serializer.serialize_none(),
    }
}

/// The keys of the verbs' records.
pub(super) fn keys(card: Card<'_>) -> impl Iterator<Item = String> {
    card.verbs().take(MAX_VERBS).map(txt::tool_key)
}

/// The tool of each verb: that of its own record, else that of the record for all verbs.
pub(super) fn read(card: Card<'_>, records: &Records) -> Vec<ToolRecord> {
    let record = |verb: &str| {
        let own = txt::tool_key(verb);
        // The record for all verbs counts only if the verb has none: a failed lookup does not choose another tool.
        let key = match records.presence(&own) {
            Check::Match => own,
            Check::Mismatch { .. } => txt::TOOL.to_owned(),
            Check::Unknown { .. } => return None,
        };
        let value = records.value(&key)?.to_owned();
        Some(ToolRecord {
            verb: verb.to_owned(),
            key,
            tool: value.parse().ok(),
            value,
        })
    };
    card.verbs().take(MAX_VERBS).filter_map(record).collect()
}

/// The name that a manifest claims as the card of its agent.
#[must_use]
pub fn named_card(manifest: &Manifest) -> Option<EnsName> {
    let member = manifest.document().root().get(CARD_MEMBER);
    member.and_then(Value::as_str)?.parse().ok()
}
