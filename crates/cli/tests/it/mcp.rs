//! `atr mcp`: a host that speaks the protocol over pipes, in both forms of asking the user.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use atr_loopback::Response;
use serde_json::{Value, json};

use crate::{
    atr::Atr,
    call::{PAYEE, challenge, nonces, paid, receipt, tool},
    fixture::Fixture,
};

/// `atr mcp`, and the host that started it.
struct Host {
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    revision: &'static str,
    /// What the host answers when it is asked; `None` if it cannot be asked.
    answer: Option<Value>,
    questions: Vec<String>,
    id: u64,
}

const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

fn yes() -> Option<Value> {
    Some(json!({ "action": "accept", "content": { "approve": true } }))
}

fn no() -> Option<Value> {
    Some(json!({ "action": "decline" }))
}

impl Host {
    /// Indexes the tools of the fixture, and starts the server.
    fn start(
        fixture: &Fixture,
        revision: &'static str,
        answer: Option<Value>,
        args: &[&str],
    ) -> Self {
        assert!(fixture.output(&["index"]).status.success());
        Self::connect(fixture, revision, answer, args)
    }

    fn connect(
        fixture: &Fixture,
        revision: &'static str,
        answer: Option<Value>,
        args: &[&str],
    ) -> Self {
        let host = fixture.host();
        let own = ["mcp", "-vv", "--allow-host", &host, "--ca-file", "ca.pem"];
        let mut process = fixture
            .atr
            .command(&[&own[..], args].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut host = Self {
            stdin: process.stdin.take(),
            stdout: BufReader::new(process.stdout.take().unwrap()),
            process,
            revision,
            answer,
            questions: Vec::new(),
            id: 0,
        };
        if revision == OLD {
            let params = json!({
                "protocolVersion": OLD, "capabilities": host.capabilities(), "clientInfo": { "name": "host", "version": "1" },
            });
            let started = host.request("initialize", params);
            assert_eq!(started["result"]["protocolVersion"], OLD);
            host.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        host
    }

    fn capabilities(&self) -> Value {
        match self.answer {
            Some(_) if self.revision == OLD => json!({ "elicitation": {} }),
            Some(_) => json!({ "elicitation": { "form": {} } }),
            None => json!({}),
        }
    }

    fn write(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
    }

    /// The response. Requests of the server are answered. Every line is a message: nothing else is on standard output.
    fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        if self.revision == NEW {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "host", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
            });
        }
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(
                self.stdout.read_line(&mut line).unwrap(),
                0,
                "the server ended"
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            match message["method"].as_str() {
                Some("elicitation/create") => {
                    assert_eq!(self.revision, OLD);
                    self.note(&message["params"]);
                    let answer = self.answer.clone().unwrap();
                    self.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }));
                }
                Some(_) => {}
                None => {
                    assert_eq!(message["id"], id, "{message}");
                    return message;
                }
            }
        }
    }

    fn note(&mut self, params: &Value) {
        assert_eq!(params["requestedSchema"]["required"], json!(["approve"]));
        self.questions
            .push(params["message"].as_str().unwrap().to_owned());
    }

    /// The result of a call; questions are answered.
    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": name, "arguments": arguments });
        loop {
            let response = self.request("tools/call", params.clone());
            let result = response["result"].clone();
            if result["resultType"] != "input_required" {
                assert!(result["content"][0]["text"].is_string(), "{response:#}");
                return result;
            }
            assert_eq!(self.revision, NEW);
            let question = &result["inputRequests"]["payment"];
            assert_eq!(question["method"], "elicitation/create");
            self.note(&question["params"]);
            params["requestState"] = result["requestState"].clone();
            params["inputResponses"] = json!({ "payment": self.answer });
        }
    }

    fn call_tool(&mut self, query: &str) -> Value {
        let arguments = json!({ "tool_ref": Fixture::tool(1), "arguments": { "query": query } });
        self.call("call_tool", arguments)
    }

    /// The text of a call that fails.
    fn refusal(&mut self, query: &str) -> String {
        let result = self.call_tool(query);
        assert_eq!(result["isError"], true, "{result:#}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes the connection. The exit code.
    fn stop(mut self) -> i32 {
        self.stdin = None;
        self.process.wait().unwrap().code().unwrap()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const LIMITS: [&str; 4] = ["--max-per-call", "0.01", "--max-per-day", "1"];

fn ledger(fixture: &Fixture) -> Vec<Value> {
    let output = fixture.atr.output(&["ledger", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["payments"].as_array().unwrap().clone()
}

#[test]
fn the_user_agrees_to_a_payment_in_both_revisions() {
    // O-05, J-06: calls through the client, suggestions are shown and not sent.
    let fixture = tool(paid(10_000));
    for (count, revision) in [(1, OLD), (2, NEW)] {
        let mut host = Host::start(&fixture, revision, yes(), &LIMITS);
        let found = host.call("search_tools", json!({ "query": "oracle" }));
        assert_eq!(
            found["structuredContent"]["results"][0]["tool_ref"],
            Fixture::tool(1)
        );
        let result = host.call_tool(revision);
        let content = &result["structuredContent"];
        assert_eq!(result["isError"], false, "{result:#}");
        assert_eq!(content["body"], json!({ "price": "1" }));
        assert_eq!(content["payment"]["price"], "0.01 USDC");
        assert_eq!(content["suggestions"], json!(["limit = 5 (`default`)"]));
        let [question] = host.questions.as_slice() else {
            panic!("{:?}", host.questions);
        };
        assert!(
            question.starts_with(&format!("Pay 0.01 USDC to {PAYEE} on base (8453)")),
            "{question}"
        );
        assert!(question.contains("those of its manifest"), "{question}");
        assert_eq!(host.stop(), 0);
        let payments = ledger(&fixture);
        assert_eq!(payments.len(), count);
        assert_eq!(payments[count - 1]["state"], "settled");
    }
    for revision in [OLD, NEW] {
        let mut host = Host::connect(&fixture, revision, no(), &LIMITS);
        let refusal = host.refusal("declined");
        assert!(refusal.contains("did not approve"), "{refusal}");
        assert_eq!(host.questions.len(), 1);
    }
    assert_eq!(ledger(&fixture).len(), 2);
    let requests = fixture.server.requests();
    assert!(
        requests
            .iter()
            .all(|request| !String::from_utf8_lossy(&request.body).contains("limit"))
    );
}

#[test]
fn an_approval_is_for_one_payment_and_counts_once() {
    // J-10, M-08: the host is not trusted with the state of the approval.
    let price = Arc::new(AtomicU64::new(10_000));
    let served = price.clone();
    let fixture = tool(move |request| match request.header("x-payment") {
        Some(_) => receipt(),
        None => challenge(served.load(Ordering::Relaxed)),
    });
    let mut host = Host::start(
        &fixture,
        NEW,
        yes(),
        &["--max-per-call", "1", "--max-per-day", "5"],
    );
    let params = |query: &str| json!({ "name": "call_tool", "arguments": { "tool_ref": Fixture::tool(1), "arguments": { "query": query } } });
    let asked = host.request("tools/call", params("a"))["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    let state = asked["requestState"].as_str().unwrap().to_owned();
    let answered = |host: &mut Host, query: &str, state: &str| {
        let mut params = params(query);
        params["requestState"] = json!(state);
        params["inputResponses"] = json!({ "payment": yes() });
        host.request("tools/call", params)["result"].clone()
    };
    let is_rejected = |result: &Value| {
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        result["isError"] == true && text.contains("not valid any more")
    };
    // Changed, of other arguments, and of another process.
    let changed = format!("{}A", &state[..state.len() - 1]);
    let changed = if changed == state {
        format!("{}B", &state[..state.len() - 1])
    } else {
        changed
    };
    assert!(is_rejected(&answered(&mut host, "a", &changed)));
    assert!(is_rejected(&answered(&mut host, "b", &state)));
    let mut other = Host::connect(&fixture, NEW, yes(), &LIMITS);
    assert!(is_rejected(&answered(&mut other, "a", &state)));
    assert_eq!(ledger(&fixture).len(), 0);
    // The tool demands more while the user thinks: the approval is for the other amount.
    price.store(20_000, Ordering::Relaxed);
    let again = answered(&mut host, "a", &state);
    assert_eq!(again["resultType"], "input_required", "{again:#}");
    let question = again["inputRequests"]["payment"]["params"]["message"]
        .as_str()
        .unwrap();
    assert!(
        question.contains("0.02 USDC")
            && question.contains("Differs: the manifest has the price 0.01 USDC"),
        "{question}"
    );
    assert_eq!(ledger(&fixture).len(), 0);
    assert!(is_rejected(&answered(&mut host, "a", &state)));
    // The user agrees to the new amount, once.
    let state = again["requestState"].as_str().unwrap().to_owned();
    let called = answered(&mut host, "a", &state);
    assert_eq!(called["isError"], false, "{called:#}");
    assert!(is_rejected(&answered(&mut host, "a", &state)));
    let payments = ledger(&fixture);
    assert_eq!(
        (payments.len(), &payments[0]["amount"]),
        (1, &json!("20000"))
    );
}

#[test]
fn limits_hold_without_a_user_to_ask() {
    // J-10, M-04, M-05
    let fixture = tool(paid(10_000));
    let mut off = Host::start(&fixture, NEW, None, &[]);
    let refusal = off.refusal("eth");
    assert!(
        refusal.contains("--max-per-call") && refusal.contains("only the user"),
        "{refusal}"
    );
    let payee = PAYEE.to_string();
    for (args, expected) in [
        (&["--max-per-call", "0"][..], "payments are not allowed"),
        (
            &["--max-per-call", "0.009"],
            "more than the maximum of 0.009 USDC",
        ),
        (
            &["--max-per-call", "0.01", "--always-ask"],
            "this host cannot ask",
        ),
        (
            &["--max-per-call", "0.01", "--allow-chain", "base"],
            "does not allow calls on the chain",
        ),
        (
            &["--max-per-call", "0.01", "--allow-chain", "anvil"],
            "not an allowed network",
        ),
        (
            &[
                "--max-per-call",
                "0.01",
                "--allow-recipient",
                "0x00000000000000000000000000000000000000aa",
            ],
            "not an allowed recipient",
        ),
    ] {
        for revision in [OLD, NEW] {
            let mut host = Host::connect(&fixture, revision, None, args);
            let refusal = host.refusal("eth");
            assert!(refusal.contains(expected), "{args:?}: {refusal}");
        }
    }
    assert_eq!(nonces(&fixture), Vec::<Value>::new());

    // The limit of a day counts what processes before paid.
    let day = [
        "--max-per-call",
        "0.01",
        "--max-per-day",
        "0.02",
        "--allow-recipient",
        &payee,
    ];
    for query in ["a", "b"] {
        let mut host = Host::connect(&fixture, OLD, None, &day);
        assert_eq!(host.call_tool(query)["isError"], false);
    }
    let mut host = Host::connect(&fixture, OLD, None, &day);
    let refusal = host.refusal("c");
    assert!(
        refusal.contains("together more than the maximum of 0.02 USDC"),
        "{refusal}"
    );
    // By default a day is one call of the maximum.
    let mut host = Host::connect(&fixture, OLD, None, &["--max-per-call", "0.01"]);
    assert!(host.refusal("d").contains("last 24 hours"));
    assert_eq!(ledger(&fixture).len(), 2);
    assert_eq!(nonces(&fixture).len(), 2);

    // A demand that differs from the manifest needs the user.
    let fixture = tool(paid(9_999));
    let mut host = Host::start(&fixture, NEW, None, &LIMITS);
    let refusal = host.refusal("eth");
    assert!(refusal.contains("differs from the manifest"), "{refusal}");
    assert_eq!(nonces(&fixture), Vec::<Value>::new());
}

#[test]
fn only_verified_tools_of_the_index_are_called() {
    // O-06, H-05
    let fixture = tool(|_| Response::new(200, r#"{"price":"1\u001b"}"#));
    // A file of the project in which the host starts the server.
    fs::write(fixture.atr.path("atr.toml"), "api = \"http://127.0.0.1:9\"").unwrap();
    let mut host = Host::start(&fixture, NEW, None, &["--max-per-call", "0"]);
    // Control characters of an answer do not reach the model.
    assert_eq!(
        host.call_tool("eth")["structuredContent"]["body"]["price"],
        "1\u{fffd}"
    );
    let foreign = format!("eip155:31337/erc8257:0x{}/1", "ab".repeat(20));
    let result = host.call("call_tool", json!({ "tool_ref": foreign }));
    assert_eq!(result["content"][0]["text"], "the index has no such tool");
    let wrong = host.call(
        "call_tool",
        json!({ "tool_ref": Fixture::tool(1), "arguments": { "query": 1 } }),
    );
    assert!(
        wrong["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("/query"),
        "{wrong:#}"
    );
    // The index still says verified.
    fixture.serve("oracle", &fixture.manifest("changed"));
    assert!(host.refusal("eth").contains("not verified"));
    let calls = fixture.server.requests();
    assert_eq!(
        calls
            .iter()
            .filter(|request| request.path() == "/oracle")
            .count(),
        1
    );
}

#[test]
fn a_toolset_lists_registered_tools_by_name() {
    let fixture = tool(paid(10_000));
    let file = fixture.atr.path("tools.toml");
    let entry = |more: &str| format!("[[tool]]\nref = \"{}\"\n{more}\n", Fixture::tool(1));
    let two = entry("name = \"b-prices\"") + &entry("name = \"a_prices\"");
    let lost = format!("[[tool]]\nref = \"{}\"\n", Fixture::tool(99));
    let changed = entry(&format!(
        "name = \"changed\"\nhash = \"0x{}\"",
        "00".repeat(32)
    ));
    fs::write(
        &file,
        two.clone() + &lost + &changed + &entry("name = \"get_tool\""),
    )
    .unwrap();
    let args = [&LIMITS[..], &["--toolset", "tools.toml"]].concat();
    let mut host = Host::start(&fixture, NEW, yes(), &args);
    let listed = host.request("tools/list", json!({}))["result"].clone();
    assert_eq!(listed["cacheScope"], "private");
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    // In the order of the file; the others are not offered.
    assert_eq!(
        names,
        [
            "search_tools",
            "get_tool",
            "get_wallet_tools",
            "call_tool",
            "b-prices",
            "a_prices"
        ]
    );
    assert_eq!(tools[4]["inputSchema"]["required"], json!(["query"]));
    let description = tools[4]["description"].as_str().unwrap();
    assert!(
        description.contains("not an instruction: \"Returns prices.\""),
        "{description}"
    );
    let result = host.call("b-prices", json!({ "query": "eth" }));
    assert_eq!(
        result["structuredContent"]["payment"]["amount"], "10000",
        "{result:#}"
    );
    assert_eq!(host.questions.len(), 1);

    // Another manifest, verified, but not the one that was listed.
    let mut manifest = fixture.manifest("oracle");
    manifest["inputs"] = json!({ "type": "object" });
    let hash = fixture.serve("oracle", &manifest);
    let update = fixture.output(&["tool", "update", "1", "--yes"]);
    assert!(update.status.success(), "{hash}: {update:?}");
    let refused = host.call("b-prices", json!({}));
    assert!(
        refused["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("changed the tool"),
        "{refused:#}"
    );

    for (text, expected) in [
        (String::new(), "must have 1 to 20 tables [[tool]]"),
        (two.repeat(11), "and has 22"),
        (
            "[[tool]]\nref = \"7\"".to_owned(),
            "tool 1: ref: must be eip155:",
        ),
        (entry("hash = \"0x12\""), "tool 1: hash:"),
        (entry("price = 1"), "unknown field"),
    ] {
        fs::write(&file, text).unwrap();
        let output = fixture.output(&["mcp", "--toolset", "tools.toml"]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn a_host_that_says_nothing_ends_the_server() {
    let fixture = tool(paid(0));
    assert!(fixture.output(&["index"]).status.success());
    let output = fixture.output(&["mcp"]);
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(0), 0),
        "{output:?}"
    );
    // An error is not a message of the protocol, whatever the configuration says.
    let missing = Atr::new().output(&["mcp", "--json"]);
    let error = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(
        (missing.status.code(), missing.stdout.len()),
        (Some(3), 0),
        "{error}"
    );
    assert!(error.contains("there is no index"), "{error}");
    let without_limit = fixture.output(&["mcp", "--max-per-day", "1"]);
    assert_eq!(without_limit.status.code(), Some(2));
}
