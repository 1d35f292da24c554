use super::*;

/// The change feed has the last change of each tool, in order of commits.
pub(super) async fn feeds(store: &Arc<dyn IndexStore>) {
    add_registry(store, registry_key(1)).await;
    append(
        store,
        1,
        vec![
            registered(0, 1_u64, 1, "a", None),
            registered(1, 2_u64, 1, "b", None),
        ],
    )
    .await;
    let start = store.last_seq().await.unwrap();
    verify(store, key(1), VerificationStatus::Verified, &[]).await;
    append(
        store,
        2,
        vec![event(EventKind::Deregistered, 0, U256::from(2))],
    )
    .await;
    let record = UsageRecord {
        key: key(1),
        chain_id: 10,
        unique: vec![0, 1],
        verification_type: "settlement".to_owned(),
        caller: Address::repeat_byte(5),
        transaction: Some(B256::repeat_byte(6)),
        payment: Some((Address::repeat_byte(7), U256::MAX)),
        used_at: NOW,
    };
    let changes = store.changes_since(start, 10).await.unwrap();
    let kinds: Vec<_> = changes
        .iter()
        .map(|change| (change.tool.key, change.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            (key(1), ChangeKind::Verification),
            (key(2), ChangeKind::Deregistered)
        ]
    );
    assert_eq!(changes.last().unwrap().seq, store.last_seq().await.unwrap());
    let first = store.record_usage(&record, NOW + 50).await.unwrap();
    assert!(first.is_some());
    assert_eq!(store.record_usage(&record, NOW + 60).await.unwrap(), None);
    let activity = store.activity(key(1), 10, 0).await.unwrap();
    assert_eq!(activity.len(), 1);
    assert_eq!(
        (Some(activity[0].id), &activity[0].record),
        (first, &record)
    );
    let stats = store.usage_stats(key(1)).await.unwrap();
    assert_eq!(
        (stats.count, stats.callers, stats.last_at),
        (1, 1, Some(NOW))
    );
    // By time, and across a reorg that removes a registration.
    let seq = store.seq_at(NOW + 50).await.unwrap();
    let changes = store.changes_since(seq - 1, 10).await.unwrap();
    assert_eq!(
        changes.iter().map(|change| change.kind).collect::<Vec<_>>(),
        [ChangeKind::Usage]
    );
    assert_eq!(
        store.seq_at(NOW + 51).await.unwrap(),
        store.last_seq().await.unwrap() + 1
    );
    let before = store.last_seq().await.unwrap();
    apply(
        store,
        registry_key(1),
        Some(None),
        vec![EventBlock {
            block: block(1, 5),
            events: vec![registered(0, 1_u64, 1, "a", None)],
        }],
        block(2, 5),
    )
    .await;
    assert_eq!(store.tool(key(2)).await.unwrap(), None);
    let changes = store.changes_since(before, 10).await.unwrap();
    let kinds: BTreeMap<_, _> = changes
        .iter()
        .map(|change| (change.tool.key, change.kind))
        .collect();
    assert_eq!(
        kinds,
        [(key(1), ChangeKind::Reorged), (key(2), ChangeKind::Undone)].into()
    );
    assert_eq!(
        store
            .registry(registry_key(1))
            .await
            .unwrap()
            .unwrap()
            .tools,
        1
    );
    assert_rebuild(store).await;
}
