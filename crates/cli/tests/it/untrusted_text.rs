//! Untrusted text must not control the terminal: names in manifests, names of contracts, and messages of nodes.

use std::process::Output;

use alloy_primitives::{Address, B256, hex};
use alloy_sol_types::SolValue;
use atr_loopback::{ACCOUNT, Action, RpcProxy};
use serde_json::json;

use crate::fixture::Fixture;

/// Clears the screen, moves the cursor, forges a line and reverses the direction of the text.
const HOSTILE: &str =
    "\u{1b}[2J\u{1b}[Hall checks passed\r\n1: verified\n\u{9b}2J\u{7f}\u{202e}\u{2066}\u{2028}";

/// Output of a command without the styles of `--color always`.
fn plain(stream: &[u8]) -> String {
    let mut text = String::from_utf8(stream.to_vec()).unwrap();
    for style in [
        "\u{1b}[0m",
        "\u{1b}[1m",
        "\u{1b}[31m",
        "\u{1b}[32m",
        "\u{1b}[33m",
    ] {
        text = text.replace(style, "");
    }
    text
}

/// Whether a terminal shows the text as it is.
fn is_safe(text: &str) -> bool {
    let is_bidi = |character| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}');
    let is_control = |character: char| character.is_control() && character != '\n';
    !text.contains(is_bidi) && !text.contains(is_control)
}

/// The output is safe, contains the escaped text and no forged line.
#[track_caller]
fn assert_escaped(output: &Output) {
    for stream in [&output.stdout, &output.stderr] {
        let text = plain(stream);
        assert!(is_safe(&text), "{text:?}");
        assert!(
            !text.lines().any(|line| line.starts_with("1: verified")),
            "{text}"
        );
    }
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("all checks passed"), "{text}");
}

#[test]
fn the_pointer_of_a_violation_is_escaped() {
    let fixture = Fixture::new();
    let mut manifest = fixture.manifest("oracle");
    manifest["io.example"] = json!({ HOSTILE: "e\u{301}" });
    let hash = fixture.serve("oracle", &manifest);
    let url = fixture.uri("oracle");
    fixture.register(ACCOUNT, &url, hash);
    for args in [
        &["verify", "1"][..],
        &["verify", "--all"],
        &["tool", "inspect", "1"],
        &["tool", "register", &url, "--yes"],
        &["tool", "update", "1", "--yes"],
        &["manifest", "validate", &url],
        &["manifest", "hash", &url],
    ] {
        for flags in [&[][..], &["--color", "always"], &["--json"]] {
            let output = fixture.output(&[args, flags].concat());
            if args[1] == "inspect" && flags != ["--json"] {
                // Prints no pointer.
                assert!(is_safe(&plain(&output.stdout)));
                continue;
            }
            assert_escaped(&output);
        }
    }
    let report = fixture.json(&["verify", "1"], 1);
    let pointer = &report["verdicts"][0]["checks"][2]["violations"][0]["pointer"];
    assert_eq!(
        *pointer,
        format!("/io.example/{HOSTILE}"),
        "JSON keeps the value"
    );
}

#[test]
fn the_name_of_an_unknown_contract_is_escaped() {
    let fixture = Fixture::new();
    let data = HOSTILE.abi_encode();
    // Copies the data behind these 10 bytes to memory and returns it.
    let length = u8::try_from(data.len()).unwrap();
    let code = [
        &hex!("60")[..],
        &[length],
        &hex!("600a5f3960"),
        &[length],
        &hex!("5ff3"),
        &data,
    ]
    .concat();
    let contract = Address::repeat_byte(0x1a);
    fixture.set_code(contract, &hex::encode_prefixed(code));
    let address = contract.to_string();
    for flags in [&[][..], &["--color", "always"], &["--json"]] {
        let args = ["deploy", "check", "--chain", "anvil", "--address", &address];
        assert_escaped(&fixture.atr.output(&[&args, flags].concat()));
    }
}

#[test]
fn the_message_of_a_node_is_escaped_and_stays_on_one_line() {
    let fixture = Fixture::new();
    let proxy = RpcProxy::start(&fixture.anvil.url, |_| Action::Fail(HOSTILE));
    for flags in [&[][..], &["--color", "always"], &["--json"], &["-vvv"]] {
        let args = ["verify", "1", "--rpc-url", &proxy.url];
        let output = fixture.atr.output(&[&args, flags].concat());
        let text = plain(&[output.stdout, output.stderr].concat());
        assert!(text.contains("all checks passed"), "{text}");
        assert!(is_safe(&text), "{text:?}");
        assert!(
            !text.lines().any(|line| line.starts_with("1: verified")),
            "{text}"
        );
    }
}

#[test]
fn a_piped_canonical_form_is_unchanged() {
    let fixture = Fixture::new();
    let mut manifest = fixture.manifest("oracle");
    manifest["io.example"] = json!("\u{7f}\u{85}\u{202e}");
    fixture.serve("oracle", &manifest);
    let output = fixture.output(&["manifest", "canonicalize", &fixture.uri("oracle")]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("\"io.example\":\"\u{7f}\u{85}\u{202e}\""),
        "{text:?}"
    );
    let hash = B256::from(alloy_primitives::keccak256(text));
    let report = fixture.json(&["manifest", "hash", &fixture.uri("oracle")], 0);
    assert_eq!(report["hash"], hash.to_string());
}
