use super::*;

/// How a node that is `lag` blocks behind responds.
fn lagging(url: &str, lag: u64, rpc: &RpcRequest) -> Action {
    let number = |text: &Value| {
        let text = text.as_str().unwrap().trim_start_matches("0x");
        u64::from_str_radix(text, 16).unwrap()
    };
    let visible = number(&request(url, "eth_blockNumber", json!([]))).saturating_sub(lag);
    let params = &rpc.params;
    match rpc.method.as_str() {
        "eth_getBlockByNumber" if params[0] == "latest" => {
            let latest = json!([format!("{visible:#x}"), false]);
            Action::Return(request(url, "eth_getBlockByNumber", latest))
        }
        "eth_getBlockByNumber" if number(&params[0]) > visible => Action::Return(Value::Null),
        "eth_getLogs" if params[0].get("blockHash").is_some() => {
            let hash = &params[0]["blockHash"];
            let block = request(url, "eth_getBlockByHash", json!([hash, false]));
            if number(&block["number"]) > visible {
                Action::Fail("unknown block")
            } else {
                Action::Forward
            }
        }
        // The blocks that it does not have are left out.
        "eth_getLogs" => {
            let mut filter = params[0].clone();
            let to = number(&filter["toBlock"]).min(visible);
            filter["toBlock"] = json!(format!("{to:#x}"));
            Action::Return(request(url, "eth_getLogs", json!([filter])))
        }
        _ => Action::Forward,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_are_behind_lose_nothing_and_cause_no_reorg() {
    let chain = Chain::start();
    // Three nodes behind one URL: each request reaches one of them, by a fixed pseudo-random sequence.
    let (url, state) = (chain.anvil.url.clone(), AtomicU64::new(7));
    let balancer = RpcProxy::start(&chain.anvil.url, move |rpc| {
        let next = |state: u64| {
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1)
        };
        let state = state.update(Ordering::Relaxed, Ordering::Relaxed, next);
        lagging(&url, (state >> 33) % 3, rpc)
    });
    for lag_blocks in [2, 32] {
        let options = LogStreamOptions {
            lag_blocks,
            ..LogStreamOptions::default()
        };
        let start = StartBlock::Number(chain.head() + 1);
        let mut stream = chain.stream_through(&balancer.url, start, options).await;
        let mut read = Vec::new();
        for topic in 1..=60 {
            chain.emit(topic);
            // Single blocks, and several at once, which are read as a range.
            if topic % 20 > 5 {
                continue;
            }
            if let Poll::Batch(batch) = stream.poll().await.unwrap() {
                assert!(batch.rewind.is_none(), "{:?}", batch.rewind);
                read.extend(changes(&batch));
                stream.commit(*batch);
            }
        }
        // The head can be seen only by some of the requests.
        while stream.tip().map(|tip| tip.number) != Some(chain.head()) {
            read.extend(read_all(&mut stream).await);
        }
        let topics: Vec<u8> = read
            .iter()
            .map(|change| change.split_once(':').unwrap().1.parse().unwrap())
            .collect();
        assert_eq!(topics, (1..=60).collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_contradicts_itself_causes_no_reorg() {
    let chain = Chain::start();
    chain.emit(2);
    chain.emit(3);
    let is_wrong = Arc::new(AtomicBool::new(false));
    let shared = is_wrong.clone();
    let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| {
        let is_tip = rpc.method == "eth_getBlockByNumber" && rpc.params[0] == "0x3";
        if is_tip && shared.swap(false, Ordering::Relaxed) {
            Action::Change(|block| block["hash"] = json!(B256::repeat_byte(9)))
        } else {
            Action::Forward
        }
    });
    let mut stream = chain
        .stream_through(&proxy.url, FROM_0, LogStreamOptions::default())
        .await;
    read_all(&mut stream).await;
    chain.emit(4);
    chain.emit(5);
    is_wrong.store(true, Ordering::Relaxed);
    let poll = stream.poll().await.unwrap();
    assert!(matches!(poll, Poll::Behind { head: 5 }), "{poll:?}");
    assert!(!is_wrong.load(Ordering::Relaxed));
    assert_eq!(read_all(&mut stream).await, ["+4:4", "+5:5"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reorg_between_two_blocks_is_noticed() {
    let chain = Chain::start();
    for topic in 2..=6 {
        chain.emit(topic);
    }
    // Blocks 4 to 7 are replaced after the logs of block 5, which follow those of blocks 0 to 4.
    let url = chain.anvil.url.clone();
    let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| {
        if rpc.method != "eth_getLogs" || rpc.nth != 6 {
            return Action::Forward;
        }
        let logs = request(&url, "eth_getLogs", rpc.params.clone());
        request(&url, "anvil_reorg", json!([4, []]));
        // The head was read before: let there be another.
        request(&url, "anvil_mine", json!(["0x1"]));
        Action::Return(logs)
    });
    let options = LogStreamOptions {
        confirmations: 1,
        ..LogStreamOptions::default()
    };
    chain.mine(1);
    let mut stream = chain.stream_through(&proxy.url, FROM_0, options).await;
    let batch = next_batch(&mut stream).await;
    assert_eq!(changes(&batch), ["+2:2", "+3:3", "+4:4", "+5:5"]);
    stream.commit(batch);
    assert_eq!(read_all(&mut stream).await, ["-5:5", "-4:4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_should_have_logs_is_read_again() {
    let chain = Chain::start();
    chain.emit(2);
    // Besu returned an empty list for blocks that it did not have.
    let proxy = RpcProxy::start(&chain.anvil.url, |rpc| {
        let is_first = rpc.method == "eth_getLogs" && rpc.nth <= 2;
        if is_first {
            Action::Return(json!([]))
        } else {
            Action::Forward
        }
    });
    let start = StartBlock::Number(2);
    let mut stream = chain
        .stream_through(&proxy.url, start, LogStreamOptions::default())
        .await;
    for _ in 0..2 {
        let poll = stream.poll().await.unwrap();
        assert!(matches!(poll, Poll::Behind { head: 2 }), "{poll:?}");
    }
    assert_eq!(read_all(&mut stream).await, ["+2:2"]);
    // A match of the bloom filter can be an accident: at some point the block is accepted.
    let silent = RpcProxy::start(&chain.anvil.url, |rpc| match rpc.method.as_str() {
        "eth_getLogs" => Action::Return(json!([])),
        _ => Action::Forward,
    });
    let mut stream = chain
        .stream_through(&silent.url, start, LogStreamOptions::default())
        .await;
    assert_eq!(read_all(&mut stream).await, [""; 0]);
    assert_eq!(silent.counts()["eth_getLogs"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_undone_before_the_new_blocks_are_read() {
    let chain = Chain::start();
    chain.emit(2);
    chain.emit(3);
    let fails = Arc::new(AtomicBool::new(false));
    let shared = fails.clone();
    let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| {
        if rpc.method == "eth_getLogs" && shared.load(Ordering::Relaxed) {
            Action::Fail("internal error")
        } else {
            Action::Forward
        }
    });
    let mut stream = chain
        .stream_through(&proxy.url, FROM_0, LogStreamOptions::default())
        .await;
    read_all(&mut stream).await;
    let before = stream.checkpoint();
    chain.reorg(1);
    fails.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        let error = stream.poll().await.unwrap_err();
        assert!(error.is_retryable(), "{error}");
    }
    assert_eq!(stream.checkpoint(), before);
    fails.store(false, Ordering::Relaxed);
    assert_eq!(read_all(&mut stream).await, ["-3:3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_after_some_blocks_does_not_lose_them() {
    let chain = Chain::start();
    for topic in 2..=4 {
        chain.emit(topic);
    }
    let proxy = RpcProxy::start(&chain.anvil.url, |rpc| {
        // Blocks 0 to 4: the logs of block 3 fail once.
        if rpc.method == "eth_getLogs" && rpc.nth == 4 {
            Action::Fail("internal error")
        } else {
            Action::Forward
        }
    });
    let mut stream = chain
        .stream_through(&proxy.url, FROM_0, LogStreamOptions::default())
        .await;
    let batch = next_batch(&mut stream).await;
    assert_eq!(changes(&batch), ["+2:2"]);
    stream.commit(batch);
    assert_eq!(read_all(&mut stream).await, ["+3:3", "+4:4"]);
}
