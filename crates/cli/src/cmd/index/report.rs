//! What `atr index` prints.

use std::{collections::HashMap, sync::Mutex};

use alloy_primitives::{Address, B256};
use atr_indexer::{Observer, Report as IndexReport};
use atr_store::index::{IndexStatus, RegistryStatus};
use serde::Serialize;

use crate::{
    args::Chain,
    context::Context,
    outcome::Outcome,
    output::{Palette, Progress, Report, Table},
};

/// Shows progress bars, and logs what happens.
pub(in crate::cmd) fn observer(context: &Context) -> Observer {
    let bars: Mutex<HashMap<_, Progress>> = Mutex::default();
    // One bar, for the registry that needs it first.
    let idle = Mutex::new(Some(Progress::start_blocks(context, "blocks")));
    Observer::new(move |report| match report {
        IndexReport::Progress { registry, progress } => {
            let Ok(mut bars) = bars.lock() else { return };
            if progress.position.saturating_add(1) >= progress.head {
                bars.remove(registry);
                return;
            }
            if !bars.contains_key(registry)
                && let Ok(mut idle) = idle.lock()
                && let Some(bar) = idle.take()
            {
                bars.insert(*registry, bar);
            }
            if let Some(bar) = bars.get(registry) {
                let read = |block: u64| block.saturating_sub(progress.first);
                bar.set(read(progress.position), read(progress.head));
            }
            tracing::info!(
                registry = %registry.address,
                chain = registry.chain_id,
                block = progress.position,
                head = progress.head,
                events = progress.events,
                events_per_second = progress.events_per_second.round(),
                seconds_left = progress.seconds_left.map(f64::round),
                "indexing"
            );
        }
        IndexReport::Reorg {
            registry,
            undone_events,
        } => {
            tracing::warn!(registry = %registry.address, chain = registry.chain_id, undone_events, "reorg")
        }
        IndexReport::Retrying { registry, error } => {
            tracing::warn!(registry = %registry.address, chain = registry.chain_id, error, "retrying");
        }
        IndexReport::Halted { registry, reason } => {
            tracing::error!(registry = %registry.address, chain = registry.chain_id, reason, "halted");
        }
        IndexReport::Waiting => {
            tracing::warn!("another process indexes into this database; waiting for it to end")
        }
        _ => {}
    })
}

/// Failure if a registry is halted.
pub(super) fn outcome(status: &IndexStatus) -> Outcome {
    let is_halted = |record: &atr_store::index::RegistryRecord| {
        matches!(
            record.status,
            RegistryStatus::Halted | RegistryStatus::CodeChanged
        )
    };
    if status.registries.iter().any(is_halted) {
        Outcome::Failure
    } else {
        Outcome::Success
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusReport {
    registries: Vec<RegistryReport>,
    /// Number of the last change.
    sequence: u64,
    verification: VerificationReport,
    /// Verifications and evaluations that are due.
    due: u64,
}

#[derive(Debug, Serialize)]
struct VerificationReport {
    pending: u64,
    verified: u64,
    failed: u64,
    unknown: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RegistryReport {
    name: String,
    chain: u64,
    address: Address,
    /// Whether the address is pinned in this program.
    canonical: bool,
    code_hash: B256,
    status: &'static str,
    reason: Option<String>,
    block: Option<u64>,
    head: u64,
    /// Seconds since the last indexed block.
    age: Option<u64>,
    tools: u64,
}

impl StatusReport {
    pub(super) fn new(status: &IndexStatus, now: u64) -> Self {
        let registries = status.registries.iter().map(|record| RegistryReport {
            name: record.name.clone(),
            chain: record.key.chain_id,
            address: record.key.address,
            canonical: record.is_canonical,
            code_hash: record.code_hash,
            status: status_name(record.status),
            reason: record.reason.clone(),
            block: record.tip.map(|tip| tip.number),
            head: record.head,
            age: record.tip.map(|tip| now.saturating_sub(tip.time)),
            tools: record.tools,
        });
        let [pending, verified, failed, unknown] = status.by_status;
        Self {
            registries: registries.collect(),
            sequence: status.seq,
            verification: VerificationReport {
                pending,
                verified,
                failed,
                unknown,
            },
            due: status.due_jobs,
        }
    }
}

impl Report for StatusReport {
    fn render(&self, palette: &Palette) -> String {
        if self.registries.is_empty() {
            return "no registry is indexed\n".to_owned();
        }
        let mut table = Table::new(["CHAIN", "REGISTRY", "STATUS", "BLOCK", "HEAD", "TOOLS"]);
        for registry in &self.registries {
            let label = if registry.canonical {
                ""
            } else {
                " (unknown registry)"
            };
            table.add_row([
                Chain::new(registry.chain).to_string(),
                format!("{}{label}", registry.address),
                registry.status.to_owned(),
                registry
                    .block
                    .map_or_else(|| "-".to_owned(), |block| block.to_string()),
                registry.head.to_string(),
                registry.tools.to_string(),
            ]);
        }
        let mut text = table.render(palette);
        for registry in &self.registries {
            if let Some(reason) = &registry.reason {
                let line = format!(
                    "halted: {}: {}",
                    registry.address,
                    atr_ids::sanitize(reason)
                );
                text.push_str(&format!("{}\n", palette.warning(&line)));
            }
        }
        let VerificationReport {
            pending,
            verified,
            failed,
            unknown,
        } = self.verification;
        text.push_str(&format!(
            "tools: {verified} verified, {failed} failed, {unknown} unknown, {pending} not verified yet\n"
        ));
        text
    }
}

const fn status_name(status: RegistryStatus) -> &'static str {
    match status {
        RegistryStatus::Backfilling => "backfilling",
        RegistryStatus::Following => "following",
        RegistryStatus::Halted | RegistryStatus::CodeChanged => "halted",
    }
}
