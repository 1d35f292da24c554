use atr_store::index::{IndexStatus, RegistryRecord, RegistryStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::text;

/// State of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Status {
    #[expect(missing_docs, reason = "plain data")]
    pub registries: Vec<RegistryState>,
    /// The last number of the change feed.
    pub sequence: u64,
    /// The last number that search results contain.
    pub search_sequence: u64,
    /// Registered tools by verification.
    pub pending: u64,
    #[expect(missing_docs, reason = "plain data")]
    pub verified: u64,
    #[expect(missing_docs, reason = "plain data")]
    pub failed: u64,
    #[expect(missing_docs, reason = "plain data")]
    pub unknown: u64,
    /// Verifications that are due.
    pub due: u64,
}

/// A registry and how far it is indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct RegistryState {
    pub registry_chain: String,
    pub registry_addr: String,
    /// From configuration.
    pub name: String,
    /// Whether the address is pinned as the chain's canonical registry.
    pub canonical: bool,
    /// `keccak256` of the registry's code at first sight.
    pub code_hash: String,
    /// `backfilling`, `following` or `halted`.
    pub state: String,
    /// Why indexing halted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last indexed block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
    /// The latest block of the node.
    pub head: u64,
    pub tools: u64,
    pub updated_at: String,
}

impl Status {
    pub(crate) fn new(status: &IndexStatus, search_sequence: u64) -> Self {
        let [pending, verified, failed, unknown] = status.by_status;
        Self {
            registries: status.registries.iter().map(RegistryState::new).collect(),
            sequence: status.seq,
            search_sequence,
            pending,
            verified,
            failed,
            unknown,
            due: status.due_jobs,
        }
    }
}

impl RegistryState {
    fn new(registry: &RegistryRecord) -> Self {
        let state = match registry.status {
            RegistryStatus::Backfilling => "backfilling",
            RegistryStatus::Following => "following",
            RegistryStatus::Halted | RegistryStatus::CodeChanged => "halted",
        };
        Self {
            registry_chain: registry.key.chain_id.to_string(),
            registry_addr: registry.key.address.to_string(),
            name: text::line(&registry.name, 64),
            canonical: registry.is_canonical,
            code_hash: registry.code_hash.to_string(),
            state: state.to_owned(),
            reason: registry
                .reason
                .as_deref()
                .map(|reason| text::line(reason, 500)),
            block: registry.tip.map(|tip| tip.number),
            head: registry.head,
            tools: registry.tools,
            updated_at: text::timestamp(registry.updated_at),
        }
    }
}
