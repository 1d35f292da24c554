use alloy_primitives::{Address, B256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS, KEYS};
use serde_json::Value;

use crate::{
    fixture::{Fixture, address_of},
    gate::Tokens,
};

impl Tokens {
    fn predicate(&self) -> Value {
        let shown = self.fixture.plain_json(&["predicate", "show", "1"], 0);
        shown["accessPredicate"].clone()
    }

    #[track_caller]
    fn tool(&self, args: &[&str], code: i32) -> Value {
        let args = [&["tool"], args, &["1", "--yes"]].concat();
        self.fixture.plain_json(&args, code)
    }
}

#[test]
fn unpause_restores_the_predicate_and_its_configuration() {
    let tokens = Tokens::new();
    tokens.register("erc721:$NFT and not erc1155:$ITEMS:7", 0);
    tokens.mint(tokens.erc721, ACCOUNTS[1], 1);
    let composite = tokens.predicate();
    let before = tokens
        .fixture
        .plain_transcript(&["tool", "pause", "1", "--dry-run"]);
    insta::assert_snapshot!("pause", before);
    // B-16
    tokens.tool(&["pause"], 0);
    assert_eq!(tokens.access("1", ACCOUNTS[1]), "denied");
    let again = tokens.tool(&["pause"], 0);
    assert_eq!(again["transactions"].as_array().unwrap().len(), 0);
    let unpause = tokens
        .fixture
        .plain_transcript(&["tool", "unpause", "1", "--dry-run"]);
    insta::assert_snapshot!("unpause", unpause);
    tokens.tool(&["unpause"], 0);
    assert_eq!(tokens.predicate(), composite);
    assert_eq!(tokens.access("1", ACCOUNTS[1]), "granted");
    let not_paused = tokens
        .fixture
        .plain_transcript(&["tool", "unpause", "1", "--yes"]);
    assert!(
        not_paused.starts_with("exit code: 1\n") && not_paused.contains("tool 1 is not paused"),
        "{not_paused}"
    );
}

#[test]
fn unpause_of_an_open_tool_warns_that_it_opens_it() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    fixture.plain_json(&["tool", "pause", &tool, "--yes"], 0);
    let report = fixture.plain_json(&["tool", "unpause", &tool, "--yes"], 0);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("open to everyone"), "{warnings}");
    let check = fixture.plain_json(&["access", "check", &tool, ACCOUNTS[1]], 0);
    assert_eq!(check["access"], "granted");
}

#[test]
fn a_tool_that_was_always_paused_needs_a_predicate() {
    let fixture = Fixture::new();
    let deny = address_of("AlwaysDenyPredicate");
    let call = IToolRegistry::registerToolCall {
        metadataURI: "https://tools.example".to_owned(),
        manifestHash: B256::repeat_byte(1),
        accessPredicate: deny,
    };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    let id = "1";
    let never = fixture.plain_transcript(&["tool", "unpause", id, "--yes"]);
    assert!(
        never.starts_with("exit code: 1\n") && never.contains("use --predicate"),
        "{never}"
    );
    let unpause = [
        "tool",
        "unpause",
        id,
        "--yes",
        "--predicate",
        "access-proof",
    ];
    fixture.plain_json(&unpause, 0);
    let shown = fixture.plain_json(&["predicate", "show", id], 0);
    assert_eq!(shown["predicate"]["name"], "AccessProofPredicate");
}

#[test]
fn only_the_creator_can_pause() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let mut command = fixture.atr.command(&["tool", "pause", &tool, "--yes"]);
    let output = command.env("ATR_PRIVATE_KEY", KEYS[1]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(fixture.anvil.nonce(ACCOUNTS[1]), 0);
}
