use std::sync::Mutex;

use alloy_primitives::U256;
use atr_loopback::{Action, Anvil, RpcRequest};
use atr_rpc::{
    ChainProfile, DataFee, Error, Event, FeeLimits, Fees, TransactionSender, TransactionType, Wei,
};
use serde_json::{Value, json};

use crate::fixture::{Fixture, GWEI, SHORT_WAIT, call, node};

/// Reports fees a thousand times as high, from the second request on.
fn lie_about_fees(request: &RpcRequest) -> Action {
    fn multiply(value: &mut Value) {
        let number = value.as_str().and_then(|text| text.parse::<U256>().ok());
        if let Some(number) = number {
            *value = json!(format!("{:#x}", number * U256::from(1000)));
        }
    }
    match (request.method.as_str(), request.nth) {
        ("eth_feeHistory", 2..) => Action::Change(|history| {
            let base = history["baseFeePerGas"].as_array_mut().unwrap();
            base.iter_mut().for_each(multiply);
            for block in history["reward"].as_array_mut().into_iter().flatten() {
                block.as_array_mut().unwrap().iter_mut().for_each(multiply);
            }
        }),
        _ => Action::Forward,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fees_reported_after_the_consent_do_not_raise_the_cost() {
    // The first attempt is lost. Its replacement follows priority fees that the node reports after the consent.
    let first = Mutex::new(None);
    let fixture = Fixture::manual_mining(move |request| match request.method.as_str() {
        "eth_sendRawTransaction" => {
            let mut first = first.lock().unwrap();
            let raw = first.get_or_insert_with(|| request.params[0].clone());
            if *raw == request.params[0] {
                Action::Return(json!(null))
            } else {
                Action::Forward
            }
        }
        "eth_feeHistory" if request.nth > 1 => Action::Change(|history| {
            let blocks = history["reward"].as_array_mut().unwrap();
            blocks.fill(json!(["0xde0b6b3a7640000"]));
        }),
        _ => Action::Forward,
    });
    let before = fixture.balance();
    let plan = fixture.plan(1).await;
    let sent = fixture
        .send_plan(&plan, plan.max_cost, |event| {
            if let Event::Sent { .. } = event {
                fixture.mine();
            }
        })
        .await;
    let paid = before - fixture.balance();
    assert_eq!(Some(Wei(paid)), sent.mined().fee);
    assert!(sent.count("Replaced") > 0, "{:?}", sent.events);
    assert!(Wei(paid) <= plan.max_cost, "{paid} {:?}", plan.max_cost);
    assert!(
        Wei(paid) > plan.expected_cost,
        "the replacement was included"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fee_of_a_follow_up_stays_within_the_consent() {
    let fixture = Fixture::new(lie_about_fees);
    let before = fixture.balance();
    let first = fixture.plan(1).await;
    let consent = Wei(first.max_cost.0 * U256::from(2));
    let error = fixture
        .run(consent, &|_| {}, async |run| {
            run.reserve(first.max_cost);
            run.send(&(&first).into()).await.unwrap();
            run.reserve(Wei::default());
            // Planned again with the false fees.
            let second = fixture.plan(2).await;
            assert!(second.max_cost.0 > consent.0 * U256::from(100));
            run.send(&(&second).into()).await.unwrap_err()
        })
        .await;
    assert!(matches!(error, Error::CostLimit { .. }), "{error}");
    assert!(error.is_rejection());
    assert_eq!(fixture.signed().len(), 1);
    assert!(Wei(before - fixture.balance()) <= consent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_does_not_free_a_part_of_the_maximum_cost() {
    // The node says that the first transaction cost nothing.
    let fixture = Fixture::new(|request| match request.method.as_str() {
        "eth_getTransactionReceipt" => Action::Change(|receipt| {
            if receipt.is_object() {
                receipt["gasUsed"] = json!("0x0");
                receipt["effectiveGasPrice"] = json!("0x0");
            }
        }),
        _ => Action::Forward,
    });
    let before = fixture.balance();
    let first = fixture.plan(1).await;
    let consent = Wei::for_gas(first.gas_limit, first.fees.max_fee_per_gas);
    let error = fixture
        .run(consent, &|_| {}, async |run| {
            let mined = run.send(&(&first).into()).await.unwrap();
            assert_eq!(mined.fee, Some(Wei::default()));
            let second = fixture.plan(2).await;
            run.send(&(&second).into()).await.unwrap_err()
        })
        .await;
    assert!(matches!(error, Error::CostLimit { .. }), "{error}");
    assert_eq!(fixture.signed().len(), 1);
    assert!(Wei(before - fixture.balance()) <= consent);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_maximum_cost_includes_the_gas_margin_and_replacements() {
    let fixture = Fixture::new(|_| Action::Forward);
    let plan = fixture.plan(1).await;
    assert!(plan.gas_limit > plan.gas);
    let limit = |price| Wei::for_gas(plan.gas_limit, price);
    assert!(plan.max_cost > limit(plan.fees.max_fee_per_gas));
    assert!(plan.expected_cost < limit(plan.fees.expected_gas_price()));
    // One wei less than the base fee needs: nothing is signed.
    let low = Wei(limit(plan.fees.base_fee_per_gas).0 - U256::ONE);
    let sent = fixture.send_plan(&plan, low, |_| {}).await;
    let error = sent.error();
    assert!(matches!(error, Error::CostLimit { .. }), "{error}");
    assert!(fixture.signed().is_empty());
    // Between the base fee and the max fee: the max fee is lowered.
    let tight = limit(plan.fees.base_fee_per_gas + 1);
    let sent = fixture.send_plan(&plan, tight, |_| {}).await;
    assert!(sent.mined().fee.unwrap() <= tight);
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_a_legacy_transaction_on_a_chain_without_base_fee() {
    let anvil = Anvil::start_with(&["--hardfork", "berlin"]);
    let fixture = Fixture::with_anvil(anvil, |_| Action::Forward);
    let plan = fixture.plan(1).await;
    assert!(plan.fees.is_legacy && plan.fees.base_fee_per_gas == 0);
    let sent = fixture.send_plan(&plan, plan.max_cost, |_| {}).await;
    let mined = sent.mined();
    let transaction = fixture
        .anvil
        .request("eth_getTransactionByHash", json!([mined.transaction]));
    assert_eq!(transaction["type"], "0x0", "{transaction}");
    let price = plan.fees.max_fee_per_gas;
    assert_eq!(
        mined.fee,
        Some(Wei::for_gas(mined.gas_used.unwrap(), price))
    );
    // A lower gas price would not be accepted.
    let plan = fixture.plan(2).await;
    let low = Wei(Wei::for_gas(plan.gas_limit, plan.fees.max_fee_per_gas).0 - U256::ONE);
    let sent = fixture.send_plan(&plan, low, |_| {}).await;
    assert!(matches!(sent.error(), Error::CostLimit { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_with_legacy_transactions_only_ignores_the_base_fee() {
    let fixture = Fixture::new(|_| Action::Forward);
    let node = fixture.sender.node();
    for transaction_type in [TransactionType::Eip1559, TransactionType::Legacy] {
        let profile = ChainProfile {
            transaction_type,
            ..ChainProfile::of(31337)
        };
        let fees = Fees::suggest(node, &profile, FeeLimits::default());
        let is_legacy = fees.await.unwrap().is_legacy;
        assert_eq!(is_legacy, transaction_type == TransactionType::Legacy);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_of_exactly_the_maximum_cost_is_enough() {
    let fixture = Fixture::new(|_| Action::Forward);
    let cost = fixture.plan(1).await.max_cost.0;
    for (balance, is_enough) in [(cost, true), (cost - U256::ONE, false)] {
        let params = json!([fixture.signer.address(), format!("{balance:#x}")]);
        fixture.anvil.request("anvil_setBalance", params);
        let plan = fixture.plan(1).await;
        assert_eq!((plan.max_cost.0, plan.balance.0), (cost, balance));
        assert_eq!(plan.is_affordable(), is_enough);
        assert_eq!(plan.blocker().is_none(), is_enough);
    }
}

/// Code of an oracle whose `getL1Fee` returns the size of its argument in gwei: `calldataload(0x24) * 10**9`.
const ORACLE: &str = "0x602435633b9aca000260005260206000f3";
const ORACLE_ADDRESS: &str = "0x420000000000000000000000000000000000000F";

#[tokio::test(flavor = "multi_thread")]
async fn the_cost_includes_the_data_fee_of_an_op_stack_chain() {
    let fixture = Fixture::new(|_| Action::Forward);
    let without = fixture.plan(1).await;
    assert_eq!(without.data_fee, Wei::default());
    fixture.set_code(ORACLE_ADDRESS, ORACLE);
    let with = fixture.plan(1).await;
    // The whole transaction, not only the call data.
    let size = with.data_fee.0 / U256::from(GWEI);
    assert!(size > U256::from(call(1).data.len() + 100), "{size}");
    let expected = without.expected_cost.saturating_add(with.data_fee);
    assert_eq!(with.expected_cost, expected);
    // The data fee is outside the max fee of the transaction, so the maximum has headroom.
    let headroom = with.data_fee.saturating_add(with.data_fee);
    assert_eq!(with.max_cost, without.max_cost.saturating_add(headroom));
    let (_, cost) = fixture
        .sender
        .max_cost(&call(1), with.gas_limit, with.fees)
        .await
        .unwrap();
    assert_eq!(cost, with.max_cost);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_fee_counts_in_the_maximum_cost_of_a_run() {
    let fixture = Fixture::new(|_| Action::Forward);
    fixture.set_code(ORACLE_ADDRESS, ORACLE);
    let plan = fixture.plan(1).await;
    let gas_cost = Wei::for_gas(plan.gas_limit, plan.fees.base_fee_per_gas);
    let needed = gas_cost.saturating_add(DataFee::maximum(plan.data_fee));
    let low = Wei(needed.0 - U256::ONE);
    let sent = fixture.send_plan(&plan, low, |_| {}).await;
    let error = sent.error();
    assert!(matches!(error, Error::CostLimit { .. }), "{error}");
    assert!(fixture.signed().is_empty());
    fixture.send_plan(&plan, needed, |_| {}).await.mined();
}

/// Addresses of Nitro's precompiles.
const ARB_SYS: &str = "0x0000000000000000000000000000000000000064";
const NODE_INTERFACE: &str = "0x00000000000000000000000000000000000000c8";

#[tokio::test(flavor = "multi_thread")]
async fn a_gas_limit_without_estimate_includes_the_data_gas_of_nitro() {
    let fixture = Fixture::new(|_| Action::Forward);
    let plan = fixture.plan(1).await;
    let max_cost = || async {
        let call = call(1);
        let cost = fixture.sender.max_cost(&call, 100_000, plan.fees);
        cost.await.unwrap()
    };
    let (gas, without) = max_cost().await;
    assert_eq!(gas, 100_000);
    // ArbSys exists, and NodeInterface returns 5,000 gas for the data.
    fixture.set_code(ARB_SYS, "0xfe");
    fixture.set_code(NODE_INTERFACE, "0x61138860005260606000f3");
    let (gas, with) = max_cost().await;
    assert_eq!(gas, 110_000);
    assert_eq!(with.0, without.0 / U256::from(100) * U256::from(110));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_fee_that_the_rollup_does_not_return_is_unknown_not_zero() {
    let fixture = Fixture::new(|_| Action::Forward);
    let plan = fixture.plan(1).await;
    let assert_unknown = |error: Error| {
        assert!(matches!(error, Error::NoDataFee { .. }), "{error}");
        assert!(!error.is_rejection() && !error.is_usage_error());
    };
    // Reverts, returns nothing.
    for code in ["0x5f5ffd", "0x00"] {
        fixture.set_code(ORACLE_ADDRESS, code);
        let plan = fixture.sender.plan(call(1), fixture.signer.address());
        assert_unknown(plan.await.unwrap_err());
    }
    fixture.set_code(ORACLE_ADDRESS, "0x");
    fixture.set_code(ARB_SYS, "0xfe");
    for code in ["0x5f5ffd", "0x00"] {
        fixture.set_code(NODE_INTERFACE, code);
        let call = call(1);
        let cost = fixture.sender.max_cost(&call, 100_000, plan.fees);
        assert_unknown(cost.await.unwrap_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_chain_has_its_own_kind_of_data_fee_only() {
    let fixture = Fixture::new(|_| Action::Forward);
    let detect = |id| {
        let profile = ChainProfile::of(id);
        let node = fixture.sender.node();
        async move { DataFee::detect(node, &profile).await.unwrap() }
    };
    let (mainnet, base, robinhood, unknown) = (1, 8453, 4663, 7);
    // A local chain with the id of a rollup.
    for id in [mainnet, base, robinhood, unknown] {
        assert_eq!(detect(id).await, DataFee::None);
    }
    fixture.set_code(ARB_SYS, "0xfe");
    for (id, expected) in [
        (mainnet, DataFee::None),
        (base, DataFee::None),
        (robinhood, DataFee::Nitro),
        (unknown, DataFee::Nitro),
    ] {
        assert_eq!(detect(id).await, expected, "{id}");
    }
    fixture.set_code(ORACLE_ADDRESS, ORACLE);
    for (id, expected) in [
        (mainnet, DataFee::None),
        (base, DataFee::OpStack),
        (robinhood, DataFee::Nitro),
        (unknown, DataFee::OpStack),
    ] {
        assert_eq!(detect(id).await, expected, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reported_fee_includes_the_data_fee_of_the_receipt() {
    let fixture = Fixture::new(|request| match request.method.as_str() {
        "eth_getTransactionReceipt" => Action::Change(|receipt| {
            if receipt.is_object() {
                receipt["l1Fee"] = json!("0x5");
            }
        }),
        _ => Action::Forward,
    });
    let before = fixture.balance();
    let sent = fixture.send(1).await;
    let gas = Wei(before - fixture.balance());
    assert_eq!(sent.mined().fee, Some(Wei(gas.0 + U256::from(5))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_charges_the_gas_limit_has_a_higher_expected_cost() {
    let anvil = Anvil::start_with(&["--chain-id", "143"]);
    let fixture = Fixture::with_anvil(anvil, |_| Action::Forward);
    let monad = TransactionSender::new(node(&fixture.proxy.url), 143);
    let plan = monad.plan(call(1), fixture.signer.address()).await.unwrap();
    let price = plan.fees.expected_gas_price();
    assert_eq!(plan.expected_cost, Wei::for_gas(plan.gas_limit, price));
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_nothing_without_funds_or_below_the_base_fee() {
    let fixture = Fixture::new(|_| Action::Forward).with_fee_limits(FeeLimits {
        max_fee_per_gas: Some(1),
        max_priority_fee_per_gas: None,
    });
    assert_eq!(fixture.sender.fee_limits().max_fee_per_gas, Some(1));
    assert_eq!(fixture.sender.wait_policy(), SHORT_WAIT);
    let plan = fixture.plan(1).await;
    let blocker = plan.blocker().unwrap();
    assert!(matches!(blocker, Error::FeeLimit(_)), "{blocker}");
    let text = blocker.to_string();
    assert!(
        text.starts_with("max fee per gas must be at least "),
        "{text}"
    );
    let sender = TransactionSender::new(node(&fixture.proxy.url), 31337);
    let poor = alloy_primitives::Address::repeat_byte(0x99);
    let plan = sender.plan(call(1), poor).await.unwrap();
    let blocker = plan.blocker().unwrap();
    assert!(
        matches!(blocker, Error::InsufficientFunds { .. }),
        "{blocker}"
    );
    assert!(!plan.is_affordable());
}

#[tokio::test(flavor = "multi_thread")]
async fn does_not_sign_on_another_chain_or_for_another_account() {
    let fixture = Fixture::new(|_| Action::Forward);
    let mut journal = fixture.journal();
    let other = crate::fixture::signer(1);
    let start = fixture
        .sender
        .start(&other, &mut journal, Wei::default(), &|_| {});
    let error = start.await.unwrap_err();
    assert!(matches!(error, Error::SignerMismatch { .. }), "{error}");
    assert!(error.is_usage_error() && !error.is_rejection());
    let sender = TransactionSender::new(node(&fixture.proxy.url), 1).with_wait_policy(SHORT_WAIT);
    let start = sender.start(&fixture.signer, &mut journal, Wei::default(), &|_| {});
    let error = start.await.unwrap_err();
    assert!(
        matches!(error, Error::WrongChain { found: 31337, .. }),
        "{error}"
    );
}
