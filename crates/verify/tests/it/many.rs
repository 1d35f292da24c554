use std::{future::pending, num::NonZeroUsize, pin::pin};

use atr_ids::{MetadataUri, ToolRef};
use atr_registry::{ToolConfig, ToolState};
use atr_verify::{Freshness, ManifestSource, Status, Verifier};
use futures_util::{FutureExt, StreamExt};

use crate::world::{NOW, URI, World, canonical_hash, config, manifest, tool};

const SLOW_URI: &str = "https://slow.example/.well-known/ai-tool/oracle.json";

/// Never responds for `SLOW_URI`.
struct PartlySlow;

impl ManifestSource for PartlySlow {
    async fn manifest(&self, uri: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        if uri.to_string() == SLOW_URI {
            pending::<()>().await;
        }
        Ok(manifest().to_string().into_bytes())
    }
}

fn state(uri: &str) -> ToolState {
    ToolState::Live(ToolConfig {
        metadata_uri: uri.to_owned(),
        ..config(canonical_hash(&manifest().to_string()))
    })
}

#[test]
fn verdicts_arrive_before_slower_tools_are_complete() {
    let world = World::new(&manifest());
    let verifier = Verifier::try_new(&world.chain, PartlySlow, Freshness::default()).unwrap();
    let tools = vec![
        (tool(), state(SLOW_URI)),
        (tool(), state(URI)),
        (tool(), ToolState::Deregistered),
    ];
    let concurrency = NonZeroUsize::new(2).unwrap();
    let mut verdicts = pin!(verifier.verify_many(tools, None, concurrency, NOW).unwrap());
    let mut next = || verdicts.next().now_or_never();
    let (index, verdict) = next().unwrap().unwrap();
    assert_eq!((index, verdict.status()), (1, Status::Verified));
    let (index, verdict) = next().unwrap().unwrap();
    assert_eq!((index, verdict.status()), (2, Status::Deregistered));
    assert!(next().is_none(), "the slow tool is not complete");
}

#[test]
fn rejects_a_list_with_a_tool_of_another_registry() {
    let world = World::new(&manifest());
    let verifier = Verifier::try_new(&world.chain, PartlySlow, Freshness::default()).unwrap();
    let other = ToolRef::try_new(1, tool().registry(), tool().id()).unwrap();
    let tools = vec![(tool(), state(URI)), (other, state(URI))];
    let verdicts = verifier.verify_many(tools, None, NonZeroUsize::MIN, NOW);
    assert!(verdicts.is_err());
}

#[test]
fn a_verdict_without_its_manifest_reports_the_same_and_cannot_be_invoked() {
    let verdict = World::new(&manifest()).verify();
    let json = serde_json::to_value(&verdict).unwrap();
    let verdict = verdict.without_manifest();
    assert_eq!(serde_json::to_value(&verdict).unwrap(), json);
    assert!(verdict.is_usable() && verdict.into_verified().is_err());
}
