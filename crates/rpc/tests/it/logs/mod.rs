/// Nodes that lag behind or contradict themselves.
mod nodes;
/// Old blocks, read in ranges.
mod ranges;

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
