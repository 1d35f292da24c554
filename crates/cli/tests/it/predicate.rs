/// `set-composite` with an expression.
mod expression;

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, sol};
use atr_loopback::{ACCOUNT, ACCOUNTS, KEYS};
use serde_json::{Value, json};

use crate::fixture::{Fixture, address_of};

const COLLECTION: &str = "0x7272727272727272727272727272727272727272";
const OTHER: &str = "0x7373737373737373737373737373737373737373";

fn bytes32(byte: u8) -> String {
    B256::repeat_byte(byte).to_string()
}

/// Contract, arguments and resulting configuration of each set command.
fn kinds() -> Vec<(&'static str, Vec<String>, Value)> {
    let erc721 = address_of("ERC721OwnerPredicate").to_string();
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let split = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (key, value) = (bytes32(7), bytes32(8));
    vec![
        (
            "ERC721OwnerPredicate",
            split(&format!(
                "set-erc721 --collection {COLLECTION} --collection {OTHER}"
            )),
            json!({ "predicate": "erc721", "collections": [COLLECTION, OTHER] }),
        ),
        (
            "ERC1155OwnerPredicate",
            split(&format!(
                "set-erc1155 --token {COLLECTION}:7,9 --token {OTHER}:1 --allow-unverified-token"
            )),
            json!({ "predicate": "erc1155", "tokens": [
                { "collection": COLLECTION, "tokenIds": ["7", "9"] },
                { "collection": OTHER, "tokenIds": ["1"] },
            ] }),
        ),
        (
            "SubscriptionPredicate",
            split(&format!(
                "set-subscription --collection {COLLECTION} --min-tier 2 --allow-unverified-token"
            )),
            json!({ "predicate": "subscription", "collection": COLLECTION, "minTier": 2 }),
        ),
        (
            "ERC20BalancePredicate",
            split(&format!(
                "set-erc20 --token {COLLECTION} --min-balance 1000 --decimals 18 --allow-unverified-token"
            )),
            json!({ "predicate": "erc20", "token": COLLECTION, "minBalance": "1000000000000000000000" }),
        ),
        (
            "TraitGatedPredicate",
            split(&format!(
                "set-trait --collection {COLLECTION} --trait-key {key} --value {value}"
            )),
            json!({
                "predicate": "trait", "collection": COLLECTION, "traitsContract": COLLECTION, "traitKey": key,
                "allowedValues": [value],
            }),
        ),
        (
            "MerkleAllowlistPredicate",
            split(&format!("set-allowlist --root {key}")),
            json!({ "predicate": "allowlist", "root": key }),
        ),
        (
            "AccessProofPredicate",
            split("set-access-proof --stipend 90000"),
            json!({ "predicate": "access-proof", "stipend": 90_000 }),
        ),
        (
            "CompositePredicate",
            split(&format!(
                "set-composite --any --term {erc721} --term not:{deny}"
            )),
            json!({
                "predicate": "composite", "logic": "OR",
                "clauses": [
                    [{ "predicate": erc721.to_lowercase(), "negate": false }],
                    [{ "predicate": deny.to_lowercase(), "negate": true }],
                ],
                // The ERC-721 predicate reports 28,390, the other nothing (3,000); each has half of the rest.
                "termGas": [90_695, 65_305],
            }),
        ),
    ]
}

impl Fixture {
    /// Puts an ERC-721 collection at both addresses.
    fn with_collections() -> Self {
        let fixture = Self::new();
        for collection in [COLLECTION, OTHER] {
            fixture.set_mock(collection.parse().unwrap(), "PlainERC721");
        }
        fixture
    }

    /// Puts the code of a mock of the Solidity tests at an address.
    fn set_mock(&self, address: Address, name: &str) {
        let deployed = self.deploy_mock(name, &[]);
        let code = self
            .anvil
            .request("eth_getCode", json!([deployed, "latest"]));
        self.set_code(address, code.as_str().unwrap());
    }
}

/// Arguments of a set command: the tool comes after the command name.
fn configure<'a>(tool: &'a str, command: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let (name, options) = command.split_first().unwrap();
    let mut args = vec!["predicate", name.as_str(), tool];
    args.extend(options.iter().map(String::as_str));
    args.extend(more);
    args
}

#[test]
fn shows_the_configuration_that_was_set() {
    let fixture = Fixture::with_collections();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    for (contract, command, expected) in kinds() {
        let predicate = address_of(contract).to_string();
        let show = ["predicate", "show", &tool, "--predicate", &predicate];
        let before = fixture.plain_json(&show, 0);
        let expected_before = match contract {
            // Works without a configuration.
            "AccessProofPredicate" => json!({ "predicate": "access-proof" }),
            _ => json!({ "predicate": "not-configured" }),
        };
        assert_eq!(before["configuration"], expected_before, "{contract}");
        let args = configure(&tool, &command, &["--yes", "--predicate", &predicate]);
        let set = fixture.plain_json(&args, 0);
        assert_eq!(set["transactions"].as_array().unwrap().len(), 1);
        let warnings = set["warnings"].as_array().unwrap();
        assert!(
            warnings
                .last()
                .and_then(Value::as_str)
                .is_some_and(|text| text.contains("not the tool's access predicate")),
            "{set}"
        );
        let after = fixture.plain_json(&show, 0);
        assert_eq!(after["configuration"], expected, "{contract}");
        assert_eq!(
            after["predicate"]["requirements"]["status"], "known",
            "{contract}"
        );
        assert_eq!(after["open"], true);
    }
}

#[test]
fn shows_predicate_details() {
    let fixture = Fixture::with_collections();
    let tool = fixture
        .register_gated(address_of("CompositePredicate"))
        .to_string();
    insta::assert_snapshot!(
        "not_configured",
        fixture.plain_transcript(&["predicate", "show", &tool])
    );
    let kinds = kinds();
    for (contract, command, _) in [&kinds[0], &kinds[7]] {
        let predicate = address_of(contract).to_string();
        let args = configure(&tool, command, &["--yes", "--predicate", &predicate]);
        fixture.plain_json(&args, 0);
    }
    insta::assert_snapshot!(
        "composite",
        fixture.plain_transcript(&["predicate", "show", &tool])
    );
    let slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    let proxy = fixture
        .register_gated(Address::repeat_byte(0xcc))
        .to_string();
    fixture.set_code(Address::repeat_byte(0xcc), "0xfe");
    let params = json!([Address::repeat_byte(0xcc), slot, B256::repeat_byte(1)]);
    fixture.anvil.request("anvil_setStorageAt", params);
    insta::assert_snapshot!(
        "proxy",
        fixture.plain_transcript(&["predicate", "show", &proxy])
    );
    assert_eq!(
        fixture.plain_json(&["predicate", "show", &proxy], 0)["predicate"]["isProxy"],
        true
    );
    let open = fixture.register_gated(Address::ZERO).to_string();
    insta::assert_snapshot!(
        "open",
        fixture.plain_transcript(&["predicate", "show", &open])
    );
    insta::assert_snapshot!(
        "no_tool",
        fixture.plain_transcript(&["predicate", "show", "99"])
    );
}

#[test]
fn dry_runs_send_nothing() {
    let fixture = Fixture::with_collections();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let before = fixture.anvil.nonce(ACCOUNT);
    for (contract, command, _) in kinds() {
        let predicate = address_of(contract).to_string();
        let args = configure(&tool, &command, &["--dry-run", "--predicate", &predicate]);
        // O-08
        let output = fixture.atr.output(&args);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    let pool = fixture.anvil.request("txpool_status", json!([]));
    assert_eq!(pool, json!({ "pending": "0x0", "queued": "0x0" }));
    let predicate = address_of("ERC721OwnerPredicate").to_string();
    let (_, command, _) = &kinds()[0];
    let args = configure(&tool, command, &["--dry-run", "--predicate", &predicate]);
    insta::assert_snapshot!(fixture.plain_transcript(&args));
}

#[test]
fn set_prints_the_transaction() {
    let fixture = Fixture::with_collections();
    let tool = fixture
        .register_gated(address_of("ERC721OwnerPredicate"))
        .to_string();
    let (_, command, _) = &kinds()[0];
    let transcript = fixture.plain_transcript(&configure(&tool, command, &["--yes"]));
    insta::assert_snapshot!(transcript);
}

#[test]
fn rejects_invalid_configurations_without_sending() {
    let fixture = Fixture::with_collections();
    let erc721 = address_of("ERC721OwnerPredicate");
    let tool = fixture.register_gated(erc721).to_string();
    let open = fixture.register_gated(Address::ZERO).to_string();
    let (_, command, _) = &kinds()[0];
    let code = fixture
        .anvil
        .request("eth_getCode", json!([erc721, "latest"]));
    let code = code.as_str().unwrap().to_owned();
    let nonces = || [ACCOUNT, ACCOUNTS[1]].map(|account| fixture.anvil.nonce(account));
    let before = nonces();

    let other_account = fixture
        .atr
        .command(&configure(&tool, command, &["--yes"]))
        .env("ATR_PRIVATE_KEY", KEYS[1])
        .output();
    insta::assert_snapshot!(
        "not_creator",
        fixture.normalize(&fixture.atr.transcript_of(&other_account.unwrap()))
    );
    insta::assert_snapshot!(
        "not_interactive",
        fixture.plain_transcript(&configure(&tool, command, &[]))
    );
    insta::assert_snapshot!(
        "open_tool",
        fixture.plain_transcript(&configure(&open, command, &["--yes"]))
    );
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let other_kind = configure(&tool, command, &["--yes", "--predicate", &deny]);
    insta::assert_snapshot!("other_kind", fixture.plain_transcript(&other_kind));
    let missing = Address::repeat_byte(0x74).to_string();
    let no_contract = configure(&tool, command, &["--yes", "--predicate", &missing]);
    insta::assert_snapshot!("no_contract", fixture.plain_transcript(&no_contract));
    fixture.set_code(erc721, "0x");
    let not_deployed = fixture.plain_transcript(&configure(&tool, command, &["--yes"]));
    assert!(not_deployed.contains("run `atr deploy"), "{not_deployed}");
    fixture.set_code(erc721, &code);

    let many = ["--collection", COLLECTION].repeat(200);
    let many = [&["predicate", "set-erc721", &tool, "--yes"][..], &many].concat();
    let rejected = fixture.plain_transcript(&many);
    assert!(
        rejected.starts_with("exit code: 1") && rejected.contains("(TooManyCollections)"),
        "{rejected}"
    );
    assert_eq!(nonces(), before);
}

/// Deploys a predicate that belongs to another registry.
fn deploy_for_other_registry(fixture: &Fixture) -> Address {
    let other_registry = Address::repeat_byte(0xcc);
    let erc721 = address_of("ERC721OwnerPredicate");
    let code = fixture
        .anvil
        .request("eth_getCode", json!([erc721, "latest"]));
    let registry = hex_of(Fixture::registry());
    let other = hex_of(Address::repeat_byte(0xdd));
    fixture.set_code(
        other_registry,
        &code.as_str().unwrap().replace(&registry, &other),
    );
    other_registry
}

#[test]
fn rejects_composite_terms_of_another_registry() {
    let fixture = Fixture::new();
    let tool = fixture
        .register_gated(address_of("CompositePredicate"))
        .to_string();
    let before = fixture.anvil.nonce(ACCOUNT);
    let erc721 = address_of("ERC721OwnerPredicate").to_string();
    let other_registry = deploy_for_other_registry(&fixture).to_string();
    let set = [
        "predicate",
        "set-composite",
        &tool,
        "--all",
        "--term",
        &erc721,
    ];
    let with = |term: &str, mode| {
        let args = [&set[..], &["--term", term, mode]].concat();
        fixture.plain_transcript(&args)
    };
    insta::assert_snapshot!("term_of_other_registry", with(&other_registry, "--yes"));
    let negated = with(&format!("not:{other_registry}"), "--dry-run");
    assert!(negated.starts_with("exit code: 1\n"), "{negated}");
    // Warnings about terms are printed.
    let proxy = Address::repeat_byte(0xce);
    let code = fixture
        .anvil
        .request("eth_getCode", json!([erc721, "latest"]));
    fixture.set_code(proxy, code.as_str().unwrap());
    let slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    let params = json!([proxy, slot, B256::repeat_byte(1)]);
    fixture.anvil.request("anvil_setStorageAt", params);
    let warned = with(&proxy.to_string(), "--dry-run");
    let message = format!("term {proxy}: the predicate is a proxy, so its code can change");
    assert!(warned.contains(&message), "{warned}");
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
}

#[test]
fn warns_about_a_predicate_that_is_not_active() {
    let fixture = Fixture::new();
    let erc721 = address_of("ERC721OwnerPredicate").to_string();
    let open = fixture.register_gated(Address::ZERO).to_string();
    let gated = fixture
        .register_gated(address_of("AlwaysDenyPredicate"))
        .to_string();
    let show =
        |tool: &str| fixture.plain_transcript(&["predicate", "show", tool, "--predicate", &erc721]);
    insta::assert_snapshot!("inactive_open_tool", show(&open));
    insta::assert_snapshot!("inactive_gated_tool", show(&gated));
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let own = fixture.plain_transcript(&["predicate", "show", &gated, "--predicate", &deny]);
    assert!(!own.contains("not the tool's access predicate"), "{own}");
}

#[test]
fn rejects_a_predicate_of_another_registry() {
    let fixture = Fixture::new();
    let other_registry = deploy_for_other_registry(&fixture);
    let tool = fixture.register_gated(other_registry).to_string();
    let (_, command, _) = &kinds()[0];
    let rejected = fixture.plain_transcript(&configure(&tool, command, &["--yes"]));
    insta::assert_snapshot!(rejected);
    assert_eq!(fixture.register_gated(Address::ZERO), U256::from(2));
}

fn hex_of(address: Address) -> String {
    format!("{address:#x}").split_off(2)
}

sol! {
    interface Mintable {
        function mint(address to, uint256 number);
        function mint(address to, uint256 id, uint256 amount);
    }
}
