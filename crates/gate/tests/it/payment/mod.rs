/// Each authorization pays once.
mod authorizations;
/// Settlement before the handler.
mod before;
/// Facilitators that fail, wait or lie.
mod facilitators;

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
