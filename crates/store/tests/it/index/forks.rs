use super::*;

/// Random forks: after each batch the projection is what the canonical events give, and equal to a plain model.
pub(super) async fn follows_random_forks(store: &Arc<dyn IndexStore>, seed: u64) {
    let registry = registry_key(1);
    add_registry(store, registry).await;
    let mut random = seed;
    let mut next = move |bound: u64| {
        // xorshift64*
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    };
    let mut chain: Vec<EventBlock> = Vec::new();
    let mut abandoned: Vec<EventBlock> = Vec::new();
    for step in 0..60_u64 {
        let rewind = (next(3) == 0 && !chain.is_empty()).then(|| {
            let kept = usize::try_from(next(chain.len() as u64 + 1)).unwrap();
            abandoned = chain.split_off(kept);
            chain.last().map(|block| block.block.number)
        });
        let mut blocks = Vec::new();
        if next(4) == 0 {
            // Blocks that left the chain return.
            blocks.append(&mut abandoned);
        } else {
            for _ in 0..next(4) {
                abandoned.clear();
                let last = blocks.last().or(chain.last());
                let number = last.map_or(1, |block: &EventBlock| block.block.number + 1);
                let count = chain.iter().chain(&blocks).flat_map(|block| &block.events);
                let mut count = count
                    .filter(|event| event.kind == EventKind::Registered)
                    .count() as u64;
                let mut events = Vec::new();
                for log in 0..=next(4) {
                    let id = U256::from(next(count.max(1)) + 1);
                    let uri = format!("{}", next(5));
                    events.push(match next(4) {
                        1 if count > 0 => updated(EventKind::MetadataUpdated, log, id, &uri),
                        2 if count > 0 => event(EventKind::PredicateUpdated, log, id),
                        3 if count > 0 => event(EventKind::Deregistered, log, id),
                        _ => {
                            count += 1;
                            registered(log, count, 1, &uri, None)
                        }
                    });
                }
                blocks.push(EventBlock {
                    block: block(number, step),
                    events,
                });
            }
        }
        // Overlap: the last known blocks are read again.
        let overlap = usize::try_from(next(3)).unwrap().min(chain.len());
        let mut read = chain[chain.len() - overlap..].to_vec();
        read.extend(blocks.iter().cloned());
        chain.extend(blocks);
        let tip = chain.last().map_or(block(1, 0), |block| block.block);
        apply(store, registry, rewind, read, tip).await;

        let mut model: BTreeMap<U256, (ToolState, String, u64, Block)> = BTreeMap::new();
        for EventBlock { block, events } in &chain {
            for event in events {
                let id = event.tool_id.unwrap();
                if event.kind == EventKind::Registered {
                    model.insert(
                        id,
                        (
                            ToolState::Live,
                            event.metadata_uri.clone().unwrap(),
                            0,
                            *block,
                        ),
                    );
                    continue;
                }
                let tool = model.get_mut(&id).unwrap();
                tool.3 = *block;
                match event.kind {
                    EventKind::MetadataUpdated => {
                        (tool.1, tool.2) = (event.metadata_uri.clone().unwrap(), tool.2 + 1)
                    }
                    EventKind::PredicateUpdated => tool.2 += 1,
                    _ => tool.0 = ToolState::Deregistered,
                }
            }
        }
        let changes = store.changes_since(0, 1000).await.unwrap();
        let found = changes
            .into_iter()
            .map(|change| change.tool)
            .filter(|tool| tool.state != ToolState::Undone);
        let found: BTreeMap<_, _> = found
            .map(|tool| {
                (
                    tool.key.id,
                    (tool.state, tool.metadata_uri, tool.updates, tool.updated),
                )
            })
            .collect();
        assert_eq!(found, model, "seed {seed}, step {step}");
        assert_eq!(
            store.registry(registry).await.unwrap().unwrap().tools,
            model.len() as u64
        );
        assert_rebuild(store).await;
    }
}
