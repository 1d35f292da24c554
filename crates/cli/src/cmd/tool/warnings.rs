//! What a publisher may come to regret, told before it is done (O-10).

use alloy_primitives::{Address, U256};
use atr_manifest::Manifest;
use atr_registry::Registry;

use super::Gate;
use crate::network::registry;

/// Above so many tools, nobody waits for the search for a second registration of one place.
const SEARCHED: u64 = 5_000;

/// About the gate and whoever holds its key.
pub(crate) async fn of_gate(
    registry: &Registry,
    gate: &Gate,
    creator: Address,
) -> eyre::Result<Vec<String>> {
    let mut regrets: Vec<_> = gate.warnings.iter().map(ToString::to_string).collect();
    if gate.facts.is_some() && registry.is_eoa(creator).await? {
        regrets.push(format!(
            "{creator} is held by one key: whoever gets it decides who is let in, and a creator can never be changed; \
             for a gate of value register from a multisignature wallet"
        ));
    }
    Ok(regrets)
}

/// About the manifest: everything the rules only advise on, a paid tool without `maxAge` 0 among it.
pub(crate) fn of_manifest(manifest: &Manifest) -> Vec<String> {
    let warnings = manifest.warnings().iter();
    warnings.map(|one| format!("{one}; {}", one.fix)).collect()
}

/// About a place that is registered already: all registrations verify, and nobody knows which one is meant (T-53).
pub(crate) async fn of_place(registry: &Registry, place: &str) -> eyre::Result<Vec<String>> {
    let count = registry.tool_count().await?;
    if count > U256::from(SEARCHED) {
        return Ok(vec![format!(
            "not looked for other registrations of this place: the registry has {count} tools"
        )]);
    }
    let same = registry::of_place(registry, place).await?.into_iter();
    let same = same.map(|(id, config)| {
        format!(
            "tool {id} of {} has its manifest at the same place; agents will see both",
            config.creator
        )
    });
    Ok(same.collect())
}
