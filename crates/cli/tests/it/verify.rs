use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS, Response};
use serde_json::json;

use crate::fixture::{Fixture, address_of, path};

/// One verified tool, and one for each kind of failure.
fn fixture_with_failures() -> Fixture {
    let fixture = Fixture::new();
    let register = |slug: &str, hash| fixture.register(ACCOUNT, &fixture.uri(slug), hash);
    let valid = fixture.serve("valid", &fixture.manifest("valid"));
    register("valid", valid);
    register("missing", B256::repeat_byte(2));
    fixture.server.route(&path("moved"), |_| {
        Response::new(302, "").with_header("location", "https://elsewhere.example/")
    });
    register("moved", B256::repeat_byte(3));
    let elsewhere = format!("{}/manifest.json", fixture.server.origin());
    fixture.register(ACCOUNT, &elsewhere, B256::repeat_byte(4));
    let mut other_origin = fixture.manifest("other-origin");
    other_origin["endpoint"] = json!("https://other.example/tool");
    register("other-origin", fixture.serve("other-origin", &other_origin));
    let with_bom = format!("\u{feff}{}", fixture.manifest("bom"));
    fixture.server.put(&path("bom"), with_bom);
    register("bom", B256::repeat_byte(6));
    let before = fixture.serve("changed", &fixture.manifest("changed"));
    register("changed", before);
    let mut after = fixture.manifest("changed");
    after["description"] = json!("Returns other prices.");
    fixture.serve("changed", &after);
    fixture.register(ACCOUNTS[1], &fixture.uri("valid"), valid);
    let unreachable = "https://localhost:1/.well-known/ai-tool/unreachable.json";
    fixture.register(ACCOUNT, unreachable, B256::repeat_byte(9));
    let mut violating = fixture.manifest("violations");
    violating["description"] = json!("x".repeat(569));
    violating["pricing"] = json!([]);
    violating["verifiability"] = json!({ "tier": "self-attested", "execution": "serverless" });
    register("violations", fixture.serve("violations", &violating));
    let deregistered = register("deregistered", B256::repeat_byte(11));
    let call = IToolRegistry::deregisterToolCall {
        toolId: deregistered,
    };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    fixture
}

#[test]
fn verify_all_reports_every_kind_of_failure() {
    // H-01, H-15, T-53
    let fixture = fixture_with_failures();
    // Sequential, so that the order of the output is deterministic.
    let args = [
        "verify",
        "--all",
        "--concurrency",
        "1",
        "--allow-host",
        "localhost:1",
    ];
    insta::assert_snapshot!(fixture.transcript(&args));
    let report = fixture.json(&args, 1);
    let failing: Vec<_> = report["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|verdict| verdict["failing"].as_str())
        .collect();
    let expected = [
        None,
        Some("fetch"),
        Some("fetch"),
        Some("origin"),
        Some("origin"),
        Some("hash"),
        Some("hash"),
        Some("creator"),
        Some("fetch"),
        None,
        None,
    ];
    assert_eq!(failing, expected);
    let shared = report["duplicates"].as_object().unwrap();
    assert_eq!(shared.len(), 1, "both tools are reported");
}

#[test]
fn json_verdicts_are_printed_as_they_arrive() {
    let fixture = Fixture::new();
    for slug in ["first", "second"] {
        let hash = fixture.serve(slug, &fixture.manifest(slug));
        fixture.register(ACCOUNT, &fixture.uri(slug), hash);
    }
    // The second manifest is served only after the first verdict was read.
    let (release, released) = std::sync::mpsc::channel();
    let released = std::sync::Mutex::new(released);
    let second = fixture.manifest("second").to_string();
    fixture.server.route(&path("second"), move |_| {
        let _ = released.lock().unwrap().recv();
        Response::new(200, second.clone())
    });
    let host = fixture.host();
    let mut child = fixture
        .atr
        .command(&[
            "verify",
            "--all",
            "--json",
            "--concurrency",
            "1",
            "--allow-host",
            &host,
            "--ca-file",
            "ca.pem",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = String::new();
    while !text.contains("\"window\"") {
        text += &lines.next().unwrap().unwrap();
    }
    release.send(()).unwrap();
    lines.for_each(|line| text += &line.unwrap());
    assert_eq!(child.wait().unwrap().code(), Some(0), "{text}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["summary"]["usable"], 2);
    assert_eq!(report["verdicts"][1]["usable"], true);
}

/// Python script that runs a command and prints its peak memory in KiB.
const PEAK_MEMORY: &str = r"
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
";

#[test]
fn verify_all_does_not_keep_manifests() {
    const TOOLS: usize = 32;
    let fixture = Fixture::new();
    let mut manifest = fixture.manifest("large");
    manifest["io.example"] = json!("x".repeat(1_000_000));
    let hash = fixture.serve("large", &manifest);
    for _ in 0..TOOLS {
        fixture.register(ACCOUNT, &fixture.uri("large"), hash);
    }
    let peak = |tools: &str, flags: &[&str]| -> usize {
        let host = fixture.host();
        let args = ["verify", tools, "--concurrency", "1", "--allow-host", &host];
        let args = [&args[..], &["--ca-file", "ca.pem"], flags].concat();
        let command = fixture.atr.command(&args);
        let output = std::process::Command::new("python3")
            .args(["-c", PEAK_MEMORY])
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(command.get_current_dir().unwrap())
            .envs(
                command
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.trim().parse().unwrap()
    };
    for flags in [&[][..], &["--json"]] {
        let (one, all) = (peak("1", flags), peak("--all", flags));
        // Each manifest takes at least a mebibyte.
        assert!(all < one + TOOLS * 1_000 / 2, "{one} KiB, {all} KiB");
    }
}

#[test]
fn a_json_document_is_complete_after_an_error() {
    let fixture = Fixture::new();
    let hash = fixture.serve("valid", &fixture.manifest("valid"));
    fixture.register(ACCOUNT, &fixture.uri("valid"), hash);
    let other = Fixture::tool(1).replace("eip155:31337", "eip155:1");
    let report = fixture.json(&["verify", "1", &other], 2);
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 1);
    let empty = Fixture::new().json(&["verify", "--all"], 0);
    assert_eq!(empty["verdicts"], json!([]));
    assert_eq!(empty["summary"]["tools"], 0);
}

#[test]
fn exit_codes_distinguish_verified_failed_and_unknown() {
    let fixture = fixture_with_failures();
    for (tool, code) in [
        ("1", 0),
        ("7", 1),
        ("9", 3),
        ("10", 1),
        ("11", 1),
        ("99", 1),
    ] {
        let output = fixture.output(&["verify", tool, "--allow-host", "localhost:1"]);
        assert_eq!(output.status.code(), Some(code), "{tool}");
    }
    let both = fixture.json(&["verify", "1", &Fixture::tool(7)], 1);
    assert_eq!(both["summary"]["usable"], 1);
    assert_eq!(both["summary"]["failed"], 1);
}

#[test]
fn compares_the_pinned_hash_with_the_registered_hash() {
    // H-20
    let fixture = Fixture::new();
    let pinned = fixture.serve("valid", &fixture.manifest("valid"));
    fixture.register(ACCOUNT, &fixture.uri("valid"), pinned);
    let pin = pinned.to_string();
    fixture.json(&["verify", "1", "--pin", &pin], 0);
    let mut other = fixture.manifest("valid");
    other["description"] = json!("Returns other prices.");
    let call = IToolRegistry::updateToolMetadataCall {
        toolId: U256::from(1),
        newURI: fixture.uri("valid"),
        newHash: fixture.serve("valid", &other),
    };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    fixture.json(&["verify", "1"], 0);
    let transcript = fixture.transcript(&["verify", "1", "--pin", &pin]);
    assert!(
        transcript.contains("differs from the pinned hash"),
        "{transcript}"
    );
    assert!(transcript.starts_with("exit code: 1"), "{transcript}");
    let two = fixture.output(&["verify", "1", "2", "--pin", &pin]);
    assert_eq!(two.status.code(), Some(2), "--pin requires one tool");
}

#[test]
fn escapes_control_characters_in_untrusted_text() {
    let fixture = Fixture::new();
    let uri = "https://evil.example/\u{1b}[2J\u{1b}[Hall tools verified\u{202e}";
    for _ in 0..2 {
        fixture.register(ACCOUNTS[1], uri, B256::repeat_byte(1));
    }
    for args in [
        vec!["verify", "--all"],
        vec!["verify", "1"],
        vec!["tool", "inspect", "1"],
        vec!["tool", "update", "1", "--dry-run", "--from", ACCOUNTS[1]],
    ] {
        let output = fixture.output(&args);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("evil.example"), "{args:?}: {text}");
        let is_control = |character: char| character.is_control() && character != '\n';
        assert!(!text.contains(is_control), "{args:?}: {text:?}");
        assert!(!text.contains('\u{202e}'), "{args:?}: {text:?}");
    }
    for args in [
        vec!["tool", "list", "--no-fetch"],
        vec![
            "tool",
            "deregister",
            "1",
            "--dry-run",
            "--from",
            ACCOUNTS[1],
        ],
        vec!["tool", "watch", "--once", "--from-block", "1"],
    ] {
        let output = fixture.atr.output(&args);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("evil.example"), "{args:?}: {text}");
        assert!(!text.contains('\u{1b}'), "{args:?}: {text:?}");
    }
}

#[test]
fn connects_to_loopback_only_if_allowed() {
    // T-34
    let fixture = Fixture::new();
    let hash = fixture.serve("valid", &fixture.manifest("valid"));
    fixture.register(ACCOUNT, &fixture.uri("valid"), hash);
    let output = fixture.atr.output(&["verify", "1", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdicts"][0]["failing"], "origin");
    assert_eq!(fixture.server.requests().len(), 0);
}

#[test]
fn an_unreachable_node_exits_with_3() {
    let fixture = Fixture::new();
    let output = fixture
        .atr
        .output(&["verify", "1", "--rpc-url", "http://127.0.0.1:1"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn the_predicate_overrides_the_access_hint_of_the_manifest() {
    // E-29
    let fixture = Fixture::new();
    let requirements = json!([{ "kind": "0xbdf8c428", "data": format!("0x{}", "11".repeat(32)), "label": "Holders only" }]);
    let mut hinting = fixture.manifest("hinting");
    hinting["access"] = json!({ "logic": "AND", "requirements": requirements });
    let hash = fixture.serve("hinting", &hinting);
    fixture.register(ACCOUNT, &fixture.uri("hinting"), hash);
    fixture.json(&["verify", "1"], 0);
    let check = |code| {
        let output = fixture.atr.output(&["access", "check", "1", ACCOUNTS[2]]);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    };
    // The hint is outdated: the tool has no access predicate, so access is granted.
    check(0);
    // The opposite: no hint, and a predicate that denies access.
    let hash = fixture.serve("hinting", &fixture.manifest("hinting"));
    let call = IToolRegistry::updateToolMetadataCall {
        toolId: U256::from(1),
        newURI: fixture.uri("hinting"),
        newHash: hash,
    };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    let call = IToolRegistry::setAccessPredicateCall {
        toolId: U256::from(1),
        newPredicate: address_of("AlwaysDenyPredicate"),
    };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    fixture.json(&["verify", "1"], 0);
    check(1);
}
