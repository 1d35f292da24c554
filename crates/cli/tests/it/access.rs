use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{CONTRACTS, ERC721OwnerPredicate, IAccessPredicate, IToolRegistry};
use atr_loopback::{ACCOUNT, ACCOUNTS, Action, RpcProxy};
use atr_registry::predicates::merkle_allowlist::Allowlist;
use serde_json::{Value, json};

use crate::{
    atr::{Atr, parse_json},
    fixture::{Fixture, address_of},
};

/// Executes the invalid opcode.
const FAILING: &str = "0xfe";

/// Returns 1 for every call: a token with a balance of 1 for every account.
pub(crate) const RETURNS_ONE: &str = "0x60015f5260205ff3";

/// Returns 0 for every call: a token that nobody holds.
const RETURNS_ZERO: &str = "0x5f5f5260205ff3";

const COLLECTION: Address = Address::repeat_byte(0x72);

impl Fixture {
    /// Registers a tool with an access predicate.
    pub(crate) fn register_gated(&self, predicate: Address) -> U256 {
        let uri = "https://tools.example/.well-known/ai-tool/oracle.json";
        let id = self.register(ACCOUNT, uri, B256::repeat_byte(1));
        let call = IToolRegistry::setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate,
        };
        self.send(ACCOUNT, Self::registry(), &call.abi_encode());
        id
    }

    /// Deploys a mock of the Solidity tests.
    pub(crate) fn deploy_mock(&self, name: &str, arguments: &[u8]) -> Address {
        let path = format!(
            "{}/../harness/artifacts/{name}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let artifact: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let code = artifact["bytecode"].as_str().unwrap().to_owned() + &hex::encode(arguments);
        let request = json!([{ "from": ACCOUNT, "data": code, "gas": "0xe4e1c0" }]);
        let hash = self.anvil.request("eth_sendTransaction", request);
        let address = self.anvil.receipt(&hash)["contractAddress"].clone();
        address.as_str().unwrap().parse().unwrap()
    }

    pub(crate) fn set_code(&self, address: Address, code: &str) {
        self.anvil.request("anvil_setCode", json!([address, code]));
    }

    /// Normalized transcript of a command that does not fetch.
    pub(crate) fn plain_transcript(&self, args: &[&str]) -> String {
        self.normalize(&self.atr.transcript(args))
    }

    /// Also replaces contract addresses and block numbers.
    pub(crate) fn normalize(&self, text: &str) -> String {
        let mut text = self.normalize_hashes(text);
        for contract in CONTRACTS {
            let (name, address) = (contract.name(), address_of(contract.name()));
            text = text.replace(&address.to_string(), &format!("<{name}>"));
            text = text.replace(&format!("{address:#x}"), &format!("<{name}>"));
        }
        let lines = text.lines().map(|line| {
            let Some((before, after)) = line.split_once("block ") else {
                return line.to_owned();
            };
            let after = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
            format!("{before}block <number>{after}")
        });
        lines.map(|line| line + "\n").collect()
    }

    /// Runs such a command with `--json` and returns its output.
    #[track_caller]
    pub(crate) fn plain_json(&self, args: &[&str], code: i32) -> Value {
        let output = self.atr.output(&[args, &["--json"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        parse_json(&output.stdout, code)
    }
}

/// Registers a tool for holders of a collection.
fn register_for_holders(fixture: &Fixture) -> String {
    let predicate = address_of("ERC721OwnerPredicate");
    let id = fixture.register_gated(predicate);
    // The predicate rejects a collection without code.
    fixture.set_code(COLLECTION, RETURNS_ZERO);
    let call = ERC721OwnerPredicate::setCollections_1Call {
        toolId: id,
        collections: vec![COLLECTION],
    };
    fixture.send(ACCOUNT, predicate, &call.abi_encode());
    id.to_string()
}

#[test]
fn grants_everyone_access_to_an_open_tool() {
    let fixture = Fixture::new();
    let tool = fixture
        .register(ACCOUNT, "https://a.example", B256::repeat_byte(1))
        .to_string();
    insta::assert_snapshot!(fixture.plain_transcript(&["access", "check", &tool, ACCOUNTS[1]]));
    insta::assert_snapshot!(fixture.plain_transcript(&["access", "requirements", &tool]));
}

#[test]
fn grants_holders_and_shows_requirements_to_others() {
    let fixture = Fixture::new();
    let tool = register_for_holders(&fixture);
    insta::assert_snapshot!(
        "denied",
        fixture.plain_transcript(&["access", "check", &tool, ACCOUNTS[1]])
    );
    let report = fixture.plain_json(&["access", "check", &tool, ACCOUNTS[1]], 1);
    insta::assert_snapshot!("denied_json", fixture.normalize(&format!("{report:#}")));
    insta::assert_snapshot!(
        "requirements",
        fixture.plain_transcript(&["access", "requirements", &tool])
    );
    fixture.set_code(COLLECTION, RETURNS_ONE);
    insta::assert_snapshot!(
        "granted",
        fixture.plain_transcript(&["access", "check", &tool, ACCOUNTS[1]])
    );
}

#[test]
fn distinguishes_denied_failed_and_not_deployed() {
    let fixture = Fixture::new();
    let (failing, missing) = (Address::repeat_byte(0xfe), Address::repeat_byte(0xaa));
    fixture.set_code(failing, FAILING);
    let denied = fixture.register_gated(address_of("AlwaysDenyPredicate"));
    let [failing, missing] = [failing, missing].map(|predicate| fixture.register_gated(predicate));
    // C-17
    for (tool, code, message) in [
        (denied, 1, "denied"),
        (failing, 3, "unknown: the predicate failed"),
        (missing, 3, "unknown: the predicate has no code"),
    ] {
        let transcript = fixture.plain_transcript(&["access", "check", &tool.to_string(), ACCOUNT]);
        assert!(
            transcript.starts_with(&format!("exit code: {code}\n")),
            "{transcript}"
        );
        assert!(transcript.contains(message), "{transcript}");
    }
    let tool = failing.to_string();
    insta::assert_snapshot!(
        "failing",
        fixture.plain_transcript(&["access", "check", &tool, ACCOUNT])
    );
    insta::assert_snapshot!(
        "failing_requirements",
        fixture.plain_transcript(&["access", "requirements", &tool])
    );
    let tool = missing.to_string();
    insta::assert_snapshot!(
        "not_deployed",
        fixture.plain_transcript(&["access", "check", &tool, ACCOUNT])
    );
    fixture.plain_json(&["access", "requirements", &tool], 3);
}

#[test]
fn a_tool_that_is_not_registered_is_an_error_and_not_denied_access() {
    // C-10
    let fixture = Fixture::new();
    let deregistered = fixture.register_gated(Address::ZERO);
    let call = IToolRegistry::deregisterToolCall {
        toolId: deregistered,
    };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    for (tool, reason) in [
        ("1", "tool 1 is deregistered"),
        ("9", "tool 9 is not registered (the registry has 1 tool)"),
    ] {
        for args in [
            &["access", "check", tool, ACCOUNT][..],
            &["access", "requirements", tool],
            &["predicate", "show", tool],
            &["tool", "set-predicate", tool, "open", "--yes"],
        ] {
            let report = fixture.plain_json(args, 1);
            assert_eq!(report.get("access"), None, "{args:?}");
            let message = report["error"]["message"].as_str().unwrap();
            assert!(message.starts_with(reason), "{args:?}: {report}");
        }
        // The manifest is not fetched.
        for command in [&["verify"][..], &["tool", "inspect"]] {
            fixture.plain_json(&[command, &[tool]].concat(), 1);
        }
    }
    insta::assert_snapshot!(fixture.plain_transcript(&["access", "check", "9", ACCOUNT]));
}

#[test]
fn grants_access_to_allowlisted_accounts() {
    let mut fixture = Fixture::new();
    let list = format!(
        "# first\n{}\n\n  {} # second\n",
        ACCOUNTS[1],
        ACCOUNTS[2].to_lowercase()
    );
    let invalid = format!("{ACCOUNT}\nname.eth\n");
    fixture.atr = fixture
        .atr
        .with_file("list", list)
        .with_file("invalid", invalid)
        .with_file("other", format!("{ACCOUNT}\n{}\n", ACCOUNTS[1]))
        .with_file("empty", "# empty\n");
    let tool = fixture
        .register_gated(address_of("MerkleAllowlistPredicate"))
        .to_string();
    let set = ["predicate", "set-allowlist", &tool, "--yes", "--accounts"];
    let with = |file| [&set[..], &[file]].concat();
    fixture.plain_json(&with("list"), 0);
    for (account, code) in [(ACCOUNTS[1], 0), (ACCOUNTS[2], 0), (ACCOUNT, 1)] {
        fixture.plain_json(
            &["access", "check", &tool, account, "--allowlist", "list"],
            code,
        );
    }
    let report = fixture.plain_json(
        &["access", "check", &tool, ACCOUNT, "--allowlist", "list"],
        1,
    );
    let requirement = &report["predicate"]["requirements"]["requirements"][0];
    assert_eq!(requirement["decoded"]["type"], "allowlist");
    assert_eq!(report["reason"], "the account is not on the list");
    let reason = |args: &[&str]| {
        let check = [&["access", "check", &tool, ACCOUNTS[1]], args].concat();
        fixture.plain_json(&check, 1)["reason"].clone()
    };
    assert_eq!(reason(&[]), "no proof given: add --allowlist FILE");
    let other = reason(&["--allowlist", "other"]);
    assert!(
        other
            .as_str()
            .unwrap()
            .contains("the list of another tool, or changed")
    );
    insta::assert_snapshot!("invalid_list", fixture.plain_transcript(&with("invalid")));
    insta::assert_snapshot!("empty_list", fixture.plain_transcript(&with("empty")));
    insta::assert_snapshot!("missing_list", fixture.plain_transcript(&with("missing")));
}

#[test]
fn prints_the_proof_of_an_account() {
    let mut fixture = Fixture::new();
    let [listed, second] = [1, 2].map(|index| ACCOUNTS[index]);
    fixture.atr = fixture
        .atr
        .with_file("list", format!("{listed}\n{second}\n{listed}\n"))
        .with_file("one", format!("{listed}\n"))
        .with_file("two", format!("{second}\n"));
    let tool = fixture
        .register_gated(address_of("MerkleAllowlistPredicate"))
        .to_string();
    let set = ["predicate", "set-allowlist", &tool, "--accounts", "list"];
    let plan = fixture.plain_transcript(&[&set[..], &["--yes"]].concat());
    assert!(
        plan.contains("accounts     2 accounts; 1 duplicate left out\n"),
        "{plan}"
    );
    assert!(
        plan.contains("atr access proof <TOOL> <ACCOUNT> --allowlist list"),
        "{plan}"
    );
    let proof = ["access", "proof", &tool, listed, "--allowlist"];
    let with = |files: &[&'static str]| [&proof[..], files].concat();
    insta::assert_snapshot!("proof", fixture.plain_transcript(&with(&["list"])));
    let report = fixture.plain_json(&with(&["list"]), 0);
    let data = report["data"].as_str().unwrap();
    fixture.plain_json(&["access", "check", &tool, listed, "--data", data], 0);
    // Two lists are one tree.
    let joined = fixture.plain_json(&with(&["one", "--allowlist", "two"]), 0);
    assert_eq!(joined["proof"], report["proof"]);
    let other = fixture.plain_json(&with(&["one"]), 1);
    assert_ne!(other["root"], other["predicateRoot"]);
    let absent = fixture.plain_json(&with(&["two"]), 1);
    assert_eq!(absent["proof"], Value::Null);
    // The predicate of another tool has no allowlist.
    let open = fixture.register_gated(Address::ZERO).to_string();
    fixture.plain_json(
        &["access", "proof", &open, listed, "--allowlist", "list"],
        3,
    );
}

#[test]
fn passes_call_data_to_the_predicate() {
    let fixture = Fixture::new();
    let tool = fixture
        .register_gated(address_of("MerkleAllowlistPredicate"))
        .to_string();
    let [listed, unlisted] = [1, 2].map(|index| ACCOUNTS[index]);
    let id = tool.parse().unwrap();
    let list = Allowlist::try_new(id, [listed.parse().unwrap(), Address::ZERO]).unwrap();
    let root = list.root().to_string();
    fixture.plain_json(
        &[
            "predicate",
            "set-allowlist",
            &tool,
            "--yes",
            "--root",
            &root,
        ],
        0,
    );
    let data = list.call_data(listed.parse().unwrap()).to_string();
    for (account, code) in [(listed, 0), (unlisted, 1)] {
        fixture.plain_json(&["access", "check", &tool, account, "--data", &data], code);
    }
}

#[test]
fn distinguishes_usage_errors_from_rpc_errors() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO);
    let elsewhere = Fixture::tool(tool).replace("31337", "8453");
    for args in [
        &["access", "check", &elsewhere, ACCOUNT, "--chain", "anvil"][..],
        &["access", "check", &elsewhere, ACCOUNT],
        &["access", "check", "0", ACCOUNT],
        &["access", "check", "1", "name.eth"],
        &["access", "check", "1", ACCOUNT, "--data", "12"],
    ] {
        assert_eq!(fixture.atr.output(args).status.code(), Some(2), "{args:?}");
    }
    let unreachable = [
        "access",
        "check",
        "1",
        ACCOUNT,
        "--rpc-url",
        "http://127.0.0.1:9",
    ];
    insta::assert_snapshot!(fixture.plain_transcript(&unreachable));
    let no_registry = ["access", "check", "1", ACCOUNT, "--registry", ACCOUNTS[1]];
    insta::assert_snapshot!(fixture.plain_transcript(&no_registry));
}

#[test]
fn reports_access_without_predicate_details() {
    let fixture = Fixture::new();
    let tool = register_for_holders(&fixture);
    let selector = hex::encode_prefixed(IAccessPredicate::getRequirementsCall::SELECTOR);
    let proxy = RpcProxy::start(&fixture.anvil.url, move |request| {
        let call = request.params[0]["input"].as_str().unwrap_or_default();
        if request.method == "eth_call" && call.starts_with(&selector) {
            Action::Fail("missing trie node")
        } else {
            Action::Forward
        }
    });
    let check = [
        "access",
        "check",
        &tool,
        ACCOUNTS[1],
        "--rpc-url",
        &proxy.url,
    ];
    let denied = fixture.plain_json(&check, 1);
    assert_eq!(denied["access"], "denied");
    assert_eq!(denied["predicateError"], "RPC request eth_call failed");
    insta::assert_snapshot!("denied_without_details", fixture.plain_transcript(&check));
    fixture.set_code(COLLECTION, RETURNS_ONE);
    assert_eq!(fixture.plain_json(&check, 0)["access"], "granted");
    insta::assert_snapshot!("granted_without_details", fixture.plain_transcript(&check));
}

#[test]
fn requirements_over_the_limit_are_unknown_not_denied() {
    // I-10
    let fixture = Fixture::new();
    let arguments = [257, 0, 0, 1].map(|number| U256::from(number).to_be_bytes::<32>());
    let long = fixture.deploy_mock("AliasedRequirementsPredicate", arguments.as_flattened());
    let tool = fixture.register_gated(long).to_string();
    let plain = |args: &[&str]| {
        fixture
            .plain_transcript(args)
            .replace(&long.to_string(), "<predicate>")
    };
    let requirements = plain(&["access", "requirements", &tool]);
    insta::assert_snapshot!("over_limit", requirements);
    insta::assert_snapshot!(
        "over_limit_check",
        plain(&["access", "check", &tool, ACCOUNT])
    );
    assert!(!requirements.contains("denied"), "{requirements}");
}

#[test]
fn a_tool_reference_selects_the_chain() {
    let fixture = Fixture::new();
    fixture.register_gated(Address::ZERO);
    let bare = Atr::new();
    let elsewhere = Fixture::tool(1).replace("31337", "8453");
    // Without an RPC URL.
    insta::assert_snapshot!(
        "no_rpc_url",
        fixture.normalize(&bare.transcript(&["access", "check", &elsewhere, ACCOUNT]))
    );
    // The local chain has a default RPC URL. What listens there is not known.
    let local = bare.transcript(&["access", "check", &Fixture::tool(1), ACCOUNT]);
    assert!(!local.contains("no RPC URL"), "{local}");
    let conflicting_chains = |atr: &Atr, more: &[&str]| {
        let args = [&["access", "check", &elsewhere, ACCOUNT][..], more].concat();
        let transcript = atr.transcript(&args);
        assert!(transcript.starts_with("exit code: 2\n"), "{transcript}");
        transcript
    };
    let by_flag = conflicting_chains(&bare, &["--chain", "anvil"]);
    assert!(
        by_flag.contains("flag --chain selects chain 31337"),
        "{by_flag}"
    );
    let by_variable = conflicting_chains(&Atr::new().with_variable("ATR_CHAIN", "anvil"), &[]);
    assert!(
        by_variable.contains("environment ATR_CHAIN selects chain 31337"),
        "{by_variable}"
    );
    let by_file = Atr::new().with_file("atr.toml", "chain = \"anvil\"\n");
    let by_file = conflicting_chains(&by_file, &[]);
    assert!(
        by_file.contains("atr.toml:1 selects chain 31337"),
        "{by_file}"
    );
}
