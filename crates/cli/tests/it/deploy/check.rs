use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{ERC20_BALANCE_PREDICATE, IAccessPredicate};
use atr_deploy::{FACTORY, Suite};
use atr_loopback::{ACCOUNT, Anvil};
use serde_json::{Value, json};

use super::{Operator, suite, text};
use crate::support::proxy::{Action, Proxy};

fn deployed() -> (Anvil, Operator) {
    let anvil = Anvil::start();
    let operator = Operator::at(&anvil);
    operator.answer(&["--chain", "anvil", "--yes"], 0);
    (anvil, operator)
}

fn finding<'a>(answer: &'a Value, what: &str) -> &'a Value {
    let findings = answer["contracts"][0]["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|finding| finding["what"] == what)
        .unwrap()
}

/// Deploys init code in a transaction of its own; returns the transaction and the address.
fn create(anvil: &Anvil, init_code: &[u8]) -> (String, Address) {
    let request =
        json!({ "from": ACCOUNT, "data": Bytes::copy_from_slice(init_code), "gas": "0x1000000" });
    let hash = anvil.ask("eth_sendTransaction", json!([request]));
    let receipt = anvil.receipt(&hash);
    assert_eq!(receipt["status"], "0x1");
    let address = receipt["contractAddress"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    (hash.as_str().unwrap().to_owned(), address)
}

#[test]
fn a_deployment_of_ours_is_as_expected_whoever_asks() {
    let (anvil, _) = deployed();
    let stranger = Operator::without_key(&anvil);
    let answer = stranger.answer(&["check", "--chain", "anvil"], 0);
    assert_eq!(answer["verdict"], "yes");
    assert_eq!(
        answer["contracts"].as_array().unwrap().len(),
        suite().targets().len()
    );
    let registry = suite().registry().to_string();
    let answer = stranger.answer(&["check", "--chain", "anvil", "--registry", &registry], 0);
    assert_eq!(answer["contracts"][0]["origin"], "ours");
    let human = text(
        &stranger
            .run(&["check", "--chain", "anvil", "--only", "ToolRegistry"])
            .stdout,
    );
    assert!(
        human.contains("yes  no proxy       all proxy slots are zero"),
        "{human}"
    );
}

#[test]
fn says_what_differs() {
    let (anvil, operator) = deployed();
    let suite = suite();
    let target = &suite.targets()[0];
    let mut code = target.runtime().to_vec();
    let last = code.len() - 1;
    code[last] ^= 1;
    anvil.ask(
        "anvil_setCode",
        json!([target.address(), Bytes::from(code)]),
    );
    let answer = operator.answer(&["check", "--chain", "anvil", "--only", "ToolRegistry"], 1);
    assert_eq!(
        finding(&answer, "runtime code")["detail"],
        format!("1 bytes differ, the first at offset {last}")
    );
}

#[test]
fn a_proxy_is_found_by_its_slots() {
    let (anvil, operator) = deployed();
    // one slot of a proxy is enough to fail.
    let slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    anvil.ask(
        "anvil_setStorageAt",
        json!([suite().registry(), slot, B256::with_last_byte(1)]),
    );
    let answer = operator.answer(&["check", "--chain", "anvil", "--only", "ToolRegistry"], 1);
    let finding = finding(&answer, "no proxy");
    assert_eq!(finding["verdict"], "no");
    assert!(
        finding["detail"]
            .as_str()
            .unwrap()
            .starts_with("slot EIP-1967 implementation holds 0x"),
        "{finding}"
    );
}

#[test]
fn what_is_not_there_is_a_no() {
    let anvil = Anvil::start();
    let operator = Operator::without_key(&anvil);
    for args in [
        &["check", "--chain", "anvil"][..],
        &["check", "--chain", "anvil", "--registry", "opensea"],
        &[
            "check",
            "--chain",
            "anvil",
            "--address",
            "0x00000000000000000000000000000000000000aa",
        ],
    ] {
        let answer = operator.answer(args, 1);
        assert_eq!(
            finding(&answer, "code")["detail"],
            "there is no code at this address"
        );
    }
}

#[test]
fn the_reference_is_held_against_what_it_promises() {
    let anvil = Anvil::start();
    // Our registry in its place: everything but the version is right.
    let reference = "0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1";
    anvil.ask(
        "anvil_setCode",
        json!([reference, suite().targets()[0].runtime()]),
    );
    let operator = Operator::without_key(&anvil);
    let answer = operator.answer(&["check", "--chain", "anvil", "--address", reference], 1);
    assert_eq!(answer["contracts"][0]["origin"], "reference");
    assert_eq!(finding(&answer, "version()")["detail"], "is 1.0, not 0.2");
    assert_eq!(finding(&answer, "interface ids")["verdict"], "yes");
    let code = finding(&answer, "runtime code");
    assert!(
        code["detail"].as_str().unwrap().starts_with("has hash 0x"),
        "{code}"
    );
    // The address follows from the init code that is known of the reference, whatever was put there by force.
    assert_eq!(finding(&answer, "init code")["verdict"], "yes");
    // Of its predicates none is known: code that is there is not enough for a yes.
    let predicate = "0xc8721c9A776958FfFfEb602DA1b708bf1D318379";
    let stand_in = Suite::for_registry(B256::ZERO, reference.parse().unwrap());
    let stand_in = stand_in.only(&["ERC721OwnerPredicate"]).unwrap();
    anvil.ask(
        "anvil_setCode",
        json!([predicate, stand_in.targets()[0].runtime()]),
    );
    let answer = operator.answer(&["check", "--chain", "anvil", "--address", predicate], 3);
    assert_eq!(finding(&answer, "REGISTRY()")["verdict"], "yes");
    assert_eq!(finding(&answer, "init code")["verdict"], "unknown");
}

#[test]
fn the_same_code_from_another_constructor_is_not_the_same_contract() {
    let (anvil, operator) = deployed();
    let target = suite()
        .only(&[ERC20_BALANCE_PREDICATE.name()])
        .unwrap()
        .targets()[0]
        .clone();
    // Slot 0 maps tools to balances: token and flag in one word, the minimum in the next. This constructor lets everyone
    // with any of a made-up token into tool 1, and returns the very code of ours.
    let token = create(
        &anvil,
        &returning(&[0x60, 0x01, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3]),
    )
    .1;
    let balance_slot = U256::from_be_bytes(keccak256((U256::ONE, U256::ZERO).abi_encode()).0);
    let flag = U256::ONE << 160;
    let writes = [
        (balance_slot, U256::from_be_slice(token.as_slice()) | flag),
        (balance_slot + U256::ONE, U256::ONE),
    ];
    let mut init_code = Vec::new();
    for (slot, value) in writes {
        init_code.push(0x7f);
        init_code.extend(value.to_be_bytes::<32>());
        init_code.push(0x7f);
        init_code.extend(slot.to_be_bytes::<32>());
        init_code.push(0x55);
    }
    init_code.extend(returning_after(&target.runtime(), init_code.len()));
    let (transaction, planted) = create(&anvil, &init_code);

    // B-17: one runtime code, two constructors, two answers…
    assert_eq!(
        anvil.ask("eth_getCode", json!([planted, "latest"])),
        json!(target.runtime())
    );
    let question = IAccessPredicate::hasAccessCall {
        toolId: U256::ONE,
        account: Address::repeat_byte(9),
        data: Bytes::new(),
    };
    let ask = |to: Address| {
        let request = json!({ "to": to, "data": Bytes::from(question.abi_encode()) });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [request, "latest"] });
        let answer = atr_loopback::post(&anvil.url, body.to_string().as_bytes());
        serde_json::from_slice::<Value>(&answer).unwrap()
    };
    assert_eq!(ask(planted)["result"], json!(B256::with_last_byte(1)));
    assert!(ask(target.address())["error"].is_object());

    // …so code alone is never a yes: unknown without the init code, no with it, yes where the address follows from it.
    let planted = planted.to_string();
    let check = ["check", "--chain", "anvil", "--address", &planted];
    let answer = operator.answer(&check, 3);
    assert_eq!(finding(&answer, "runtime code")["verdict"], "yes");
    assert_eq!(finding(&answer, "init code")["verdict"], "unknown");
    let answer = operator.answer(&[&check[..], &["--transaction", &transaction]].concat(), 1);
    assert_eq!(finding(&answer, "init code")["verdict"], "no");
    let ours = target.address().to_string();
    operator.answer(&["check", "--chain", "anvil", "--address", &ours], 0);
}

#[test]
fn the_creating_transaction_shows_the_init_code() {
    let (anvil, operator) = deployed();
    let target = suite().targets()[0].clone();
    let (transaction, address) = create(&anvil, target.init_code());
    let address = address.to_string();
    let check = ["check", "--chain", "anvil", "--address", &address];
    operator.answer(&check, 3);
    let answer = operator.answer(&[&check[..], &["--transaction", &transaction]].concat(), 0);
    assert!(
        finding(&answer, "init code")["detail"]
            .as_str()
            .unwrap()
            .ends_with("as the creating transaction shows")
    );
    // A transaction that created something else proves nothing.
    let (other, _) = create(&anvil, target.init_code());
    operator.answer(&[&check[..], &["--transaction", &other]].concat(), 1);
}

#[test]
fn a_pinned_init_code_is_held_against_the_address() {
    let anvil = Anvil::start();
    let operator = Operator::at(&anvil);
    let salt = B256::repeat_byte(3);
    let other = Suite::new(salt);
    let (salt, registry) = (salt.to_string(), other.registry().to_string());
    operator.answer(
        &[
            "--chain",
            "anvil",
            "--yes",
            "--salt",
            &salt,
            "--only",
            "ToolRegistry",
        ],
        0,
    );
    let check = ["check", "--chain", "anvil", "--address", &registry];
    // Under the usual salt the address is a stranger's; with the salt it follows from ours.
    operator.answer(&check, 3);
    operator.answer(&[&check[..], &["--salt", &salt]].concat(), 0);
    let transaction = &operator.record(31337)["contracts"][registry.to_lowercase()]["transaction"];
    let transaction = transaction.as_str().unwrap();
    operator.answer(&[&check[..], &["--transaction", transaction]].concat(), 0);
    let pin = other.targets()[0].init_code_hash().to_string();
    assert_eq!(
        FACTORY.create2(B256::repeat_byte(3), pin.parse::<B256>().unwrap()),
        other.registry()
    );
}

/// Init code that returns some code.
fn returning(code: &[u8]) -> Vec<u8> {
    returning_after(code, 0)
}

/// The same behind other instructions.
fn returning_after(code: &[u8], before: usize) -> Vec<u8> {
    const LENGTH: usize = 13;
    let size = u16::try_from(code.len()).unwrap().to_be_bytes();
    let start = u16::try_from(before + LENGTH).unwrap().to_be_bytes();
    // PUSH2 size, DUP1, PUSH2 start, PUSH0, CODECOPY, PUSH0, RETURN
    let mut init_code = vec![
        0x61, size[0], size[1], 0x80, 0x61, start[0], start[1], 0x5f, 0x39, 0x5f, 0xf3,
    ];
    init_code.resize(LENGTH, 0x00);
    init_code.extend(code);
    init_code
}

#[test]
fn a_node_in_trouble_is_not_taken_for_a_contract_that_is_wrong() {
    let (anvil, _) = deployed();
    let proxy = Proxy::start(&anvil.url, |asked| match asked.method.as_str() {
        "eth_call" => Action::Fail("missing trie node"),
        _ => Action::Pass,
    });
    let operator = Operator::at_url(&proxy.url);
    let error = operator.error(&["check", "--chain", "anvil"], 3);
    assert!(error.contains("did not answer eth_call"), "{error}");
}
