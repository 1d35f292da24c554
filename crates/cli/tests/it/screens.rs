use std::process::Output;

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{CONTRACTS, ERC721OwnerPredicate, IToolRegistry};
use atr_loopback::{ACCOUNT, ACCOUNTS};
use serde_json::{Value, json};

use crate::fixture::{Fixture, address_of, path};

const COLUMNS: usize = 80;

/// Tools that people meet: gated and paid, with a wide name, changed, gone, of another account, deregistered.
fn fixture() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.atr = fixture.atr.with_variable("COLUMNS", COLUMNS.to_string());
    let register = |slug: &str, manifest: &Value, from: &str| {
        let hash = fixture.serve(slug, manifest);
        fixture.register(from, &fixture.uri(slug), hash)
    };
    let gated = register("nft-price-oracle", &paid(&fixture), ACCOUNT);
    let collection = fixture.deploy_mock("PlainERC721", &[]);
    let predicate = address_of("ERC721OwnerPredicate");
    let set = IToolRegistry::setAccessPredicateCall {
        toolId: gated,
        newPredicate: predicate,
    };
    fixture.send(ACCOUNT, Fixture::registry(), &set.abi_encode());
    let configure = ERC721OwnerPredicate::setCollections_1Call {
        toolId: gated,
        collections: vec![collection],
    };
    fixture.send(ACCOUNT, predicate, &configure.abi_encode());
    let mut wide = fixture.manifest("weather");
    wide["name"] = json!("東京の天気 (weather in Tokyo)");
    register("weather", &wide, ACCOUNT);
    register("changed", &fixture.manifest("changed"), ACCOUNT);
    let mut changed = fixture.manifest("changed");
    changed["description"] = json!("Returns other prices.");
    fixture.serve("changed", &changed);
    register("gone", &fixture.manifest("gone"), ACCOUNT);
    fixture.server.remove(&path("gone"));
    register("squatted", &fixture.manifest("squatted"), ACCOUNTS[1]);
    let removed = register("removed", &fixture.manifest("removed"), ACCOUNT);
    let deregister = IToolRegistry::deregisterToolCall { toolId: removed };
    fixture.send(ACCOUNT, Fixture::registry(), &deregister.abi_encode());
    fixture
}

/// The manifest of a paid tool.
fn paid(fixture: &Fixture) -> Value {
    let mut manifest = fixture.manifest("nft-price-oracle");
    manifest["description"] = json!(
        "Returns the estimated floor price of any NFT collection, computed from recent sales on several marketplaces."
    );
    manifest["maxAge"] = json!(0);
    manifest["pricing"] = json!([{
        "amount": "1500",
        "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "recipient": format!("eip155:8453:{}", ACCOUNT.to_lowercase()),
        "protocol": "x402",
    }]);
    manifest
}

impl Fixture {
    /// The output of a command. Values that differ between runs are replaced by others of the same width, and costs are left out.
    fn screen(&self, args: &[&str]) -> String {
        self.screen_of(self.output(args))
    }

    fn screen_of(&self, output: Output) -> String {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let screen = text(output.stdout) + &text(output.stderr);
        assert_fits(&screen);
        let port = self.server.address().port().to_string();
        assert_eq!(port.len(), 5);
        let mut screen = screen.replace(&format!("localhost:{port}"), "localhost:00000");
        // Cut in a table.
        for length in 1..port.len() {
            let cut = format!("localhost:{}…", &port[..length]);
            screen = screen.replace(&cut, &format!("localhost:{}…", "0".repeat(length)));
        }
        for (index, contract) in CONTRACTS.iter().enumerate() {
            let address = address_of(contract.name());
            let other = Address::with_last_byte(u8::try_from(index).unwrap() + 1);
            for (from, to) in [
                (address.to_string(), other.to_string()),
                (format!("{address:#x}"), format!("{other:#x}")),
            ] {
                screen = screen
                    .replace(&short(&from), &short(&to))
                    .replace(&from, &to);
            }
        }
        let mut is_cost = false;
        let lines = screen.lines().filter_map(|line| {
            // A cost can take more than one line.
            is_cost = ["cost ", "total "]
                .iter()
                .any(|label| line.starts_with(label))
                || (is_cost && line.starts_with(' '));
            // So can the block, the gas and the fee.
            if let Some((mined, _)) = line.split_once(" in block ") {
                is_cost = true;
                return Some(without_hashes(&format!("{mined} in")) + " <block>\n");
            }
            (!is_cost).then(|| without_hashes(line) + "\n")
        });
        let screen: String = lines.collect();
        format!("exit code: {}\n{screen}", output.status.code().unwrap())
    }
}

fn short(address: &str) -> String {
    format!("{}…{}", &address[..6], &address[38..])
}

/// Replaces hashes, block numbers, gas and fees.
fn without_hashes(line: &str) -> String {
    let mut words: Vec<_> = line.split(' ').map(str::to_owned).collect();
    for index in 0..words.len() {
        let word = words[index].clone();
        if word.starts_with("0x") && word.trim_end_matches(',').len() == 66 {
            words[index] = format!("0x{}{}", "ab".repeat(32), &word[66..]);
        }
        // The short hash of a transaction.
        if word.contains('…') && words.get(index + 1).is_some_and(|next| next == "in") {
            words[index] = "0xabab…abab".to_owned();
        }
        if ["block", "fee"].contains(&word.as_str())
            && let Some(next) = words.get_mut(index + 1)
        {
            *next = format!("<{word}>");
        }
        if word.starts_with("gas") && index > 0 {
            words[index - 1] = "<gas>".to_owned();
        }
    }
    words.join(" ")
}

/// Lines fit the terminal unless they have a word that is wider, or a command that is copied as a whole.
#[track_caller]
fn assert_fits(screen: &str) {
    for line in screen.lines() {
        let width = unicode_width(line);
        let longest = line.split(' ').map(unicode_width).max().unwrap_or_default();
        let value = line.get(13..).unwrap_or_default();
        assert!(
            width <= COLUMNS || longest > COLUMNS - 13 || value.starts_with("atr "),
            "{width}: {line}"
        );
    }
}

/// Of the texts in these screens: East Asian letters are twice as wide.
fn unicode_width(text: &str) -> usize {
    text.chars()
        .map(|character| if character >= '\u{3000}' { 2 } else { 1 })
        .sum()
}

#[test]
fn list() {
    let fixture = fixture();
    insta::assert_snapshot!(fixture.screen(&["tool", "list"]));
    let all = fixture.json(&["tool", "list"], 0);
    let tools = all["tools"].as_array().unwrap().iter();
    let status: Vec<_> = tools.map(|tool| tool["status"].as_str()).collect();
    let [verified, failed] = ["verified", "failed"].map(Some);
    assert_eq!(status, [verified, verified, failed, failed, failed, None]);
    assert_eq!(all["tools"][0]["manifest"]["name"], "nft-price-oracle");
    assert_eq!(all["tools"][0]["manifest"]["prices"][0]["amount"], "1500");
    assert_eq!(all["tools"][0]["requirements"]["status"], "known");
    assert_eq!(all["tokens"][0]["symbol"], "PLAIN");
    assert_eq!(all["tools"][4]["failing"], "creator");
    // Nothing is cut in a pipe or with --full.
    let full = fixture.output(&["tool", "list", "--full"]);
    let full = String::from_utf8(full.stdout).unwrap();
    assert!(!full.contains('…'), "{full}");
    assert!(full.contains("localhost:"), "{full}");
}

#[test]
fn watch() {
    let fixture = fixture();
    let past = ["tool", "watch", "--once", "--from-block", "0"];
    let output = fixture.atr.output(&past);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.lines().all(|line| unicode_width(line) <= COLUMNS));
    insta::assert_snapshot!(fixture.screen_of(output));
    let full = fixture.atr.output(&[&past[..], &["--full"]].concat());
    let full = String::from_utf8(full.stdout).unwrap();
    assert!(!full.contains('…') && full.contains(ACCOUNT), "{full}");
}

#[test]
fn verify() {
    let fixture = fixture();
    insta::assert_snapshot!("verified", fixture.screen(&["verify", "1"]));
    insta::assert_snapshot!("two_tools", fixture.screen(&["verify", "2", "3"]));
    insta::assert_snapshot!("deregistered", fixture.screen(&["verify", "6"]));
    let all = ["verify", "--all", "--concurrency", "1"];
    insta::assert_snapshot!("all", fixture.screen(&all));
    let one = Fixture::new();
    let hash = one.serve("valid", &one.manifest("valid"));
    one.register(ACCOUNT, &one.uri("valid"), hash);
    let summary = one.transcript(&["verify", "--all", "--failed"]);
    assert!(summary.contains("\n1 tool: 1 verified\n"), "{summary}");
    let unknown = one.transcript(&["verify", "9"]);
    assert!(
        unknown.contains("failed    tool 9: not registered (the registry has 1 tool)\n"),
        "{unknown}"
    );
    let failed = fixture.json(&["verify", "--all", "--failed"], 1);
    let mut tools: Vec<_> = failed["verdicts"].as_array().unwrap().iter().collect();
    tools.sort_by_key(|verdict| verdict["tool"].as_str());
    let names = tools.iter().map(|verdict| &verdict["manifest"]["name"]);
    let names: Vec<_> = names.map(Value::as_str).collect();
    assert_eq!(names, [Some("changed"), None, Some("squatted"), None]);
    assert_eq!(failed["summary"]["usable"], 2);
}

#[test]
fn inspect() {
    let fixture = fixture();
    insta::assert_snapshot!(
        "inspect_verified",
        fixture.screen(&["tool", "inspect", "1"])
    );
    insta::assert_snapshot!("inspect_failed", fixture.screen(&["tool", "inspect", "3"]));
}

#[test]
fn register() {
    let fixture = fixture();
    let mut manifest = paid(&fixture);
    manifest["name"] = json!("floor-price");
    fixture.serve("floor-price", &manifest);
    let uri = fixture.uri("floor-price");
    let dry_run = ["tool", "register", &uri, "--dry-run"];
    insta::assert_snapshot!("register_plan", fixture.screen(&dry_run));
    let registered = ["tool", "register", &uri, "--yes"];
    insta::assert_snapshot!("register", fixture.screen(&registered));
    // Only the result.
    fixture.serve("floor-price", &paid(&fixture));
    let quiet = ["tool", "update", "7", "--yes", "--quiet"];
    insta::assert_snapshot!("update_quiet", fixture.screen(&quiet));
    manifest["endpoint"] = json!("https://other.example/");
    fixture.serve("floor-price", &manifest);
    insta::assert_snapshot!("register_rejected", fixture.screen(&registered));
}

#[test]
fn colors_do_not_change_the_text() {
    let fixture = fixture();
    for args in [
        &["tool", "list"][..],
        &["verify", "1", "3", "6"],
        &["tool", "inspect", "3"],
    ] {
        let stdout = |color: &str| {
            let args = [args, &["--color", color]].concat();
            String::from_utf8(fixture.output(&args).stdout).unwrap()
        };
        let (plain, colored) = (stdout("never"), stdout("always"));
        assert!(colored.contains('\u{1b}'), "{args:?}");
        let mut stripped = String::new();
        for (index, part) in colored.split('\u{1b}').enumerate() {
            let part = if index == 0 {
                part
            } else {
                part.split_once('m').unwrap().1
            };
            stripped += part;
        }
        assert_eq!(stripped, plain, "{args:?}");
    }
}

#[test]
fn an_allowed_host_is_reported_once() {
    let fixture = fixture();
    let stderr = |args: &[&str]| String::from_utf8(fixture.output(args).stderr).unwrap();
    let warnings = stderr(&["verify", "1", "2", "3"]);
    assert_eq!(
        warnings.matches("warning: private and loopback").count(),
        1,
        "{warnings}"
    );
    assert!(!warnings.contains("WARN"), "{warnings}");
    assert_eq!(stderr(&["verify", "1", "2", "--quiet"]), "");
    assert_eq!(stderr(&["verify", "1", "2", "--json"]), "");
    // The environment allows hosts too.
    let output = fixture
        .atr
        .command(&["verify", "1", "--json"])
        .env("ATR_ALLOW_HOST", fixture.host())
        .env("ATR_CA_FILE", "ca.pem")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn transactions_on_a_local_node_have_no_explorer_link() {
    let fixture = Fixture::with_anvil(&["--chain-id", "1"]);
    let tool = fixture.register_gated(Address::ZERO);
    assert_eq!(tool, U256::ONE);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", "1", &deny, "--yes"];
    let report = fixture.plain_json(&set, 0);
    assert_eq!(report["transactions"][0]["explorerUrl"], Value::Null);
    let transcript = fixture.plain_transcript(&["tool", "set-predicate", "1", "open", "--yes"]);
    assert!(!transcript.contains("etherscan"), "{transcript}");
}
