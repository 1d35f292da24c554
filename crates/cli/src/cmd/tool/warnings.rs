//! Warnings printed before a tool is registered or changed (O-10).

use alloy_primitives::{Address, U256};
use atr_bindings::PredicateKind;
use atr_manifest::Manifest;
use atr_registry::Registry;

use super::SelectedPredicate;
use crate::network::registry;

/// Registries with more tools are not searched for duplicate manifest URLs.
const MAX_SEARCHED: u64 = 5_000;

pub(crate) fn predicate_warnings(predicate: &SelectedPredicate) -> Vec<String> {
    let mut warnings: Vec<_> = predicate.warnings.iter().map(ToString::to_string).collect();
    warnings.extend_from_slice(predicate.gate_warnings());
    warnings
}

/// Once, when a gated tool is registered: the creator cannot change later.
pub(crate) async fn creator_warning(
    registry: &Registry,
    predicate: &SelectedPredicate,
    creator: Address,
) -> eyre::Result<Option<String>> {
    if predicate.info.is_none() || !registry.is_eoa(creator).await? {
        return Ok(None);
    }
    Ok(Some(format!(
        "the creator {creator} is an EOA: anyone with its key controls access, and the creator of a tool cannot be changed; use a \
         multisig for valuable tools"
    )))
}

/// A predicate that is selected by its address has no configuration for a new tool.
pub(crate) fn new_tool_warning(predicate: &SelectedPredicate) -> Option<String> {
    let kind = predicate.info.as_ref()?.kind()?;
    let needs_configuration = kind.is_configurable() && kind != PredicateKind::AccessProof;
    (needs_configuration && predicate.gate.is_none()).then(|| {
        format!(
            "the predicate is not configured for the new tool: access is unknown until `atr predicate set-{}`; --gate configures it at once",
            kind.slug()
        )
    })
}

/// Warnings of the manifest rules.
pub(crate) fn manifest_warnings(manifest: &Manifest) -> Vec<String> {
    let warnings = manifest.warnings().iter();
    warnings
        .map(|warning| format!("{warning}; {}", warning.fix))
        .collect()
}

/// Warns about other tools with the same manifest URL: all of them pass verification, so agents cannot distinguish them (T-53).
pub(crate) async fn duplicate_warnings(
    registry: &Registry,
    url: &str,
) -> eyre::Result<Vec<String>> {
    let count = registry.tool_count().await?;
    if count > U256::from(MAX_SEARCHED) {
        return Ok(vec![format!(
            "not searched for other tools with this manifest URL: the registry has {count} tools"
        )]);
    }
    let same = registry::tools_with_manifest_url(registry, url)
        .await?
        .into_iter();
    let same = same.map(|(id, config)| {
        format!(
            "tool {id} of {} has the same manifest URL; agents will see both tools",
            config.creator
        )
    });
    Ok(same.collect())
}
