use super::*;

/// Events become tools; text, numbers and positions are exact.
pub(super) async fn stores_exactly(store: &Arc<dyn IndexStore>) {
    add_registry(store, registry_key(1)).await;
    let uri = "https://tools.example/\0\u{202e}é";
    let largest = ToolKey {
        id: U256::MAX,
        ..key(0)
    };
    let events = vec![
        registered(0, 1_u64, 7, uri, None),
        Event {
            tool_id: Some(U256::MAX),
            ..registered(1, 0, 7, "x", Some(Address::repeat_byte(8)))
        },
    ];
    append(store, 10, events).await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(tool.metadata_uri, uri);
    assert_eq!(
        (tool.registered, tool.updated),
        (block(10, 0), block(10, 0))
    );
    assert_eq!(
        (tool.state, tool.updates, tool.access_type),
        (ToolState::Live, 0, AccessType::Open)
    );
    assert_eq!(
        (tool.change, tool.status),
        (ChangeKind::Registered, VerificationStatus::Pending)
    );
    let tool = store.tool(largest).await.unwrap().unwrap();
    assert_eq!((tool.key, tool.access_type), (largest, AccessType::Gated));

    let id = U256::from(1);
    append(
        store,
        11,
        vec![updated(EventKind::MetadataUpdated, 4, id, "y")],
    )
    .await;
    append(store, 12, vec![event(EventKind::Deregistered, 0, id)]).await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!((tool.state, tool.updates), (ToolState::Deregistered, 1));
    assert_eq!(
        (tool.metadata_uri.as_str(), tool.updated),
        ("y", block(12, 0))
    );
    let history = store.history(key(1)).await.unwrap();
    let kinds: Vec<_> = history.iter().map(|stored| stored.event.kind).collect();
    assert_eq!(
        kinds,
        [
            EventKind::Registered,
            EventKind::MetadataUpdated,
            EventKind::Deregistered
        ]
    );
    assert_eq!(history[0].event, registered(0, 1_u64, 7, uri, None));
    let found = store.tools(&[largest, key(5), key(1)]).await.unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|tool| tool.as_ref().map(|tool| tool.key))
        .collect();
    assert_eq!(found, [Some(largest), None, Some(key(1))]);
    let record = store.registry(registry_key(1)).await.unwrap().unwrap();
    assert_eq!((record.tip, record.tools), (Some(block(12, 0)), 2));
    assert_rebuild(store).await;
}

/// A batch applies once, and only on the version it was built on.
pub(super) async fn rejects_stale_batches(store: &Arc<dyn IndexStore>) {
    let registry = registry_key(1);
    let record = store.registry(registry).await.unwrap().unwrap();
    let batch = Batch {
        registry,
        expected_version: record.version - 1,
        rewind: None,
        blocks: Vec::new(),
        tip: block(99, 0),
        head: 99,
        checkpoint: String::new(),
        status: RegistryStatus::Following,
        now: NOW,
    };
    assert!(matches!(store.apply(&batch).await, Err(Error::Conflict)));
    let unknown = Batch {
        registry: registry_key(77),
        ..batch
    };
    assert!(matches!(
        store.apply(&unknown).await,
        Err(Error::UnknownRegistry)
    ));
    assert_eq!(store.registry(registry).await.unwrap().unwrap(), record);
    // A registry that is added again keeps its pinned code hash.
    let again = NewRegistry {
        key: registry,
        name: "other".to_owned(),
        is_canonical: false,
        first_block: 5,
        code_hash: B256::ZERO,
        proxy_indicators: "[]".to_owned(),
    };
    let again = store.register(&again, NOW).await.unwrap();
    assert_eq!((again.code_hash, again.first_block), (record.code_hash, 1));
    assert_eq!((again.name.as_str(), again.is_canonical), ("other", false));
    store
        .set_status(
            registry,
            RegistryStatus::Halted,
            Some("why"),
            Some(500),
            NOW,
        )
        .await
        .unwrap();
    let halted = store.registry(registry).await.unwrap().unwrap();
    assert_eq!(
        (halted.status, halted.reason.as_deref(), halted.head),
        (RegistryStatus::Halted, Some("why"), 500)
    );
}
