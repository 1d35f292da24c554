use alloy_primitives::{Address, B256, Bytes, hex, keccak256};
use alloy_sol_types::{SolCall, SolError, SolValue, sol};
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS, KEY, KEYS, Response};
use serde_json::{Value, json};

use crate::{
    atr::{Atr, parse_json},
    fixture::{Fixture, address_of},
};

/// Foundry's variable, and the endpoints of a Foundry project.
#[test]
fn endpoints_come_from_foundry_toml_and_eth_rpc_url() {
    let fixture = Fixture::new();
    fixture.register_gated(Address::ZERO);
    let url = &fixture.anvil.url;
    let (scheme, rest) = url.split_once("://").unwrap();
    let foundry = format!(
        "[rpc_endpoints]\nlocal = \"{scheme}://${{NODE}}\"\nanvil = \"{url}\"\nunset = \"${{NOT_SET}}\"\n"
    );
    let atr = Atr::new()
        .with_file("project/foundry.toml", foundry)
        .with_file("project/src/x", "")
        .with_variable("NODE", rest);
    let inside = atr.path("project/src");
    let run = |directory: &std::path::Path, args: &[&str], variable: Option<(&str, &str)>| {
        let args = [&["access", "check", "1", ACCOUNT, "--json"], args].concat();
        let mut command = atr.command_in(directory, &args);
        let output = command.envs(variable).output().unwrap();
        let code = output.status.code().unwrap();
        (code, parse_json(&output.stdout, code))
    };
    let unreachable = ("ETH_RPC_URL", "http://127.0.0.1:1");
    for (args, variable) in [
        (&["--rpc-url", "local"][..], None),
        (&["-r", "local"], Some(unreachable)),
        (&["--chain", "local"], None),
        // The endpoint of the chain is preferred to the fallback.
        (&["--chain", "anvil"], Some(unreachable)),
        (&[], Some(("ETH_RPC_URL", url.as_str()))),
        (&[], Some(("ETH_RPC_URL", "local"))),
        (&[], Some(("ATR_CHAIN", "local"))),
        (&["-r", url], Some(unreachable)),
    ] {
        let (code, report) = run(&inside, args, variable);
        assert_eq!(
            (code, &report["access"]),
            (0, &json!("granted")),
            "{args:?}: {report}"
        );
    }
    let outside = atr.path("");
    for (directory, args, message) in [
        (
            &inside,
            &["-r", "unset"][..],
            "environment variable NOT_SET is not set",
        ),
        (
            &inside,
            &["-r", "other"],
            "[rpc_endpoints] of foundry.toml has no such name",
        ),
        (
            &outside,
            &["-r", "local"],
            "[rpc_endpoints] of foundry.toml has no such name",
        ),
        (&outside, &["--chain", "local"], "`local` is not a chain"),
        (
            &inside,
            &["--chain", "local", "-r", "local"],
            "use one of them",
        ),
        (&outside, &["--chain", "base"], "no RPC URL for base"),
    ] {
        let (code, report) = run(directory, args, None);
        let error = report["error"]["message"].as_str().unwrap();
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.contains(message), "{args:?}: {error}");
    }
    // The source of the URL.
    let show = |args: &[&str], variable: Option<(&str, &str)>| {
        let args = [&["config", "show", "--json"], args].concat();
        let mut command = atr.command_in(&inside, &args);
        let output = command.envs(variable).output().unwrap();
        parse_json(&output.stdout, 0)["settings"][1]["source"].clone()
    };
    let source = show(&["--chain", "anvil"], Some(unreachable));
    assert_eq!(
        (&source["kind"], &source["line"]),
        (&json!("file"), &json!(3))
    );
    let expected = json!({ "kind": "environment", "name": "ETH_RPC_URL" });
    assert_eq!(show(&[], Some(unreachable)), expected);
}

#[test]
fn the_signer_must_be_the_account_of_from() {
    let fixture = Fixture::new();
    fixture.register_gated(Address::ZERO);
    let before = fixture.anvil.nonce(ACCOUNT);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = |from: &str, mode: &str, code: i32| {
        let args = ["tool", "set-predicate", "1", &deny, "--from", from, mode];
        fixture.plain_json(&args, code)
    };
    let refused = set(ACCOUNTS[1], "--yes", 2);
    let message = refused["error"]["message"].as_str().unwrap();
    assert_eq!(
        message,
        format!("the signer is {ACCOUNT}, but --from is {}", ACCOUNTS[1])
    );
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    // A plan needs no signer: the sender is not the creator.
    let plan = set(ACCOUNTS[1], "--dry-run", 1);
    let message = plan["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("is not the creator of tool 1"),
        "{message}"
    );
    let unsigned = set(ACCOUNT, "--unsigned", 0);
    assert_eq!(unsigned["planned"][0]["from"], ACCOUNT.to_lowercase());
    set(ACCOUNT, "-y", 0);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 1);
}

#[test]
fn reads_can_be_made_at_an_earlier_block() {
    let fixture = Fixture::new();
    fixture.register_gated(Address::ZERO);
    let open = fixture
        .anvil
        .request("eth_getBlockByNumber", json!(["latest", false]));
    let call = IToolRegistry::setAccessPredicateCall {
        toolId: alloy_primitives::U256::ONE,
        newPredicate: address_of("AlwaysDenyPredicate"),
    };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    let number = open["number"].as_str().unwrap().trim_start_matches("0x");
    let number = u64::from_str_radix(number, 16).unwrap().to_string();
    let hash = open["hash"].as_str().unwrap();
    let check = |block: &str, code| {
        let args = ["access", "check", "1", ACCOUNT, "--block", block];
        fixture.plain_json(&args, code)
    };
    assert_eq!(check("latest", 1)["access"], "denied");
    assert_eq!(check(&number, 0)["access"], "granted");
    assert_eq!(check(hash, 0)["access"], "granted");
    for args in [
        &["access", "requirements", "1"][..],
        &["predicate", "show", "1"],
        &["tool", "list", "--no-fetch"],
    ] {
        let predicate = |block: &str| {
            let report = fixture.plain_json(&[args, &["--block", block]].concat(), 0);
            let tools = &report["tools"][0]["accessPredicate"];
            [&report["predicate"], tools]
                .into_iter()
                .any(|value| !value.is_null())
        };
        assert!(!predicate(&number) && predicate("latest"), "{args:?}");
    }
    let missing = check("999999", 3);
    let message = missing["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("block 999999 does not exist"),
        "{message}"
    );
    // A hash of a block that is no longer part of the chain.
    let other = format!("0x{}", "11".repeat(32));
    check(&other, 3);
    check("pending", 2);
}

/// Runtime code that returns a word if the first argument is this node, and else zero.
fn answers(node: B256, word: Address) -> String {
    // PUSH32 node, PUSH1 4, CALLDATALOAD, EQ, PUSH20 word, MUL, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
    let code = [
        &hex!("7f")[..],
        node.as_slice(),
        &hex!("60043514"),
        &hex!("73"),
        word.as_slice(),
        &hex!("02"),
        &hex!("5f5260205ff3"),
    ];
    hex::encode_prefixed(code.concat())
}

#[test]
fn ens_names_are_resolved_on_mainnet_only() {
    let fixture = Fixture::with_anvil(&["--chain-id", "1"]);
    fixture.register_gated(Address::ZERO);
    let label = |parent: B256, label: &str| keccak256([parent, keccak256(label)].concat());
    let node = label(label(B256::ZERO, "eth"), "holder");
    let registry: Address = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"
        .parse()
        .unwrap();
    let resolver = Address::repeat_byte(0xe5);
    let holder: Address = ACCOUNTS[1].parse().unwrap();
    fixture.set_code(registry, &answers(node, resolver));
    fixture.set_code(resolver, &answers(node, holder));
    let report = fixture.plain_json(&["access", "check", "1", "Holder.eth"], 0);
    assert_eq!(report["account"], ACCOUNTS[1].to_lowercase());
    assert_eq!(report["name"], "holder.eth");
    let transcript = fixture.plain_transcript(&["access", "check", "1", "holder.eth"]);
    let expected = format!("account     {} (holder.eth)", ACCOUNTS[1]);
    assert!(transcript.contains(&expected), "{transcript}");
    let list = ["tool", "list", "--no-fetch", "--creator", "holder.eth"];
    assert_eq!(fixture.plain_json(&list, 0)["tools"], json!([]));
    let error = |args: &[&str], code| {
        let report = fixture.plain_json(args, code);
        report["error"]["message"].as_str().unwrap().to_owned()
    };
    let check = |name| error(&["access", "check", "1", name], 1);
    assert_eq!(check("other.eth"), "other.eth: the name has no resolver");
    fixture.set_code(resolver, "0x5f5f5260205ff3");
    assert_eq!(check("holder.eth"), "holder.eth: the name has no address");
    assert!(error(&["access", "check", "1", "h\u{43e}lder.eth"], 2).contains("confusing"));
    let local = Fixture::new();
    local.register_gated(Address::ZERO);
    let report = local.plain_json(&["access", "check", "1", "holder.eth"], 2);
    let message = report["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("anvil (31337) has no ENS registry"),
        "{message}"
    );
}

sol! {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
}

/// Runtime code of a resolver that reverts with an `OffchainLookup` and returns what its callback gets from a gateway.
fn offchain_resolver(lookup: &OffchainLookup, is_extended: bool) -> String {
    let data = lookup.abi_encode();
    let code = [
        // Jumps to the callback or to `supportsInterface`.
        &hex!("5f3560e01c8063")[..],
        lookup.callbackFunction.as_slice(),
        &hex!("146022576301ffc9a714602d57"),
        // Reverts with the data that follows the code.
        &hex!("61"),
        &u16::try_from(data.len()).unwrap().to_be_bytes(),
        &hex!("8060365f395ffd"),
        // Returns the first argument of the callback.
        &hex!("5b6044358060645f375ff3"),
        &hex!("5b60"),
        &[u8::from(is_extended)],
        &hex!("5f5260205ff3"),
        &data,
    ];
    hex::encode_prefixed(code.concat())
}

#[test]
fn ens_names_outside_the_chain_are_fetched_from_gateways() {
    let mut fixture = Fixture::with_anvil(&["--chain-id", "1"]);
    fixture.register_gated(Address::ZERO);
    fixture.atr = fixture
        .atr
        .with_variable(
            "ATR_ALLOW_HOST",
            format!("localhost:{}", fixture.server.address().port()),
        )
        .with_variable("ATR_CA_FILE", "ca.pem");
    let label = |parent: B256, label: &str| keccak256([parent, keccak256(label)].concat());
    let eth = label(B256::ZERO, "eth");
    let registry: Address = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"
        .parse()
        .unwrap();
    let resolver = Address::repeat_byte(0xe5);
    let holder: Address = ACCOUNTS[1].parse().unwrap();
    let lookup = |urls: &[String]| OffchainLookup {
        sender: resolver,
        urls: urls.to_vec(),
        callData: hex!("1234").into(),
        callbackFunction: hex!("b4a85801").into(),
        extraData: Bytes::new(),
    };
    let origin = fixture.server.origin();
    let get = format!("{origin}/{{sender}}/{{data}}.json");
    let post = format!("{origin}/post");
    let word = holder.into_word();
    let answer = |bytes: &[u8]| json!({ "data": hex::encode_prefixed(bytes) }).to_string();
    let get_path = format!("/{resolver:#x}/0x1234.json");
    let check = |name: &str, code| fixture.plain_json(&["access", "check", "1", name], code);
    let message = |name: &str| {
        let report = check(name, 1);
        report["error"]["message"].as_str().unwrap().to_owned()
    };

    // The second gateway is asked if the first does not answer.
    fixture.set_code(registry, &answers(label(eth, "holder"), resolver));
    let urls = [format!("{origin}/missing/{{data}}"), get.clone()];
    fixture.set_code(resolver, &offchain_resolver(&lookup(&urls), false));
    fixture.server.put(&get_path, answer(word.as_slice()));
    assert_eq!(
        check("holder.eth", 0)["account"],
        ACCOUNTS[1].to_lowercase()
    );

    // A wildcard resolver of the parent, asked with a POST request. Names are normalized first.
    fixture.set_code(registry, &answers(label(eth, "h\u{f6}lder"), resolver));
    fixture.set_code(resolver, &offchain_resolver(&lookup(&[post]), true));
    let nested = (Bytes::copy_from_slice(word.as_slice()),).abi_encode_params();
    let body = answer(&nested);
    let expected = json!({ "data": "0x1234", "sender": format!("{resolver:#x}") });
    fixture.server.route("/post", move |request| {
        assert_eq!(
            serde_json::from_slice::<Value>(&request.body).unwrap(),
            expected
        );
        Response::new(200, body.clone())
    });
    let report = check("a.H\u{d6}LDER.eth", 0);
    assert_eq!(report["account"], ACCOUNTS[1].to_lowercase());
    assert_eq!(report["name"], "a.h\u{f6}lder.eth");

    // A parent that does not answer for subdomains.
    fixture.set_code(
        resolver,
        &offchain_resolver(&lookup(std::slice::from_ref(&get)), false),
    );
    assert!(message("a.h\u{f6}lder.eth").contains("has no resolver"));
    // Gateways at addresses that are not public.
    let private = "https://127.0.0.1:1/{data}".to_owned();
    fixture.set_code(resolver, &offchain_resolver(&lookup(&[private]), false));
    let text = message("h\u{f6}lder.eth");
    assert!(
        text.contains("no gateway") && text.contains("127.0.0.1"),
        "{text}"
    );
    // The lookup of another contract.
    let other = OffchainLookup {
        sender: registry,
        ..lookup(&[get])
    };
    fixture.set_code(resolver, &offchain_resolver(&other, false));
    assert!(message("h\u{f6}lder.eth").contains("foreign OffchainLookup"));
    // A resolver that always asks again.
    let again = OffchainLookup {
        callbackFunction: hex!("00000001").into(),
        ..lookup(&[format!("{origin}/{{sender}}/{{data}}.json")])
    };
    let code = offchain_resolver(&again, false).replace("6300000001", "6300000002");
    fixture.set_code(resolver, &code);
    assert!(message("h\u{f6}lder.eth").contains("more than 4 answers"));
}

#[test]
fn checksums_are_checked_everywhere() {
    let fixture = Fixture::new();
    fixture.register_gated(Address::ZERO);
    let checksummed = format!("eip155:31337/erc8257:{}/1", Fixture::registry());
    fixture.plain_json(&["access", "check", &checksummed, ACCOUNT], 0);
    let wrong = ACCOUNT.replace("0xf", "0xF");
    let tool = format!("eip155:31337/erc8257:{wrong}/1");
    for args in [
        &["access", "check", &tool, ACCOUNT][..],
        &["access", "check", "1", &wrong],
        &["tool", "list", "--creator", &wrong],
        &["tool", "list", "--registry", &wrong],
        &["tool", "set-predicate", "1", &wrong],
        &["tool", "deregister", "1", "--from", &wrong],
        &["predicate", "show", "1", "--predicate", &wrong],
        &["predicate", "set-erc721", "1", "--collection", &wrong],
        &[
            "predicate",
            "set-erc1155",
            "1",
            "--token",
            &format!("{wrong}:1"),
        ],
        &[
            "predicate",
            "set-erc20",
            "1",
            "--token",
            &wrong,
            "--min-balance",
            "1",
        ],
        &["predicate", "set-composite", "1", "--all", "--term", &wrong],
        &[
            "predicate",
            "set-composite",
            "1",
            "--expr",
            &format!("erc721 or ({wrong})"),
        ],
        &["deploy", "check", "--address", &wrong],
        &[
            "manifest",
            "init",
            "--name",
            "x",
            "--description",
            "x",
            "--endpoint",
            "https://a.example",
            "--creator-address",
            &wrong,
        ],
    ] {
        let report = fixture.plain_json(args, 2);
        let error = report["error"]["message"].as_str().unwrap();
        assert!(
            error.contains("invalid EIP-55 checksum"),
            "{args:?}: {error}"
        );
    }
}

#[test]
fn token_amounts_are_decimal() {
    let fixture = Fixture::new();
    let predicate = address_of("ERC20BalancePredicate");
    fixture.register_gated(predicate);
    let token = fixture.deploy_mock("PlainERC20", &[]).to_string();
    let set = |amount: &[&str], code| {
        let args = [
            "predicate",
            "set-erc20",
            "1",
            "--token",
            &token,
            "--yes",
            "--min-balance",
        ];
        fixture.plain_json(&[&args[..], amount].concat(), code)
    };
    let configured = || {
        let show = fixture.plain_json(&["predicate", "show", "1"], 0);
        show["configuration"]["minBalance"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    set(&["100"], 0);
    assert_eq!(configured(), format!("100{}", "0".repeat(18)));
    let check = fixture.plain_transcript(&["access", "check", "1", ACCOUNTS[2]]);
    assert!(
        check.contains(&format!("hold at least 100 PLAIN (ERC-20, {token})")),
        "{check}"
    );
    let show = fixture.plain_transcript(&["predicate", "show", "1"]);
    assert!(
        show.contains(&format!(
            "configured  hold at least 100 PLAIN (ERC-20, {token})"
        )),
        "{show}"
    );
    set(&["0.5"], 0);
    assert_eq!(configured(), format!("5{}", "0".repeat(17)));
    set(&["7", "--decimals", "0"], 0);
    assert_eq!(configured(), "7");
    let error = |report: Value| report["error"]["message"].as_str().unwrap().to_owned();
    let too_small = error(set(&[&format!("0.{}1", "0".repeat(18))], 2));
    assert!(
        too_small.contains("has more decimals than the token, which has 18"),
        "{too_small}"
    );
    // A contract without decimals().
    let registry = Fixture::registry().to_string();
    let args = [
        "predicate",
        "set-erc20",
        "1",
        "--token",
        &registry,
        "--min-balance",
        "1",
        "--yes",
    ];
    let message = error(fixture.plain_json(&args, 2));
    assert!(
        message.contains("does not have decimals(), as most ERC-20 tokens do; check the address, or use --decimals"),
        "{message}"
    );
}

/// The documents of commands that succeed, refuse, fail and are misused.
#[test]
fn json_documents_have_one_envelope_on_standard_output() {
    let fixture = Fixture::new();
    fixture.register_gated(address_of("AlwaysDenyPredicate"));
    let mut broken = fixture.manifest("oracle");
    broken["pricing"] = json!([]);
    fixture.serve("oracle", &broken);
    let uri = fixture.uri("oracle");
    let unreachable = ["--rpc-url", "http://127.0.0.1:1"];
    for (args, code, has_error) in [
        (&["access", "requirements", "1"][..], 0, false),
        // A negative result is not an error.
        (&["access", "check", "1", ACCOUNT], 1, false),
        (&["tool", "register", &uri, "--dry-run"], 1, true),
        (
            &[
                "tool",
                "set-predicate",
                "1",
                "open",
                "--yes",
                "--max-cost",
                "1wei",
            ],
            1,
            true,
        ),
        (&["tool", "deregister", "1"], 2, true),
        (&["tool", "deregister", "9"], 1, true),
        (&["tool", "deregister"], 2, true),
        (&["config", "get", "chain"], 1, true),
        (
            &[
                "access",
                "check",
                "1",
                ACCOUNT,
                unreachable[0],
                unreachable[1],
            ],
            3,
            true,
        ),
        (
            &["verify", "--all", unreachable[0], unreachable[1]],
            3,
            true,
        ),
    ] {
        let fetch = ["--allow-host", &fixture.host(), "--ca-file", "ca.pem"];
        let more = if args.contains(&"register") {
            &fetch[..]
        } else {
            &[]
        };
        let output = fixture.atr.output(&[args, more, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        let report = parse_json(&output.stdout, code);
        assert_eq!(
            report.get("error").is_some(),
            has_error,
            "{args:?}: {report}"
        );
        if let Some(error) = report.get("error") {
            assert!(
                error["message"].is_string() && error["causes"].is_array(),
                "{error}"
            );
        }
        assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
    }
}

#[test]
fn update_rejects_another_creator() {
    // H-19
    let fixture = Fixture::new();
    let hash = fixture.serve("oracle", &fixture.manifest("oracle"));
    fixture.register(ACCOUNT, &fixture.uri("oracle"), hash);
    let mut other = fixture.manifest("oracle");
    other["creatorAddress"] = json!(ACCOUNTS[1].to_lowercase());
    fixture.serve("oracle", &other);
    let before = [ACCOUNT, ACCOUNTS[1]].map(|account| fixture.anvil.nonce(account));
    let report = fixture.json(&["tool", "update", "1", "--yes"], 1);
    let failed = &report["rejection"]["checks"][0];
    assert_eq!(
        (&failed["check"], &failed["code"]),
        (&json!("creator"), &json!("creator-mismatch"))
    );
    let fix = failed["fix"].as_str().unwrap();
    assert!(fix.starts_with("set `creatorAddress` to"), "{fix}");
    assert!(!fix.contains("sign with"), "{fix}");
    assert_eq!(
        report["error"]["message"],
        "not updated: consumers would reject the manifest"
    );
    // The account that the manifest names cannot update the tool either: the creator cannot be changed.
    let host = fixture.host();
    let args = [
        "tool",
        "update",
        "1",
        "--yes",
        "--json",
        "--allow-host",
        &host,
        "--ca-file",
        "ca.pem",
    ];
    let output = fixture
        .atr
        .command(&args)
        .env("ATR_PRIVATE_KEY", KEYS[1])
        .output()
        .unwrap();
    let report = parse_json(&output.stdout, 1);
    let message = report["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("only the creator can change the tool"),
        "{message}"
    );
    assert_eq!(
        [ACCOUNT, ACCOUNTS[1]].map(|account| fixture.anvil.nonce(account)),
        before
    );
}

#[test]
fn the_explorer_key_can_be_in_foundry_toml() {
    let fixture = Fixture::new();
    let foundry = "[etherscan]\nlocal = { key = \"${EXPLORER_KEY}\", chain = 31337 }\n";
    let explorer = atr_loopback::HttpsServer::start(
        &atr_loopback::CertificateAuthority::new().issue(&["localhost"]),
    );
    let atr = Atr::new()
        .with_file("foundry.toml", foundry)
        .with_variable("ATR_RPC_URL", &fixture.anvil.url)
        .with_variable("ATR_PRIVATE_KEY", KEY);
    let url = explorer.origin();
    let args = [
        "deploy",
        "--records",
        "records",
        "--yes",
        "--json",
        "--verify",
        "--verifier",
        "etherscan",
        "--etherscan-url",
        &url,
    ];
    let message = |output: std::process::Output| {
        let code = output.status.code().unwrap();
        let report = parse_json(&output.stdout, code);
        report["error"]["message"].as_str().map(str::to_owned)
    };
    let missing = message(atr.output(&args)).unwrap();
    assert!(
        missing.contains("environment variable EXPLORER_KEY is not set"),
        "{missing}"
    );
    // The explorer cannot be reached, which is not an error.
    let output = atr
        .command(&args)
        .env("EXPLORER_KEY", "key")
        .output()
        .unwrap();
    assert_eq!(message(output), None);
}
