use std::{sync::Arc, time::Duration};

use alloy_primitives::{Address, U256};
use atr_auth::{Offer, Offers};
use atr_gate::{Metrics, UsageReporter};
use http::Response;
use http_body_util::Full;
use serde_json::{Value, json};

use crate::{
    caller::{Answer, Caller, fresh_nonce, post, usdc, v1_payment, x_payment, zero_value},
    chain::account,
    facilitator::Log,
    handler::Handler,
    payment::World,
    sink::{Mode, Sink},
};

const OPERATOR: Address = Address::repeat_byte(0x0e);

/// A world whose gate reports to a sink.
fn reporting(mode: Mode) -> (World, Sink) {
    let mut world = World::start();
    let sink = Sink::start(mode, world.log.clone());
    let url = sink.url.parse().unwrap();
    world.config.usage = Some(Arc::new(UsageReporter::new(&url, "api-key").unwrap()));
    (world, sink)
}

/// Makes the gate an identity gate.
fn free(world: &mut World) {
    let offer = Offer::new(usdc(), U256::ZERO, OPERATOR);
    world.config.offers = Some(Offers::new(vec![offer]).unwrap());
    world.config.payments = None;
}

/// Calls with a credential whose members are written in an unusual way.
async fn call_free(world: &World) -> (Answer, Value) {
    let caller = Caller::new(1);
    let authorization = zero_value(caller.address(), OPERATOR, fresh_nonce(), world.now);
    let mut payment = v1_payment(&caller.sign(authorization));
    let from = &mut payment["payload"]["authorization"]["from"];
    *from = json!(from.as_str().unwrap().to_lowercase());
    let header = x_payment(&payment);
    let answer = world
        .send(&world.gate(), post(&[("x-payment", &header)]))
        .await;
    (answer, payment["payload"].clone())
}

#[tokio::test]
async fn a_free_call_is_reported_with_what_the_caller_signed() {
    // N-01, N-03, N-04
    let (mut world, sink) = reporting(Mode::Accept);
    free(&mut world);
    let (answer, payload) = call_free(&world).await;
    assert_eq!(answer.status, 200);
    // The report was answered before the response returned.
    assert_eq!(world.log.take(), ["handler", "usage"]);
    let [(request, body)] = &sink.reports()[..] else {
        panic!("one report");
    };
    assert_eq!(request.target, "/api/v2/tools/usage");
    assert_eq!(request.header("x-api-key"), Some("api-key"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert!(body["latency_ms"].is_u64());
    let signed = &payload["authorization"];
    let expected = json!({
        "verification_type": "eip3009_authorization",
        "tool_chain_id": 8453,
        "tool_registry_address": world.chain.registry.to_string(),
        "tool_onchain_id": "1",
        "latency_ms": body["latency_ms"],
        "eip3009": {
            "caller_address": signed["from"],
            "signature": payload["signature"],
            "from": signed["from"],
            "to": signed["to"],
            "value": "0",
            "valid_after": signed["validAfter"],
            "valid_before": signed["validBefore"],
            "nonce": signed["nonce"],
            "chain_id": 8453,
        },
    });
    assert_eq!(*body, expected);
}

#[tokio::test]
async fn a_paid_call_is_reported_with_its_transaction() {
    // N-01, N-03, N-05
    let (world, sink) = reporting(Mode::Accept);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    assert_eq!(world.log.take(), ["verify", "handler", "settle", "usage"]);
    let header = answer.header("payment-response").unwrap();
    let receipt = atr_auth::x402::Receipt::decode(header.as_bytes()).unwrap();
    let (_, body) = sink.reports().pop().unwrap();
    assert_eq!(body["verification_type"], "x402_settlement");
    assert_eq!(body["tool_onchain_id"], "1");
    assert_eq!(
        body["x402"],
        json!({
            "caller_address": account(1).to_string(),
            "tx_hash": receipt.transaction.unwrap(),
            "chain_id": 8453,
        })
    );
    assert!(body.get("eip3009").is_none());
    // A repeated answer is not a call.
    world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(sink.reports().len(), 1);
}

#[tokio::test]
async fn a_failed_report_does_not_fail_the_call() {
    // N-02
    let metrics = Arc::new(Metrics::default());
    for (mode, outcome) in [
        (Mode::Status(500), "rejected"),
        (Mode::Disconnect, "failed"),
    ] {
        let (mut world, sink) = reporting(mode);
        world.config.metrics = metrics.clone();
        free(&mut world);
        let (answer, _) = call_free(&world).await;
        assert_eq!((answer.status, sink.reports().len()), (200, 1), "{mode:?}");
        let line = format!("outcome=\"{outcome}\"}} 1");
        assert!(metrics.render().contains(&line), "{}", metrics.render());
    }
}

#[tokio::test]
async fn a_report_without_an_answer_is_given_up_after_five_seconds() {
    // N-02
    let (mut world, sink) = reporting(Mode::Hold);
    free(&mut world);
    let call = call_free(&world);
    let clock = async {
        // Everything else is done: only the report is waited for.
        sink.wait_until_held().await;
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(5)).await;
        tokio::time::resume();
    };
    let ((answer, _), ()) = tokio::join!(call, clock);
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn nothing_is_reported_by_default_or_for_a_failed_call() {
    // N-06
    let (mut world, sink) = reporting(Mode::Accept);
    free(&mut world);
    world.handler = Handler::new(|| {
        let mut response = Response::new(Full::<bytes::Bytes>::default());
        *response.status_mut() = http::StatusCode::NOT_FOUND;
        response
    });
    assert_eq!(call_free(&world).await.0.status, 404);
    assert_eq!(sink.reports().len(), 0);
    world.handler = Handler::json(r#"{"result":"hello"}"#).with_log(&Log::default());
    world.config.usage = None;
    assert_eq!(call_free(&world).await.0.status, 200);
    assert_eq!(sink.reports().len(), 0);
}
