use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use alloy_primitives::{Address, U256, hex};
use alloy_sol_types::{SolCall, sol};
use atr_auth::{Authorization, Challenge, Offer, Offers, x402::Receipt};
use atr_gate::{
    Clock, ConfigError, Gate, GateConfig, GateLayer, PaymentConfig, PaymentRecords, SettleMode,
    access::{AccessChecker, AccessConfig, HeadPolicy},
    payment::{FacilitatorConfig, FacilitatorProblem, Facilitators},
    replay::MemoryStore,
};
use atr_ids::ToolRef;
use atr_loopback::{Action, RpcProxy};
use atr_manifest::Document;
use atr_schema::Schema;
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full, StreamBody};
use serde_json::json;
use tokio::sync::Semaphore;
use tower::{Layer, ServiceExt};

use crate::{
    caller::{Answer, Caller, post, request, usdc, v1_payment, x_payment},
    chain::{CHAIN_ID, Chain, account, node},
    facilitator::transfer_call,
    facilitator::{Facilitator, Log, Settle, Verify, client},
    handler::Handler,
};

sol! {
    function mint(address to, uint256 amount) external;
    function balanceOf(address account) external view returns (uint256);
}

const OPERATOR: Address = Address::repeat_byte(0x0e);
const URL: &str = "https://tools.example.com/oracle";
const PRICE: u64 = 10_000;
const FUNDS: u64 = 1_000_000;

/// A paid gate in front of a handler, a facilitator, and a token at the address of USDC.
pub(crate) struct World {
    pub(crate) chain: Chain,
    pub(crate) log: Log,
    pub(crate) facilitator: Facilitator,
    pub(crate) handler: Handler,
    pub(crate) config: GateConfig,
    pub(crate) now: u64,
}

pub(crate) fn price() -> Offers {
    Offers::new(vec![Offer::new(usdc(), U256::from(PRICE), OPERATOR)]).unwrap()
}

/// The configuration of a paid gate.
pub(crate) fn paid(
    tool: ToolRef,
    clock: Clock,
    rpc: &str,
    facilitators: Arc<Facilitators>,
    records: PaymentRecords,
) -> GateConfig {
    let mut config = GateConfig::new(tool, clock);
    config.access = Some(AccessChecker::new(AccessConfig {
        head: HeadPolicy {
            poll_interval: Duration::ZERO,
            max_age: None,
            max_lag: 3,
        },
        ..AccessConfig::new(CHAIN_ID, node(rpc))
    }));
    config.offers = Some(price());
    config.public_url = Some(URL.parse().unwrap());
    let mut payments = PaymentConfig::new(facilitators, records);
    payments.node = Some(node(rpc));
    payments.poll_interval = Duration::from_millis(10);
    config.payments = Some(payments);
    config
}

impl World {
    pub(crate) fn start() -> Self {
        let chain = Chain::start();
        chain.place_mock("PlainERC3009", usdc().address());
        let mint = mintCall {
            to: account(1),
            amount: U256::from(FUNDS),
        };
        chain.send(account(0), usdc().address(), &mint);
        let tool = chain.register(Address::ZERO);
        let now = chain.time();
        let log = Log::default();
        let facilitator = Facilitator::start(&chain.anvil.url, log.clone());
        let clock = Clock::new(move || now);
        let records = PaymentRecords::in_memory(clock.clone());
        let mut config = paid(tool, clock, &chain.anvil.url, facilitator.client(), records);
        config.payments.as_mut().unwrap().is_ephemeral = true;
        Self {
            handler: Handler::json(r#"{"result":"hello"}"#).with_log(&log),
            chain,
            log,
            facilitator,
            config,
            now,
        }
    }

    fn payments(&mut self) -> &mut PaymentConfig {
        self.config.payments.as_mut().unwrap()
    }

    pub(crate) fn gate(&self) -> GateLayer {
        GateLayer::new(Arc::new(Gate::new(self.config.clone()).unwrap()))
    }

    pub(crate) async fn send(&self, gate: &GateLayer, request: Request<Full<Bytes>>) -> Answer {
        let service = gate.layer(self.handler.clone());
        Answer::read(service.oneshot(request).await.unwrap()).await
    }

    async fn challenge(&self, gate: &GateLayer) -> Challenge {
        self.send(gate, post(&[])).await.challenge()
    }

    /// A payment header for a new authorization of the first funded caller.
    pub(crate) async fn payment(&self, gate: &GateLayer) -> (&'static str, String) {
        let challenge = self.challenge(gate).await;
        let header = Caller::new(1).answer(&challenge, self.now);
        (header.name, header.value)
    }

    pub(crate) fn balance(&self, account: Address) -> u64 {
        let call = balanceOfCall { account }.abi_encode();
        let call = json!({ "to": usdc().address(), "data": hex::encode_prefixed(call) });
        let balance = self
            .chain
            .anvil
            .request("eth_call", json!([call, "latest"]));
        balance.as_str().unwrap().parse::<U256>().unwrap().to()
    }

    /// Checks that the price moved this often.
    #[track_caller]
    pub(crate) fn assert_paid(&self, times: u64) {
        let balances = (self.balance(account(1)), self.balance(OPERATOR));
        assert_eq!(balances, (FUNDS - times * PRICE, times * PRICE));
    }
}

fn receipt(answer: &Answer) -> Receipt {
    let header = ["payment-response", "x-payment-response"]
        .into_iter()
        .find_map(|name| answer.header(name));
    Receipt::decode(header.expect("a receipt").as_bytes()).unwrap()
}

#[tokio::test]
async fn the_challenge_asks_for_the_price() {
    // L-18
    let world = World::start();
    let answer = world.send(&world.gate(), post(&[])).await;
    assert_eq!(answer.status, 402);
    assert_eq!(answer.json()["accepts"][0]["maxAmountRequired"], "10000");
    assert_eq!(answer.challenge().requirements[0].amount, U256::from(PRICE));
    assert!(world.facilitator.requests().is_empty());
}

#[tokio::test]
async fn a_paid_call_moves_the_price_once_and_returns_a_receipt() {
    // L-17, L-18
    let world = World::start();
    let gate = world.gate();
    let challenge = world.send(&gate, post(&[])).await;
    let caller = Caller::new(1);
    for (index, challenge) in [challenge.challenge_v1(), challenge.challenge()]
        .iter()
        .enumerate()
    {
        let header = caller.answer(challenge, world.now);
        let answer = world
            .send(&gate, post(&[(header.name, &header.value)]))
            .await;
        assert_eq!(
            (answer.status, answer.json()),
            (200, json!({ "result": "hello" }))
        );
        assert_eq!(world.log.take(), ["verify", "handler", "settle"]);
        world.assert_paid(index as u64 + 1);
        let receipt = receipt(&answer);
        assert!(receipt.success);
        assert_eq!(receipt.payer, Some(caller.address()));
        let found = world
            .chain
            .anvil
            .receipt(&json!(receipt.transaction.unwrap()));
        assert_eq!(found["status"], "0x1");
        let call = world.handler.calls().pop().unwrap();
        assert_eq!(call.headers["x-tool-paid"], "true");
        assert_eq!(call.body, r#"{"query":"hello"}"#);
        let payment = call.context.unwrap().payment.unwrap();
        assert_eq!(
            (payment.amount, payment.payer),
            (U256::from(PRICE), caller.address())
        );
        assert_eq!(payment.transaction, None);
    }
    // The facilitator is spoken to in the caller's version, with its key.
    let requests = world.facilitator.requests();
    let versions: Vec<_> = requests
        .iter()
        .map(|(_, request)| {
            assert_eq!(request.header("x-api-key"), Some("secret"));
            let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
            body["x402Version"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(versions, [1, 1, 2, 2]);
}

#[tokio::test]
async fn a_denied_caller_pays_nothing() {
    // L-17, L-19
    let mut world = World::start();
    let (tool, _) = world.chain.register_settable();
    world.config.tool = tool;
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (403, "access_denied".to_owned())
    );
    assert!(world.facilitator.requests().is_empty());
    assert_eq!(world.handler.count(), 0);
    world.assert_paid(0);
}

#[tokio::test]
async fn invalid_input_costs_nothing() {
    // L-24
    let mut world = World::start();
    let schema = Document::parse(r#"{"type":"object","required":["other"]}"#).unwrap();
    let schema = Schema::compile(schema.root()).unwrap();
    world.config.schemas.input = Some(Arc::new(schema));
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (400, "invalid_input".to_owned())
    );
    assert!(world.facilitator.requests().is_empty());
}

#[tokio::test]
async fn another_value_than_the_price_gets_the_challenge() {
    // T-40
    let world = World::start();
    let (gate, caller) = (world.gate(), Caller::new(1));
    let challenge = world.challenge(&gate).await;
    for value in [0, PRICE - 1, PRICE + 1] {
        let mut authorization = caller.authorization(&challenge, world.now);
        authorization.value = U256::from(value);
        let payment = x_payment(&v1_payment(&caller.sign(authorization)));
        let answer = world.send(&gate, post(&[("x-payment", &payment)])).await;
        assert_eq!(
            (answer.status, answer.code()),
            (402, "wrong_value".to_owned())
        );
        assert!(answer.json()["accepts"].is_array());
    }
    assert!(world.facilitator.requests().is_empty());
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn a_payment_that_the_facilitator_rejects_gets_the_challenge_and_the_reason() {
    // L-17, L-19
    let world = World::start();
    let gate = world.gate();
    // Account 2 has no funds.
    let challenge = world.challenge(&gate).await;
    let header = Caller::new(2).answer(&challenge, world.now);
    let answer = world
        .send(&gate, post(&[(header.name, &header.value)]))
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (402, "payment_invalid".to_owned())
    );
    assert_eq!(answer.json()["error"], "insufficient_funds");
    assert_eq!(
        answer.challenge().error.as_deref(),
        Some("insufficient_funds")
    );
    assert_eq!(world.handler.count(), 0);
    assert_eq!(world.facilitator.count("settle"), 0);
}

#[tokio::test]
async fn a_facilitator_that_does_not_verify_is_a_bad_gateway() {
    // T-40
    let mut world = World::start();
    for verify in [Verify::Status(429), Verify::Status(500), Verify::Disconnect] {
        world.facilitator.set_verify(verify);
        let gate = world.gate();
        let (name, value) = world.payment(&gate).await;
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        assert_eq!(
            (answer.status, answer.code()),
            (502, "facilitator_unavailable".to_owned()),
            "{verify:?}"
        );
        // The payment is not used up.
        world.facilitator.set_verify(Verify::Honest);
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        assert_eq!(answer.status, 200, "{verify:?}");
    }
    world.assert_paid(3);
    world.payments().facilitators = client(vec![FacilitatorConfig {
        url: "http://127.0.0.1:1".parse().unwrap(),
        headers: Vec::new(),
    }]);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 502);
    world.assert_paid(3);
}

#[tokio::test]
async fn falls_back_to_another_facilitator() {
    let mut world = World::start();
    let busy = Facilitator::start(&world.chain.anvil.url, Log::default());
    busy.set_verify(Verify::Status(429));
    busy.set_settle(Settle::Status(429));
    let dead = FacilitatorConfig {
        url: "http://127.0.0.1:1".parse().unwrap(),
        headers: Vec::new(),
    };
    let all = vec![dead, busy.config(), world.facilitator.config()];
    world.payments().facilitators = client(all);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    assert_eq!((busy.count("verify"), busy.count("settle")), (1, 1));
    world.assert_paid(1);
}

#[tokio::test]
async fn a_facilitator_is_asked_what_it_supports() {
    let world = World::start();
    let facilitators = &world.config.payments.as_ref().unwrap().facilitators;
    assert_eq!(facilitators.check(&price()).await, []);
    let monad = atr_auth::Network::from_chain_id(143).unwrap();
    let token = atr_auth::Token::usdc(monad).unwrap();
    let offer = Offer::new(token, U256::from(PRICE), OPERATOR);
    let problems = facilitators.check(&Offers::new(vec![offer]).unwrap()).await;
    assert!(
        matches!(&problems[..], [FacilitatorProblem::Unsupported { network, .. }] if *network == monad),
        "{problems:?}"
    );
    let dead = client(vec![FacilitatorConfig {
        url: "http://127.0.0.1:1".parse().unwrap(),
        headers: Vec::new(),
    }]);
    let problems = dead.check(&price()).await;
    assert!(matches!(
        &problems[..],
        [FacilitatorProblem::Unavailable { .. }]
    ));
}

/// Responses that do not count as an answer.
fn failing_handlers() -> Vec<(Handler, u16, Option<&'static str>)> {
    let json = |status: u16, body: &'static str| {
        Handler::new(move || {
            Response::builder()
                .status(status)
                .header("content-type", "application/json")
                .body(Full::new(Bytes::from_static(body.as_bytes())))
                .unwrap()
        })
    };
    let broken = Handler::new(|| {
        let first = Ok(http_body::Frame::data(Bytes::from_static(b"{\"result\":")));
        let error: Result<_, atr_gate::BoxError> = Err("the upstream crashed".into());
        let frames = futures_util::stream::iter([first, error]);
        Response::builder()
            .header("content-type", "application/json")
            .body(StreamBody::new(frames))
            .unwrap()
    });
    let panicking = Handler::new(|| -> Response<Full<Bytes>> { panic!("the handler panicked") });
    let large = Handler::new(|| Response::new(Full::new(Bytes::from(vec![b'a'; (1 << 20) + 1]))));
    vec![
        (json(500, r#"{"message":"oops"}"#), 500, None),
        (json(404, r#"{"message":"no"}"#), 404, None),
        (json(200, r#"{"result":7}"#), 502, Some("invalid_output")),
        (broken, 502, Some("incomplete_output")),
        (panicking, 502, Some("handler_failed")),
        (large, 502, Some("output_too_large")),
    ]
}

#[tokio::test]
async fn a_failed_call_costs_nothing_and_releases_the_payment() {
    // L-19
    let mut world = World::start();
    let schema = r#"{"type":"object","properties":{"result":{"type":"string"}}}"#;
    let schema = Schema::compile(Document::parse(schema).unwrap().root()).unwrap();
    world.config.schemas.output = Some(Arc::new(schema));
    let gate = world.gate();
    let good = world.handler.clone();
    let (name, value) = world.payment(&gate).await;
    for (handler, status, code) in failing_handlers() {
        world.handler = handler;
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        assert_eq!(answer.status, status, "{answer:?}");
        if let Some(code) = code {
            assert_eq!(answer.code(), code);
        }
        assert_eq!(world.handler.count(), 1);
        assert_eq!(answer.header("payment-response"), None);
    }
    assert_eq!(world.facilitator.count("settle"), 0);
    world.assert_paid(0);
    world.handler = good;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(1);
}

#[tokio::test]
async fn the_answer_is_withheld_when_settlement_fails() {
    // L-20, T-43
    let world = World::start();
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::Refuse);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_failed".to_owned())
    );
    assert_eq!(answer.json()["reason"], "insufficient_funds");
    assert!(!answer.body.windows(5).any(|part| part == b"hello"));
    assert_eq!(answer.header("payment-response"), None);
    world.assert_paid(0);
    // The answer is not lost: the same request is settled later, without running the handler again.
    world.facilitator.set_settle(Settle::Honest);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_facilitator_that_is_busy_is_asked_again_and_then_given_up() {
    let world = World::start();
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::Status(429));
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_failed".to_owned())
    );
    assert_eq!(world.facilitator.count("settle"), 4);
    world.assert_paid(0);
}

#[tokio::test]
async fn a_lost_answer_of_the_facilitator_is_found_on_the_chain() {
    let world = World::start();
    for settle in [Settle::LoseAnswer, Settle::ClaimFailed, Settle::Status(500)] {
        let gate = world.gate();
        let (name, value) = world.payment(&gate).await;
        let before = world.balance(OPERATOR);
        world.facilitator.set_settle(settle);
        let request = world.send(&gate, post(&[(name, &value)]));
        // After status 500 nothing happened: the request is repeated, and then honoured.
        if let Settle::Status(_) = settle {
            let (answer, ()) = tokio::join!(request, async {
                while world.facilitator.count("settle") < 4 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                world.facilitator.set_settle(Settle::Honest);
            });
            assert_eq!(answer.status, 200, "{answer:?}");
        } else {
            let answer = request.await;
            assert_eq!(answer.status, 200, "{settle:?} {answer:?}");
            let found = receipt(&answer).transaction.unwrap();
            assert_eq!(world.chain.anvil.receipt(&json!(found))["status"], "0x1");
        }
        assert_eq!(world.balance(OPERATOR), before + PRICE, "{settle:?}");
    }
    world.assert_paid(3);
    assert_eq!(world.handler.count(), 3);
}

#[tokio::test]
async fn a_pending_settlement_is_repeated_until_it_is_settled() {
    let mut world = World::start();
    // Without a node, only the facilitator knows.
    world.payments().node = None;
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::Pending(3));
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    let requests = world.facilitator.requests();
    let settles: Vec<_> = requests
        .iter()
        .filter(|(path, _)| path == "settle")
        .collect();
    assert_eq!(settles.len(), 4);
    assert!(
        settles
            .windows(2)
            .all(|pair| pair[0].1.body == pair[1].1.body)
    );
    world.assert_paid(1);
}

#[tokio::test]
async fn a_false_claim_of_settlement_is_noticed() {
    let mut world = World::start();
    world.payments().deadline = Duration::from_millis(100);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::ClaimSettled);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_unknown".to_owned())
    );
    assert!(!answer.body.windows(5).any(|part| part == b"hello"));
    world.assert_paid(0);
    // The facilitator of the operator is believed if the operator says so.
    world.payments().confirms = false;
    let trusting = world.gate();
    let (name, value) = world.payment(&trusting).await;
    let answer = world.send(&trusting, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(0);
}

#[tokio::test]
async fn a_false_verification_gets_no_answer_without_payment() {
    let world = World::start();
    world.facilitator.set_verify(Verify::Claim(true));
    let gate = world.gate();
    let challenge = world.challenge(&gate).await;
    let header = Caller::new(2).answer(&challenge, world.now);
    let answer = world
        .send(&gate, post(&[(header.name, &header.value)]))
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_failed".to_owned())
    );
    assert!(!answer.body.windows(5).any(|part| part == b"hello"));
}

#[tokio::test]
async fn an_unknown_outcome_is_not_answered_with_402_and_is_resolved_later() {
    let mut world = World::start();
    world.payments().deadline = Duration::from_millis(300);
    // No node: nobody can tell what became of the settlement.
    let node = world.payments().node.take();
    let blind = world.gate();
    let (name, value) = world.payment(&blind).await;
    world.facilitator.set_settle(Settle::Hang);
    let answer = world.send(&blind, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_unknown".to_owned())
    );
    assert!(answer.header("retry-after").is_some());
    // The money has moved. The same request gets its answer, from the chain.
    world.assert_paid(1);
    world.payments().node = node;
    let gate = world.gate();
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert!(receipt(&answer).transaction.is_some());
    assert_eq!(
        (world.handler.count(), world.facilitator.count("settle")),
        (1, 1)
    );
    world.assert_paid(1);
}

#[tokio::test]
async fn a_repeated_request_gets_the_stored_answer() {
    // L-21
    let world = World::start();
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let first = world.send(&gate, post(&[(name, &value)])).await;
    let again = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!(first.body, again.body);
    assert_eq!(receipt(&first), receipt(&again));
    assert_eq!(again.header("content-type"), Some("application/json"));
    assert_eq!(world.handler.count(), 1);
    // Another body, path or method is another request.
    let body = request(Method::POST, &[(name, &value)], r#"{"query":"other"}"#);
    let mut path = post(&[(name, &value)]);
    *path.uri_mut() = "/oracle?x=1".parse().unwrap();
    let method = request(Method::PUT, &[(name, &value)], r#"{"query":"hello"}"#);
    for other in [body, path, method] {
        let answer = world.send(&gate, other).await;
        assert_eq!(
            (answer.status, answer.code()),
            (402, "payment_authorization_already_used".to_owned())
        );
        assert!(answer.json()["accepts"].is_array());
    }
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_payment_for_one_tool_does_not_open_another() {
    // T-42
    let mut world = World::start();
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    assert_eq!(world.send(&gate, post(&[(name, &value)])).await.status, 200);
    world.config.tool = world.chain.register(Address::ZERO);
    let other = world.gate();
    let answer = world.send(&other, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (402, "payment_authorization_already_used".to_owned())
    );
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_replays_run_the_handler_once() {
    // L-21, T-42
    let mut world = World::start();
    let permits = Arc::new(Semaphore::new(0));
    world.handler = world.handler.clone().waiting_for(&permits);
    let world = Arc::new(world);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let tasks: Vec<_> = (0..1000)
        .map(|_| {
            let (world, gate, value) = (world.clone(), gate.clone(), value.clone());
            tokio::spawn(async move { world.send(&gate, post(&[(name, &value)])).await.status })
        })
        .collect();
    // The handler answers when all others were turned away.
    let mut statuses = Vec::new();
    let mut tasks = futures_util::stream::FuturesUnordered::from_iter(tasks);
    while let Some(status) = futures_util::StreamExt::next(&mut tasks).await {
        statuses.push(status.unwrap());
        if statuses.len() == 999 {
            permits.add_permits(1);
        }
    }
    let in_progress = statuses.iter().filter(|status| **status == 409).count();
    assert_eq!(
        (statuses.len(), in_progress, statuses[999]),
        (1000, 999, 200)
    );
    assert_eq!(world.handler.count(), 1);
    assert_eq!(world.facilitator.count("verify"), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_caller_that_goes_away_finds_its_answer() {
    let mut world = World::start();
    let permits = Arc::new(Semaphore::new(0));
    world.handler = world.handler.clone().waiting_for(&permits);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    {
        let request = world.send(&gate, post(&[(name, &value)]));
        let handler_runs = async {
            while world.handler.count() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = request => panic!("the handler waits"),
            () = handler_runs => {}
        }
    }
    permits.add_permits(1);
    let answer = loop {
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        if answer.status != 409 {
            break answer;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn settling_before_the_handler_passes_the_transaction_on() {
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    assert_eq!(world.log.take(), ["verify", "settle", "handler"]);
    let transaction = receipt(&answer).transaction.unwrap();
    let call = world.handler.calls().pop().unwrap();
    assert_eq!(
        call.headers["x-tool-payment-tx"].to_str().unwrap(),
        transaction.to_string()
    );
    let payment = call.context.unwrap().payment.unwrap();
    assert_eq!(payment.transaction, Some(transaction));
    // A short answer is stored.
    let again = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!((again.status, again.body), (200, answer.body));
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn settling_before_the_handler_streams() {
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let is_finished = Arc::new(AtomicBool::new(false));
    let permits = Arc::new(Semaphore::new(0));
    let (flag, wait) = (is_finished.clone(), permits.clone());
    world.handler = Handler::new(move || {
        let (flag, wait) = (flag.clone(), wait.clone());
        let frames = futures_util::stream::unfold(0, move |index| {
            let (flag, wait) = (flag.clone(), wait.clone());
            async move {
                let frame = |text: &'static str| {
                    let data = Bytes::from_static(text.as_bytes());
                    Ok::<_, atr_gate::BoxError>(http_body::Frame::data(data))
                };
                match index {
                    0 => Some((frame("data: 1\n\n"), 1)),
                    1 => {
                        wait.acquire().await.unwrap().forget();
                        flag.store(true, Ordering::SeqCst);
                        Some((frame("data: 2\n\n"), 2))
                    }
                    _ => None,
                }
            }
        });
        Response::builder()
            .header("content-type", "text/event-stream")
            .body(StreamBody::new(frames))
            .unwrap()
    });
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let service = gate.layer(world.handler.clone());
    let response = service.oneshot(post(&[(name, &value)])).await.unwrap();
    assert!(response.headers().contains_key("payment-response"));
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, "data: 1\n\n");
    assert!(!is_finished.load(Ordering::SeqCst));
    permits.add_permits(1);
    assert_eq!(body.collect().await.unwrap().to_bytes(), "data: 2\n\n");
    world.assert_paid(1);
    // A stream is not stored: the payment is used up.
    let again = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (again.status, again.code()),
        (402, "payment_authorization_already_used".to_owned())
    );
}

#[tokio::test]
async fn a_call_that_was_paid_before_it_failed_can_be_repeated() {
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let good = world.handler.clone();
    let schema = r#"{"type":"object","properties":{"result":{"type":"string"}}}"#;
    let schema = Schema::compile(Document::parse(schema).unwrap().root()).unwrap();
    world.config.schemas.output = Some(Arc::new(schema));
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    for (handler, status, code) in failing_handlers() {
        if code == Some("output_too_large") {
            continue;
        }
        world.handler = handler;
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        assert_eq!(answer.status, status, "{answer:?}");
        // Money moved, so there is a receipt.
        assert!(receipt(&answer).success);
    }
    world.handler = good;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    assert_eq!(world.facilitator.count("settle"), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_settlement_that_fails_before_the_handler_withholds_the_call() {
    // L-20
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::Refuse);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_failed".to_owned())
    );
    assert_eq!(world.handler.count(), 0);
    world.assert_paid(0);
    world.facilitator.set_settle(Settle::LoseAnswer);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_cancelled_authorization_gets_a_new_challenge() {
    let mut world = World::start();
    world.payments().deadline = Duration::from_millis(300);
    let gate = world.gate();
    let caller = Caller::new(1);
    let challenge = world.challenge(&gate).await;
    let authorization = caller.authorization(&challenge, world.now);
    let signed = caller.sign(authorization);
    let header = challenge.payment_header(&challenge.requirements[0], signed);
    // The payer cancels while the handler runs.
    let cancellation = crate::chain::cancellation(&caller.signer, authorization.nonce);
    let anvil = world.chain.anvil.url.clone();
    world.handler = Handler::new(move || {
        crate::chain::send_raw(&anvil, usdc().address(), &cancellation);
        Response::new(Full::new(Bytes::from_static(b"{}")))
    });
    let answer = world
        .send(&gate, post(&[(header.name, &header.value)]))
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (402, "payment_cancelled".to_owned())
    );
    world.assert_paid(0);
}

/// Initialization code that makes calls of the token, so that they are in one transaction.
fn batch(calls: &[Vec<u8>]) -> Bytes {
    let push = |code: &mut Vec<u8>, value: usize| {
        code.push(0x61);
        code.extend(u16::try_from(value).unwrap().to_be_bytes());
    };
    let header = calls.len() * 49 + 1;
    let (mut code, mut offset) = (Vec::new(), header);
    for call in calls {
        // CODECOPY(0, offset, size)
        push(&mut code, call.len());
        push(&mut code, offset);
        push(&mut code, 0);
        code.push(0x39);
        // CALL(gas, token, 0, 0, size, 0, 0)
        push(&mut code, 0);
        push(&mut code, 0);
        push(&mut code, call.len());
        push(&mut code, 0);
        push(&mut code, 0);
        code.push(0x73);
        code.extend(usdc().address());
        code.extend([0x5a, 0xf1, 0x50]);
        offset += call.len();
    }
    code.push(0);
    assert_eq!(code.len(), header);
    code.extend(calls.concat());
    code.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_pays_for_its_own_authorization_only() {
    // L-20: a nonce belongs to the payer. Two of three are used for transfers of nothing to the payer itself, in the
    // transaction that pays for the third.
    let mut world = World::start();
    let permits = Arc::new(Semaphore::new(0));
    world.handler = world.handler.clone().waiting_for(&permits);
    let world = Arc::new(world);
    let (gate, caller) = (world.gate(), Caller::new(1));
    let challenge = world.challenge(&gate).await;
    let (mut calls, mut tasks) = (Vec::new(), Vec::new());
    for is_paid in [false, true, false] {
        let authorization = caller.authorization(&challenge, world.now);
        let signed = caller.sign(authorization);
        let other = Authorization {
            to: caller.address(),
            value: U256::ZERO,
            ..authorization
        };
        let used = if is_paid {
            signed.clone()
        } else {
            caller.sign(other)
        };
        calls.push(transfer_call(&used));
        let header = challenge.payment_header(&challenge.requirements[0], signed);
        let (world, gate) = (world.clone(), gate.clone());
        tasks.push(tokio::spawn(async move {
            let request = post(&[(header.name, &header.value)]);
            world.send(&gate, request).await
        }));
    }
    while world.handler.count() < 3 {
        tokio::task::yield_now().await;
    }
    world.chain.deploy(&batch(&calls).to_vec().into());
    world.assert_paid(1);
    permits.add_permits(3);
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    for (answer, is_paid) in answers.iter().zip([false, true, false]) {
        if is_paid {
            assert_eq!(answer.status, 200, "{answer:?}");
            assert!(receipt(answer).transaction.is_some());
        } else {
            let code = "payment_cancelled".to_owned();
            assert_eq!((answer.status, answer.code()), (402, code));
            assert!(!answer.body.windows(5).any(|part| part == b"hello"));
        }
    }
    world.assert_paid(1);
}

#[tokio::test]
async fn a_used_nonce_without_its_log_is_unknown_and_not_paid() {
    // L-20: the logs of a node can lag behind its state.
    let mut world = World::start();
    let lagging = RpcProxy::start(&world.chain.anvil.url, |request| {
        match request.method.as_str() {
            "eth_getLogs" => Action::Return(json!([])),
            _ => Action::Forward,
        }
    });
    world.payments().deadline = Duration::from_millis(300);
    let healthy = world.payments().node.replace(node(&lagging.url));
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::ClaimFailed);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_unknown".to_owned())
    );
    assert!(!answer.body.windows(5).any(|part| part == b"hello"));
    world.payments().node = healthy;
    let answer = world.send(&world.gate(), post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(1);
}

#[tokio::test]
async fn an_expired_payment_gets_its_answer_and_nothing_else() {
    // L-21
    let mut world = World::start();
    let gate = world.gate();
    let (paid, unused) = (world.payment(&gate).await, world.payment(&gate).await);
    let answer = world.send(&gate, post(&[(paid.0, &paid.1)])).await;
    assert_eq!(answer.status, 200);
    // Clients sign at most 300 seconds ahead; the answer is kept for 600 seconds more.
    for (seconds, status) in [(301, 200), (800, 200), (901, 401)] {
        let now = world.now + seconds;
        world.config.clock = Clock::new(move || now);
        let later = world.gate();
        let again = world.send(&later, post(&[(paid.0, &paid.1)])).await;
        assert_eq!(again.status, status, "{again:?}");
        let refused = world.send(&later, post(&[(unused.0, &unused.1)])).await;
        assert_eq!(
            (refused.status, refused.code()),
            (401, "expired".to_owned())
        );
        let other = request(Method::POST, &[(paid.0, &paid.1)], r#"{"query":"x"}"#);
        let other = world.send(&later, other).await;
        assert!(matches!(other.status, 401 | 402), "{other:?}");
    }
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn another_process_takes_over_after_a_crash() {
    let mut world = World::start();
    // Two gates with their own records, as in two processes, and one store.
    let store = Arc::new(MemoryStore::default());
    let now = world.now;
    let mut process = || {
        let clock = Clock::new(move || now);
        world.payments().records = PaymentRecords::new(store.clone(), clock);
        GateLayer::new(Arc::new(Gate::new(world.config.clone()).unwrap()))
    };
    let (first, second) = (process(), process());
    // The first process is gone while the handler runs: nothing was settled, the second starts again.
    let permits = Arc::new(Semaphore::new(0));
    let good = world.handler.clone();
    world.handler = good.clone().waiting_for(&permits);
    let (name, value) = world.payment(&first).await;
    let service = first.layer(world.handler.clone());
    let request = tokio::spawn(service.oneshot(post(&[(name, &value)])));
    while world.handler.count() == 0 {
        tokio::task::yield_now().await;
    }
    request.abort();
    world.handler = good;
    let answer = world.send(&second, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(1);
    // It wakes up: it must neither settle nor answer.
    permits.add_permits(1);
    let again = world.send(&second, post(&[(name, &value)])).await;
    assert_eq!((again.status, again.body), (200, answer.body));
    world.assert_paid(1);
}

#[tokio::test]
async fn a_connection_cannot_be_upgraded_for_one_payment() {
    let world = World::start();
    let answer = world
        .send(&world.gate(), post(&[("upgrade", "websocket")]))
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (400, "upgrade_not_supported".to_owned())
    );
}

#[tokio::test]
async fn payments_need_durable_records_and_a_facilitator() {
    let world = World::start();
    let error = |change: &dyn Fn(&mut GateConfig)| {
        let mut config = world.config.clone();
        change(&mut config);
        Gate::new(config).err()
    };
    let not_ephemeral = error(&|config| config.payments.as_mut().unwrap().is_ephemeral = false);
    assert_eq!(not_ephemeral, Some(ConfigError::NotDurable));
    assert_eq!(
        error(&|config| config.payments = None),
        Some(ConfigError::NoPayments)
    );
    let free = error(&|config| {
        let offer = Offer::new(usdc(), U256::ZERO, OPERATOR);
        config.offers = Some(Offers::new(vec![offer]).unwrap());
    });
    assert_eq!(free, Some(ConfigError::NoPrice));
    let nobody = error(&|config| config.payments.as_mut().unwrap().facilitators = client(vec![]));
    assert_eq!(nobody, Some(ConfigError::NoFacilitator));
}

#[tokio::test]
async fn an_identity_gate_and_a_payment_gate_in_a_chain() {
    // L-22
    let world = World::start();
    let mut identity = world.config.clone();
    identity.payments = None;
    let free = Offer::new(usdc(), U256::ZERO, OPERATOR);
    identity.offers = Some(Offers::new(vec![free]).unwrap());
    identity.following_offers = Some(price());
    let mut payment = world.config.clone();
    payment.access = None;
    let [identity, payment] =
        [identity, payment].map(|config| GateLayer::new(Arc::new(Gate::new(config).unwrap())));
    let send = async |request| {
        let service = identity.layer(payment.layer(world.handler.clone()));
        Answer::read(service.oneshot(request).await.unwrap()).await
    };
    let caller = Caller::new(1);
    for is_v2 in [false, true] {
        let challenge = |answer: &Answer| {
            if is_v2 {
                answer.challenge()
            } else {
                answer.challenge_v1()
            }
        };
        // The first challenge asks who calls, the second for the price.
        let first = challenge(&send(post(&[])).await);
        assert_eq!(first.requirements[0].amount, U256::ZERO);
        let header = caller.answer(&first, world.now);
        let second = send(post(&[(header.name, &header.value)])).await;
        let second = challenge(&second);
        assert_eq!(second.requirements[0].amount, U256::from(PRICE));
        let header = caller.answer(&second, world.now);
        let answer = send(post(&[(header.name, &header.value)])).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(receipt(&answer).success);
        // The payment is still protected by the second gate.
        let again = send(post(&[(header.name, &header.value)])).await;
        assert_eq!((again.status, again.body), (200, answer.body));
    }
    assert_eq!(world.handler.count(), 2);
    world.assert_paid(2);
    let call = world.handler.calls().pop().unwrap();
    assert!(!call.headers.contains_key("payment-signature"));
    // Someone else's payment is no identity.
    let mut forged = v1_payment(
        &caller.sign(caller.authorization(&send(post(&[])).await.challenge_v1(), world.now)),
    );
    forged["payload"]["authorization"]["value"] = json!(PRICE.to_string());
    let answer = send(post(&[("x-payment", &x_payment(&forged))])).await;
    assert_eq!(answer.status, 401);
}
