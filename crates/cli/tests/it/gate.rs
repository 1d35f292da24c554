use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::{SolCall, sol};
use atr_loopback::{ACCOUNT, ACCOUNTS, KEYS};
use atr_registry::predicates::merkle_allowlist::Allowlist;
use serde_json::{Value, json};

use crate::fixture::{Fixture, address_of};

const RICH: &str = "0x5151515151515151515151515151515151515151";
const DENIED: &str = "0x5252525252525252525252525252525252525252";

sol! {
    interface Mintable {
        function mint(address to, uint256 number);
        function mint(address to, uint256 id, uint256 amount);
        function set(address account, uint256 tokenId, uint64 end, uint8 tier);
    }
}

/// A chain with tokens, and a manifest to register.
pub(crate) struct Tokens {
    pub(crate) fixture: Fixture,
    pub(crate) uri: String,
    pub(crate) erc721: Address,
    pub(crate) erc20: Address,
    pub(crate) erc1155: Address,
}

impl Tokens {
    pub(crate) fn new() -> Self {
        let fixture = Fixture::new();
        fixture.serve("oracle", &fixture.manifest("oracle"));
        let [erc721, erc20, erc1155] = ["PlainERC721", "PlainERC20", "PlainERC1155"]
            .map(|name| fixture.deploy_mock(name, &[]));
        let tokens = Self {
            uri: fixture.uri("oracle"),
            fixture,
            erc721,
            erc20,
            erc1155,
        };
        // More than what the gates require, so that an account can have it.
        tokens.mint(tokens.erc20, RICH, 250 * 10_u128.pow(18));
        tokens
    }

    /// Replaces the names of the tokens by their addresses.
    pub(crate) fn expression(&self, text: &str) -> String {
        text.replace("$NFT", &self.erc721.to_string())
            .replace("$TOKEN", &self.erc20.to_string())
            .replace("$ITEMS", &self.erc1155.to_string())
    }

    /// Replaces the addresses of the tokens by their names.
    fn names(&self, text: &str) -> String {
        text.replace(&self.erc721.to_string(), "<ERC-721>")
            .replace(&self.erc20.to_string(), "<ERC-20>")
            .replace(&self.erc1155.to_string(), "<ERC-1155>")
    }

    fn transcript(&self, args: &[&str]) -> String {
        self.names(&self.fixture.transcript(args))
    }

    pub(crate) fn mint(&self, token: Address, account: &str, number: u128) {
        let call = Mintable::mint_0Call {
            to: account.parse().unwrap(),
            number: U256::from(number),
        };
        self.fixture.send(ACCOUNT, token, &call.abi_encode());
    }

    fn mint_item(&self, account: &str, id: u64) {
        let call = Mintable::mint_1Call {
            to: account.parse().unwrap(),
            id: U256::from(id),
            amount: U256::ONE,
        };
        self.fixture.send(ACCOUNT, self.erc1155, &call.abi_encode());
    }

    #[track_caller]
    pub(crate) fn register(&self, gate: &str, code: i32) -> Value {
        let gate = self.expression(gate);
        let register = ["tool", "register", &self.uri, "--yes", "--gate", &gate];
        self.fixture.json(&register, code)
    }

    /// Access of an account: granted, denied or unknown.
    pub(crate) fn access(&self, tool: &str, account: &str) -> String {
        let check = ["access", "check", tool, account, "--json"];
        let output = self.fixture.atr.output(&check);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["access"].as_str().unwrap().to_owned()
    }

    fn nonce(&self) -> u64 {
        self.fixture.anvil.nonce(ACCOUNT)
    }
}

pub(crate) const GATE: &str = "any(erc721:$NFT, erc20:$TOKEN:100) and not erc1155:$ITEMS:7,8";

#[test]
fn a_gate_is_registered_and_configured_by_one_command() {
    let tokens = Tokens::new();
    let gate = tokens.expression(GATE);
    let register = ["tool", "register", &tokens.uri, "--gate", &gate];
    let dry_run = tokens.transcript(&[&register[..], &["--dry-run"]].concat());
    insta::assert_snapshot!("dry_run", dry_run);
    let before = tokens.nonce();
    let report = tokens.register(GATE, 0);
    let normal = "(erc721:$NFT or erc20:$TOKEN:100) and not erc1155:$ITEMS:7,8";
    assert_eq!(report["gate"], tokens.expression(normal));
    // The registration, three conditions and the composite.
    assert_eq!(tokens.nonce(), before + 5);
    let warnings = report["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{report}");
    assert!(warnings[0].as_str().unwrap().contains("is an EOA"));
    let [non_holder, holder] = [1, 2].map(|index| ACCOUNTS[index]);
    tokens.mint(tokens.erc721, holder, 1);
    tokens.mint(tokens.erc721, DENIED, 2);
    tokens.mint_item(DENIED, 8);
    tokens.mint_item(holder, 9);
    assert_eq!(
        [non_holder, holder, RICH, DENIED].map(|account| tokens.access("1", account)),
        ["denied", "granted", "granted", "denied"]
    );
    // 100 tokens, not 100 base units.
    tokens.mint(tokens.erc20, non_holder, 100 * 10_u128.pow(18) - 1);
    assert_eq!(tokens.access("1", non_holder), "denied");
    tokens.mint(tokens.erc20, non_holder, 1);
    assert_eq!(tokens.access("1", non_holder), "granted");
}

#[test]
fn one_condition_uses_its_predicate_alone() {
    let tokens = Tokens::new();
    let fixture = &tokens.fixture;
    let subscription = fixture.deploy_mock("PlainSubscription", &[]).to_string();
    std::fs::write(
        fixture.atr.path("my list.txt"),
        format!("{RICH}\n{DENIED} # second\n{RICH}\n"),
    )
    .unwrap();
    let accounts = [RICH, DENIED].map(|account| account.parse().unwrap());
    let other = tokens.erc1155.to_string().to_lowercase();
    let second = fixture.deploy_mock("PlainERC721", &[]).to_string();
    let nft = tokens.erc721.to_string().to_lowercase();
    for (index, (gate, name, configuration)) in [
        (
            format!("erc721:$NFT or erc721:{second}").as_str(),
            "ERC721OwnerPredicate",
            json!({ "predicate": "erc721", "collections": [nft, second.to_lowercase()] }),
        ),
        (
            "erc1155:$ITEMS:1,2",
            "ERC1155OwnerPredicate",
            json!({ "predicate": "erc1155", "tokens": [{ "collection": other, "tokenIds": ["1", "2"] }] }),
        ),
        (
            "erc20:$TOKEN:0.5",
            "ERC20BalancePredicate",
            json!({
                "predicate": "erc20", "token": tokens.erc20.to_string().to_lowercase(),
                "minBalance": "500000000000000000",
            }),
        ),
        (
            format!("subscription:{subscription}:2").as_str(),
            "SubscriptionPredicate",
            json!({ "predicate": "subscription", "collection": subscription.to_lowercase(), "minTier": 2 }),
        ),
        (
            "allowlist:\"my list.txt\"",
            "MerkleAllowlistPredicate",
            json!({
                "predicate": "allowlist",
                "root": Allowlist::try_new(U256::from(5), accounts).unwrap().root(),
            }),
        ),
        (
            "access-proof",
            "AccessProofPredicate",
            json!({ "predicate": "access-proof" }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let before = tokens.nonce();
        let report = tokens.register(gate, 0);
        let sent = if gate == "access-proof" { 1 } else { 2 };
        assert_eq!(tokens.nonce(), before + sent, "{gate}: {report}");
        let tool = (index + 1).to_string();
        let shown = fixture.plain_json(&["predicate", "show", &tool], 0);
        assert_eq!(shown["predicate"]["name"], name);
        assert_eq!(shown["configuration"], configuration, "{gate}");
    }
}

#[test]
fn a_gate_that_cannot_be_set_sends_nothing() {
    let tokens = Tokens::new();
    let before = tokens.nonce();
    let missing = Address::repeat_byte(0x99).to_string();
    for (gate, code, message) in [
        (
            "erc721:$NFT and",
            2,
            "at character 54: expected a condition, found the end",
        ),
        (
            "nft:$NFT",
            2,
            "at character 1: expected a condition: erc721:ADDRESS",
        ),
        ("not deny:banned.txt", 2, "use `not erc721:COLLECTION`"),
        (
            "erc20:$TOKEN:1 and erc20:$NFT:1",
            2,
            "deploy another ERC20BalancePredicate",
        ),
        (
            "erc20:$TOKEN:0.0000000000000000001",
            2,
            "which has 18 decimals",
        ),
        (
            "erc20:$NFT:1",
            1,
            "is not an ERC-20 token (no decimals()); it declares ERC-721",
        ),
        ("erc20:$NFT:1", 1, "hint: use erc721 instead of erc20"),
        ("allowlist:missing.txt", 2, "missing.txt"),
        (
            &format!("any(erc721:{missing}, erc20:$TOKEN:1)"),
            1,
            "no contract at 0x9999",
        ),
    ] {
        let gate = tokens.expression(gate);
        let register = ["tool", "register", &tokens.uri, "--yes", "--gate", &gate];
        let transcript = tokens.fixture.transcript(&register);
        let exit = format!("exit code: {code}\n");
        assert!(
            transcript.starts_with(&exit) && transcript.contains(message),
            "{gate}: {transcript}"
        );
    }
    // Two tokens that need more gas than a composite has: found before the registration.
    let reads: String = (1..=50).map(|slot| format!("60{slot:02x}5450")).collect();
    let [first, second] = [0x77, 0x78].map(Address::repeat_byte);
    for heavy in [first, second] {
        let code = format!("0x{reads}60015f5260205ff3");
        tokens.fixture.set_code(heavy, &code);
    }
    // More than the maximum of the predicate.
    let collections = (1..=15).map(|byte| {
        let collection = Address::repeat_byte(byte);
        let code = crate::access::RETURNS_ONE;
        tokens.fixture.set_code(collection, code);
        format!("erc721:{collection}")
    });
    let collections: Vec<_> = collections.collect();
    for (gate, message) in [
        (
            format!("erc721:{first} and erc20:{second}:0.1"),
            "the terms need",
        ),
        (collections.join(" or "), "(TooManyCollections)"),
    ] {
        let register = ["tool", "register", &tokens.uri, "--yes", "--gate", &gate];
        let transcript = tokens.fixture.transcript(&register);
        assert!(
            transcript.starts_with("exit code: 1\n") && transcript.contains(message),
            "{transcript}"
        );
    }
    assert_eq!(tokens.nonce(), before);
}

#[test]
fn warns_about_tokens_and_conditions_before_signing() {
    let tokens = Tokens::new();
    let warnings = |gate: &str| {
        let gate = tokens.expression(gate);
        let register = [
            "tool",
            "register",
            &tokens.uri,
            "--dry-run",
            "--gate",
            &gate,
        ];
        tokens.fixture.json(&register, 0)["warnings"].to_string()
    };
    // Nothing is known about a contract that returns the same to every call.
    let unknown = Address::repeat_byte(0x77);
    tokens.fixture.set_code(unknown, crate::access::RETURNS_ONE);
    let undeclared = warnings(&format!("erc721:{unknown}"));
    assert!(
        undeclared.contains("does not declare ERC-721 through ERC-165"),
        "{undeclared}"
    );
    let never = warnings("erc721:$NFT and not erc721:$NFT");
    assert!(never.contains("can never grant access"), "{never}");
    let always = warnings("erc721:$NFT or not erc721:$NFT");
    assert!(
        always.contains("grants access to every account"),
        "{always}"
    );
    let supply = warnings("erc20:$TOKEN:251");
    assert!(
        supply.contains("no account can hold this balance"),
        "{supply}"
    );
    let fine = warnings("erc20:$TOKEN:250");
    assert!(!fine.contains("no account can hold"), "{fine}");
}

#[test]
fn a_token_of_another_standard_is_rejected_before_signing() {
    let tokens = Tokens::new();
    let before = tokens.nonce();
    let failing = Address::repeat_byte(0x78);
    tokens.fixture.set_code(failing, "0xfe");
    let failing = format!("erc721:{failing}");
    for (gate, message) in [
        (
            "erc721:$TOKEN",
            "looks like an ERC-20 token, of which any balance would grant access",
        ),
        ("erc721:$ITEMS", "it declares ERC-1155"),
        ("erc1155:$NFT:7", "it declares ERC-721"),
        ("erc1155:$TOKEN:7", "looks like an ERC-20 token"),
        (&failing, "calls to balanceOf of 0x7878"),
    ] {
        let gate = tokens.expression(gate);
        let register = ["tool", "register", &tokens.uri, "--gate", &gate];
        for how in ["--yes", "--dry-run"] {
            let transcript = tokens.fixture.transcript(&[&register[..], &[how]].concat());
            assert!(
                transcript.starts_with("exit code: 1\n") && transcript.contains(message),
                "{gate}: {transcript}"
            );
            assert!(
                transcript.contains("--allow-unverified-token accepts it"),
                "{transcript}"
            );
        }
        let accepted = ["--dry-run", "--allow-unverified-token"];
        let report = tokens.fixture.json(&[&register[..], &accepted].concat(), 0);
        assert!(report["warnings"].to_string().contains(message), "{report}");
    }
    assert_eq!(tokens.nonce(), before);
    // The same for a registered tool, and for a single predicate.
    tokens.register("erc721:$NFT", 0);
    let before = tokens.nonce();
    let gate = tokens.expression("erc721:$TOKEN");
    let set = ["tool", "set-predicate", "1", "--yes", "--gate", &gate];
    tokens.fixture.plain_json(&set, 1);
    let token = tokens.erc20.to_string();
    let set = [
        "predicate",
        "set-erc721",
        "1",
        "--yes",
        "--collection",
        &token,
    ];
    tokens.fixture.plain_json(&set, 1);
    let collection = tokens.erc721.to_string();
    let set = [
        "predicate",
        "set-erc20",
        "1",
        "--yes",
        "--predicate",
        "erc20",
        "--min-balance",
        "1",
        "--token",
        &collection,
    ];
    let transcript = tokens.fixture.plain_transcript(&set);
    assert!(
        transcript.contains("it declares ERC-721: use `atr predicate set-erc721`"),
        "{transcript}"
    );
    assert_eq!(tokens.nonce(), before);
}

#[test]
fn a_change_of_a_term_takes_effect_immediately() {
    let tokens = Tokens::new();
    tokens.register("erc721:$NFT or erc20:$TOKEN:100", 0);
    let other = tokens.fixture.deploy_mock("PlainERC721", &[]);
    tokens.mint(other, ACCOUNTS[1], 1);
    assert_eq!(tokens.access("1", ACCOUNTS[1]), "denied");
    let set = |predicate: &str, option: [&str; 2]| {
        let command = format!("set-{predicate}");
        let args = [
            "predicate",
            &command,
            "1",
            "--yes",
            "--predicate",
            predicate,
        ];
        let report = tokens.fixture.plain_json(&[&args[..], &option].concat(), 0);
        report["warnings"].to_string()
    };
    let warnings = set("erc721", ["--collection", &other.to_string()]);
    assert!(
        warnings.contains("is a term of the tool's access predicate")
            && warnings.contains("takes effect immediately"),
        "{warnings}"
    );
    assert!(!warnings.contains("no effect"), "{warnings}");
    assert_eq!(tokens.access("1", ACCOUNTS[1]), "granted");
    // A predicate that the composite does not contain.
    let item = format!("{}:7", tokens.erc1155);
    let warnings = set("erc1155", ["--token", &item]);
    assert!(warnings.contains("it has no effect until"), "{warnings}");
}

#[test]
fn set_predicate_sends_only_what_changes() {
    let tokens = Tokens::new();
    tokens.register("erc721:$NFT", 0);
    let set = |gate: &str| {
        let gate = tokens.expression(gate);
        let set = ["tool", "set-predicate", "1", "--yes", "--gate", &gate];
        tokens.fixture.plain_json(&set, 0)
    };
    let before = tokens.nonce();
    let unchanged = set("erc721:$NFT");
    assert_eq!(tokens.nonce(), before, "{unchanged}");
    // The ERC-721 condition is configured already.
    let changed = set(GATE);
    assert_eq!(tokens.nonce(), before + 4, "{changed}");
    assert!(
        !changed["warnings"]
            .to_string()
            .contains("a part of the new gate")
    );
    assert_eq!(tokens.access("1", RICH), "granted");
    assert_eq!(tokens.access("1", ACCOUNTS[1]), "denied");
    set(GATE);
    assert_eq!(tokens.nonce(), before + 4);
    // One configuration in use, and no other transaction: no warning.
    let one = set("any(erc721:$NFT, erc20:$TOKEN:200) and not erc1155:$ITEMS:7,8");
    assert_eq!(tokens.nonce(), before + 5, "{one}");
    assert!(
        !one["warnings"]
            .to_string()
            .contains("a part of the new gate")
    );
    let two = set("any(erc721:$NFT, erc20:$TOKEN:100) and not erc1155:$ITEMS:9");
    assert!(
        two["warnings"]
            .to_string()
            .contains("a part of the new gate"),
        "{two}"
    );
    assert_eq!(
        config_predicate(&tokens),
        address_of("CompositePredicate").to_string().to_lowercase()
    );
    // Only the creator can configure.
    let gate = tokens.expression("erc721:$ITEMS");
    let mut other =
        tokens
            .fixture
            .atr
            .command(&["tool", "set-predicate", "1", "--yes", "--gate", &gate]);
    let output = other.env("ATR_PRIVATE_KEY", KEYS[1]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(tokens.fixture.anvil.nonce(ACCOUNTS[1]), 0);
}

#[test]
fn a_proof_reaches_the_allowlist_in_a_composite() {
    let tokens = Tokens::new();
    let list = format!("{RICH}\n{DENIED}\n");
    std::fs::write(tokens.fixture.atr.path("list"), list).unwrap();
    tokens.register("any(erc721:$NFT, allowlist:list)", 0);
    let check = |account, args: &[&str], code| {
        let check = [&["access", "check", "1", account], args].concat();
        tokens.fixture.plain_json(&check, code)["reason"].clone()
    };
    let list = ["--allowlist", "list"];
    assert_eq!(check(RICH, &list, 0), Value::Null);
    assert_eq!(check(RICH, &[], 1), "no proof given: add --allowlist FILE");
    assert_eq!(
        check(ACCOUNTS[1], &list, 1),
        "the account is not on the list"
    );
    let proof = ["access", "proof", "1", RICH, "--allowlist", "list"];
    tokens.fixture.plain_json(&proof, 0);
    // A holder needs no proof.
    tokens.mint(tokens.erc721, ACCOUNTS[1], 1);
    assert_eq!(check(ACCOUNTS[1], &[], 0), Value::Null);
}

fn config_predicate(tokens: &Tokens) -> String {
    let shown = tokens.fixture.plain_json(&["predicate", "show", "1"], 0);
    shown["accessPredicate"].as_str().unwrap().to_lowercase()
}

#[test]
fn an_expensive_token_gets_a_larger_stipend_in_a_gate() {
    let tokens = Tokens::new();
    // Ten cold slots of 2,100 gas: more than the first stipend of a term.
    let reads: String = (1..=10).map(|slot| format!("60{slot:02x}5450")).collect();
    let heavy = Address::repeat_byte(0x77);
    let code = format!("0x{reads}60015f5260205ff3");
    tokens.fixture.set_code(heavy, &code);
    tokens.register(&format!("erc721:{heavy} and erc20:$TOKEN:100"), 0);
    assert_eq!(tokens.access("1", RICH), "granted");
    assert_eq!(tokens.access("1", ACCOUNTS[1]), "denied");
}

/// Runtime code that makes these calls and reverts if one fails, as a Safe executes a batch.
fn batch_program(calls: &[Value]) -> String {
    const CALL_BYTES: usize = 43;
    let calls: Vec<_> = calls
        .iter()
        .map(|call| {
            assert_eq!(call["value"], "0");
            let to: Address = call["to"].as_str().unwrap().parse().unwrap();
            (to, hex::decode(call["data"].as_str().unwrap()).unwrap())
        })
        .collect();
    let push = |value: usize| format!("61{value:04x}");
    let fail = calls.len() * CALL_BYTES + 1;
    let mut offset = fail + 4;
    let (mut code, mut data) = (String::new(), String::new());
    for (to, bytes) in &calls {
        let size = push(bytes.len());
        // CODECOPY(0, offset, size); CALL(gas, to, 0, 0, size, 0, 0) or jump to the end.
        code += &format!("{size}{}5f39", push(offset));
        code += &format!("5f5f{size}5f5f73{}5af115{}57", hex::encode(to), push(fail));
        data += &hex::encode(bytes);
        offset += bytes.len();
    }
    assert_eq!(code.len(), 2 * CALL_BYTES * calls.len());
    format!("0x{code}005b5f5ffd{data}")
}

#[test]
fn a_batch_for_a_safe_reverts_as_a_whole_when_another_account_registers_first() {
    let tokens = Tokens::new();
    let fixture = &tokens.fixture;
    let safe = Address::repeat_byte(0x5a);
    let mut manifest = fixture.manifest("oracle");
    manifest["creatorAddress"] = json!(format!("{safe:#x}"));
    fixture.serve("oracle", &manifest);
    let (gate, from) = (tokens.expression(GATE), safe.to_string());
    let register = [
        "tool",
        "register",
        &tokens.uri,
        "--gate",
        &gate,
        "--from",
        &from,
    ];
    let count = || {
        fixture.plain_json(&["tool", "list"], 0)["tools"]
            .as_array()
            .unwrap()
            .len()
    };
    let execute = || {
        fixture.set_code(safe, "0x00");
        let written = fixture.json(&[&register[..], &["--safe", "batch.json"]].concat(), 0);
        assert!(
            written["warnings"]
                .to_string()
                .contains("a batch of all transactions reverts")
        );
        let batch = std::fs::read(fixture.atr.path("batch.json")).unwrap();
        let batch: Value = serde_json::from_slice(&batch).unwrap();
        let calls = batch["transactions"].as_array().unwrap().clone();
        assert_eq!(calls.len(), 5);
        calls
    };
    let send = |calls: &[Value]| {
        fixture.set_code(safe, &batch_program(calls));
        let call = json!([{ "from": ACCOUNT, "to": safe, "gas": "0xe4e1c0" }]);
        let hash = fixture.anvil.request("eth_sendTransaction", call);
        fixture.anvil.receipt(&hash)["status"].clone()
    };
    let calls = execute();
    // Another account gets the id for which the batch configures the gate.
    fixture.register(ACCOUNTS[1], "https://tools.example", B256::repeat_byte(1));
    assert_eq!(send(&calls), "0x0");
    assert_eq!(count(), 1);
    let calls = execute();
    assert_eq!(send(&calls), "0x1");
    assert_eq!(count(), 2);
    assert_eq!(tokens.access("2", RICH), "granted");
    assert_eq!(tokens.access("2", ACCOUNTS[1]), "denied");
}
