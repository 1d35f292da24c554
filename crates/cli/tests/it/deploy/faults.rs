use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use alloy_primitives::{Address, U256};
use atr_bindings::CONTRACTS;
use atr_deploy::{FACTORY, FactoryTransaction};
use atr_loopback::{ACCOUNT, Action, Anvil, RpcProxy, RpcRequest};
use atr_rpc::{FeeLimits, Fees, Wei, gas_limit_with_margin};
use serde_json::{Value, json};

use super::{Operator, suite, text};

const ALL: &[&str] = &["--chain", "anvil", "--yes", "--rpc-timeout", "1"];

/// Deploys through a faulty proxy and asserts that every contract was paid once.
fn assert_deploys_once(rule: impl Fn(&RpcRequest) -> Action + Send + Sync + 'static) -> RpcProxy {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, rule);
    let operator = Operator::with_url(&proxy.url);
    let report = operator.json(ALL, 0);
    for contract in report["deployment"]["contracts"].as_array().unwrap() {
        assert!(contract["transaction"].is_string(), "{contract}");
    }
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64);
    assert_eq!(
        operator.record(31337)["contracts"]
            .as_object()
            .unwrap()
            .len(),
        CONTRACTS.len()
    );
    proxy
}

#[test]
fn retries_rate_limited_requests() {
    let proxy = assert_deploys_once(|request| match (request.method.as_str(), request.nth) {
        (_, 1) => Action::HttpStatus(429),
        ("eth_sendRawTransaction", 3) => Action::HttpStatus(429),
        _ => Action::Forward,
    });
    assert_eq!(
        proxy.counts()["eth_sendRawTransaction"],
        CONTRACTS.len() + 2
    );
}

#[test]
fn retries_gateway_errors_and_broken_connections() {
    assert_deploys_once(|request| match request.nth % 16 {
        3 => Action::HttpStatus(502),
        9 => Action::Disconnect,
        _ => Action::Forward,
    });
}

#[test]
fn retries_timed_out_requests() {
    let proxy = assert_deploys_once(|request| match (request.method.as_str(), request.nth) {
        ("eth_getCode", 2) => Action::Hold,
        // The response is lost: the second request is "already known".
        ("eth_sendRawTransaction", 2) => Action::ForwardAndHold,
        _ => Action::Forward,
    });
    assert_eq!(
        proxy.counts()["eth_sendRawTransaction"],
        CONTRACTS.len() + 1
    );
}

#[test]
fn a_duplicated_transaction_is_paid_once() {
    assert_deploys_once(|request| match request.method.as_str() {
        "eth_sendRawTransaction" => Action::ForwardTwice,
        _ => Action::Forward,
    });
}

#[test]
fn waits_for_a_late_receipt() {
    let proxy = assert_deploys_once(|request| match (request.method.as_str(), request.nth) {
        ("eth_getTransactionReceipt", nth) if nth % 3 != 0 => Action::Return(json!(null)),
        _ => Action::Forward,
    });
    assert!(proxy.counts()["eth_getTransactionReceipt"] >= 3 * CONTRACTS.len());
}

#[test]
fn succeeds_without_a_receipt_if_the_code_is_deployed() {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, |request| match request.method.as_str() {
        "eth_getTransactionReceipt" => Action::Return(json!(null)),
        _ => Action::Forward,
    });
    let operator = Operator::with_url(&proxy.url);
    let report = operator.json(&["--chain", "anvil", "--yes", "--only", "ToolRegistry"], 0);
    // The block has the transaction.
    let contract = &report["deployment"]["contracts"][0];
    assert!(contract["transaction"].is_string(), "{contract}");
    assert_eq!(contract["gasUsed"], json!(null));
    assert_eq!(
        operator.record(31337)["contracts"]
            .as_object()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn waits_for_code_that_lags() {
    // More looks than any fixed number, after the transaction was sent.
    let (sent, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let registry = json!(suite().registry()).as_str().unwrap().to_lowercase();
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, move |request| {
        let is_registry = || {
            let address = request.params[0].as_str().unwrap_or_default();
            address.to_lowercase() == registry
        };
        match request.method.as_str() {
            "eth_sendRawTransaction" => sent.store(true, Ordering::SeqCst),
            "eth_getCode"
                if is_registry()
                    && sent.load(Ordering::SeqCst)
                    && looks.fetch_add(1, Ordering::SeqCst) < 12 =>
            {
                return Action::Return(json!("0x"));
            }
            _ => {}
        }
        Action::Forward
    });
    let operator = Operator::with_url(&proxy.url);
    operator.json(&["--chain", "anvil", "--yes", "--only", "ToolRegistry"], 0);
    assert_eq!(anvil.nonce(ACCOUNT), 1);
}

#[test]
fn fees_reported_after_the_consent_do_not_raise_the_cost() {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, |request| match request.method.as_str() {
        "eth_feeHistory" if request.nth > 1 => Action::Change(|history| {
            for name in ["baseFeePerGas", "reward"] {
                let values = history[name].as_array_mut().unwrap();
                let lie = if name == "reward" {
                    json!(["0x1d1a94a2000"])
                } else {
                    json!("0x1d1a94a2000")
                };
                values.fill(lie);
            }
        }),
        _ => Action::Forward,
    });
    let operator = Operator::with_url(&proxy.url);
    let balance = || -> U256 {
        let balance = anvil.request("eth_getBalance", json!([ACCOUNT, "latest"]));
        balance.as_str().unwrap().parse().unwrap()
    };
    let before = balance();
    let report = operator.json(ALL, 0);
    let paid = before - balance();
    let shown: U256 = report["plan"]["maxCost"].as_str().unwrap().parse().unwrap();
    assert!(paid <= shown, "{paid} {shown}");
    assert_eq!(report["deployment"]["paid"], paid.to_string());
}

#[test]
fn the_maximum_cost_includes_the_gas_margin_and_replacements() {
    let anvil = Anvil::start();
    let plan = &Operator::new(&anvil).json(&["--chain", "anvil", "--dry-run"], 0)["plan"];
    let fees: Fees = serde_json::from_value(plan["fees"].clone()).unwrap();
    let price = fees.highest_gas_price(FeeLimits::default());
    let gas = |row: &Value| gas_limit_with_margin(row["gas"].as_u64().unwrap());
    let limits = plan["contracts"].as_array().unwrap().iter().map(gas);
    let cost = Wei::for_gas(limits.sum(), price);
    assert_eq!(plan["maxCost"], cost.0.to_string());
}

#[test]
fn all_signatures_together_stay_within_the_maximum_cost() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let number = |value: &Value| -> U256 { value.as_str().unwrap().parse().unwrap() };
    let plan = operator.json(&["--chain", "anvil", "--dry-run"], 0)["plan"].clone();
    // The gas limits alone are 15 percent above the estimates.
    let limit =
        |percent: u64| number(&plan["expectedCost"]) * U256::from(percent) / U256::from(100);
    let deploy = |limit: U256, code| {
        let max_cost = format!("{limit}wei");
        operator.json(&[ALL, &["--max-cost", &max_cost]].concat(), code)
    };
    let blocked = deploy(limit(110), 1);
    assert_eq!(blocked["plan"]["blockers"][0]["kind"], "costLimit");
    assert_eq!(anvil.nonce(ACCOUNT), 0);
    let limit = limit(130);
    assert!(limit < number(&plan["maxCost"]));
    let deployed = deploy(limit, 0);
    let contracts = deployed["deployment"]["contracts"].as_array().unwrap();
    // The registry is included before the predicates are signed, so it counts with its fee.
    let (registry, predicates) = contracts.split_first().unwrap();
    let signed = predicates.iter().map(|contract| {
        let hash = json!([contract["transaction"]]);
        let transaction = anvil.request("eth_getTransactionByHash", hash);
        number(&transaction["gas"]) * number(&transaction["maxFeePerGas"])
    });
    let total = number(&registry["fee"]) + signed.sum::<U256>();
    assert!(total <= limit, "{total} {limit}");
}

#[test]
fn a_chain_that_cannot_execute_the_contracts_costs_nothing() {
    for hardfork in ["shanghai", "paris"] {
        let anvil = Anvil::start_with(&["--hardfork", hardfork]);
        let operator = Operator::new(&anvil);
        let plan = &operator.json(ALL, 1)["plan"];
        assert_eq!(plan["blockers"][0]["kind"], "wouldRevert", "{plan}");
        assert_eq!(anvil.nonce(ACCOUNT), 0);
    }
}

#[test]
fn the_plan_includes_the_data_fee_of_the_whole_transaction() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let plan = || {
        let args = ["--chain", "anvil", "--dry-run", "--only", "ToolRegistry"];
        let plan = operator.json(&args, 0)["plan"].clone();
        let number = |value: &Value| -> U256 { value.as_str().unwrap().parse().unwrap() };
        (
            number(&plan["contracts"][0]["fee"]),
            number(&plan["maxCost"]),
        )
    };
    let (fee, max_cost) = plan();
    // An L1 fee oracle that charges 1 gwei per byte: `calldataload(0x24) * 10**9`.
    let oracle = "0x420000000000000000000000000000000000000F";
    let code = "0x602435633b9aca000260005260206000f3";
    anvil.request("anvil_setCode", json!([oracle, code]));
    let (with_data_fee, max_with_data_fee) = plan();
    let data_fee = with_data_fee - fee;
    // Salt and init code, and the rest of the transaction.
    let call_data = U256::from(32 + suite().targets()[0].init_code().len());
    assert!(
        data_fee / U256::from(1_000_000_000) > call_data,
        "{data_fee}"
    );
    assert_eq!(max_with_data_fee - max_cost, data_fee * U256::from(2));
}

#[test]
fn the_factory_is_not_offered_on_a_chain_with_other_create2_rules() {
    // Abstract, by its chain id.
    let anvil = Anvil::start_with(&["--disable-default-create2-deployer", "--chain-id", "2741"]);
    let operator = Operator::new(&anvil);
    let args = ["--chain", "abstract", "--yes", "--deploy-factory"];
    let plan = &operator.json(&args, 1)["plan"];
    assert_eq!(plan["blockers"][0]["kind"], "factoryMismatch", "{plan}");
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn predicates_are_not_deployed_for_a_registry_without_code() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let missing = "0x1111111111111111111111111111111111111111";
    for args in [
        &["--registry", missing][..],
        &["--only", "ERC721OwnerPredicate"],
    ] {
        let plan = &operator.json(&[ALL, args].concat(), 1)["plan"];
        assert_eq!(plan["blockers"][0]["kind"], "registryMissing", "{plan}");
    }
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn the_factory_is_not_funded_if_the_node_rejects_its_transaction() {
    let anvil = Anvil::start_with(&["--disable-default-create2-deployer"]);
    // Only the presigned transaction is rejected, not the one that would fund its sender.
    let presigned = json!([FactoryTransaction::RAW]);
    let proxy = RpcProxy::start(&anvil.url, move |request| {
        if request.method == "eth_sendRawTransaction" && request.params == presigned {
            Action::Fail("only replay-protected (EIP-155) transactions allowed over RPC")
        } else {
            Action::Forward
        }
    });
    let operator = Operator::with_url(&proxy.url);
    let error = operator.error(&[ALL, &["--deploy-factory"]].concat(), 1);
    assert!(error.contains("replay-protected"), "{error}");
    assert_eq!(proxy.counts()["eth_sendRawTransaction"], 1);
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn the_factory_is_not_funded_if_its_transaction_cannot_succeed() {
    let without_factory = "--disable-default-create2-deployer";
    let assert_undeployable = |anvil: &Anvil, url: &str, message: &str| {
        let operator = Operator::with_url(url);
        let plan = &operator.json(&[ALL, &["--deploy-factory"]].concat(), 1)["plan"];
        let blocker = &plan["blockers"][0];
        assert_eq!(blocker["kind"], "factoryUndeployable", "{plan}");
        let found = blocker["message"].as_str().unwrap();
        assert!(found.contains(message), "{found}");
        assert_eq!(anvil.nonce(ACCOUNT), 0);
    };
    // A chain on which the creation costs more than the gas limit that is signed.
    let anvil = Anvil::start_with(&[without_factory]);
    let proxy = RpcProxy::start(&anvil.url, |request| match request.method.as_str() {
        "eth_estimateGas" if request.params[0].get("to").is_none_or(Value::is_null) => {
            Action::Return(json!("0x186a1"))
        }
        _ => Action::Forward,
    });
    let message = "it needs 100001 gas, but its limit is 100000";
    assert_undeployable(&anvil, &proxy.url, message);
    assert!(!proxy.counts().contains_key("eth_sendRawTransaction"));
    // The presigned transaction was included and failed.
    let used = json!([FactoryTransaction::SENDER, "0x1"]);
    anvil.request("anvil_setNonce", used);
    assert_undeployable(&anvil, &anvil.url, "failed before");
    let anvil = Anvil::start_with(&[without_factory, "--base-fee", "100000000001"]);
    assert_undeployable(&anvil, &anvil.url, "the base fee is above the gas price");
}

#[test]
fn funding_the_factory_includes_the_data_gas_of_nitro() {
    let anvil = Anvil::start_with(&["--disable-default-create2-deployer"]);
    let operator = Operator::new(&anvil);
    let args = [
        "--chain",
        "anvil",
        "--dry-run",
        "--deploy-factory",
        "--only",
        "ToolRegistry",
    ];
    let gas = || operator.json(&args, 0)["plan"]["gas"].as_u64().unwrap();
    let before = gas();
    // ArbSys exists, and NodeInterface returns 5,000 gas for the data of any transaction.
    for (address, code) in [(0x64, "0xfe"), (0xc8, "0x61138860005260606000f3")] {
        let address = format!("0x{address:040x}");
        anvil.request("anvil_setCode", json!([address, code]));
    }
    assert_eq!(gas(), before + 2 * 5_000);
}

#[test]
fn a_chain_that_charges_the_gas_limit_has_a_higher_expected_cost() {
    // Monad, by its chain id.
    let anvil = Anvil::start_with(&["--chain-id", "143"]);
    let operator = Operator::new(&anvil);
    let args = ["--chain", "monad", "--dry-run", "--only", "ToolRegistry"];
    let plan = &operator.json(&args, 0)["plan"];
    let gas = plan["contracts"][0]["gas"].as_u64().unwrap();
    let fee = |name: &str| u128::from(plan["fees"][name].as_u64().unwrap());
    let price = fee("baseFeePerGas") + fee("maxPriorityFeePerGas");
    let cost = Wei::for_gas(gas_limit_with_margin(gas), price);
    assert_eq!(plan["contracts"][0]["fee"], cost.0.to_string());
    assert_eq!(plan["expectedCost"], cost.0.to_string());
}

#[test]
fn exits_with_3_if_the_node_is_unreachable_and_resumes() {
    let anvil = Anvil::start();
    // All transactions are sent, then the node is unreachable.
    let proxy = RpcProxy::start(&anvil.url, |request| match request.method.as_str() {
        "eth_getTransactionReceipt" => Action::HttpStatus(503),
        _ => Action::Forward,
    });
    let operator = Operator::with_url(&proxy.url);
    let error = operator.error(ALL, 3);
    assert!(
        error.contains("RPC request eth_getTransactionReceipt failed"),
        "{error}"
    );
    assert!(operator.journal_exists(31337));

    let operator = operator.using(&anvil.url);
    operator.json(ALL, 0);
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64);
    for entry in operator.record(31337)["contracts"]
        .as_object()
        .unwrap()
        .values()
    {
        assert!(entry["transaction"].is_string(), "{entry}");
    }
    assert!(!operator.journal_exists(31337));
}

#[test]
fn checks_the_chain_id_first() {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, |_| Action::Forward);
    let operator = Operator::with_url(&proxy.url);
    let error = operator.error(&["--chain", "base", "--yes"], 2);
    assert!(
        error.contains("the node is on chain 31337, expected chain 8453; nothing was signed"),
        "{error}"
    );
    assert_eq!(proxy.methods(), ["eth_chainId"]);
    assert!(!operator.records().exists());
}

#[test]
fn checks_the_chain_id_again_before_signing() {
    let anvil = Anvil::start();
    // A load balancer sends the second request to a node of another chain.
    let proxy = RpcProxy::start(&anvil.url, |request| {
        match (request.method.as_str(), request.nth) {
            ("eth_chainId", 2) => Action::Return(json!("0x7")),
            _ => Action::Forward,
        }
    });
    let operator = Operator::with_url(&proxy.url);
    let error = operator.error(ALL, 2);
    assert!(
        error.contains("the node is on chain 7, expected chain 31337"),
        "{error}"
    );
    assert!(!operator.journal_exists(31337));
}

#[test]
fn different_code_at_a_predicted_address_blocks_the_plan() {
    let anvil = Anvil::start();
    let suite = suite();
    let target = &suite.targets()[1];
    anvil.request("anvil_setCode", json!([target.address(), "0x6001"]));
    let operator = Operator::new(&anvil);
    let plan = &operator.json(ALL, 1)["plan"];
    assert_eq!(plan["contracts"][1]["state"], "mismatch");
    assert_eq!(plan["blockers"][0]["kind"], "codeMismatch");
    let human = text(&operator.run(ALL).stdout);
    assert!(human.contains("different code"), "{human}");
    assert!(
        human.contains(&format!(
            "{} has different code than {}",
            target.address(),
            target.name()
        )),
        "{human}"
    );
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn insufficient_funds_block_the_plan() {
    let anvil = Anvil::start();
    anvil.request("anvil_setBalance", json!([ACCOUNT, "0x1"]));
    let operator = Operator::new(&anvil);
    let plan = &operator.json(ALL, 1)["plan"];
    assert_eq!(plan["blockers"][0]["kind"], "insufficientFunds");
    let max_cost: U256 = plan["maxCost"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        plan["blockers"][0]["shortfall"],
        (max_cost - U256::ONE).to_string()
    );
    assert_eq!(plan["balanceAfter"], json!(null));
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn a_max_fee_below_the_base_fee_blocks_the_plan() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let plan = &operator.json(&[ALL, &["--max-fee-per-gas", "5wei"]].concat(), 1)["plan"];
    assert_eq!(plan["blockers"][0]["kind"], "feeLimit");
    assert_eq!(plan["fees"]["maxFeePerGas"], 5);
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn different_factory_code_blocks_the_plan() {
    let anvil = Anvil::start();
    anvil.request("anvil_setCode", json!([FACTORY, "0x5f5ffd"]));
    let operator = Operator::new(&anvil);
    let plan = &operator.json(ALL, 1)["plan"];
    assert_eq!(plan["factory"]["state"], "mismatch");
    assert_eq!(plan["blockers"][0]["kind"], "factoryMismatch");
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn deploys_a_missing_factory_on_request() {
    let anvil = Anvil::start_with(&["--disable-default-create2-deployer"]);
    let operator = Operator::new(&anvil);
    let human = text(&operator.run(&["--chain", "anvil", "--dry-run"]).stdout);
    let offer = format!(
        "the CREATE2 factory {FACTORY} is not deployed on this chain; --deploy-factory deploys it: sends 0.01 to {}",
        FactoryTransaction::SENDER
    );
    assert!(human.contains(&offer), "{human}");
    // Gas is estimated with a state override for the factory.
    let plan = &operator.json(&["--chain", "anvil", "--dry-run", "--deploy-factory"], 0)["plan"];
    assert_eq!(
        plan["factory"]["funding"],
        FactoryTransaction::cost().0.to_string()
    );
    assert!(plan["contracts"][0]["gas"].as_u64().unwrap() > 100_000);

    operator.json(&[ALL, &["--deploy-factory"]].concat(), 0);
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64 + 1);
    // The second run does not deploy the factory again.
    operator.json(&[ALL, &["--deploy-factory"]].concat(), 0);
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64 + 1);
}

#[test]
fn records_contracts_deployed_by_others() {
    let anvil = Anvil::start();
    Operator::new(&anvil).json(ALL, 0);
    // Without key and records: all contracts exist and are recorded without block and transaction.
    let other = Operator::without_key(&anvil);
    let report = other.json(&["--chain", "anvil"], 0);
    assert_eq!(report["plan"]["sender"], json!(null));
    let record = other.record(31337);
    let entry = &record["contracts"][format!("{:#x}", suite().registry())];
    assert_eq!(
        (&entry["block"], &entry["transaction"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(
        entry["initCodeHash"],
        json!(suite().targets()[0].init_code_hash())
    );
    assert_ne!(suite().registry(), Address::ZERO);
}

#[test]
fn http_nodes_need_no_root_certificates() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let dry_run = |url: &str| {
        let mut command = operator.command(&["--chain", "anvil", "--dry-run", "--rpc-url", url]);
        let no_roots = [
            ("SSL_CERT_FILE", "/dev/null"),
            ("SSL_CERT_DIR", "/dev/null"),
        ];
        command.envs(no_roots).output().unwrap()
    };
    let secure = dry_run(&anvil.url.replace("http", "https"));
    assert_eq!(secure.status.code(), Some(3));
    let error = text(&secure.stderr);
    assert!(
        error.contains("are the root certificates installed?"),
        "{error}"
    );
    let plain = dry_run(&anvil.url);
    assert_eq!(plain.status.code(), Some(0), "{}", text(&plain.stderr));
}
