use super::*;

/// The queue and what it stores.
pub(super) async fn queues(store: &Arc<dyn IndexStore>) {
    add_registry(store, registry_key(1)).await;
    let predicate = Address::repeat_byte(8);
    let events = vec![
        registered(0, 1_u64, 1, "a", Some(predicate)),
        registered(1, 2_u64, 1, "b", None),
        registered(2, 3_u64, 1, "c", None),
        event(EventKind::Deregistered, 3, U256::from(3)),
    ];
    append(store, 1, events).await;
    let claim = async |kind, now| {
        let jobs = claim_all(store, kind, now, now + 60).await;
        let mut keys: Vec<_> = jobs.iter().map(|job| job.key).collect();
        keys.sort();
        keys
    };
    assert_eq!(claim(JobKind::Verification, NOW).await, [key(1), key(2)]);
    assert_eq!(claim(JobKind::Verification, NOW + 59).await, []);
    // The worker died.
    assert_eq!(
        claim(JobKind::Verification, NOW + 60).await,
        [key(1), key(2)]
    );
    store
        .release(key(2), JobKind::Verification, NOW + 100)
        .await
        .unwrap();
    verify(store, key(1), VerificationStatus::Unknown, &[]).await;
    assert_eq!(claim(JobKind::Verification, NOW + 100).await, [key(2)]);
    let jobs = claim_all(store, JobKind::Verification, NOW + 1000, NOW + 2000).await;
    let previous = jobs
        .iter()
        .find(|job| job.key == key(1))
        .unwrap()
        .previous
        .clone();
    assert_eq!(previous.unwrap().status, VerificationStatus::Unknown);
    // Asked for again while it is leased: due at once, also after the leased one ends.
    assert!(store.request_verification(key(1), NOW).await.unwrap());
    assert!(!store.request_verification(key(3), NOW).await.unwrap());
    verify(store, key(1), VerificationStatus::Verified, &["x"]).await;
    assert_eq!(claim(JobKind::Verification, NOW + 1).await, [key(1)]);

    classes(store).await;

    // An update makes the tool pending; the result of the earlier hash is kept and returns with a reorg.
    append(
        store,
        2,
        vec![updated(EventKind::MetadataUpdated, 0, U256::from(1), "a2")],
    )
    .await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(
        (tool.status, tool.next_check_at, tool.listing),
        (VerificationStatus::Pending, 0, None)
    );
    let tag = ListQuery {
        tag: Some("x".to_owned()),
        ..ListQuery::default()
    };
    assert_eq!(ids(store, tag.clone()).await, Vec::<u64>::new());
    apply(
        store,
        registry_key(1),
        Some(Some(1)),
        Vec::new(),
        block(2, 1),
    )
    .await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(
        (tool.status, tool.change),
        (VerificationStatus::Verified, ChangeKind::Reorged)
    );
    assert_eq!(ids(store, tag).await, [1]);

    // Evaluation of the predicate.
    assert_eq!(claim(JobKind::Access, NOW).await, [key(1)]);
    let result = AccessResult {
        key: key(1),
        access: ToolAccess {
            predicate,
            access_type: AccessType::NftGated,
            requirements: "[]".to_owned(),
            always_denies: true,
            checked_at: NOW,
        },
        terms: Vec::new(),
        facts: PredicateFacts {
            has_code: true,
            is_proxy: true,
            proxy_indicators: "[]".to_owned(),
            ..PredicateFacts::default()
        },
    };
    store.store_access(&result).await.unwrap();
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    assert_eq!(detail.access, Some(result.access.clone()));
    assert_eq!(detail.tool.predicate_facts, Some(result.facts.clone()));
    assert_eq!(
        (detail.tool.access_type, detail.tool.always_denies),
        (AccessType::NftGated, true)
    );
    assert_eq!(claim(JobKind::Access, NOW + 1000).await, []);
    // K-03: an upgrade and a configuration make it due again.
    let upgraded = Event {
        address: Some(predicate),
        tool_id: None,
        ..event(EventKind::Upgraded, 0, U256::ZERO)
    };
    append(store, 3, vec![upgraded]).await;
    assert_eq!(
        store.upgraded_at(registry_key(1), predicate).await.unwrap(),
        Some(block(3, 0).time)
    );
    assert_eq!(claim(JobKind::Access, NOW).await, [key(1)]);
    // Events of contracts that are not the tool's predicate are ignored.
    store.store_access(&result).await.unwrap();
    store.store_access(&result).await.unwrap();
    let configured = |address, log| Event {
        address: Some(address),
        ..event(EventKind::Configured, log, U256::from(1))
    };
    let stranger = Address::repeat_byte(0x66);
    let strange = (1..=250).map(|log| configured(stranger, log)).collect();
    append(store, 4, strange).await;
    assert_eq!(claim(JobKind::Access, NOW).await, []);
    let history = store.history(key(1)).await.unwrap();
    assert_eq!(history[0].event.kind, EventKind::Registered);
    assert_eq!(store.registry_history(key(1)).await.unwrap(), history);
    append(store, 5, vec![configured(predicate, 0)]).await;
    assert_eq!(claim(JobKind::Access, NOW).await, [key(1)]);
    append(store, 6, vec![configured(predicate, 0)]).await;
    let history = store.history(key(1)).await.unwrap();
    assert_eq!(history.last().unwrap().event.kind, EventKind::Configured);
    store.store_access(&result).await.unwrap();
    assert_eq!(
        claim(JobKind::Access, NOW).await,
        [key(1)],
        "configured while it was evaluated"
    );
    store.store_access(&result).await.unwrap();
    // The reorg takes the upgrade back, and both are evaluated again.
    apply(
        store,
        registry_key(1),
        Some(Some(2)),
        Vec::new(),
        block(6, 1),
    )
    .await;
    assert_eq!(
        store.upgraded_at(registry_key(1), predicate).await.unwrap(),
        None
    );
    assert_eq!(claim(JobKind::Access, NOW).await, [key(1)]);
    assert_eq!(
        store.predicates_in_use(registry_key(1), 5).await.unwrap(),
        [predicate]
    );
    // Another predicate: the evaluation is of no use any more.
    let open = event(EventKind::PredicateUpdated, 0, U256::from(1));
    append(store, 7, vec![open]).await;
    store.store_access(&result).await.unwrap();
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    assert_eq!(
        (detail.access, detail.tool.access_type),
        (None, AccessType::Open)
    );
    assert_rebuild(store).await;
}

/// Requested verifications have their own workers, and wait in the order of the requests.
async fn classes(store: &Arc<dyn IndexStore>) {
    let claim = async |class, busy_creators: &[Address], now| {
        let claim = Claim {
            kind: JobKind::Verification,
            class: Some(class),
            busy_creators,
            limit: 10,
            now,
            until: now + 60,
        };
        let jobs = store.claim(&claim).await.unwrap();
        let keys: Vec<_> = jobs.iter().map(|job| job.key).collect();
        keys
    };
    let status = JobClass::Status;
    let (pending, verified) = (VerificationStatus::Pending, VerificationStatus::Verified);
    verify(store, key(1), verified, &["x"]).await;
    verify(store, key(2), verified, &[]).await;
    let later = NOW + 3000;
    assert!(store.request_verification(key(2), NOW + 10).await.unwrap());
    assert_eq!(claim(status(verified), &[], later).await, [key(1)]);
    assert_eq!(claim(status(pending), &[], later).await, []);
    let creator = Address::repeat_byte(1);
    assert_eq!(claim(JobClass::Requested, &[creator], later).await, []);
    assert_eq!(claim(JobClass::Requested, &[], NOW + 9).await, []);
    assert_eq!(claim(JobClass::Requested, &[], later).await, [key(2)]);
    // Given back, it is a requested one as before; done, it is not.
    let back = store.release(key(2), JobKind::Verification, later);
    back.await.unwrap();
    assert_eq!(claim(JobClass::Requested, &[], later).await, [key(2)]);
    verify(store, key(2), verified, &[]).await;
    assert_eq!(claim(JobClass::Requested, &[], later).await, []);
    assert_eq!(claim(status(verified), &[], later).await, [key(2)]);
    verify(store, key(1), verified, &["x"]).await;
    verify(store, key(2), verified, &[]).await;
}

/// The predicates that a composite combines are followed like the composite itself.
pub(super) async fn follows_terms(store: &Arc<dyn IndexStore>) {
    // K-03
    let registry = registry_key(1);
    add_registry(store, registry).await;
    let (composite, term, other) = (
        Address::repeat_byte(8),
        Address::repeat_byte(9),
        Address::repeat_byte(10),
    );
    append(
        store,
        1,
        vec![registered(0, 1_u64, 1, "a", Some(composite))],
    )
    .await;
    let claim = async || claim_all(store, JobKind::Access, NOW, NOW + 60).await.len();
    let evaluate = async |terms: &[Address]| {
        let mut evaluated = Vec::new();
        for predicate in terms {
            evaluated.push(PredicateTerm {
                predicate: *predicate,
                upgraded_at: store.upgraded_at(registry, *predicate).await.unwrap(),
            });
        }
        let result = AccessResult {
            key: key(1),
            access: ToolAccess {
                predicate: composite,
                access_type: AccessType::Gated,
                requirements: "[]".to_owned(),
                always_denies: false,
                checked_at: NOW,
            },
            terms: evaluated,
            facts: PredicateFacts::default(),
        };
        store.store_access(&result).await.unwrap()
    };
    let in_use = async || store.predicates_in_use(registry, 5).await.unwrap();
    assert_eq!(claim().await, 1);
    assert!(evaluate(&[term, other]).await, "both are new");
    assert!(!evaluate(&[term]).await && evaluate(&[term, other]).await);
    assert_eq!(in_use().await, [composite, term, other]);
    assert_eq!(claim().await, 0);
    store.request_evaluation(registry, &[other]).await.unwrap();
    assert_eq!(claim().await, 1);
    evaluate(&[term, other]).await;
    // An upgrade of a term makes the evaluation of the tool due, and is shown.
    let upgraded = Event {
        address: Some(term),
        tool_id: None,
        ..event(EventKind::Upgraded, 0, U256::ZERO)
    };
    append(store, 2, vec![upgraded]).await;
    assert_eq!(claim().await, 1);
    evaluate(&[term, other]).await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(tool.terms_upgraded_at, Some(block(2, 0).time));
    // Another predicate has other terms.
    let replaced = Event {
        predicate: Some(other),
        ..event(EventKind::PredicateUpdated, 0, U256::from(1))
    };
    append(store, 3, vec![replaced]).await;
    assert_eq!(in_use().await, [other]);
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(tool.terms_upgraded_at, None);
    assert_rebuild(store).await;
}
