use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStdout, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use alloy_primitives::{B256, U256};
use atr_loopback::{ACCOUNT, ACCOUNTS, Action, RpcProxy, RpcRequest, request};
use serde_json::{Value, json};

use crate::{fixture::Fixture, tool_read::fixture_with_tools};

const HASH: B256 = B256::repeat_byte(1);
const URI: &str = "https://a.example/.well-known/ai-tool/a.json";

/// A running `atr tool watch`. Ends when it is dropped.
struct Watch {
    process: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    stderr: Option<JoinHandle<String>>,
}

impl Watch {
    fn start(fixture: &Fixture, args: &[&str]) -> Self {
        let watch = ["tool", "watch", "--interval", "0"];
        let mut process = fixture
            .atr
            .command(&[&watch, args].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = process.stderr.take().unwrap();
        // Drains the pipe, so that the command does not block.
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        Self {
            lines: BufReader::new(process.stdout.take().unwrap()).lines(),
            stderr: Some(stderr),
            process,
        }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Event, tool id and whether it is undone, of the next line of JSON.
    fn event(&mut self) -> (String, String, bool) {
        let line: Value = serde_json::from_str(&self.line()).unwrap();
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        (
            text("event"),
            text("toolId"),
            line["undone"].as_bool().unwrap(),
        )
    }

    /// Ends the command and returns standard error.
    fn end(mut self) -> String {
        self.process.kill().unwrap();
        self.stderr.take().unwrap().join().unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn registered(id: &str) -> (String, String, bool) {
    ("registered".to_owned(), id.to_owned(), false)
}

fn undone(id: &str) -> (String, String, bool) {
    ("registered".to_owned(), id.to_owned(), true)
}

/// Replaces the last blocks by as many empty ones.
fn reorg(fixture: &Fixture, depth: u64) {
    fixture.anvil.request("anvil_reorg", json!([depth, []]));
}

#[test]
fn prints_past_events_in_order() {
    let fixture = fixture_with_tools();
    let past = ["tool", "watch", "--once", "--from-block", "0"];
    insta::assert_snapshot!(fixture.plain_transcript(&past));
    let output = fixture.atr.output(&[&past[..], &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let printed: Vec<_> = events
        .iter()
        .map(|event| {
            (
                event["event"].as_str().unwrap(),
                event["toolId"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        printed,
        [
            ("registered", "1"),
            ("registered", "2"),
            ("registered", "3"),
            ("predicate-updated", "3"),
            ("registered", "4"),
            ("registered", "5"),
            ("deregistered", "5"),
        ]
    );
    assert_eq!(events[0]["tool"], Fixture::tool(1));
    assert!(events.iter().all(|event| event["undone"] == false));
    // From a block in the middle.
    let middle = events[3]["block"].to_string();
    let rest = ["tool", "watch", "--once", "--json", "--from-block", &middle];
    let rest = fixture.atr.output(&rest).stdout;
    let skipped: usize = text.lines().take(3).map(|line| line.len() + 1).sum();
    assert_eq!(String::from_utf8(rest).unwrap(), text[skipped..]);
    let now = fixture.atr.output(&["tool", "watch", "--once"]);
    assert!(now.status.success() && now.stdout.is_empty());
    let no_registry = ["tool", "watch", "--registry", ACCOUNTS[2]];
    assert_eq!(fixture.atr.output(&no_registry).status.code(), Some(1));
}

#[test]
fn prints_new_events() {
    let fixture = Fixture::new();
    let mut watch = Watch::start(&fixture, &["--json", "--from-block", "0"]);
    for id in ["1", "2"] {
        fixture.register(ACCOUNT, URI, HASH);
        assert_eq!(watch.event(), registered(id));
    }
}

#[test]
fn exits_when_standard_output_is_closed() {
    let fixture = Fixture::new();
    fixture.register(ACCOUNT, URI, HASH);
    let args = ["tool", "watch", "--interval", "0", "--from-block", "0"];
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = fixture.atr.command(&args);
    assert!(command.stdout(writer).status().unwrap().success());
}

#[test]
fn prints_undone_events_before_the_new_ones() {
    let fixture = Fixture::new();
    let mut json = Watch::start(&fixture, &["--json", "--from-block", "0"]);
    let mut human = Watch::start(&fixture, &["--from-block", "0"]);
    fixture.register(ACCOUNT, URI, HASH);
    fixture.register(ACCOUNTS[1], URI, HASH);
    assert_eq!(json.event(), registered("1"));
    assert_eq!(json.event(), registered("2"));
    let mut screen = vec![human.line(), human.line()];
    reorg(&fixture, 2);
    assert_eq!(json.event(), undone("2"));
    assert_eq!(json.event(), undone("1"));
    screen.extend([human.line(), human.line()]);
    fixture.register(ACCOUNTS[1], "https://c.example", HASH);
    assert_eq!(json.event(), registered("1"));
    screen.push(human.line());
    assert_eq!((json.end(), human.end()), (String::new(), String::new()));
    let screen: String = screen.into_iter().map(|line| line + "\n").collect();
    // The number of the first block depends on the contracts that are deployed.
    let first = screen.split_whitespace().nth(1).unwrap();
    let second = screen.lines().nth(1).unwrap();
    let second = second.split_whitespace().nth(1).unwrap();
    let third = screen.lines().last().unwrap();
    let third = third.split_whitespace().nth(1).unwrap();
    let screen = [(first, "<n>"), (second, "<n+1>"), (third, "<n+2>")]
        .into_iter()
        .fold(screen.clone(), |text, (number, name)| {
            text.replace(&format!("block {number} "), &format!("block {name} "))
                .replace(&format!("undone {number} "), &format!("undone {name} "))
        });
    insta::assert_snapshot!(screen);
}

#[test]
fn a_tip_that_is_replaced_at_the_same_height_is_undone() {
    let fixture = Fixture::new();
    let mut watch = Watch::start(&fixture, &["--json", "--from-block", "0"]);
    fixture.register(ACCOUNT, URI, HASH);
    assert_eq!(watch.event(), registered("1"));
    reorg(&fixture, 1);
    assert_eq!(watch.event(), undone("1"));
}

#[test]
fn a_reverted_snapshot_is_undone_when_the_chain_continues() {
    let fixture = Fixture::new();
    let mut watch = Watch::start(&fixture, &["--json", "--from-block", "0"]);
    let snapshot = fixture.anvil.request("evm_snapshot", json!([]));
    fixture.register(ACCOUNT, URI, HASH);
    fixture.register(ACCOUNT, URI, HASH);
    assert_eq!(watch.event(), registered("1"));
    assert_eq!(watch.event(), registered("2"));
    fixture.anvil.request("evm_revert", json!([snapshot]));
    fixture.register(ACCOUNT, "https://b.example", HASH);
    assert_eq!(watch.event(), undone("2"));
    assert_eq!(watch.event(), undone("1"));
    assert_eq!(watch.event(), registered("1"));
}

#[test]
fn a_restarted_chain_is_read_from_its_first_block() {
    let mut fixture = Fixture::new();
    fixture.register(ACCOUNT, URI, HASH);
    let mut watch = Watch::start(&fixture, &["--json", "--from-block", "1"]);
    assert_eq!(watch.event(), registered("1"));
    // Nothing listens for a moment, and the new chain has another genesis block.
    fixture.anvil.restart(&["--timestamp", "1000000000"]);
    let deploy = [
        "deploy",
        "--yes",
        "--only",
        "ToolRegistry",
        "--records",
        "r",
    ];
    let deployed = fixture.atr.output(&deploy);
    assert!(deployed.status.success(), "{deployed:?}");
    fixture.register(ACCOUNT, "https://b.example", HASH);
    assert_eq!(watch.event(), undone("1"));
    assert_eq!(watch.event(), registered("1"));
    let stderr = watch.end();
    assert!(stderr.contains("the chain was reset"), "{stderr}");
}

/// Removes the registration of a tool from logs.
fn hide(url: &str, rpc: &RpcRequest, id: u64) -> Action {
    let logs = request(url, "eth_getLogs", rpc.params.clone());
    let topic = json!(B256::from(U256::from(id)));
    let mut logs = logs.as_array().unwrap().clone();
    logs.retain(|log| log["topics"][1] != topic);
    Action::Return(Value::Array(logs))
}

#[test]
fn missing_events_are_an_error() {
    let fixture = Fixture::new();
    for _ in 0..3 {
        fixture.register(ACCOUNT, URI, HASH);
    }
    for (id, name) in [(2, "gap"), (3, "count")] {
        let url = fixture.anvil.url.clone();
        let proxy = RpcProxy::start(&url.clone(), move |rpc| match rpc.method.as_str() {
            "eth_getLogs" => hide(&url, rpc, id),
            _ => Action::Forward,
        });
        let args = ["tool", "watch", "--interval", "0", "--from-block", "0"];
        let args = [&args[..], &["--rpc-url", &proxy.url]].concat();
        insta::assert_snapshot!(name, fixture.plain_transcript(&args));
    }
}

#[test]
fn logs_that_arrive_late_are_not_lost() {
    let fixture = Fixture::new();
    let url = fixture.anvil.url.clone();
    // The newest block has no logs at first: as an empty list, or as an error.
    for is_empty in [true, false] {
        let is_late = Arc::new(AtomicBool::new(true));
        let (shared, upstream) = (is_late.clone(), url.clone());
        let proxy = RpcProxy::start(&url, move |rpc| {
            let latest = request(&upstream, "eth_getBlockByNumber", json!(["latest", false]));
            let is_latest = rpc.params[0]["blockHash"] == latest["hash"];
            if rpc.method != "eth_getLogs" || !is_latest || !shared.swap(false, Ordering::Relaxed) {
                Action::Forward
            } else if is_empty {
                Action::Return(json!([]))
            } else {
                Action::Fail("unknown block")
            }
        });
        let id = fixture.register(ACCOUNT, URI, HASH).to_string();
        let args = ["--json", "--from-block", "0", "--rpc-url", &proxy.url];
        let mut watch = Watch::start(&fixture, &args);
        let mut event = watch.event();
        while event.1 != id {
            event = watch.event();
        }
        assert_eq!(event, registered(&id));
        assert!(!is_late.load(Ordering::Relaxed));
    }
}

#[test]
fn a_range_limit_does_not_change_the_output() {
    let fixture = fixture_with_tools();
    let past = ["tool", "watch", "--once", "--json", "--from-block", "0"];
    // Blocks that far below the head are read as ranges.
    fixture.anvil.request("anvil_mine", json!(["0x40"]));
    let expected = fixture.atr.output(&past);
    let proxy = RpcProxy::start(&fixture.anvil.url, |rpc| {
        let number = |key: &str| {
            let text = rpc.params[0][key].as_str()?;
            u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
        };
        match (number("fromBlock"), number("toBlock")) {
            (Some(from), Some(to)) if to - from + 1 > 9 => Action::Error(
                json!({ "code": -32005, "message": "query returned more than 10000 results" }),
            ),
            _ => Action::Forward,
        }
    });
    let output = fixture
        .atr
        .output(&[&past[..], &["--rpc-url", &proxy.url]].concat());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, expected.stdout);
    assert!(!output.stdout.is_empty());
    let ranges = proxy.requests().into_iter();
    let ranges = ranges.filter(|rpc| rpc.params[0].get("fromBlock").is_some());
    assert!(ranges.count() > 3);
}
