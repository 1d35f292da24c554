use super::*;

async fn status(store: &Arc<dyn IndexStore>) -> VerificationStatus {
    store.tool(key(1)).await.unwrap().unwrap().status
}

/// What all reads say about tool 1, the only one.
async fn assert_verified(store: &Arc<dyn IndexStore>, is_verified: bool, why: &str) {
    let is = |status| (status == VerificationStatus::Verified) == is_verified;
    assert!(is(status(store).await), "tool: {why}");
    let tools = store.tools(&[key(1)]).await.unwrap();
    assert!(is(tools[0].as_ref().unwrap().status), "tools: {why}");
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    assert!(is(detail.tool.status), "detail: {why}");
    let changes = store.changes_since(0, 10).await.unwrap();
    assert!(is(changes[0].tool.status), "changes: {why}");
    let query = ListQuery {
        verified_only: true,
        ..ListQuery::default()
    };
    let count = usize::from(is_verified);
    assert_eq!(ids(store, query).await.len(), count, "list: {why}");
    let counted = store.status(NOW).await.unwrap().by_status[1];
    assert_eq!(counted, count as u64, "status: {why}");
}

/// A verdict is about one URI, hash and creator, and for some time.
pub(super) async fn verdicts_count(store: &Arc<dyn IndexStore>) {
    use VerificationStatus::{Pending, Unknown, Verified};
    let registry = registry_key(1);
    add_registry(store, registry).await;
    let predicate = Address::repeat_byte(8);
    append(store, 1, vec![registered(0, 1, 1, "a", Some(predicate))]).await;
    verify(store, key(1), Verified, &["x"]).await;
    assert_verified(store, true, "verified").await;
    // K-04
    for (registry_status, is_verified) in [
        (RegistryStatus::CodeChanged, false),
        (RegistryStatus::Following, true),
    ] {
        let set = store.set_status(registry, registry_status, None, None, NOW);
        set.await.unwrap();
        assert_verified(store, is_verified, "the code of the registry").await;
    }
    // H-10, H-12, H-14
    let stored = store.detail(key(1)).await.unwrap().unwrap();
    let stored = stored.verification.unwrap();
    let store_again = async |verification: Verification| {
        let result = VerificationResult {
            key: key(1),
            verification,
            manifest: None,
        };
        store.store_verification(&result).await.unwrap()
    };
    let old = Verification {
        fresh_until: NOW - 1,
        ..stored.clone()
    };
    assert!(store_again(old).await);
    assert_verified(store, false, "too old").await;
    assert_eq!(status(store).await, Unknown);
    assert!(store_again(stored.clone()).await);
    assert_verified(store, true, "fresh again").await;
    // A verdict on another creator is not the tool's, and does not replace it.
    let other = Verification {
        creator: Address::repeat_byte(2),
        ..stored.clone()
    };
    assert!(!store_again(other).await);
    assert_verified(store, true, "a verdict on another creator").await;

    // Another URI with the same hash.
    let moved = Event {
        manifest_hash: Some(keccak256("a")),
        ..updated(EventKind::MetadataUpdated, 0, U256::from(1), "moved")
    };
    append(store, 2, vec![moved]).await;
    assert_verified(store, false, "another URI").await;
    assert_eq!(status(store).await, Pending);
    // A reorg that changes only the creator: URI, hash and time are the same.
    let replace = async |fork: u64, events: Vec<Event>| {
        let block = block(1, fork);
        let blocks = match events.is_empty() {
            true => Vec::new(),
            false => vec![EventBlock { block, events }],
        };
        apply(store, registry, Some(Some(0)), blocks, block).await;
    };
    let by = |creator| vec![registered(0, 1, creator, "a", Some(predicate))];
    replace(1, by(1)).await;
    verify(store, key(1), Verified, &["x"]).await;
    replace(2, by(2)).await;
    assert_verified(store, false, "another creator").await;

    // The registration leaves the chain, and the registry assigns the id to another tool.
    replace(3, by(1)).await;
    verify(store, key(1), Verified, &["x"]).await;
    let access = AccessResult {
        key: key(1),
        access: ToolAccess {
            predicate,
            access_type: AccessType::NftGated,
            requirements: "[]".to_owned(),
            always_denies: true,
            checked_at: NOW,
        },
        terms: Vec::new(),
        facts: PredicateFacts::default(),
    };
    store.store_access(&access).await.unwrap();
    let claim = async || claim_all(store, JobKind::Access, NOW, NOW + 60).await.len();
    claim().await;
    store.store_access(&access).await.unwrap();
    let usage = UsageRecord {
        key: key(1),
        chain_id: 8453,
        unique: vec![1],
        verification_type: "signature".to_owned(),
        caller: Address::repeat_byte(5),
        transaction: None,
        payment: None,
        used_at: NOW,
    };
    store.record_usage(&usage, NOW).await.unwrap();
    replace(4, Vec::new()).await;
    let other = registered(0, 1, 3, "b", Some(predicate));
    append(store, 3, vec![other]).await;
    assert_verified(store, false, "another tool").await;
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    let tool = &detail.tool;
    assert_eq!(
        (tool.status, tool.checked_at, tool.next_check_at),
        (Pending, None, 0)
    );
    assert_eq!((detail.access, detail.verification), (None, None));
    assert_eq!(
        (tool.access_type, tool.always_denies, tool.usage_count),
        (AccessType::Gated, false, 0)
    );
    assert_eq!(store.usage_stats(key(1)).await.unwrap().count, 0);
    assert_eq!(claim().await, 1, "its predicate was not evaluated");
    assert_rebuild(store).await;
}
