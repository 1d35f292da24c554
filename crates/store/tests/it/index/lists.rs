use super::*;

/// Lists, filters and cursors.
pub(super) async fn lists(store: &Arc<dyn IndexStore>) {
    let other = RegistryKey {
        chain_id: 1,
        ..registry_key(1)
    };
    add_registry(store, registry_key(1)).await;
    add_registry(store, other).await;
    let predicate = Some(Address::repeat_byte(8));
    for id in 1..=6_u64 {
        let creator = u8::try_from(id % 2).unwrap();
        let event = registered(
            0,
            id,
            creator,
            &format!("uri{id}"),
            predicate.filter(|_| id > 4),
        );
        append(store, id, vec![event]).await;
    }
    let first = block(3, 9);
    let blocks = vec![EventBlock {
        block: first,
        events: vec![registered(0, 100_u64, 0, "uri100", None)],
    }];
    apply(store, other, None, blocks, first).await;
    for id in [1, 2, 5] {
        verify(store, key(id), VerificationStatus::Verified, &["a", "b\0"]).await;
    }
    verify(store, key(3), VerificationStatus::Failed, &["a"]).await;
    append(
        store,
        7,
        vec![event(EventKind::Deregistered, 0, U256::from(6))],
    )
    .await;

    let all = ListQuery::default();
    assert_eq!(ids(store, all.clone()).await, [5, 4, 100, 3, 2, 1]);
    let oldest = ListQuery {
        sort: SortOrder::Oldest,
        ..all.clone()
    };
    assert_eq!(ids(store, oldest.clone()).await, [1, 2, 3, 100, 4, 5]);
    let cases = [
        (
            ListQuery {
                include_deregistered: true,
                ..all.clone()
            },
            vec![6, 5, 4, 100, 3, 2, 1],
        ),
        (
            ListQuery {
                verified_only: true,
                ..all.clone()
            },
            vec![5, 2, 1],
        ),
        (
            ListQuery {
                chain_id: Some(1),
                ..all.clone()
            },
            vec![100],
        ),
        (
            ListQuery {
                chain_id: Some(2),
                ..all.clone()
            },
            vec![],
        ),
        (
            ListQuery {
                registry: Some(registry_key(1)),
                ..all.clone()
            },
            vec![5, 4, 3, 2, 1],
        ),
        (
            ListQuery {
                creator: Some(Address::repeat_byte(1)),
                ..all.clone()
            },
            vec![5, 3, 1],
        ),
        (
            ListQuery {
                creator: Some(Address::repeat_byte(1)),
                verified_only: true,
                ..all.clone()
            },
            vec![5, 1],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Open],
                ..all.clone()
            },
            vec![4, 100, 3, 2, 1],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Gated],
                ..all.clone()
            },
            vec![5],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Gated, AccessType::Open],
                verified_only: true,
                ..all.clone()
            },
            vec![5, 2, 1],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Open],
                verified_only: true,
                ..all.clone()
            },
            vec![2, 1],
        ),
        (
            ListQuery {
                tag: Some("a".to_owned()),
                ..all.clone()
            },
            vec![5, 3, 2, 1],
        ),
        (
            ListQuery {
                tag: Some("b\0".to_owned()),
                ..all.clone()
            },
            vec![5, 2, 1],
        ),
        (
            ListQuery {
                tag: Some("a".to_owned()),
                verified_only: true,
                ..oldest
            },
            vec![1, 2, 5],
        ),
        (
            ListQuery {
                tag: Some("b".to_owned()),
                ..all.clone()
            },
            vec![],
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(ids(store, query.clone()).await, expected, "{query:?}");
    }
    // A cursor belongs to its filters, and cannot be changed.
    let query = ListQuery { limit: 1, ..all };
    let cursor = store.list(&query).await.unwrap().next.unwrap();
    let others = [
        ListQuery {
            verified_only: true,
            cursor: Some(cursor.clone()),
            ..query.clone()
        },
        ListQuery {
            cursor: Some(format!("{cursor}A")),
            ..query.clone()
        },
        ListQuery {
            cursor: Some("x".to_owned()),
            ..query
        },
    ];
    for query in others {
        assert!(
            matches!(store.list(&query).await, Err(Error::InvalidCursor)),
            "{query:?}"
        );
    }
    // K-21, T-53: registrations of one URI are found, also in other registries.
    append(store, 8, vec![registered(0, 7_u64, 0, "uri100", None)]).await;
    let detail = store.detail(key(7)).await.unwrap().unwrap();
    assert_eq!(detail.tool.duplicates, 1);
    assert_eq!(
        detail.duplicates,
        [ToolKey {
            registry: other,
            id: U256::from(100)
        }]
    );
    assert_eq!(store.duplicates(key(5)).await.unwrap(), []);
    // A listing, its certificate and its bytes survive, NUL included.
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    let stored = detail.verification.unwrap();
    assert_eq!(
        stored,
        Verification {
            metadata_uri: detail.tool.metadata_uri.clone(),
            creator: detail.tool.creator,
            ..verification(
                detail.tool.manifest_hash,
                VerificationStatus::Verified,
                &["a", "b\0"]
            )
        }
    );
    assert_eq!(detail.manifest.as_deref(), Some(&b"{}"[..]));
    let status = store.status(NOW).await.unwrap();
    assert_eq!(
        (status.by_status, status.registries.len()),
        ([3, 3, 1, 0], 2)
    );
    assert_rebuild(store).await;
}
