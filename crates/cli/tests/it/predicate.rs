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

/// A tool with an ERC-721 collection, an ERC-20 token, and an ERC-1155 token for denied accounts.
struct Gated {
    fixture: Fixture,
    tool: String,
    tokens: [Address; 3],
}

sol! {
    interface Mintable {
        function mint(address to, uint256 number);
        function mint(address to, uint256 id, uint256 amount);
    }
}

impl Gated {
    fn new() -> Self {
        let fixture = Fixture::new();
        let tool = fixture
            .register_gated(address_of("CompositePredicate"))
            .to_string();
        let tokens = ["PlainERC721", "PlainERC20", "PlainERC1155"]
            .map(|name| fixture.deploy_mock(name, &[]));
        Self {
            fixture,
            tool,
            tokens,
        }
    }

    /// Runs a set command for the predicate of this contract.
    fn set(&self, contract: &str, options: &str, code: i32) -> Value {
        let predicate = address_of(contract).to_string();
        let options: Vec<_> = options.split(' ').map(str::to_owned).collect();
        let args = configure(&self.tool, &options, &["--yes", "--predicate", &predicate]);
        self.fixture.plain_json(&args, code)
    }

    fn configure_terms(&self) {
        let [collection, token, denied] = self.tokens;
        let erc721 = format!("set-erc721 --collection {collection}");
        self.set("ERC721OwnerPredicate", &erc721, 0);
        let erc20 = format!("set-erc20 --token {token} --min-balance 100 --decimals 0");
        self.set("ERC20BalancePredicate", &erc20, 0);
        let erc1155 = format!("set-erc1155 --token {denied}:7");
        self.set("ERC1155OwnerPredicate", &erc1155, 0);
    }

    fn set_expression(&self, expression: &str, more: &[&str]) -> Value {
        let set = [
            "predicate",
            "set-composite",
            &self.tool,
            "--expr",
            expression,
        ];
        let args = [&set[..], &["--yes"], more].concat();
        self.fixture.plain_json(&args, 0)
    }

    /// Access of an account: granted, denied or unknown.
    fn access(&self, account: &str) -> Value {
        let args = ["access", "check", &self.tool, account, "--json"];
        let output = self.fixture.atr.output(&args);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["access"].clone()
    }

    fn mint(&self, token: usize, account: &str, number: u64) {
        let call = Mintable::mint_0Call {
            to: account.parse().unwrap(),
            number: U256::from(number),
        };
        self.fixture
            .send(ACCOUNT, self.tokens[token], &call.abi_encode());
    }

    fn deny(&self, account: &str) {
        let call = Mintable::mint_1Call {
            to: account.parse().unwrap(),
            id: U256::from(7),
            amount: U256::ONE,
        };
        self.fixture
            .send(ACCOUNT, self.tokens[2], &call.abi_encode());
    }
}

const EXPRESSION: &str = "(erc721 or erc20) and not erc1155";

#[test]
fn an_expression_gates_a_tool_with_gas_chosen_by_the_cli() {
    let gated = Gated::new();
    let [non_holder, holder] = [1, 2].map(|index| ACCOUNTS[index]);
    let [rich, denied] = [
        "0x5151515151515151515151515151515151515151",
        "0x5252525252525252525252525252525252525252",
    ];
    gated.configure_terms();
    let set = gated.set_expression(EXPRESSION, &[]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    gated.mint(0, holder, 1);
    gated.mint(0, denied, 2);
    gated.mint(1, rich, 100);
    gated.mint(1, denied, 100);
    gated.deny(denied);
    assert_eq!(
        [non_holder, holder, rich, denied].map(|account| gated.access(account)),
        ["denied", "granted", "granted", "denied"]
    );
    let names = |text: String| {
        let tokens = gated
            .tokens
            .iter()
            .zip(["<ERC-721>", "<ERC-20>", "<ERC-1155>"]);
        tokens.fold(text, |text, (token, name)| {
            text.replace(&token.to_string(), name)
        })
    };
    let transcript = |args: &[&str]| names(gated.fixture.plain_transcript(args));
    let show = transcript(&["predicate", "show", &gated.tool]);
    insta::assert_snapshot!("expression_show", show);
    let check = transcript(&["access", "check", &gated.tool, non_holder]);
    insta::assert_snapshot!("expression_check", check);
    let set = ["predicate", "set-composite", &gated.tool, "--dry-run"];
    let dry_run = transcript(&[&set[..], &["--expr", EXPRESSION]].concat());
    insta::assert_snapshot!("expression_set", dry_run);
}

#[test]
fn terms_that_are_not_configured_are_named() {
    let gated = Gated::new();
    let set = gated.set_expression(EXPRESSION, &[]);
    let warnings = set["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 3, "{set}");
    for (warning, name) in warnings.iter().zip(["erc721", "erc20", "erc1155"]) {
        let warning = warning.as_str().unwrap();
        let text = format!("term {name} (");
        assert!(warning.starts_with(&text), "{warning}");
        assert!(warning.contains("is not configured"), "{warning}");
    }
    let check = ["access", "check", &gated.tool, ACCOUNTS[1]];
    let report = gated.fixture.plain_json(&check, 3);
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("term erc1155 (") && reason.ends_with("is not configured for tool 1"),
        "{reason}"
    );
    for command in [&["access", "requirements"][..], &["predicate", "show"]] {
        let transcript = gated
            .fixture
            .plain_transcript(&[command, &[&gated.tool]].concat());
        assert!(
            transcript.contains("warning: term erc20 (<ERC20BalancePredicate>) is not configured"),
            "{transcript}"
        );
    }
    // The predicate itself.
    let erc721 = address_of("ERC721OwnerPredicate");
    let tool = gated.fixture.register_gated(erc721).to_string();
    let report = gated
        .fixture
        .plain_json(&["access", "check", &tool, ACCOUNTS[1]], 3);
    assert_eq!(
        report["reason"],
        "the predicate is not configured for tool 2"
    );
    // Terms that are configured later have enough gas.
    gated.configure_terms();
    assert_eq!(gated.access(ACCOUNTS[1]), "denied");
}

#[test]
fn predicates_of_the_registry_are_selected_by_name() {
    let gated = Gated::new();
    let [collection, token, _] = gated.tokens.map(|token| token.to_string());
    let run = |args: &[&str]| {
        let (command, rest) = args.split_at(2);
        let args = [command, &[gated.tool.as_str()], rest].concat();
        gated.fixture.plain_json(&args, 0)
    };
    run(&[
        "predicate",
        "set-erc721",
        "--predicate",
        "erc721",
        "--collection",
        &collection,
        "--yes",
    ]);
    run(&[
        "predicate",
        "set-erc20",
        "--predicate",
        "ERC20",
        "--token",
        &token,
        "--min-balance",
        "1",
        "--yes",
    ]);
    run(&[
        "predicate",
        "set-composite",
        "--all",
        "--term",
        "erc721",
        "--term",
        "not:erc20",
        "--yes",
    ]);
    let shown = run(&["predicate", "show", "--predicate", "composite"]);
    assert_eq!(shown["configuration"]["clauses"][1][0]["negate"], true);
    assert_eq!(gated.access(ACCOUNTS[1]), "denied");
    run(&["tool", "set-predicate", "erc721", "--yes"]);
    let shown = run(&["predicate", "show"]);
    assert_eq!(shown["predicate"]["name"], "ERC721OwnerPredicate");
    let unknown = ["tool", "set-predicate", &gated.tool, "erc712", "--yes"];
    let unknown = gated.fixture.plain_transcript(&unknown);
    assert!(
        unknown.starts_with("exit code: 2\n") && unknown.contains("did you mean `erc721`?"),
        "{unknown}"
    );
}

#[test]
fn a_predicate_that_can_never_grant_is_a_warning() {
    let gated = Gated::new();
    let fixture = &gated.fixture;
    let [collection, token, _] = gated.tokens;
    let tool = &gated.tool;
    let warnings = |args: &[&str]| {
        let output = fixture.atr.output(&[args, &["--json"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let own = &report["warnings"];
        let predicate = &report["predicate"]["warnings"];
        format!("{own}{predicate}")
    };
    let set = |predicate: &str| warnings(&["tool", "set-predicate", tool, predicate, "--yes"]);
    let check = || warnings(&["access", "check", tool, ACCOUNTS[1]]);
    let not_configured = "the predicate is not configured for this tool: its result is unknown";
    assert!(set("erc721").contains(not_configured));
    assert!(check().contains(not_configured));
    assert!(set("always-deny").contains("the predicate denies every account"));

    gated.set(
        "ERC721OwnerPredicate",
        &format!("set-erc721 --collection {collection}"),
        0,
    );
    assert!(!set("erc721").contains(not_configured));
    // Nobody can hold more than the supply, here zero.
    let erc20 = format!("set-erc20 --token {token} --min-balance 1");
    gated.set("ERC20BalancePredicate", &erc20, 0);
    assert!(set("erc20").contains("than its total supply of 0"));
    gated.set_expression("erc721 and erc20", &["--predicate", "composite"]);
    let composite = set("composite");
    assert!(composite.contains("term erc20 ("), "{composite}");
    assert!(
        composite.contains("the predicate can never grant access"),
        "{composite}"
    );
    assert!(check().contains("the predicate can never grant access"));
    gated.set_expression("erc721 or erc20", &[]);
    let either = check();
    assert!(!either.contains("can never grant"), "{either}");
    gated.set_expression("erc721 or not erc721", &[]);
    assert!(check().contains("the predicate grants access to every account"));
    // The collection is gone.
    fixture.set_code(collection, "0x");
    assert!(set("erc721").contains("where there is no contract"));
    assert!(check().contains("where there is no contract"));
}

#[test]
fn an_expression_that_does_not_fit_is_rejected() {
    let gated = Gated::new();
    gated.configure_terms();
    let before = gated.fixture.anvil.nonce(ACCOUNT);
    let reject = |expression| {
        let set = ["predicate", "set-composite", &gated.tool, "--yes"];
        let args = [&set[..], &["--expr", expression]].concat();
        gated.fixture.plain_transcript(&args)
    };
    for (expression, code, message) in [
        ("erc721 and", 2, "at character 11: expected a predicate"),
        (
            "erc721 and nft",
            2,
            "at character 12: expected the name of a predicate",
        ),
        (
            "erc721 and not allowlist",
            1,
            "reads call data, so it must not be negated",
        ),
        (
            "(erc721 or erc20) and (erc1155 or trait) and (allowlist or subscription) and (erc721 or always-deny) and \
             (erc20 or always-deny)",
            2,
            "needs 10 terms",
        ),
    ] {
        let transcript = reject(expression);
        let exit = format!("exit code: {code}\n");
        assert!(
            transcript.starts_with(&exit) && transcript.contains(message),
            "{transcript}"
        );
    }
    // Two terms with large stipends need more than the budget.
    let [collection, token, _] = gated.tokens;
    let erc721 = format!("set-erc721 --collection {collection} --stipend 100000");
    gated.set("ERC721OwnerPredicate", &erc721, 0);
    let erc20 =
        format!("set-erc20 --token {token} --min-balance 100 --decimals 0 --stipend 100000");
    gated.set("ERC20BalancePredicate", &erc20, 0);
    let rejected = reject("erc721 or erc20");
    assert!(
        rejected.starts_with("exit code: 1\n") && rejected.contains("the terms need 217"),
        "{rejected}"
    );
    assert_eq!(gated.fixture.anvil.nonce(ACCOUNT), before + 2);
}

/// Runtime code that reads this many cold storage slots, each for 2,100 gas, and returns 1.
fn reads_slots(count: u8) -> String {
    let reads = (1..=count).map(|slot| format!("60{slot:02x}5450"));
    format!("0x{}60015f5260205ff3", reads.collect::<String>())
}

#[test]
fn an_expensive_token_gets_a_larger_stipend() {
    let mut gated = Gated::new();
    let composed = gated.tool.clone();
    let erc721 = address_of("ERC721OwnerPredicate");
    gated.tool = gated.fixture.register_gated(erc721).to_string();
    let fixture = &gated.fixture;
    let heavy: Address = COLLECTION.parse().unwrap();
    fixture.set_code(heavy, &reads_slots(10));
    let stipend = |options: &str| {
        gated.set("ERC721OwnerPredicate", options, 0);
        let predicate = address_of("ERC721OwnerPredicate").to_string();
        let show = ["predicate", "show", &gated.tool, "--predicate", &predicate];
        let report = fixture.plain_json(&show, 0);
        report["configuration"]["stipend"].clone()
    };
    let seven = vec![format!("--collection {heavy}"); 7].join(" ");
    // The default retry stipend is 140,000 for one collection and 20,000 for seven.
    assert_eq!(
        stipend(&format!("set-erc721 --collection {heavy}")),
        Value::Null
    );
    let auto = stipend(&format!("set-erc721 {seven}"));
    assert!((21_000..26_000).contains(&auto.as_u64().unwrap()), "{auto}");
    let chosen = stipend(&format!("set-erc721 {seven} --stipend default"));
    assert_eq!(chosen, Value::Null);
    let auto = stipend(&format!("set-erc721 --collection {heavy} --stipend auto"));
    assert!((21_000..28_000).contains(&auto.as_u64().unwrap()), "{auto}");
    let chosen = stipend(&format!("set-erc721 --collection {heavy} --stipend 30000"));
    assert_eq!(chosen, 30_000);

    let set = |options: &str| {
        let options = format!("set-erc721 {options}");
        gated.set("ERC721OwnerPredicate", &options, 0)["warnings"].to_string()
    };
    let too_small = set(&format!("--collection {heavy} --stipend 15000"));
    assert!(
        too_small.contains("more than its stipend of 15,000 gas: access will be unknown"),
        "{too_small}"
    );
    assert!(
        too_small.contains("does not declare ERC-721"),
        "{too_small}"
    );
    // As a term of a composite, a call cannot be repeated with 140,000 gas.
    let predicate = erc721.to_string();
    let options = ["--collection", COLLECTION, "--predicate", &predicate];
    let set_term = ["predicate", "set-erc721", &composed, "--dry-run"];
    let term = fixture.plain_transcript(&[&set_term[..], &options].concat());
    assert!(
        term.contains("the default is too small for a term of a composite"),
        "{term}"
    );
    fixture.set_code(heavy, "0xfe");
    let failing = set(&format!("--collection {heavy} --allow-unverified-token"));
    assert!(failing.contains("calls to balanceOf"), "{failing}");
}

#[test]
fn assigns_more_gas_to_expensive_terms() {
    let gated = Gated::new();
    gated.configure_terms();
    // The first stipend is too small, and the retry needs 140,000 gas: more than any term has.
    let heavy: Address = COLLECTION.parse().unwrap();
    gated.fixture.set_code(heavy, &reads_slots(10));
    let one = format!("set-erc721 --collection {heavy}");
    gated.set(
        "ERC721OwnerPredicate",
        &format!("{one} --stipend default"),
        0,
    );
    let set = gated.set_expression("erc721 or erc20", &[]);
    let warnings = set["warnings"].to_string();
    assert!(
        warnings.contains(
            "does not complete within the gas of a term: configure it with --stipend auto"
        ),
        "{warnings}"
    );
    // Two collections have 70,000 gas each: more than half of the budget, less than what another term leaves.
    let two = format!("{one} --collection {heavy} --stipend default");
    gated.set("ERC721OwnerPredicate", &two, 0);
    let set = gated.set_expression("erc721 or erc20", &[]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    assert_eq!(gated.access(ACCOUNTS[1]), "granted");
    let equal = gated.set_expression("erc721 or erc20", &["--term-gas", "80000,76000"]);
    let warnings = equal["warnings"].to_string();
    assert!(
        warnings.contains("does not complete within its 80,000 gas"),
        "{warnings}"
    );
    assert_eq!(gated.access(ACCOUNTS[1]), "unknown");
    // Without --stipend, the measured stipend is used for a term.
    let erc721 = one;
    gated.set("ERC721OwnerPredicate", &erc721, 0);
    let set = gated.set_expression("erc721 or erc20", &[]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    assert_eq!(gated.access(ACCOUNTS[1]), "granted");
    let set = gated.set_expression("erc721 or erc20", &["--term-gas", "100000,50000"]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    let show = gated
        .fixture
        .plain_json(&["predicate", "show", &gated.tool], 0);
    assert_eq!(show["terms"][0]["stipend"], 100_000, "{show}");
}
