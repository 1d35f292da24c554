use alloy_primitives::{B256, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS, Answer};
use serde_json::json;

use crate::stage::{Stage, address_of, path};

/// One tool that holds, and one for each way not to.
fn every_way() -> Stage {
    let stage = Stage::new();
    let register = |slug: &str, hash| stage.register(ACCOUNT, &stage.uri(slug), hash);
    let good = stage.serve("good", &stage.manifest("good"));
    register("good", good);
    register("missing", B256::repeat_byte(2));
    stage.server.route(&path("moved"), |_| {
        Answer::new(302, "").with_header("location", "https://elsewhere.example/")
    });
    register("moved", B256::repeat_byte(3));
    let elsewhere = format!("{}/manifest.json", stage.server.origin());
    stage.register(ACCOUNT, &elsewhere, B256::repeat_byte(4));
    let mut foreign = stage.manifest("foreign");
    foreign["endpoint"] = json!("https://other.example/tool");
    register("foreign", stage.serve("foreign", &foreign));
    let marked = format!("\u{feff}{}", stage.manifest("marked"));
    stage.server.put(&path("marked"), marked);
    register("marked", B256::repeat_byte(6));
    let before = stage.serve("changed", &stage.manifest("changed"));
    register("changed", before);
    let mut after = stage.manifest("changed");
    after["description"] = json!("Tells other prices.");
    stage.serve("changed", &after);
    stage.register(ACCOUNTS[1], &stage.uri("good"), good);
    let nobody = "https://localhost:1/.well-known/ai-tool/nobody.json";
    stage.register(ACCOUNT, nobody, B256::repeat_byte(9));
    let mut wild = stage.manifest("wild");
    wild["description"] = json!("x".repeat(569));
    wild["pricing"] = json!([]);
    wild["verifiability"] = json!({ "tier": "self-attested", "execution": "serverless" });
    register("wild", stage.serve("wild", &wild));
    let gone = register("gone", B256::repeat_byte(11));
    let call = IToolRegistry::deregisterToolCall { toolId: gone };
    stage.send(ACCOUNT, Stage::registry(), &call.abi_encode());
    stage
}

#[test]
fn the_page_on_a_world_with_every_fault_lets_a_publisher_act() {
    // H-01, H-15, T-53
    let stage = every_way();
    let args = ["verify", "--all", "--allow-host", "localhost:1"];
    insta::assert_snapshot!(stage.transcript(&args));
    let answer = stage.answer(&args, 1);
    let failing: Vec<_> = answer["verdicts"]
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
    let shared = answer["duplicates"].as_object().unwrap();
    assert_eq!(
        shared.len(),
        1,
        "two registered one place, and neither is picked"
    );
}

#[test]
fn yes_no_and_could_not_find_out_end_in_their_own_codes() {
    let stage = every_way();
    for (tool, code) in [
        ("1", 0),
        ("7", 1),
        ("9", 3),
        ("10", 1),
        ("11", 1),
        ("99", 1),
    ] {
        let output = stage.output(&["verify", tool, "--allow-host", "localhost:1"]);
        assert_eq!(output.status.code(), Some(code), "{tool}");
    }
    let both = stage.answer(&["verify", "1", &Stage::tool(7)], 1);
    assert_eq!(both["summary"]["usable"], 1);
    assert_eq!(both["summary"]["unverified"], 1);
}

#[test]
fn a_pinned_hash_is_held_against_the_registered_one() {
    // H-20
    let stage = Stage::new();
    let pinned = stage.serve("good", &stage.manifest("good"));
    stage.register(ACCOUNT, &stage.uri("good"), pinned);
    let pin = pinned.to_string();
    stage.answer(&["verify", "1", "--pin", &pin], 0);
    let mut other = stage.manifest("good");
    other["description"] = json!("Tells other prices.");
    let call = IToolRegistry::updateToolMetadataCall {
        toolId: U256::from(1),
        newURI: stage.uri("good"),
        newHash: stage.serve("good", &other),
    };
    stage.send(ACCOUNT, Stage::registry(), &call.abi_encode());
    stage.answer(&["verify", "1"], 0);
    let transcript = stage.transcript(&["verify", "1", "--pin", &pin]);
    assert!(
        transcript.contains("no longer the pinned one"),
        "{transcript}"
    );
    assert!(transcript.starts_with("exit code: 1"), "{transcript}");
    let two = stage.output(&["verify", "1", "2", "--pin", &pin]);
    assert_eq!(two.status.code(), Some(2), "one hash cannot be that of two");
}

#[test]
fn a_strangers_words_do_not_steer_the_terminal() {
    let stage = Stage::new();
    let uri = "https://evil.example/\u{1b}[2J\u{1b}[Hall tools verified\u{202e}";
    for _ in 0..2 {
        stage.register(ACCOUNTS[1], uri, B256::repeat_byte(1));
    }
    for args in [
        vec!["verify", "--all"],
        vec!["verify", "1"],
        vec!["tool", "inspect", "1"],
        vec!["tool", "update", "1", "--dry-run", "--from", ACCOUNTS[1]],
    ] {
        let output = stage.output(&args);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("evil.example"), "{args:?}: {text}");
        let steers = |character: char| character.is_control() && character != '\n';
        assert!(!text.contains(steers), "{args:?}: {text:?}");
        assert!(!text.contains('\u{202e}'), "{args:?}: {text:?}");
    }
    for args in [
        vec!["tool", "list"],
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
        let output = stage.atr.output(&args);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("evil.example"), "{args:?}: {text}");
        assert!(!text.contains('\u{1b}'), "{args:?}: {text:?}");
    }
}

#[test]
fn loopback_is_reached_only_where_it_was_allowed() {
    // T-34
    let stage = Stage::new();
    let hash = stage.serve("good", &stage.manifest("good"));
    stage.register(ACCOUNT, &stage.uri("good"), hash);
    let output = stage.atr.output(&["verify", "1", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["verdicts"][0]["failing"], "origin");
    assert_eq!(stage.server.requests().len(), 0);
}

#[test]
fn a_node_that_is_not_there_leaves_it_open() {
    let stage = Stage::new();
    let output = stage
        .atr
        .output(&["verify", "1", "--rpc-url", "http://127.0.0.1:1"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn the_predicate_decides_whatever_the_manifest_hints() {
    // E-29
    let stage = Stage::new();
    let holding = json!([{ "kind": "0xbdf8c428", "data": format!("0x{}", "11".repeat(32)), "label": "Holders only" }]);
    let mut hinting = stage.manifest("hinting");
    hinting["access"] = json!({ "logic": "AND", "requirements": holding });
    let hash = stage.serve("hinting", &hinting);
    stage.register(ACCOUNT, &stage.uri("hinting"), hash);
    stage.answer(&["verify", "1"], 0);
    let check = |code| {
        let output = stage.atr.output(&["access", "check", "1", ACCOUNTS[2]]);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    };
    // The hint is stale: the registry holds no gate, so everyone is let in.
    check(0);
    // The other way round: no hint, and a predicate that says no.
    let hash = stage.serve("hinting", &stage.manifest("hinting"));
    let call = IToolRegistry::updateToolMetadataCall {
        toolId: U256::from(1),
        newURI: stage.uri("hinting"),
        newHash: hash,
    };
    stage.send(ACCOUNT, Stage::registry(), &call.abi_encode());
    let call = IToolRegistry::setAccessPredicateCall {
        toolId: U256::from(1),
        newPredicate: address_of("AlwaysDenyPredicate"),
    };
    stage.send(ACCOUNT, Stage::registry(), &call.abi_encode());
    stage.answer(&["verify", "1"], 0);
    check(1);
}
