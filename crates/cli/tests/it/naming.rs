use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS};

use crate::{
    stage::Stage,
    support::proxy::{Action, Proxy},
};

const PLACE: &str = "https://a.example/.well-known/ai-tool/a.json";

/// The code of a registry that claims so many tools, all of them the same.
fn lying(count: U256) -> String {
    let config = IToolRegistry::getToolConfigCall::abi_encode_returns(&IToolRegistry::ToolConfig {
        creator: ACCOUNTS[1].parse().unwrap(),
        metadataURI: PLACE.to_owned(),
        manifestHash: B256::repeat_byte(1),
        accessPredicate: Address::ZERO,
    });
    let [high, low] = u16::try_from(config.len()).unwrap().to_be_bytes();
    // A question of four bytes is `toolCount`.
    let mut code = hex!("3660041460115761").to_vec();
    code.extend([high, low]);
    code.extend(hex!("8060395f395ff35b7f"));
    code.extend(count.to_be_bytes::<32>());
    code.extend(hex!("5f5260205ff3"));
    code.extend(config);
    hex::encode_prefixed(code)
}

#[test]
fn a_tool_goes_by_where_its_manifest_is() {
    let stage = Stage::new();
    let place = |name: &str| format!("https://a.example/.well-known/ai-tool/{name}.json");
    let hash = B256::repeat_byte(1);
    stage.register(ACCOUNT, &place("one"), hash);
    for _ in 0..12 {
        stage.register(ACCOUNTS[1], &place("many"), hash);
    }
    let check = |name: &str, code| {
        let place = place(name);
        let output = stage.atr.output(&["access", "check", &place, ACCOUNT]);
        let transcript = stage.lasting(&stage.atr.transcript_of(&output));
        assert_eq!(output.status.code(), Some(code), "{transcript}");
        transcript
    };
    let one = check("one", 0);
    assert!(one.contains("erc8257:<ToolRegistry>/1\n"), "{one}");
    insta::assert_snapshot!("nobodys_place", check("none", 1));
    insta::assert_snapshot!("several_tools", check("many", 2));
    let hash = stage.serve("oracle", &stage.manifest("oracle"));
    let id = stage.register(ACCOUNT, &stage.uri("oracle"), hash);
    let verdict = stage.answer(&["verify", &stage.uri("oracle")], 0);
    assert_eq!(verdict["verdicts"][0]["tool"], Stage::tool(id));
}

#[test]
fn a_registry_that_claims_endless_tools_keeps_nobody_busy() {
    let stage = Stage::new();
    let liar = Address::repeat_byte(0x1a);
    stage.set_code(liar, &lying(U256::from(u64::MAX)));
    let registry = liar.to_string();
    let proxy = Proxy::start(&stage.anvil.url, |_| Action::Pass);
    let list = ["tool", "list", "--registry", &registry];
    let one = [&list[..], &["--limit", "1", "--rpc-url", &proxy.url]].concat();
    let page = stage.plain_answer(&one, 0);
    assert_eq!(page["tools"].as_array().unwrap().len(), 1);
    assert_eq!(page["next"], "2");
    // How many there are, and the one that is wanted.
    assert_eq!(proxy.counts()["eth_call"], 2);

    let of_nobody = [&list[..], &["--creator", ACCOUNT]].concat();
    let page = stage.plain_answer(&of_nobody, 0);
    assert_eq!(page["next"], "10001");
    insta::assert_snapshot!("nobody_so_far", stage.plain(&of_nobody));
    let last = [&list[..], &["--from", "18446744073709551614"]].concat();
    let page = stage.plain_answer(&last, 0);
    assert_eq!(page["tools"].as_array().unwrap().len(), 2);

    for args in [
        &["verify", "--all"][..],
        &["access", "check", PLACE, ACCOUNT],
    ] {
        let args = [args, &["--registry", &registry]].concat();
        let output = stage.atr.output(&args);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let words = "claims 18446744073709551615 tools, and at most 1000000 are looked through";
        assert!(stderr.contains(words), "{stderr}");
    }
    stage.serve("oracle", &stage.manifest("oracle"));
    let uri = stage.uri("oracle");
    let register = [
        "tool",
        "register",
        &uri,
        "--dry-run",
        "--registry",
        &registry,
    ];
    let warnings = stage.answer(&register, 0)["warnings"].to_string();
    let words = "not looked for other registrations of this place: the registry has 18446744073709551615 tools";
    assert!(warnings.contains(words), "{warnings}");
}
