use super::*;

/// A chain of 600 blocks with a log every 30 blocks, and the changes that a stream returns.
fn long_chain() -> (Chain, Vec<String>) {
    let chain = Chain::start();
    let mut expected = Vec::new();
    for topic in 1..=20_u8 {
        chain.emit(topic);
        expected.push(format!("+{}:{topic}", 30 * u64::from(topic) - 28));
        chain.mine(29);
    }
    (chain, expected)
}

fn blocks_of(rpc: &RpcRequest) -> u64 {
    let number = |key: &str| {
        let text = rpc.params[0][key].as_str()?;
        u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
    };
    match (number("fromBlock"), number("toBlock")) {
        (Some(from), Some(to)) => to - from + 1,
        _ => 1,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_ranges_within_the_limits_of_the_node() {
    let (chain, expected) = long_chain();
    let limits = [
        // The limit is named: one refusal.
        (
            json!({ "code": -32602, "message": "query exceeds max block range 80" }),
            80,
            1,
        ),
        // Not named: the size is halved, and does not grow at once.
        (
            json!({ "code": -32600, "message": "block range is too wide" }),
            80,
            4,
        ),
        // The code of rate limits, which are retried for as long as the timeout.
        (
            json!({ "code": -32005, "message": "query returned more than 10000 results" }),
            80,
            4,
        ),
        // Unknown wording.
        (json!({ "code": -32099, "message": "no" }), 400, 4),
    ];
    for (error, limit, max_refused) in limits {
        let shared = error.clone();
        let refused = Arc::new(AtomicU64::new(0));
        let count = refused.clone();
        let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| {
            if rpc.method == "eth_getLogs" && blocks_of(rpc) > limit {
                count.fetch_add(1, Ordering::Relaxed);
                Action::Error(shared.clone())
            } else {
                Action::Forward
            }
        });
        let mut stream = chain.stream_through(&proxy.url, FROM_0, NO_LAG).await;
        let mut positions = Vec::new();
        let mut all = Vec::new();
        while let Poll::Batch(batch) = stream.poll().await.unwrap() {
            positions.push(batch.progress.position);
            assert_eq!((batch.progress.first, batch.progress.head), (0, 601));
            all.extend(changes(&batch));
            stream.commit(*batch);
        }
        assert_eq!(all, expected, "{error}");
        let refused = refused.load(Ordering::Relaxed);
        assert!(refused <= max_refused, "{error}: {refused}");
        assert!(positions.is_sorted() && positions.last() == Some(&601));
        assert!(positions.len() <= 25, "{error}: {positions:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_while_old_blocks_are_read_is_noticed() {
    let (mut chain, _) = long_chain();
    let proxy = RpcProxy::start(&chain.anvil.url, |rpc| {
        if rpc.method == "eth_getLogs" && blocks_of(rpc) > 80 {
            Action::Fail("query exceeds max block range 80")
        } else {
            Action::Forward
        }
    });
    let options = LogStreamOptions {
        retained_depth: 10,
        ..NO_LAG
    };
    let mut stream = chain.stream_through(&proxy.url, FROM_0, options).await;
    let batch = next_batch(&mut stream).await;
    assert_eq!(batch.progress.position, 79);
    stream.commit(batch);
    chain.anvil.restart(&["--timestamp", "1000000000"]);
    // The known head no longer exists. Blocks with logs were forgotten, so they cannot be undone.
    assert!(matches!(stream.poll().await.unwrap(), Poll::Behind { .. }));
    let error = stream.poll().await.unwrap_err();
    assert!(matches!(error, Error::ReorgTooDeep { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_for_every_range_is_reported() {
    let (chain, _) = long_chain();
    for (error, requests) in [
        (json!({ "code": -32000, "message": "logs are disabled" }), 4),
        (
            json!({ "code": -32601, "message": "the method does not exist" }),
            1,
        ),
    ] {
        let shared = error.clone();
        let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| match rpc.method.as_str() {
            "eth_getLogs" => Action::Error(shared.clone()),
            _ => Action::Forward,
        });
        let mut stream = chain.stream_through(&proxy.url, FROM_0, NO_LAG).await;
        for round in 1..=2 {
            stream.poll().await.unwrap_err();
            // The size is not to blame, so it stays.
            assert_eq!(proxy.counts()["eth_getLogs"], round * requests, "{error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_changes_during_a_range_is_read_again() {
    // The last five blocks are replaced before or after the logs of the range are read.
    for is_before in [true, false] {
        let chain = Chain::start();
        for topic in 2..=20 {
            chain.emit(topic);
        }
        let url = chain.anvil.url.clone();
        let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| {
            if rpc.method != "eth_getLogs" || rpc.nth > 1 {
                return Action::Forward;
            }
            let logs = || request(&url, "eth_getLogs", rpc.params.clone());
            let reorg = || request(&url, "anvil_reorg", json!([5, []]));
            if is_before {
                reorg();
                Action::Return(logs())
            } else {
                let logs = logs();
                reorg();
                Action::Return(logs)
            }
        });
        let mut stream = chain.stream_through(&proxy.url, FROM_0, NO_LAG).await;
        let poll = stream.poll().await.unwrap();
        assert!(matches!(poll, Poll::Behind { head: 20 }), "{poll:?}");
        let expected: Vec<_> = (2..=15).map(|topic| format!("+{topic}:{topic}")).collect();
        assert_eq!(read_all(&mut stream).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_of_another_fork_in_a_range_are_not_accepted() {
    let chain = Chain::start();
    for topic in 2..=20 {
        chain.emit(topic);
    }
    let filter = json!([{ "address": chain.contract, "fromBlock": "0x0", "toBlock": "0x14" }]);
    let old = chain.anvil.request("eth_getLogs", filter);
    chain.reorg(5);
    // A second node behind the URL is on the old fork.
    let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| match rpc.method.as_str() {
        "eth_getLogs" if rpc.nth == 1 => Action::Return(old.clone()),
        _ => Action::Forward,
    });
    let mut stream = chain.stream_through(&proxy.url, FROM_0, NO_LAG).await;
    let poll = stream.poll().await.unwrap();
    assert!(matches!(poll, Poll::Behind { .. }), "{poll:?}");
    let expected: Vec<_> = (2..=15).map(|topic| format!("+{topic}:{topic}")).collect();
    assert_eq!(read_all(&mut stream).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_that_contradict_the_request_are_errors() {
    let chain = Chain::start();
    chain.emit(2);
    chain.emit(3);
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 5] = [
        ("eth_getLogs", |logs| {
            if let Some(log) = logs.get_mut(0) {
                log["address"] = json!(Address::repeat_byte(9));
            }
        }),
        ("eth_getLogs", |logs| {
            if let Some(log) = logs.get_mut(0) {
                log["blockNumber"] = json!("0x1");
            }
        }),
        ("eth_getLogs", |logs| {
            if let Some(log) = logs.get_mut(0) {
                log["removed"] = json!(true);
            }
        }),
        ("eth_getBlockByNumber", |block| {
            block["number"] = json!("0x63")
        }),
        ("eth_getBlockByNumber", |block| block["hash"] = Value::Null),
    ];
    for (index, (method, change)) in changes.into_iter().enumerate() {
        let proxy = RpcProxy::start(&chain.anvil.url, move |rpc| {
            let latest = rpc.params[0] == "latest" || rpc.params[0] == "0x0";
            if rpc.method == method && !latest {
                Action::Change(change)
            } else {
                Action::Forward
            }
        });
        let start = StartBlock::Number(2);
        let mut stream = chain
            .stream_through(&proxy.url, start, LogStreamOptions::default())
            .await;
        let error = stream.poll().await.unwrap_err();
        assert!(matches!(error, Error::Node { .. }), "{index}: {error}");
    }
}
