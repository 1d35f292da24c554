use alloy_primitives::{Address, B256, U256};
use atr_loopback::{ACCOUNT, ACCOUNTS, KEYS};
use serde_json::{Value, json};

use crate::stage::{Stage, address_of};

const COLLECTION: &str = "0x7272727272727272727272727272727272727272";
const OTHER: &str = "0x7373737373737373737373737373737373737373";

fn word(byte: u8) -> String {
    B256::repeat_byte(byte).to_string()
}

/// One tool, and what is configured for it through each predicate in turn.
fn kinds() -> Vec<(&'static str, Vec<String>, Value)> {
    let holding = address_of("ERC721OwnerPredicate").to_string();
    let denying = address_of("AlwaysDenyPredicate").to_string();
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (key, value) = (word(7), word(8));
    vec![
        (
            "ERC721OwnerPredicate",
            words(&format!(
                "set-erc721 --collection {COLLECTION} --collection {OTHER}"
            )),
            json!({ "predicate": "erc721", "collections": [COLLECTION, OTHER] }),
        ),
        (
            "ERC1155OwnerPredicate",
            words(&format!(
                "set-erc1155 --token {COLLECTION}:7,9 --token {OTHER}:1"
            )),
            json!({ "predicate": "erc1155", "tokens": [
                { "collection": COLLECTION, "tokenIds": ["7", "9"] },
                { "collection": OTHER, "tokenIds": ["1"] },
            ] }),
        ),
        (
            "SubscriptionPredicate",
            words(&format!(
                "set-subscription --collection {COLLECTION} --min-tier 2"
            )),
            json!({ "predicate": "subscription", "collection": COLLECTION, "minTier": 2 }),
        ),
        (
            "ERC20BalancePredicate",
            words(&format!(
                "set-erc20 --token {COLLECTION} --min-balance 1000000000000000000000"
            )),
            json!({ "predicate": "erc20", "token": COLLECTION, "minBalance": "1000000000000000000000" }),
        ),
        (
            "TraitGatedPredicate",
            words(&format!(
                "set-trait --collection {COLLECTION} --trait-key {key} --value {value}"
            )),
            json!({
                "predicate": "trait", "collection": COLLECTION, "traitsContract": COLLECTION, "traitKey": key,
                "allowedValues": [value],
            }),
        ),
        (
            "MerkleAllowlistPredicate",
            words(&format!("set-allowlist --root {key}")),
            json!({ "predicate": "allowlist", "root": key }),
        ),
        (
            "CompositePredicate",
            words(&format!(
                "set-composite --any --term {holding} --term not:{denying}"
            )),
            json!({ "predicate": "composite", "logic": "OR", "terms": [
                { "predicate": holding.to_lowercase(), "negate": false },
                { "predicate": denying.to_lowercase(), "negate": true },
            ] }),
        ),
    ]
}

/// Runs a command that configures; the tool comes after its name.
fn configure<'a>(tool: &'a str, words: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let (name, options) = words.split_first().unwrap();
    let mut args = vec!["predicate", name.as_str(), tool];
    args.extend(options.iter().map(String::as_str));
    args.extend(more);
    args
}

#[test]
fn what_is_set_is_what_is_shown_for_every_predicate() {
    let stage = Stage::new();
    let tool = stage.register_gated(Address::ZERO).to_string();
    for (contract, words, expected) in kinds() {
        let predicate = address_of(contract).to_string();
        let show = ["predicate", "show", &tool, "--predicate", &predicate];
        let before = stage.plain_answer(&show, 0);
        assert_eq!(
            before["configuration"],
            json!({ "predicate": "not-configured" }),
            "{contract}"
        );
        let args = configure(&tool, &words, &["--yes", "--predicate", &predicate]);
        let set = stage.plain_answer(&args, 0);
        assert_eq!(set["transactions"].as_array().unwrap().len(), 1);
        assert!(
            set["warnings"][0]
                .as_str()
                .unwrap()
                .contains("until it is set"),
            "{set}"
        );
        let after = stage.plain_answer(&show, 0);
        assert_eq!(after["configuration"], expected, "{contract}");
        assert_eq!(
            after["gate"]["requirements"]["status"], "known",
            "{contract}"
        );
        assert_eq!(after["open"], true);
    }
}

#[test]
fn a_gate_is_shown_with_all_that_is_known_of_it() {
    let stage = Stage::new();
    let tool = stage
        .register_gated(address_of("CompositePredicate"))
        .to_string();
    insta::assert_snapshot!("not_configured", stage.plain(&["predicate", "show", &tool]));
    let kinds = kinds();
    for (contract, words, _) in [&kinds[0], &kinds[6]] {
        let predicate = address_of(contract).to_string();
        let args = configure(&tool, words, &["--yes", "--predicate", &predicate]);
        stage.plain_answer(&args, 0);
    }
    insta::assert_snapshot!("composite", stage.plain(&["predicate", "show", &tool]));
    let slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    let proxy = stage.register_gated(Address::repeat_byte(0xcc)).to_string();
    stage.set_code(Address::repeat_byte(0xcc), "0xfe");
    let params = json!([Address::repeat_byte(0xcc), slot, B256::repeat_byte(1)]);
    stage.anvil.ask("anvil_setStorageAt", params);
    insta::assert_snapshot!("proxy", stage.plain(&["predicate", "show", &proxy]));
    assert_eq!(
        stage.plain_answer(&["predicate", "show", &proxy], 0)["gate"]["predicateIsProxy"],
        true
    );
    let open = stage.register_gated(Address::ZERO).to_string();
    insta::assert_snapshot!("open", stage.plain(&["predicate", "show", &open]));
    insta::assert_snapshot!("no_tool", stage.plain(&["predicate", "show", "99"]));
}

#[test]
fn a_dry_run_of_every_command_sends_nothing() {
    let stage = Stage::new();
    let tool = stage.register_gated(Address::ZERO).to_string();
    let before = stage.anvil.nonce(ACCOUNT);
    for (contract, words, _) in kinds() {
        let predicate = address_of(contract).to_string();
        let args = configure(&tool, &words, &["--dry-run", "--predicate", &predicate]);
        // O-08
        let output = stage.atr.output(&args);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(stage.anvil.nonce(ACCOUNT), before);
    let waiting = stage.anvil.ask("txpool_status", json!([]));
    assert_eq!(waiting, json!({ "pending": "0x0", "queued": "0x0" }));
    let predicate = address_of("ERC721OwnerPredicate").to_string();
    let (_, words, _) = &kinds()[0];
    let args = configure(&tool, words, &["--dry-run", "--predicate", &predicate]);
    insta::assert_snapshot!(stage.plain(&args));
}

#[test]
fn setting_says_what_it_did() {
    let stage = Stage::new();
    let tool = stage
        .register_gated(address_of("ERC721OwnerPredicate"))
        .to_string();
    let (_, words, _) = &kinds()[0];
    let transcript = stage.plain(&configure(&tool, words, &["--yes"]));
    insta::assert_snapshot!(transcript);
}

#[test]
fn what_must_not_be_configured_is_refused_and_nothing_is_sent() {
    let stage = Stage::new();
    let holding = address_of("ERC721OwnerPredicate");
    let tool = stage.register_gated(holding).to_string();
    let open = stage.register_gated(Address::ZERO).to_string();
    let (_, words, _) = &kinds()[0];
    let code = stage.anvil.ask("eth_getCode", json!([holding, "latest"]));
    let code = code.as_str().unwrap().to_owned();
    let nonces = || [ACCOUNT, ACCOUNTS[1]].map(|account| stage.anvil.nonce(account));
    let before = nonces();

    let stranger = stage
        .atr
        .command(&configure(&tool, words, &["--yes"]))
        .env("ATR_PRIVATE_KEY", KEYS[1])
        .output();
    insta::assert_snapshot!(
        "stranger",
        stage.lasting(&stage.atr.transcript_of(&stranger.unwrap()))
    );
    insta::assert_snapshot!("nobody_to_ask", stage.plain(&configure(&tool, words, &[])));
    insta::assert_snapshot!(
        "open_tool",
        stage.plain(&configure(&open, words, &["--yes"]))
    );
    let denying = address_of("AlwaysDenyPredicate").to_string();
    let other_make = configure(&tool, words, &["--yes", "--predicate", &denying]);
    insta::assert_snapshot!("other_make", stage.plain(&other_make));
    let nowhere = configure(&tool, words, &["--yes", "--predicate", OTHER]);
    insta::assert_snapshot!("nowhere", stage.plain(&nowhere));
    stage.set_code(holding, "0x");
    let not_deployed = stage.plain(&configure(&tool, words, &["--yes"]));
    assert!(
        not_deployed.contains("deploy it: atr deploy"),
        "{not_deployed}"
    );
    stage.set_code(holding, &code);

    let many = ["--collection", COLLECTION].repeat(200);
    let many = [&["predicate", "set-erc721", &tool, "--yes"][..], &many].concat();
    let refused = stage.plain(&many);
    assert!(
        refused.starts_with("exit code: 1") && refused.contains("(TooManyCollections)"),
        "{refused}"
    );
    assert_eq!(nonces(), before);
}

/// Puts a predicate on the chain that serves another registry.
fn foreign(stage: &Stage) -> Address {
    let foreign = Address::repeat_byte(0xcc);
    let holding = address_of("ERC721OwnerPredicate");
    let code = stage.anvil.ask("eth_getCode", json!([holding, "latest"]));
    let ours = hex_of(Stage::registry());
    let theirs = hex_of(Address::repeat_byte(0xdd));
    stage.set_code(foreign, &code.as_str().unwrap().replace(&ours, &theirs));
    foreign
}

#[test]
fn a_composition_asks_no_predicate_of_another_registry() {
    let stage = Stage::new();
    let tool = stage
        .register_gated(address_of("CompositePredicate"))
        .to_string();
    let before = stage.anvil.nonce(ACCOUNT);
    let holding = address_of("ERC721OwnerPredicate").to_string();
    let foreign = foreign(&stage).to_string();
    let set = [
        "predicate",
        "set-composite",
        &tool,
        "--all",
        "--term",
        &holding,
    ];
    let with = |term: &str, how| {
        let args = [&set[..], &["--term", term, how]].concat();
        stage.plain(&args)
    };
    insta::assert_snapshot!("foreign_term", with(&foreign, "--yes"));
    let negated = with(&format!("not:{foreign}"), "--dry-run");
    assert!(negated.starts_with("exit code: 1\n"), "{negated}");
    // What should be known of a term is told.
    let proxy = Address::repeat_byte(0xce);
    let code = stage.anvil.ask("eth_getCode", json!([holding, "latest"]));
    stage.set_code(proxy, code.as_str().unwrap());
    let slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    let params = json!([proxy, slot, B256::repeat_byte(1)]);
    stage.anvil.ask("anvil_setStorageAt", params);
    let warned = with(&proxy.to_string(), "--dry-run");
    let words = format!("term {proxy}: the predicate can be changed behind the registry's back");
    assert!(warned.contains(&words), "{warned}");
    assert_eq!(stage.anvil.nonce(ACCOUNT), before);
}

#[test]
fn a_predicate_that_is_not_the_tools_is_shown_as_such() {
    let stage = Stage::new();
    let holding = address_of("ERC721OwnerPredicate").to_string();
    let open = stage.register_gated(Address::ZERO).to_string();
    let gated = stage
        .register_gated(address_of("AlwaysDenyPredicate"))
        .to_string();
    let show = |tool: &str| stage.plain(&["predicate", "show", tool, "--predicate", &holding]);
    insta::assert_snapshot!("of_an_open_tool", show(&open));
    insta::assert_snapshot!("of_another_gate", show(&gated));
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let own = stage.plain(&["predicate", "show", &gated, "--predicate", &deny]);
    assert!(!own.contains("warning"), "{own}");
}

#[test]
fn a_predicate_of_another_registry_is_refused() {
    let stage = Stage::new();
    let foreign = foreign(&stage);
    let tool = stage.register_gated(foreign).to_string();
    let (_, words, _) = &kinds()[0];
    let refused = stage.plain(&configure(&tool, words, &["--yes"]));
    insta::assert_snapshot!(refused);
    assert_eq!(stage.register_gated(Address::ZERO), U256::from(2));
}

fn hex_of(address: Address) -> String {
    format!("{address:#x}").split_off(2)
}
