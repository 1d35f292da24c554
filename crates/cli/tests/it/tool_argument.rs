use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS, Action, RpcProxy};

use crate::fixture::Fixture;

const MANIFEST_URL: &str = "https://a.example/.well-known/ai-tool/a.json";

/// Code of a registry that returns `count` as its tool count and the same tool for every id.
fn false_registry_code(count: U256) -> String {
    let config = IToolRegistry::getToolConfigCall::abi_encode_returns(&IToolRegistry::ToolConfig {
        creator: ACCOUNTS[1].parse().unwrap(),
        metadataURI: MANIFEST_URL.to_owned(),
        manifestHash: B256::repeat_byte(1),
        accessPredicate: Address::ZERO,
    });
    let [high, low] = u16::try_from(config.len()).unwrap().to_be_bytes();
    // Calldata of four bytes is `toolCount`.
    let mut code = hex!("3660041460115761").to_vec();
    code.extend([high, low]);
    code.extend(hex!("8060395f395ff35b7f"));
    code.extend(count.to_be_bytes::<32>());
    code.extend(hex!("5f5260205ff3"));
    code.extend(config);
    hex::encode_prefixed(code)
}

#[test]
fn finds_a_tool_by_manifest_url() {
    let fixture = Fixture::new();
    let url = |name: &str| format!("https://a.example/.well-known/ai-tool/{name}.json");
    let hash = B256::repeat_byte(1);
    fixture.register(ACCOUNT, &url("single"), hash);
    for _ in 0..12 {
        fixture.register(ACCOUNTS[1], &url("many"), hash);
    }
    let check = |name: &str, code| {
        let url = url(name);
        let output = fixture.atr.output(&["access", "check", &url, ACCOUNT]);
        let transcript = fixture.normalize(&fixture.atr.transcript_of(&output));
        assert_eq!(output.status.code(), Some(code), "{transcript}");
        transcript
    };
    let single = check("single", 0);
    assert!(single.contains("erc8257:<ToolRegistry>/1\n"), "{single}");
    insta::assert_snapshot!("no_tool_with_url", check("none", 1));
    insta::assert_snapshot!("ambiguous_url", check("many", 2));
    let hash = fixture.serve("oracle", &fixture.manifest("oracle"));
    let id = fixture.register(ACCOUNT, &fixture.uri("oracle"), hash);
    let verdict = fixture.json(&["verify", &fixture.uri("oracle")], 0);
    assert_eq!(verdict["verdicts"][0]["tool"], Fixture::tool(id));
}

#[test]
fn manifest_urls_are_compared_in_normalized_form() {
    // G-01
    let fixture = Fixture::new();
    let uri = "HTTPS://A.example:443/.well-known/ai-tool/a.json";
    fixture.register(ACCOUNT, uri, B256::repeat_byte(1));
    for url in [
        MANIFEST_URL,
        uri,
        "https://a.EXAMPLE/.well-known/ai-tool/a.json",
    ] {
        let transcript = fixture.plain_transcript(&["access", "check", url, ACCOUNT]);
        assert!(
            transcript.starts_with("exit code: 0"),
            "{url}: {transcript}"
        );
    }
    let other = fixture.plain_transcript(&[
        "access",
        "check",
        "https://b.example/.well-known/ai-tool/a.json",
        ACCOUNT,
    ]);
    assert!(other.starts_with("exit code: 1"), "{other}");
}

#[test]
fn limits_reads_of_a_registry_with_a_false_tool_count() {
    let fixture = Fixture::new();
    let registry = Address::repeat_byte(0x1a);
    fixture.set_code(registry, &false_registry_code(U256::from(u64::MAX)));
    let registry = registry.to_string();
    let proxy = RpcProxy::start(&fixture.anvil.url, |_| Action::Forward);
    let list = ["tool", "list", "--no-fetch", "--registry", &registry];
    let first = [&list[..], &["--limit", "1", "--rpc-url", &proxy.url]].concat();
    let page = fixture.plain_json(&first, 0);
    assert_eq!(page["tools"].as_array().unwrap().len(), 1);
    assert_eq!(page["next"], "2");
    // One call for `toolCount`, one for the tool.
    assert_eq!(proxy.counts()["eth_call"], 2);

    let by_creator = [&list[..], &["--creator", ACCOUNT]].concat();
    let page = fixture.plain_json(&by_creator, 0);
    assert_eq!(page["next"], "10001");
    insta::assert_snapshot!("no_tools_so_far", fixture.plain_transcript(&by_creator));
    let last = [&list[..], &["--from-id", "18446744073709551614"]].concat();
    let page = fixture.plain_json(&last, 0);
    assert_eq!(page["tools"].as_array().unwrap().len(), 2);

    for args in [
        &["verify", "--all"][..],
        &["access", "check", MANIFEST_URL, ACCOUNT],
    ] {
        let args = [args, &["--registry", &registry]].concat();
        let output = fixture.atr.output(&args);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let message = "claims 18446744073709551615 tools; a full scan reads at most 1000000";
        assert!(stderr.contains(message), "{stderr}");
    }
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let uri = fixture.uri("oracle");
    let register = [
        "tool",
        "register",
        &uri,
        "--dry-run",
        "--registry",
        &registry,
    ];
    let warnings = fixture.json(&register, 0)["warnings"].to_string();
    let message = "not searched for other tools with this manifest URL: the registry has 18446744073709551615 tools";
    assert!(warnings.contains(message), "{warnings}");
}
