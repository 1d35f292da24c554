use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use alloy::rpc::types::{Filter, Log};
use alloy_primitives::{Address, B256};
use atr_loopback::{ACCOUNT, Action, Anvil, RpcProxy, RpcRequest, request};
use atr_rpc::{
    Checkpoint, Error, LogBatch, LogStream, LogStreamOptions, Poll, Progress, StartBlock,
};
use serde_json::{Value, json};

use crate::fixture::node;

/// A chain with a contract that emits a log with the topic in the call data.
struct Chain {
    anvil: Anvil,
    contract: Address,
}

const FROM_0: StartBlock = StartBlock::Number(0);

/// Small enough that a few blocks are read as a range.
const NO_LAG: LogStreamOptions = LogStreamOptions {
    confirmations: 0,
    retained_depth: 256,
    lag_blocks: 0,
};

impl Chain {
    fn start() -> Self {
        Self::with_anvil(Anvil::start())
    }

    /// The contract is in block 1.
    fn with_anvil(anvil: Anvil) -> Self {
        // Init code returns PUSH0 CALLDATALOAD PUSH0 PUSH0 LOG1 STOP.
        let init_code = "0x655f355f5fa1005f526006601af3";
        let transaction = json!([{ "from": ACCOUNT, "data": init_code, "gas": "0x30000" }]);
        let hash = anvil.request("eth_sendTransaction", transaction);
        let contract = anvil.receipt(&hash)["contractAddress"].clone();
        let contract = serde_json::from_value(contract).unwrap();
        Self { anvil, contract }
    }

    /// Emits a log in a new block.
    fn emit(&self, topic: u8) {
        let data = B256::with_last_byte(topic);
        let call =
            json!([{ "from": ACCOUNT, "to": self.contract, "data": data, "gas": "0x10000" }]);
        let hash = self.anvil.request("eth_sendTransaction", call);
        assert_eq!(self.anvil.receipt(&hash)["status"], "0x1");
    }

    fn mine(&self, blocks: u64) {
        let params = json!([format!("{blocks:#x}")]);
        self.anvil.request("anvil_mine", params);
    }

    /// Replaces the last blocks by as many empty ones.
    fn reorg(&self, depth: u64) {
        self.anvil.request("anvil_reorg", json!([depth, []]));
    }

    fn head(&self) -> u64 {
        let head = self.anvil.request("eth_blockNumber", json!([]));
        u64::from_str_radix(head.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }

    fn filter(&self) -> Filter {
        Filter::new().address(self.contract)
    }

    async fn stream(&self, start: StartBlock) -> LogStream {
        self.stream_through(&self.anvil.url, start, LogStreamOptions::default())
            .await
    }

    async fn stream_through(
        &self,
        url: &str,
        start: StartBlock,
        options: LogStreamOptions,
    ) -> LogStream {
        let stream = LogStream::start(node(url), self.filter(), start, options);
        stream.await.unwrap()
    }

    fn resume(&self, checkpoint: Checkpoint, options: LogStreamOptions) -> LogStream {
        LogStream::resume(node(&self.anvil.url), self.filter(), checkpoint, options)
    }
}

fn topic(log: &Log) -> String {
    let topic = log.topic0().unwrap();
    format!("{}:{}", log.block_number.unwrap(), topic.0[31])
}

/// The changes of a batch: `-block:topic` for logs to undo, `+block:topic` for new logs.
fn changes(batch: &LogBatch) -> Vec<String> {
    let undone = batch.rewind.iter().flat_map(|rewind| &rewind.undone);
    let undone = undone.flat_map(|block| block.logs.iter().flat_map(|logs| logs.iter().rev()));
    let undone = undone.map(|log| format!("-{}", topic(log)));
    let added = batch.blocks.iter().flat_map(|block| block.logs.iter());
    let added = added.map(|log| format!("+{}", topic(log)));
    undone.chain(added).collect()
}

async fn next_batch(stream: &mut LogStream) -> LogBatch {
    match stream.poll().await.unwrap() {
        Poll::Batch(batch) => *batch,
        other => panic!("{other:?}"),
    }
}

/// Polls until all blocks are read; returns all changes.
async fn read_all(stream: &mut LogStream) -> Vec<String> {
    let mut all = Vec::new();
    for _ in 0..1000 {
        match stream.poll().await.unwrap() {
            Poll::Batch(batch) => {
                all.extend(changes(&batch));
                stream.commit(*batch);
            }
            Poll::CaughtUp => return all,
            Poll::Behind { .. } => {}
        }
    }
    panic!("not caught up after {all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn returns_the_logs_of_each_block_in_order() {
    let chain = Chain::start();
    chain.emit(2);
    chain.mine(2);
    chain.emit(5);
    let mut stream = chain.stream(StartBlock::Number(2)).await;
    let batch = next_batch(&mut stream).await;
    assert_eq!(changes(&batch), ["+2:2", "+5:5"]);
    let header = |number: &str| {
        chain
            .anvil
            .request("eth_getBlockByNumber", json!([number, false]))
    };
    let (first, last) = (header("0x2"), header("0x5"));
    assert_eq!(json!(batch.blocks[0].block.hash), first["hash"]);
    assert_eq!(json!(batch.blocks[0].parent_hash), first["parentHash"]);
    assert_eq!(json!(batch.parent.unwrap().hash), first["parentHash"]);
    assert_eq!(json!(batch.tip.hash), last["hash"]);
    let progress = Progress {
        first: 2,
        position: 5,
        head: 5,
    };
    assert_eq!(batch.progress, progress);
    // The same batch until it is committed.
    assert_eq!(changes(&next_batch(&mut stream).await), ["+2:2", "+5:5"]);
    stream.commit(batch);
    assert!(matches!(stream.poll().await.unwrap(), Poll::CaughtUp));
    chain.emit(6);
    assert_eq!(read_all(&mut stream).await, ["+6:6"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn starts_with_the_next_block_or_a_future_one() {
    let chain = Chain::start();
    chain.emit(2);
    let mut next = chain.stream(StartBlock::Next).await;
    let mut future = chain.stream(StartBlock::Number(5)).await;
    for stream in [&mut next, &mut future] {
        assert!(matches!(stream.poll().await.unwrap(), Poll::CaughtUp));
    }
    for topic in 3..=6 {
        chain.emit(topic);
    }
    assert_eq!(read_all(&mut next).await, ["+3:3", "+4:4", "+5:5", "+6:6"]);
    assert_eq!(read_all(&mut future).await, ["+5:5", "+6:6"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn returns_blocks_after_their_confirmations() {
    let chain = Chain::start();
    chain.emit(2);
    chain.emit(3);
    let options = LogStreamOptions {
        confirmations: 1,
        ..LogStreamOptions::default()
    };
    let mut stream = chain
        .stream_through(&chain.anvil.url, FROM_0, options)
        .await;
    assert_eq!(read_all(&mut stream).await, ["+2:2"]);
    chain.reorg(1);
    assert!(matches!(stream.poll().await.unwrap(), Poll::CaughtUp));
    chain.emit(4);
    chain.mine(1);
    assert_eq!(read_all(&mut stream).await, ["+4:4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn undoes_replaced_blocks_before_it_returns_the_new_ones() {
    let chain = Chain::start();
    for topic in 2..=5 {
        chain.emit(topic);
    }
    let mut stream = chain.stream(FROM_0).await;
    assert_eq!(read_all(&mut stream).await.len(), 4);
    chain.reorg(3);
    chain.emit(6);
    let batch = next_batch(&mut stream).await;
    // Newest first; block 2 stays.
    assert_eq!(changes(&batch), ["-5:5", "-4:4", "-3:3", "+6:6"]);
    let rewind = batch.rewind.clone().unwrap();
    assert_eq!(rewind.to.unwrap().number, 2);
    assert_eq!(batch.parent, rewind.to);
    assert!(!rewind.is_reset);
    stream.commit(batch);
    assert_eq!(read_all(&mut stream).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tip_that_is_replaced_at_the_same_height_is_undone() {
    let chain = Chain::start();
    chain.emit(2);
    chain.emit(3);
    let mut stream = chain.stream(FROM_0).await;
    assert_eq!(read_all(&mut stream).await, ["+2:2", "+3:3"]);
    chain.reorg(1);
    assert_eq!(read_all(&mut stream).await, ["-3:3"]);
    // The block before the first one is watched as well.
    let mut next = chain.stream(StartBlock::Next).await;
    chain.reorg(1);
    chain.emit(4);
    assert_eq!(read_all(&mut next).await, ["+4:4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reverted_snapshot_is_a_reorg_when_another_block_appears() {
    let chain = Chain::start();
    chain.emit(2);
    let snapshot = chain.anvil.request("evm_snapshot", json!([]));
    for topic in 3..=5 {
        chain.emit(topic);
    }
    let mut stream = chain.stream(FROM_0).await;
    assert_eq!(read_all(&mut stream).await.len(), 4);
    chain.anvil.request("evm_revert", json!([snapshot]));
    // The same blocks but fewer: a node that is behind looks the same.
    let poll = stream.poll().await.unwrap();
    assert!(matches!(poll, Poll::Behind { head: 2 }), "{poll:?}");
    // The new chain is shorter than what was read.
    chain.emit(6);
    assert_eq!(
        read_all(&mut stream).await,
        ["-5:5", "-4:4", "-3:3", "+3:6"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_block_is_not_caught_up_before_its_replacement_is_confirmed() {
    let chain = Chain::start();
    chain.emit(2);
    let snapshot = chain.anvil.request("evm_snapshot", json!([]));
    chain.emit(3);
    chain.emit(4);
    let options = LogStreamOptions {
        confirmations: 1,
        ..LogStreamOptions::default()
    };
    let mut stream = chain
        .stream_through(&chain.anvil.url, FROM_0, options)
        .await;
    assert_eq!(read_all(&mut stream).await, ["+2:2", "+3:3"]);
    chain.anvil.request("evm_revert", json!([snapshot]));
    chain.emit(5);
    let poll = stream.poll().await.unwrap();
    assert!(matches!(poll, Poll::Behind { head: 3 }), "{poll:?}");
    chain.mine(1);
    assert_eq!(read_all(&mut stream).await, ["-3:3", "+3:5"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_chain_is_read_from_block_0() {
    for start in [FROM_0, StartBlock::Number(3), StartBlock::Next] {
        let mut chain = Chain::start();
        chain.emit(2);
        chain.emit(3);
        let mut stream = chain.stream(start).await;
        let before = read_all(&mut stream).await;
        chain.emit(4);
        assert_eq!(read_all(&mut stream).await, ["+4:4"]);
        // Another genesis block, even within the same second.
        chain.anvil.restart(&["--timestamp", "1000000000"]);
        // The new chain is shorter, and the contract has the same address.
        let chain = Chain::with_anvil(chain.anvil);
        chain.emit(9);
        let batch = next_batch(&mut stream).await;
        let undone = ["-4:4".to_owned()].into_iter();
        let undone = undone.chain(before.iter().rev().map(|added| added.replace('+', "-")));
        let expected: Vec<_> = undone.chain(["+2:9".to_owned()]).collect();
        assert_eq!(changes(&batch), expected, "{start:?}");
        let rewind = batch.rewind.clone().unwrap();
        assert_eq!((rewind.to, rewind.is_reset), (None, true));
        stream.commit(batch);
        chain.emit(10);
        assert_eq!(read_all(&mut stream).await, ["+3:10"]);
    }
}

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

#[tokio::test(flavor = "multi_thread")]
async fn resumes_from_a_checkpoint_across_a_reorg() {
    let chain = Chain::start();
    for topic in 2..=4 {
        chain.emit(topic);
    }
    let mut stream = chain.stream(FROM_0).await;
    read_all(&mut stream).await;
    let stored = serde_json::to_string(&stream.checkpoint()).unwrap();
    drop(stream);
    // While the program does not run.
    chain.reorg(2);
    for topic in 5..=20 {
        chain.emit(topic);
    }
    let checkpoint: Checkpoint = serde_json::from_str(&stored).unwrap();
    let mut stream = chain.resume(checkpoint, NO_LAG);
    let batch = next_batch(&mut stream).await;
    let rewind = batch.rewind.clone().unwrap();
    assert_eq!(rewind.to.unwrap().number, 2);
    let undone = rewind.undone.iter().map(|undone| undone.block.number);
    assert_eq!(undone.collect::<Vec<_>>(), [4, 3]);
    // The caller stored them.
    assert!(rewind.undone.iter().all(|undone| undone.logs.is_none()));
    assert_eq!(batch.checkpoint().blocks.last(), Some(&batch.tip));
    let mut all = changes(&batch);
    stream.commit(batch);
    all.extend(read_all(&mut stream).await);
    let expected: Vec<_> = (5..=20).map(|topic| format!("+{topic}:{topic}")).collect();
    assert_eq!(all, expected);
    // Without a reorg it continues where it was.
    let mut same = chain.resume(stream.checkpoint(), NO_LAG);
    assert!(matches!(same.poll().await.unwrap(), Poll::CaughtUp));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reorg_below_the_retained_depth_is_an_error() {
    // Read one by one, and as a range.
    for lag_blocks in [32, 0] {
        let chain = Chain::start();
        for topic in 2..=12 {
            chain.emit(topic);
        }
        let options = LogStreamOptions {
            retained_depth: 4,
            lag_blocks,
            confirmations: 0,
        };
        let mut stream = chain
            .stream_through(&chain.anvil.url, FROM_0, options)
            .await;
        assert_eq!(read_all(&mut stream).await.len(), 11);
        chain.reorg(4);
        let undone = read_all(&mut stream).await;
        assert_eq!(undone, ["-12:12", "-11:11", "-10:10", "-9:9"]);
        chain.reorg(8);
        let error = stream.poll().await.unwrap_err();
        let is_deep = |error: &Error| {
            matches!(
                error,
                Error::ReorgTooDeep {
                    oldest: 5..=8,
                    newest: 12
                }
            ) && !error.is_retryable()
        };
        assert!(is_deep(&error), "{error:?}");
        // Also for a stream that is resumed.
        let mut resumed = chain.resume(stream.checkpoint(), options);
        let error = resumed.poll().await.unwrap_err();
        assert!(is_deep(&error), "{error:?}");
    }
}

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
