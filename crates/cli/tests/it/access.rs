use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{CONTRACTS, ERC721OwnerPredicate, IAccessPredicate, IToolRegistry};
use atr_loopback::{ACCOUNT, ACCOUNTS};
use atr_registry::Allowlist;
use serde_json::{Value, json};

use crate::{
    atr::Atr,
    stage::{Stage, address_of},
    support::proxy::{Action, Proxy},
};

/// Runs into the invalid opcode.
const BROKEN: &str = "0xfe";

/// Returns one, whatever it is asked: as a token, everyone holds it.
const YES_TO_EVERYTHING: &str = "0x60015f5260205ff3";

const COLLECTION: Address = Address::repeat_byte(0x72);

impl Stage {
    /// Registers a tool and gives it a gate.
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

    /// Deploys a contract of the Solidity tests that misbehaves as its name says.
    fn deploy_mock(&self, name: &str, arguments: &[u8]) -> Address {
        let path = format!(
            "{}/../harness/artifacts/{name}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let artifact: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let code = artifact["bytecode"].as_str().unwrap().to_owned() + &hex::encode(arguments);
        let request = json!([{ "from": ACCOUNT, "data": code, "gas": "0xe4e1c0" }]);
        let hash = self.anvil.ask("eth_sendTransaction", request);
        let address = self.anvil.receipt(&hash)["contractAddress"].clone();
        address.as_str().unwrap().parse().unwrap()
    }

    pub(crate) fn set_code(&self, address: Address, code: &str) {
        self.anvil.ask("anvil_setCode", json!([address, code]));
    }

    /// Runs a command that fetches nothing; exit code and both streams.
    pub(crate) fn plain(&self, args: &[&str]) -> String {
        self.lasting(&self.atr.transcript(args))
    }

    /// A text without what depends on how the chain made its blocks, and on the bytes of our contracts.
    pub(crate) fn lasting(&self, text: &str) -> String {
        let mut text = self.steady(text);
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

    /// Runs such a command with `--json`, expects an exit code, returns the answer.
    #[track_caller]
    pub(crate) fn plain_answer(&self, args: &[&str], code: i32) -> Value {
        let output = self.atr.output(&[args, &["--json"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// A tool for holders of a collection.
fn holders(stage: &Stage) -> String {
    let predicate = address_of("ERC721OwnerPredicate");
    let id = stage.register_gated(predicate);
    let call = ERC721OwnerPredicate::setCollectionsCall {
        toolId: id,
        collections: vec![COLLECTION],
    };
    stage.send(ACCOUNT, predicate, &call.abi_encode());
    id.to_string()
}

#[test]
fn an_open_tool_lets_everyone_in() {
    let stage = Stage::new();
    let tool = stage
        .register(ACCOUNT, "https://a.example", B256::repeat_byte(1))
        .to_string();
    insta::assert_snapshot!(stage.plain(&["access", "check", &tool, ACCOUNTS[1]]));
    insta::assert_snapshot!(stage.plain(&["access", "requirements", &tool]));
}

#[test]
fn a_holder_is_let_in_and_a_stranger_is_told_what_it_takes() {
    let stage = Stage::new();
    let tool = holders(&stage);
    insta::assert_snapshot!(
        "denied",
        stage.plain(&["access", "check", &tool, ACCOUNTS[1]])
    );
    let answer = stage.plain_answer(&["access", "check", &tool, ACCOUNTS[1]], 1);
    insta::assert_snapshot!("denied_json", stage.lasting(&format!("{answer:#}")));
    insta::assert_snapshot!(
        "requirements",
        stage.plain(&["access", "requirements", &tool])
    );
    stage.set_code(COLLECTION, YES_TO_EVERYTHING);
    insta::assert_snapshot!(
        "granted",
        stage.plain(&["access", "check", &tool, ACCOUNTS[1]])
    );
}

#[test]
fn denied_broken_and_not_yet_available_are_shown_apart() {
    let stage = Stage::new();
    let (broken, nowhere) = (Address::repeat_byte(0xfe), Address::repeat_byte(0xaa));
    stage.set_code(broken, BROKEN);
    let denied = stage.register_gated(address_of("AlwaysDenyPredicate"));
    let [broken, nowhere] = [broken, nowhere].map(|predicate| stage.register_gated(predicate));
    // C-17
    for (tool, code, words) in [
        (denied, 1, "denied: the predicate said no"),
        (broken, 3, "could not find out: the predicate failed"),
        (
            nowhere,
            3,
            "could not find out: the predicate is not yet available",
        ),
    ] {
        let transcript = stage.plain(&["access", "check", &tool.to_string(), ACCOUNT]);
        assert!(
            transcript.starts_with(&format!("exit code: {code}\n")),
            "{transcript}"
        );
        assert!(transcript.contains(words), "{transcript}");
    }
    let tool = broken.to_string();
    insta::assert_snapshot!("broken", stage.plain(&["access", "check", &tool, ACCOUNT]));
    insta::assert_snapshot!(
        "broken_requirements",
        stage.plain(&["access", "requirements", &tool])
    );
    let tool = nowhere.to_string();
    insta::assert_snapshot!("not_yet", stage.plain(&["access", "check", &tool, ACCOUNT]));
    stage.plain_answer(&["access", "requirements", &tool], 3);
}

#[test]
fn a_tool_that_is_not_there_denies_nobody() {
    let stage = Stage::new();
    let gone = stage.register_gated(Address::ZERO);
    let call = IToolRegistry::deregisterToolCall { toolId: gone };
    stage.send(ACCOUNT, Stage::registry(), &call.abi_encode());
    for (tool, reason) in [("1", "tool 1 was removed"), ("9", "there is no tool 9")] {
        let answer = stage.plain_answer(&["access", "check", tool, ACCOUNT], 3);
        assert_eq!(answer["access"], "unknown");
        assert!(
            answer["reason"].as_str().unwrap().starts_with(reason),
            "{answer}"
        );
    }
    insta::assert_snapshot!(stage.plain(&["access", "check", "9", ACCOUNT]));
}

#[test]
fn whoever_is_on_a_list_gets_in_with_a_proof() {
    let mut stage = Stage::new();
    let list = format!(
        "# friends\n{}\n\n  {} # the other\n",
        ACCOUNTS[1],
        ACCOUNTS[2].to_lowercase()
    );
    let broken = format!("{ACCOUNT}\nsomebody.eth\n");
    stage.atr = stage
        .atr
        .with_file("list", list)
        .with_file("broken", broken)
        .with_file("nobody", "# nobody\n");
    let tool = stage
        .register_gated(address_of("MerkleAllowlistPredicate"))
        .to_string();
    let set = ["predicate", "set-allowlist", &tool, "--yes", "--accounts"];
    let with = |file| [&set[..], &[file]].concat();
    stage.plain_answer(&with("list"), 0);
    for (account, code) in [(ACCOUNTS[1], 0), (ACCOUNTS[2], 0), (ACCOUNT, 1)] {
        stage.plain_answer(
            &["access", "check", &tool, account, "--allowlist", "list"],
            code,
        );
    }
    let answer = stage.plain_answer(
        &["access", "check", &tool, ACCOUNT, "--allowlist", "list"],
        1,
    );
    let requirement = &answer["gate"]["requirements"]["requirements"][0];
    assert_eq!(requirement["meaning"]["type"], "merkle-allowlist");
    insta::assert_snapshot!("broken_list", stage.plain(&with("broken")));
    insta::assert_snapshot!("nobody_on_the_list", stage.plain(&with("nobody")));
    insta::assert_snapshot!("missing_list", stage.plain(&with("missing")));
}

#[test]
fn data_reaches_the_predicate() {
    let stage = Stage::new();
    let tool = stage
        .register_gated(address_of("MerkleAllowlistPredicate"))
        .to_string();
    let [friend, stranger] = [1, 2].map(|place| ACCOUNTS[place]);
    let id = tool.parse().unwrap();
    let list = Allowlist::try_new(id, [friend.parse().unwrap(), Address::ZERO]).unwrap();
    let root = list.root().to_string();
    stage.plain_answer(
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
    let data = list.call_data(friend.parse().unwrap()).to_string();
    for (account, code) in [(friend, 0), (stranger, 1)] {
        stage.plain_answer(&["access", "check", &tool, account, "--data", &data], code);
    }
}

#[test]
fn a_wrong_question_and_a_silent_node_are_told_apart() {
    let stage = Stage::new();
    let tool = stage.register_gated(Address::ZERO);
    let elsewhere = Stage::tool(tool).replace("31337", "8453");
    for args in [
        &["access", "check", &elsewhere, ACCOUNT, "--chain", "anvil"][..],
        &["access", "check", &elsewhere, ACCOUNT],
        &["access", "check", "0", ACCOUNT],
        &["access", "check", "1", "somebody.eth"],
        &["access", "check", "1", ACCOUNT, "--data", "12"],
    ] {
        assert_eq!(stage.atr.output(args).status.code(), Some(2), "{args:?}");
    }
    let silent = [
        "access",
        "check",
        "1",
        ACCOUNT,
        "--rpc-url",
        "http://127.0.0.1:9",
    ];
    insta::assert_snapshot!(stage.plain(&silent));
    let nothing = ["access", "check", "1", ACCOUNT, "--registry", ACCOUNTS[1]];
    insta::assert_snapshot!(stage.plain(&nothing));
}

#[test]
fn an_answer_holds_when_the_advice_beside_it_cannot_be_had() {
    let stage = Stage::new();
    let tool = holders(&stage);
    let question = hex::encode_prefixed(IAccessPredicate::getRequirementsCall::SELECTOR);
    let proxy = Proxy::start(&stage.anvil.url, move |asked| {
        let call = asked.params[0]["input"].as_str().unwrap_or_default();
        if asked.method == "eth_call" && call.starts_with(&question) {
            Action::Fail("missing trie node")
        } else {
            Action::Pass
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
    let denied = stage.plain_answer(&check, 1);
    assert_eq!(denied["access"], "denied");
    assert_eq!(denied["gateError"], "the node did not answer eth_call");
    insta::assert_snapshot!("denied_without_advice", stage.plain(&check));
    stage.set_code(COLLECTION, YES_TO_EVERYTHING);
    assert_eq!(stage.plain_answer(&check, 0)["access"], "granted");
    insta::assert_snapshot!("granted_without_advice", stage.plain(&check));
}

#[test]
fn a_list_that_is_too_long_to_read_denies_nobody() {
    // I-10
    let stage = Stage::new();
    let arguments = [257, 0, 0, 1].map(|number| U256::from(number).to_be_bytes::<32>());
    let long = stage.deploy_mock("AliasedRequirementsPredicate", arguments.as_flattened());
    let tool = stage.register_gated(long).to_string();
    let plain = |args: &[&str]| stage.plain(args).replace(&long.to_string(), "<predicate>");
    let requirements = plain(&["access", "requirements", &tool]);
    insta::assert_snapshot!("too_long", requirements);
    insta::assert_snapshot!(
        "too_long_check",
        plain(&["access", "check", &tool, ACCOUNT])
    );
    assert!(!requirements.contains("denied"), "{requirements}");
}

#[test]
fn a_tool_named_in_full_names_its_chain() {
    let stage = Stage::new();
    stage.register_gated(Address::ZERO);
    let bare = Atr::new();
    let elsewhere = Stage::tool(1).replace("31337", "8453");
    // Nobody has said where the node is.
    insta::assert_snapshot!(
        "no_node",
        stage.lasting(&bare.transcript(&["access", "check", &elsewhere, ACCOUNT]))
    );
    // The local chain's is known; whoever listens there, a chain was named.
    let local = bare.output(&["access", "check", &Stage::tool(1), ACCOUNT]);
    assert_ne!(local.status.code(), Some(2), "{local:?}");
    let two_chains = |atr: &Atr, more: &[&str]| {
        let args = [&["access", "check", &elsewhere, ACCOUNT][..], more].concat();
        let transcript = atr.transcript(&args);
        assert!(transcript.starts_with("exit code: 2\n"), "{transcript}");
        transcript
    };
    let by_flag = two_chains(&bare, &["--chain", "anvil"]);
    assert!(by_flag.contains("flag --chain says 31337"), "{by_flag}");
    let by_variable = two_chains(&Atr::new().with_variable("ATR_CHAIN", "anvil"), &[]);
    assert!(
        by_variable.contains("environment ATR_CHAIN says 31337"),
        "{by_variable}"
    );
    let by_file = Atr::new().with_file("atr.toml", "chain = \"anvil\"\n");
    let by_file = two_chains(&by_file, &[]);
    assert!(by_file.contains("atr.toml:1 says 31337"), "{by_file}");
}
