use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{ERC20_BALANCE_PREDICATE, IAccessPredicate};
use atr_deploy::{FACTORY, Suite};
use atr_loopback::{ACCOUNT, Action, Anvil, RpcProxy};
use serde_json::{Value, json};

use super::{Operator, suite, text};
use crate::fixture::anvil_with_contracts;

fn deployed() -> (Anvil, Operator) {
    let anvil = anvil_with_contracts();
    let operator = Operator::new(&anvil);
    (anvil, operator)
}

fn finding<'a>(report: &'a Value, check: &str) -> &'a Value {
    let findings = report["contracts"][0]["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|finding| finding["check"] == check)
        .unwrap()
}

/// Deploys init code; returns the transaction and the address.
fn create(anvil: &Anvil, init_code: &[u8]) -> (String, Address) {
    let request =
        json!({ "from": ACCOUNT, "data": Bytes::copy_from_slice(init_code), "gas": "0x1000000" });
    let hash = anvil.request("eth_sendTransaction", json!([request]));
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
fn audits_the_deployment_without_a_key() {
    let (anvil, _) = deployed();
    let operator = Operator::without_key(&anvil);
    let report = operator.json(&["check", "--chain", "anvil"], 0);
    assert_eq!(report["status"], "pass");
    assert_eq!(
        report["contracts"].as_array().unwrap().len(),
        suite().targets().len()
    );
    let registry = suite().registry().to_string();
    let report = operator.json(&["check", "--chain", "anvil", "--registry", &registry], 0);
    assert_eq!(report["contracts"][0]["origin"], "ours");
    let human = text(
        &operator
            .run(&["check", "--chain", "anvil", "--only", "ToolRegistry"])
            .stdout,
    );
    assert!(
        human.contains("pass  no proxy       all proxy slots are zero"),
        "{human}"
    );
}

#[test]
fn reports_differing_bytes() {
    let (anvil, operator) = deployed();
    let suite = suite();
    let target = &suite.targets()[0];
    let mut code = target.runtime().to_vec();
    let last = code.len() - 1;
    code[last] ^= 1;
    anvil.request(
        "anvil_setCode",
        json!([target.address(), Bytes::from(code)]),
    );
    let report = operator.json(&["check", "--chain", "anvil", "--only", "ToolRegistry"], 1);
    assert_eq!(
        finding(&report, "runtime code")["detail"],
        format!("1 bytes differ, the first at offset {last}")
    );
}

#[test]
fn detects_a_proxy_by_its_storage_slots() {
    let (anvil, operator) = deployed();
    // one slot of a proxy is enough to fail.
    let slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    anvil.request(
        "anvil_setStorageAt",
        json!([suite().registry(), slot, B256::with_last_byte(1)]),
    );
    let report = operator.json(&["check", "--chain", "anvil", "--only", "ToolRegistry"], 1);
    let finding = finding(&report, "no proxy");
    assert_eq!(finding["status"], "fail");
    assert!(
        finding["detail"]
            .as_str()
            .unwrap()
            .starts_with("EIP-1967 implementation slot is 0x"),
        "{finding}"
    );
}

#[test]
fn missing_contracts_fail() {
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
        let report = operator.json(args, 1);
        assert_eq!(
            finding(&report, "code")["detail"],
            "no code at this address"
        );
    }
}

#[test]
fn audits_the_reference_deployment() {
    let anvil = Anvil::start();
    // Our registry at the reference address: only the version differs.
    let reference = "0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1";
    anvil.request(
        "anvil_setCode",
        json!([reference, suite().targets()[0].runtime()]),
    );
    let operator = Operator::without_key(&anvil);
    let report = operator.json(&["check", "--chain", "anvil", "--address", reference], 1);
    assert_eq!(report["contracts"][0]["origin"], "reference");
    assert_eq!(finding(&report, "version()")["detail"], "1.0, expected 0.2");
    assert_eq!(finding(&report, "interface ids")["status"], "pass");
    let code = finding(&report, "runtime code");
    assert!(
        code["detail"].as_str().unwrap().starts_with("hash 0x"),
        "{code}"
    );
    // The address is derived from the known init code of the reference.
    assert_eq!(finding(&report, "init code")["status"], "pass");
    // The init code of its predicates is not known, so the result is unknown.
    let predicate = "0xc8721c9A776958FfFfEb602DA1b708bf1D318379";
    let substitute = Suite::for_registry(B256::ZERO, reference.parse().unwrap());
    let substitute = substitute.only(&["ERC721OwnerPredicate"]).unwrap();
    anvil.request(
        "anvil_setCode",
        json!([predicate, substitute.targets()[0].runtime()]),
    );
    let report = operator.json(&["check", "--chain", "anvil", "--address", predicate], 3);
    assert_eq!(finding(&report, "REGISTRY()")["status"], "pass");
    assert_eq!(finding(&report, "init code")["status"], "inconclusive");
}

#[test]
fn the_same_runtime_code_from_another_constructor_does_not_pass() {
    let (anvil, operator) = deployed();
    let target = suite()
        .only(&[ERC20_BALANCE_PREDICATE.name()])
        .unwrap()
        .targets()[0]
        .clone();
    // Slot 0 maps tools to configurations: token and flag in one slot, the minimum balance in the next. This constructor
    // grants access to tool 1 for holders of another token, and returns the same runtime code.
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
    let (transaction, other) = create(&anvil, &init_code);

    // B-17: the same runtime code with two constructors gives two results…
    assert_eq!(
        anvil.request("eth_getCode", json!([other, "latest"])),
        json!(target.runtime())
    );
    let call = IAccessPredicate::hasAccessCall {
        toolId: U256::ONE,
        account: Address::repeat_byte(9),
        data: Bytes::new(),
    };
    let ask = |to: Address| {
        let request = json!({ "to": to, "data": Bytes::from(call.abi_encode()) });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [request, "latest"] });
        let report = atr_loopback::post(&anvil.url, body.to_string().as_bytes());
        serde_json::from_slice::<Value>(&report).unwrap()
    };
    assert_eq!(ask(other)["result"], json!(B256::with_last_byte(1)));
    assert!(ask(target.address())["error"].is_object());

    // …so runtime code alone is not sufficient: unknown without the init code, fail or pass with it.
    let other = other.to_string();
    let check = ["check", "--chain", "anvil", "--address", &other];
    let report = operator.json(&check, 3);
    assert_eq!(finding(&report, "runtime code")["status"], "pass");
    assert_eq!(finding(&report, "init code")["status"], "inconclusive");
    let report = operator.json(&[&check[..], &["--transaction", &transaction]].concat(), 1);
    assert_eq!(finding(&report, "init code")["status"], "fail");
    let ours = target.address().to_string();
    operator.json(&["check", "--chain", "anvil", "--address", &ours], 0);
}

#[test]
fn the_creation_transaction_proves_the_init_code() {
    let (anvil, operator) = deployed();
    let target = suite().targets()[0].clone();
    let (transaction, address) = create(&anvil, target.init_code());
    let address = address.to_string();
    let check = ["check", "--chain", "anvil", "--address", &address];
    operator.json(&check, 3);
    let report = operator.json(&[&check[..], &["--transaction", &transaction]].concat(), 0);
    assert!(
        finding(&report, "init code")["detail"]
            .as_str()
            .unwrap()
            .ends_with("from the creation transaction")
    );
    // The transaction of another contract is rejected, although it has the expected init code.
    let (by_account, _) = create(&anvil, target.init_code());
    let salted = [&[9; 32], target.init_code().as_ref()].concat();
    let request = json!({ "from": ACCOUNT, "to": FACTORY, "data": Bytes::from(salted) });
    let by_factory = anvil.request("eth_sendTransaction", json!([request]));
    assert_eq!(anvil.receipt(&by_factory)["status"], "0x1");
    for transaction in [&by_account, by_factory.as_str().unwrap()] {
        let report = operator.json(&[&check[..], &["--transaction", transaction]].concat(), 1);
        let detail = finding(&report, "init code")["detail"].as_str().unwrap();
        assert_eq!(
            detail,
            format!("{transaction} did not create this contract")
        );
    }
}

#[test]
fn compares_the_init_code_with_the_address() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let salt = B256::repeat_byte(3);
    let other = Suite::new(salt);
    let (salt, registry) = (salt.to_string(), other.registry().to_string());
    operator.json(
        &[
            "--chain",
            "anvil",
            "--yes",
            "--salt",
            &salt,
            "--only",
            "ToolRegistry",
            "ERC721OwnerPredicate",
        ],
        0,
    );
    let check = ["check", "--chain", "anvil", "--address", &registry];
    // The address matches with the right salt only.
    operator.json(&check, 3);
    operator.json(&[&check[..], &["--salt", &salt]].concat(), 0);
    let record = operator.record(31337)["contracts"].clone();
    let transaction = |address: &str| record[address]["transaction"].as_str().unwrap();
    let creation = transaction(&registry.to_lowercase());
    operator.json(&[&check[..], &["--transaction", creation]].concat(), 0);
    // A factory transaction that created another contract proves nothing.
    let addresses = record.as_object().unwrap().keys();
    let predicate = addresses
        .clone()
        .find(|key| **key != registry.to_lowercase());
    let predicate = transaction(predicate.unwrap());
    operator.json(&[&check[..], &["--transaction", predicate]].concat(), 1);
    // The pinned hash proves the init code only if the address follows from it.
    let pin = other.targets()[0].init_code_hash().to_string();
    let pinned = [&check[..], &["--init-code-hash", &pin]].concat();
    operator.json(&pinned, 3);
    operator.json(&[&pinned[..], &["--salt", &salt]].concat(), 0);
}

/// Init code that returns `code`.
fn returning(code: &[u8]) -> Vec<u8> {
    returning_after(code, 0)
}

/// The same after `before` bytes of other instructions.
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
fn an_rpc_error_is_not_a_failed_check() {
    let (anvil, _) = deployed();
    let proxy = RpcProxy::start(&anvil.url, |request| match request.method.as_str() {
        "eth_call" => Action::Fail("missing trie node"),
        _ => Action::Forward,
    });
    let operator = Operator::with_url(&proxy.url);
    let error = operator.error(&["check", "--chain", "anvil"], 3);
    assert!(error.contains("RPC request eth_call failed"), "{error}");
}
