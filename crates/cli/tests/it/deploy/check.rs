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
    assert_eq!(finding(&report, "runtime code")["status"], "fail");
    // A plan does not take code of the same length for the contract either.
    let plan = &operator.json(&["--chain", "anvil", "--dry-run"], 1)["plan"];
    assert_eq!(plan["contracts"][0]["state"], "mismatch");
    assert_eq!(plan["blockers"][0]["kind"], "codeMismatch");
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
    // Its predicates: here with our code, which is not the code of the reference.
    let predicate = "0xc8721c9A776958FfFfEb602DA1b708bf1D318379";
    let substitute = Suite::for_registry(B256::ZERO, reference.parse().unwrap());
    let substitute = substitute.only(&["ERC721OwnerPredicate"]).unwrap();
    anvil.request(
        "anvil_setCode",
        json!([predicate, substitute.targets()[0].runtime()]),
    );
    let report = operator.json(&["check", "--chain", "anvil", "--address", predicate], 1);
    assert_eq!(finding(&report, "REGISTRY()")["status"], "pass");
    assert_eq!(finding(&report, "runtime code")["status"], "fail");
    assert_eq!(finding(&report, "version()")["detail"], "1.0, expected 0.2");
    assert_eq!(finding(&report, "init code")["status"], "pass");
    // --only selects contracts of the reference deployment too.
    let opensea = ["check", "--chain", "anvil", "--registry", "opensea"];
    let only = [&opensea[..], &["--only", "ERC721OwnerPredicate"]].concat();
    let report = operator.json(&only, 1);
    assert_eq!(report["contracts"].as_array().unwrap().len(), 1);
    assert_eq!(report["contracts"][0]["address"], predicate.to_lowercase());
    let error = operator.error(
        &[&opensea[..], &["--only", "CompositePredicate"]].concat(),
        2,
    );
    assert!(error.contains("`CompositePredicate`"), "{error}");
}

#[test]
fn the_registry_of_a_predicate_is_compared_with_the_named_one() {
    let (anvil, operator) = deployed();
    // A predicate of atr for another registry, at its predicted address.
    let other = Address::repeat_byte(0x77);
    let suite = Suite::for_registry(B256::ZERO, other);
    let suite = suite.only(&["ERC721OwnerPredicate"]).unwrap();
    let target = &suite.targets()[0];
    anvil.request("anvil_setCode", json!([target.address(), target.runtime()]));
    let (address, other) = (target.address().to_string(), other.to_string());
    let check = ["check", "--chain", "anvil", "--address", &address];
    let report = operator.json(&[&check[..], &["--registry", &other]].concat(), 0);
    assert_eq!(finding(&report, "REGISTRY()")["detail"], other);
    for named in ["ours", "opensea"] {
        let report = operator.json(&[&check[..], &["--registry", named]].concat(), 1);
        assert_eq!(finding(&report, "REGISTRY()")["status"], "fail", "{named}");
    }
    // Without a name there is nothing to compare with.
    let report = operator.json(&check, 3);
    let registry = finding(&report, "REGISTRY()");
    assert_eq!(registry["status"], "inconclusive");
    let human = text(&operator.run(&check).stdout);
    assert!(
        human.contains("name the expected one with --registry"),
        "{human}"
    );
    // Contracts of the deployment are compared as well.
    let ours = crate::fixture::address_of("ERC721OwnerPredicate").to_string();
    let check = ["check", "--chain", "anvil", "--address", &ours];
    operator.json(&check, 0);
    operator.json(&[&check[..], &["--registry", &other]].concat(), 1);
}

#[test]
fn a_contract_that_is_not_a_registry_fails_as_registry() {
    let (anvil, operator) = deployed();
    let predicate = crate::fixture::address_of("ERC721OwnerPredicate");
    // Returns 1 for every call: `toolCount()` works, ERC-165 does not.
    let (_, counter) = create(
        &anvil,
        &returning(&[0x60, 0x01, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3]),
    );
    for address in [predicate, counter] {
        let address = address.to_string();
        let report = operator.json(&["check", "--chain", "anvil", "--registry", &address], 1);
        assert_eq!(finding(&report, "registry")["status"], "fail", "{address}");
    }
    // An unknown registry is not a failure: it behaves like one.
    let (_, proxy) = create(&anvil, &forwarding_to(suite().registry()));
    let proxy = proxy.to_string();
    let report = operator.json(&["check", "--chain", "anvil", "--registry", &proxy], 1);
    assert_eq!(finding(&report, "registry")["status"], "pass");
    let registry = suite().registry().to_string();
    let report = operator.json(&["check", "--chain", "anvil", "--registry", &registry], 0);
    assert_eq!(
        finding(&report, "registry")["detail"],
        "0 tools registered so far"
    );
}

/// Init code of a contract that delegates every call, without the marks of a proxy standard.
fn forwarding_to(implementation: Address) -> Vec<u8> {
    let mut code = vec![0x36, 0x5f, 0x5f, 0x37, 0x5f, 0x5f, 0x36, 0x5f, 0x73];
    code.extend(implementation);
    code.extend([0x5a, 0xf4, 0x3d, 0x5f, 0x5f, 0x3e, 0x3d, 0x5f, 0xf3]);
    returning(&code)
}

#[test]
fn audits_predicates_of_another_registry_by_name() {
    let (anvil, operator) = deployed();
    let (_, registry) = create(&anvil, suite().targets()[0].init_code());
    let suite = Suite::for_registry(B256::ZERO, registry);
    let target = suite.only(&["ERC721OwnerPredicate"]).unwrap().targets()[0].clone();
    let registry = registry.to_string();
    let check = ["check", "--chain", "anvil", "--registry", &registry];
    let only = [&check[..], &["--only", "ERC721OwnerPredicate"]].concat();
    let report = operator.json(&only, 1);
    assert_eq!(report["contracts"].as_array().unwrap().len(), 1);
    assert_eq!(
        finding(&report, "code")["detail"],
        "no code at this address"
    );
    let deploy = ["--chain", "anvil", "--yes", "--registry", &registry];
    operator.json(
        &[&deploy[..], &["--only", "ERC721OwnerPredicate"]].concat(),
        0,
    );
    let report = operator.json(&only, 0);
    assert_eq!(report["contracts"][0]["address"], json!(target.address()));
    assert_eq!(finding(&report, "REGISTRY()")["detail"], registry);
    // With the registry, whose init code is not proved.
    let both = [&only[..], &["ToolRegistry"]].concat();
    let report = operator.json(&both, 3);
    assert_eq!(report["contracts"].as_array().unwrap().len(), 2);
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
        let expected = format!("{transaction} did not create this contract: ");
        assert!(detail.starts_with(&expected), "{detail}");
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
    // Another hash is not ignored where the address proves the init code.
    let wrong = B256::repeat_byte(9).to_string();
    let wrong = ["--init-code-hash", &wrong, "--salt", &salt];
    let report = operator.json(&[&check[..], &wrong].concat(), 1);
    assert_eq!(finding(&report, "init code")["status"], "fail");
    let suite = ["check", "--chain", "anvil"];
    let report = operator.json(
        &[&suite[..], &wrong, &["--only", "ToolRegistry"]].concat(),
        1,
    );
    assert_eq!(finding(&report, "init code")["status"], "fail");
    // A hash or a transaction belongs to one contract.
    let error = operator.error(&[&suite[..], &wrong].concat(), 2);
    assert!(error.contains("select one with --only"), "{error}");
    operator.error(&[&suite[..], &["--transaction", creation]].concat(), 2);
}

#[test]
fn a_pinned_init_code_is_compared_with_the_address() {
    let anvil = Anvil::start();
    let operator = Operator::without_key(&anvil);
    // A contract that is not ours, created by the factory.
    let (salt, init_code) = (B256::repeat_byte(5), returning(&[0x00]));
    let data = Bytes::from([salt.as_slice(), &init_code].concat());
    let call = json!([{ "from": ACCOUNT, "to": FACTORY, "data": data }]);
    let hash = anvil.request("eth_sendTransaction", call);
    let transaction = hash.as_str().unwrap().to_owned();
    assert_eq!(anvil.receipt(&hash)["status"], "0x1");
    let address = FACTORY.create2_from_code(salt, &init_code).to_string();
    let check = ["check", "--chain", "anvil", "--address", &address];
    let run = |more: &[&str], code| operator.json(&[&check[..], more].concat(), code);
    let (salt, pin) = (salt.to_string(), keccak256(&init_code).to_string());
    let wrong = B256::repeat_byte(9).to_string();
    // B-17: only the pinned init code that the address follows from is accepted.
    run(&[], 3);
    run(&["--salt", &salt], 3);
    run(&["--init-code-hash", &pin], 3);
    run(&["--init-code-hash", &wrong, "--salt", &salt], 3);
    let report = run(&["--init-code-hash", &pin, "--salt", &salt], 0);
    assert_eq!(
        finding(&report, "init code")["detail"],
        format!("{pin}, proved by the CREATE2 address")
    );
    // Or from the creation transaction, without the salt.
    run(&["--transaction", &transaction], 3);
    run(
        &["--init-code-hash", &pin, "--transaction", &transaction],
        0,
    );
    let report = run(
        &["--init-code-hash", &wrong, "--transaction", &transaction],
        1,
    );
    assert_eq!(finding(&report, "init code")["status"], "fail");
}

#[test]
fn a_contract_created_by_an_inner_call_is_unknown() {
    let (anvil, operator) = deployed();
    let target = suite().targets()[0].clone();
    let init_code = target.init_code();
    let (earlier, _) = create(&anvil, &returning(&[0x00]));
    // A contract that creates a contract from its call data, and a constructor that creates one.
    let (_, creator) = create(
        &anvil,
        &returning(&[0x36, 0x5f, 0x5f, 0x37, 0x36, 0x5f, 0x5f, 0xf0, 0x00]),
    );
    let call = json!([{ "from": ACCOUNT, "to": creator, "data": init_code, "gas": "0x1000000" }]);
    let by_call = anvil.request("eth_sendTransaction", call);
    assert_eq!(anvil.receipt(&by_call)["status"], "0x1");
    let size = u16::try_from(init_code.len()).unwrap().to_be_bytes();
    // PUSH2 size, PUSH1 17, PUSH0, CODECOPY, PUSH2 size, PUSH0, PUSH0, CREATE, PUSH0, PUSH0, RETURN
    let mut constructor = vec![
        0x61, size[0], size[1], 0x60, 17, 0x5f, 0x39, 0x61, size[0], size[1], 0x5f, 0x5f, 0xf0,
        0x5f, 0x5f, 0xf3, 0x00,
    ];
    constructor.extend(init_code);
    let (by_constructor, parent) = create(&anvil, &constructor);
    for (transaction, parent) in [
        (by_call.as_str().unwrap(), creator),
        (&by_constructor, parent),
    ] {
        let address = parent.create(1);
        let code = anvil.request("eth_getCode", json!([address, "latest"]));
        assert_eq!(code, json!(target.runtime()));
        let address = address.to_string();
        let check = ["check", "--chain", "anvil", "--address", &address];
        let report = operator.json(&[&check[..], &["--transaction", transaction]].concat(), 3);
        // B-17: the init code of an inner creation is not in the transaction.
        let init_code = finding(&report, "init code");
        assert_eq!(init_code["status"], "inconclusive");
        let detail = init_code["detail"].as_str().unwrap();
        assert!(detail.contains("inner call"), "{detail}");
        // A later transaction did not create it, an earlier one neither.
        let (later, _) = create(&anvil, &returning(&[0x00]));
        for (other, reason) in [
            (later.as_str(), "existed before"),
            (&earlier, "did not exist after"),
        ] {
            let report = operator.json(&[&check[..], &["--transaction", other]].concat(), 1);
            let detail = finding(&report, "init code")["detail"].to_string();
            assert!(detail.contains(reason), "{detail}");
        }
    }
}

#[test]
fn a_transaction_that_does_not_exist_is_unknown_and_one_that_reverted_fails() {
    let (anvil, operator) = deployed();
    let (_, address) = create(&anvil, suite().targets()[0].init_code());
    let address = address.to_string();
    let check = ["check", "--chain", "anvil", "--address", &address];
    let missing = B256::repeat_byte(0xee).to_string();
    let report = operator.json(&[&check[..], &["--transaction", &missing]].concat(), 3);
    let detail = finding(&report, "init code")["detail"].as_str().unwrap();
    assert!(
        detail.contains("does not have this transaction"),
        "{detail}"
    );
    // The address proves the init code, but the transaction that was named is not ignored silently.
    let ours = [
        "check",
        "--chain",
        "anvil",
        "--only",
        "ToolRegistry",
        "--transaction",
        &missing,
    ];
    let report = operator.json(&ours, 0);
    let detail = finding(&report, "init code")["detail"].as_str().unwrap();
    assert!(
        detail.contains("proved by the CREATE2 address; not by the transaction"),
        "{detail}"
    );
    let failing = json!([{ "from": ACCOUNT, "data": "0xfe", "gas": "0x20000" }]);
    let reverted = anvil.request("eth_sendTransaction", failing);
    assert_eq!(anvil.receipt(&reverted)["status"], "0x0");
    let reverted = ["--transaction", reverted.as_str().unwrap()];
    let report = operator.json(&[&check[..], &reverted].concat(), 1);
    let detail = finding(&report, "init code")["detail"].as_str().unwrap();
    assert!(detail.ends_with("it reverted"), "{detail}");
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
