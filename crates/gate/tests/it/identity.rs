use std::{num::NonZeroU32, sync::Arc, time::Duration};

use alloy::signers::SignerSync;
use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolValue;
use atr_auth::{
    AcceptedSchemes, Alphabet, Authorization, ChallengeMode, Offer, Offers, SignedAuthorization,
    audience_payee, encode_base64,
};
use atr_bindings::{
    ALWAYS_DENY_PREDICATE, IToolRegistry, MERKLE_ALLOWLIST_PREDICATE, MerkleAllowlistPredicate,
};
use atr_gate::{
    ClientAddress, Clock, ConfigError, Gate, GateConfig, GateLayer, Metrics, RateLimit,
    RateLimiter, ToolSchemas,
    access::{AccessChecker, AccessConfig, DELEGATE_REGISTRY, HeadPolicy},
};
use atr_ids::ToolRef;
use atr_loopback::{Action, RpcProxy};
use atr_manifest::{Document, Manifest, Policy};
use atr_registry::predicates::merkle_allowlist::Allowlist;
use atr_schema::Schema;
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::Full;
use serde_json::{Value, json};
use tower::{Layer, ServiceExt};

use crate::{
    caller::{
        Answer, Caller, NOW, eip3009_token, fresh_nonce, post, request, usdc, v1_payment,
        x_payment, zero_value,
    },
    chain::{CHAIN_ID, Chain, account, delegateAllCall, node},
    handler::Handler,
};

const OPERATOR: Address = Address::repeat_byte(0x0e);
const URL: &str = "https://tools.example.com/oracle";

/// A gate in front of a handler, with a proxy that counts requests to the node.
struct World {
    chain: Chain,
    rpc: RpcProxy,
    handler: Handler,
    config: GateConfig,
}

fn clock() -> Clock {
    Clock::new(|| NOW)
}

fn access(url: &str) -> AccessChecker {
    AccessChecker::new(AccessConfig {
        head: HeadPolicy {
            poll_interval: Duration::ZERO,
            max_age: None,
            max_lag: 3,
        },
        ..AccessConfig::new(CHAIN_ID, node(url))
    })
}

fn free_offers() -> Offers {
    Offers::new(vec![Offer::new(usdc(), U256::ZERO, OPERATOR)]).unwrap()
}

impl World {
    /// An identity gate for a tool.
    fn start(tool: impl FnOnce(&Chain) -> ToolRef) -> Self {
        let chain = Chain::start();
        let tool = tool(&chain);
        let rpc = RpcProxy::start(&chain.anvil.url, |_| Action::Forward);
        let mut config = GateConfig::new(tool, clock());
        config.access = Some(access(&rpc.url));
        config.offers = Some(free_offers());
        config.public_url = Some(URL.parse().unwrap());
        Self {
            chain,
            rpc,
            handler: Handler::json(r#"{"result":"hello"}"#),
            config,
        }
    }

    fn open() -> Self {
        Self::start(|chain| chain.register(Address::ZERO))
    }

    fn gate(&self) -> GateLayer {
        GateLayer::new(Arc::new(Gate::new(self.config.clone()).unwrap()))
    }

    /// Sends a request through a gate.
    async fn send_to(&self, gate: &GateLayer, request: Request<Full<Bytes>>) -> Answer {
        let service = gate.layer(self.handler.clone());
        Answer::read(service.oneshot(request).await.unwrap()).await
    }

    /// Sends a request through a new gate.
    async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        self.send_to(&self.gate(), request).await
    }

    /// Asks for the challenge and answers it.
    async fn call(&self, caller: &Caller, headers: &[(&str, &str)]) -> Answer {
        let gate = self.gate();
        let challenge = self.send_to(&gate, post(&[])).await.challenge();
        let header = caller.answer(&challenge, NOW);
        let headers = [&[(header.name, header.value.as_str())], headers].concat();
        self.send_to(&gate, post(&headers)).await
    }
}

fn signed(caller: &Caller) -> SignedAuthorization {
    caller.sign(zero_value(caller.address(), OPERATOR, fresh_nonce(), NOW))
}

#[tokio::test]
async fn a_bare_request_gets_a_challenge_for_both_versions() {
    // L-01, T-46
    let world = World::open();
    let answer = world.send(post(&[])).await;
    assert_eq!(answer.status, 402);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("x-accept-payment"), Some("x402"));
    let body = answer.json();
    let accepts = &body["accepts"][0];
    assert_eq!(body["x402Version"], 1);
    assert_eq!(
        *accepts,
        json!({
            "scheme": "exact",
            "network": "base",
            "maxAmountRequired": "0",
            "resource": URL,
            "description": "",
            "mimeType": "application/json",
            "payTo": OPERATOR.to_string(),
            "maxTimeoutSeconds": 300,
            "asset": usdc().address().to_string(),
            "extra": { "name": "USD Coin", "version": "2" },
        })
    );
    let v2 = answer.challenge();
    assert_eq!(v2.version().number(), 2);
    assert_eq!(v2.requirements[0].pay_to, OPERATOR);
    assert_eq!(world.handler.count(), 0);
    assert!(world.rpc.requests().is_empty());
}

#[tokio::test]
async fn the_challenge_can_be_limited_to_one_version() {
    let mut world = World::open();
    world.config.challenge = ChallengeMode::V1;
    let answer = world.send(post(&[])).await;
    assert_eq!(answer.header("payment-required"), None);
    assert_eq!(answer.json()["x402Version"], 1);
    world.config.challenge = ChallengeMode::V2;
    let answer = world.send(post(&[])).await;
    assert_eq!(answer.header("x-accept-payment"), None);
    assert_eq!(answer.json()["x402Version"], 2);
    assert!(answer.header("payment-required").is_some());
}

#[tokio::test]
async fn without_a_public_url_the_challenge_names_the_host_of_the_request() {
    let mut world = World::open();
    world.config.public_url = None;
    let request = post(&[("x-forwarded-proto", "https")]);
    let answer = world.send(request).await;
    assert_eq!(answer.json()["accepts"][0]["resource"], URL);
}

#[tokio::test]
async fn admits_a_caller_and_tells_the_handler_who_it_is() {
    // L-03, L-10
    let world = World::open();
    let caller = Caller::new(1);
    let answer = world
        .call(
            &caller,
            &[
                (
                    "x-tool-caller",
                    "0x0000000000000000000000000000000000000bad",
                ),
                ("X-Tool-Paid", "true"),
                ("x_tool_agent", "someone"),
                ("accept", "application/json"),
            ],
        )
        .await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    let [call] = &world.handler.calls()[..] else {
        panic!("one call");
    };
    let context = call.context.clone().unwrap();
    assert_eq!((context.caller, context.agent), (caller.address(), None));
    assert!(context.granted_at.is_some() && context.payment.is_none());
    let names: Vec<_> = call.headers.keys().map(http::HeaderName::as_str).collect();
    let expected = ["host", "content-type", "accept", "x-tool-caller"];
    assert!(
        names.len() == expected.len() && expected.iter().all(|name| names.contains(name)),
        "{names:?}"
    );
    let value = call.headers["x-tool-caller"].to_str().unwrap();
    assert_eq!(value, caller.address().to_string());
}

#[tokio::test]
async fn accepts_both_payment_headers_in_any_case() {
    // L-03
    let world = World::open();
    let (gate, caller) = (world.gate(), Caller::new(1));
    let challenge = world.send_to(&gate, post(&[])).await;
    for name in ["X-PAYMENT", "x-payment", "X-Payment"] {
        let header = caller.answer(&challenge.challenge_v1(), NOW);
        let answer = world.send_to(&gate, post(&[(name, &header.value)])).await;
        assert_eq!(answer.status, 200, "{name}");
    }
    for name in ["PAYMENT-SIGNATURE", "Payment-Signature"] {
        let header = caller.answer(&challenge.challenge(), NOW);
        let answer = world.send_to(&gate, post(&[(name, &header.value)])).await;
        assert_eq!(answer.status, 200, "{name}");
    }
}

fn siwe_token(caller: &Caller, host: &str) -> String {
    let address = caller.address();
    let message = format!(
        "{host} wants you to sign in with your Ethereum account:\n{address}\n\n\nURI: {URL}\nVersion: 1\nChain ID: 8453\n\
         Nonce: abcdefgh{}\nIssued At: 2030-03-17T17:46:30Z\nExpiration Time: 2030-03-17T17:50:00Z",
        hex::encode(&fresh_nonce()[..4])
    );
    let signature = caller.signer.sign_message_sync(message.as_bytes()).unwrap();
    let message = encode_base64(message.as_bytes(), Alphabet::UrlSafe);
    format!(
        "SIWE {message}.{}",
        hex::encode_prefixed(signature.as_bytes())
    )
}

#[tokio::test]
async fn older_credentials_are_accepted_only_when_turned_on() {
    // L-03
    let mut world = World::open();
    let caller = Caller::new(1);
    let eip3009 = || format!("EIP-3009 {}", eip3009_token(&signed(&caller)));
    let siwe = || siwe_token(&caller, "tools.example.com");
    for credential in [eip3009(), siwe()] {
        let answer = world.send(post(&[("authorization", &credential)])).await;
        assert_eq!(answer.status, 402, "{credential}");
    }
    world.config.schemes = AcceptedSchemes {
        eip3009: true,
        siwe: true,
    };
    for credential in [eip3009(), siwe()] {
        let answer = world.send(post(&[("authorization", &credential)])).await;
        assert_eq!(answer.status, 200, "{credential} {answer:?}");
        let call = world.handler.calls().pop().unwrap();
        assert!(!call.headers.contains_key("authorization"));
        assert_eq!(call.context.unwrap().caller, caller.address());
    }
    let elsewhere = siwe_token(&caller, "other.example.com");
    let answer = world.send(post(&[("authorization", &elsewhere)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (401, "wrong_domain".to_owned())
    );
    // Another scheme belongs to the handler.
    let count = world.handler.count();
    let answer = world
        .call(&caller, &[("authorization", "Bearer abc")])
        .await;
    assert_eq!((answer.status, world.handler.count()), (200, count + 1));
    let call = world.handler.calls().pop().unwrap();
    assert_eq!(call.headers["authorization"], "Bearer abc");
}

#[tokio::test]
async fn without_an_operator_a_bare_request_is_unauthorized() {
    // L-02
    let mut world = World::open();
    world.config.offers = None;
    world.config.schemes.siwe = true;
    let answer = world.send(post(&[])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (401, "credential_required".to_owned())
    );
    assert!(answer.json()["hint"].as_str().unwrap().contains("SIWE"));
    assert_eq!(answer.header("www-authenticate"), Some("SIWE"));
    let siwe = siwe_token(&Caller::new(1), "tools.example.com");
    let answer = world.send(post(&[("authorization", &siwe)])).await;
    assert_eq!(answer.status, 200);
    // An authorization to any payee proves nothing to this gate.
    let payment = x_payment(&v1_payment(&signed(&Caller::new(1))));
    let answer = world.send(post(&[("x-payment", &payment)])).await;
    assert_eq!(answer.status, 401);
}

/// Credentials that are malformed or do not fit, with the expected status.
fn bad_payments(caller: &Caller) -> Vec<(String, u16)> {
    let good = signed(caller);
    let payment = v1_payment(&good);
    let change = |pointer: &str, value: Value| {
        let mut payment = payment.clone();
        *payment.pointer_mut(pointer).unwrap() = value;
        x_payment(&payment)
    };
    let remove = |parent: &str, name: &str| {
        let mut payment = payment.clone();
        let parent = payment.pointer_mut(parent).unwrap();
        parent.as_object_mut().unwrap().remove(name).unwrap();
        x_payment(&payment)
    };
    let resigned = |change: fn(&mut Authorization)| {
        let mut authorization = zero_value(caller.address(), OPERATOR, fresh_nonce(), NOW);
        change(&mut authorization);
        x_payment(&v1_payment(&caller.sign(authorization)))
    };
    let text = |text: &str| encode_base64(text.as_bytes(), Alphabet::Standard);
    let authorization = "/payload/authorization";
    let field = |name: &str| format!("{authorization}/{name}");
    let mut malleated = good.signature.to_vec();
    let order = U256::from_be_slice(&hex!(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    ));
    let high_s = order - U256::from_be_slice(&malleated[32..64]);
    malleated[32..64].copy_from_slice(&high_s.to_be_bytes::<32>());
    malleated[64] = 55 - malleated[64];
    let mut bad = vec![
        (String::new(), 401),
        ("%%%".to_owned(), 401),
        ("a".to_owned(), 401),
        ("A".repeat(20_000), 401),
        (text("null"), 401),
        (text("[]"), 401),
        (text("{"), 401),
        (text("\u{feff}{}"), 401),
        (text(&"[".repeat(10_000)), 401),
        (text(r#"{"x402Version":1,"x402Version":1}"#), 401),
        (change("/x402Version", json!(3)), 400),
        (change("/x402Version", json!(2)), 401),
        (change("/x402Version", json!("1")), 401),
        (change("/scheme", json!("upto")), 401),
        (change("/network", json!("base-sepolia")), 401),
        (change("/network", json!("eip155:8453")), 401),
        (change("/network", json!(8453)), 401),
        (change("/payload", Value::Null), 401),
        (change("/payload/signature", json!("0x")), 401),
        (
            change(
                "/payload/signature",
                json!(hex::encode_prefixed(&malleated)),
            ),
            401,
        ),
        (
            change("/payload/signature", json!(hex::encode_prefixed([1; 64]))),
            401,
        ),
        (
            change(
                "/payload/signature",
                json!(hex::encode_prefixed([0xff; 65])),
            ),
            401,
        ),
        (change(&field("to"), json!(5)), 401),
        (change(&field("to"), json!(account(2))), 401),
        (change(&field("from"), json!(account(2))), 401),
        (change(&field("value"), json!("1")), 401),
        (change(&field("value"), json!(0)), 401),
        (change(&field("value"), json!("-0")), 401),
        (change(&field("validBefore"), json!("soon")), 401),
        (
            change(&field("validBefore"), json!((NOW + 301).to_string())),
            401,
        ),
        (change(&field("nonce"), json!("0x01")), 401),
        (resigned(|it| it.to = Address::ZERO), 401),
        (resigned(|it| it.value = U256::ONE), 401),
        (resigned(|it| it.valid_before = U256::from(NOW)), 401),
        (resigned(|it| it.valid_after = U256::from(NOW)), 401),
        (resigned(|it| it.valid_before = U256::from(NOW + 901)), 401),
        (resigned(|it| it.valid_before = U256::MAX), 401),
    ];
    for name in ["x402Version", "scheme", "network", "payload"] {
        bad.push((remove("", name), 401));
    }
    for name in ["from", "to", "value", "validAfter", "validBefore", "nonce"] {
        bad.push((remove(authorization, name), 401));
    }
    bad
}

#[tokio::test]
async fn a_bad_credential_is_rejected_without_asking_the_node() {
    // L-04, T-40, T-48
    let world = World::open();
    let (gate, caller) = (world.gate(), Caller::new(1));
    for (payment, status) in bad_payments(&caller) {
        let answer = world.send_to(&gate, post(&[("x-payment", &payment)])).await;
        assert_eq!(answer.status, status, "{payment}\n{answer:?}");
        assert!(answer.json()["error"].is_string() && answer.json()["code"].is_string());
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        if status == 401 {
            assert_eq!(answer.header("www-authenticate"), Some("x402"));
        }
    }
    // Repeated and contradicting headers.
    let payment = x_payment(&v1_payment(&signed(&caller)));
    let twice = [("x-payment", payment.as_str()), ("X-Payment", &payment)];
    let both = [
        ("x-payment", payment.as_str()),
        ("payment-signature", &payment),
    ];
    for headers in [twice, both] {
        let answer = world.send_to(&gate, post(&headers)).await;
        assert_eq!(answer.status, 401, "{answer:?}");
    }
    assert_eq!(world.handler.count(), 0);
    assert!(world.rpc.requests().is_empty());
    // The credential that was damaged above is good.
    let answer = world.send_to(&gate, post(&[("x-payment", &payment)])).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn random_credentials_are_the_callers_fault() {
    // L-04
    let mut world = World::open();
    // Some changes do no harm, such as the case of a digit.
    world.config.seen_nonces = None;
    let (gate, payment) = (world.gate(), v1_payment(&signed(&Caller::new(1))));
    let text = payment.to_string();
    for seed in 0..3000_u64 {
        let random = alloy_primitives::keccak256(seed.to_be_bytes());
        let at = usize::from(u16::from_be_bytes([random[0], random[1]])) % text.len();
        let mut bytes = text.clone().into_bytes();
        match random[2] % 4 {
            0 => bytes[at] = random[3],
            1 => bytes.truncate(at),
            2 => bytes.insert(at, random[3]),
            _ => drop(bytes.drain(at..text.len().min(at + usize::from(random[3] % 16)))),
        }
        let header = match random[4] % 8 {
            0 => hex::encode(&bytes),
            _ => encode_base64(&bytes, Alphabet::Standard),
        };
        let answer = world.send_to(&gate, post(&[("x-payment", &header)])).await;
        assert!(
            matches!(answer.status, 200 | 400 | 401),
            "{seed}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn a_denied_caller_learns_what_is_missing() {
    // L-11, C-17
    let world = World::start(|chain| {
        let predicate = chain.deploy(ALWAYS_DENY_PREDICATE.creation());
        chain.register(predicate)
    });
    let answer = world.call(&Caller::new(1), &[]).await;
    assert_eq!(
        (answer.status, answer.code()),
        (403, "access_denied".to_owned())
    );
    let body = answer.json();
    assert_eq!(body["toolId"], "1");
    assert!(
        body["predicate"]
            .as_str()
            .unwrap()
            .parse::<Address>()
            .is_ok()
    );
    assert_eq!(body["requirements"]["status"], "known");
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn a_predicate_that_fails_is_a_bad_gateway() {
    // L-12, C-17
    let world = World::start(|chain| {
        let predicate = chain.deploy_mock("RevertingPredicate");
        chain.register(predicate)
    });
    let answer = world.call(&Caller::new(1), &[]).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "predicate_failed".to_owned())
    );
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn a_deregistered_tool_has_its_own_code() {
    // T-43
    let world = World::open();
    let call = IToolRegistry::deregisterToolCall {
        toolId: world.config.tool.id(),
    };
    world.chain.send(account(0), world.chain.registry, &call);
    let answer = world.call(&Caller::new(1), &[]).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "tool_deregistered".to_owned())
    );
    assert_eq!(answer.json()["toolId"], "1");
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn a_dead_node_is_a_bad_gateway() {
    // L-23, T-40
    let mut world = World::open();
    world.config.access = Some(access("http://127.0.0.1:1"));
    let answer = world.call(&Caller::new(1), &[]).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "node_unavailable".to_owned())
    );
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn a_claimed_account_is_not_a_credential() {
    // C-16
    let world = World::start(|chain| {
        let (tool, predicate) = chain.register_settable();
        chain.set_granted(predicate, true);
        tool
    });
    let holder = account(1).to_string();
    for name in [
        "x-tool-caller",
        "x-delegate-for",
        "from",
        "x-caller-address",
    ] {
        let answer = world.send(post(&[(name, &holder)])).await;
        assert_eq!(answer.status, 402, "{name}");
    }
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn rejects_a_malformed_delegation_header() {
    // L-13
    let world = World::open();
    let holder = account(1).to_string();
    for value in [
        "",
        "0x",
        "holder.eth",
        &holder[..41],
        &holder[2..],
        &format!("{holder}0"),
        &format!("{holder}, {holder}"),
        &holder.replace('9', "g"),
    ] {
        let answer = world
            .call(&Caller::new(2), &[("x-delegate-for", value)])
            .await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_delegate_for".to_owned()),
            "{value}"
        );
    }
    let twice = [
        ("x-delegate-for", holder.as_str()),
        ("X-Delegate-For", &holder),
    ];
    let answer = world.call(&Caller::new(2), &twice).await;
    assert_eq!(answer.status, 400);
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn an_agent_acts_for_a_holder_until_the_delegation_is_revoked() {
    // L-14, L-15, L-16
    let world = World::start(|chain| {
        chain.place_mock("StandInDelegateRegistry", DELEGATE_REGISTRY);
        chain.register(Address::ZERO)
    });
    let (holder, agent) = (account(1), Caller::new(2));
    let delegate = |enable| {
        let call = delegateAllCall {
            to: agent.address(),
            rights: B256::ZERO,
            enable,
        };
        world.chain.send(holder, DELEGATE_REGISTRY, &call);
    };
    let lower_case = holder.to_string().to_lowercase();
    let headers = [("x-delegate-for", lower_case.as_str())];
    let refused = world.call(&agent, &headers).await;
    assert_eq!(
        (refused.status, refused.code()),
        (403, "not_delegated".to_owned())
    );
    assert!(
        refused.json()["hint"]
            .as_str()
            .unwrap()
            .contains("delegate.xyz")
    );
    delegate(true);
    assert_eq!(world.call(&agent, &headers).await.status, 200);
    let call = world.handler.calls().pop().unwrap();
    let context = call.context.unwrap();
    assert_eq!(
        (context.caller, context.agent),
        (holder, Some(agent.address()))
    );
    let header = |name: &str| call.headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("x-tool-caller"), holder.to_string());
    assert_eq!(header("x-tool-agent"), agent.address().to_string());
    assert!(!call.headers.contains_key("x-delegate-for"));
    delegate(false);
    assert_eq!(world.call(&agent, &headers).await.status, 403);
}

#[tokio::test]
async fn the_predicate_decides_on_the_holder() {
    // L-15
    let world = World::start(|chain| {
        chain.place_mock("StandInDelegateRegistry", DELEGATE_REGISTRY);
        // Only the holder is on the list: a Merkle tree of one account.
        let predicate = chain.deploy_predicate(&MERKLE_ALLOWLIST_PREDICATE);
        let tool = chain.register(predicate);
        let allowlist = Allowlist::try_new(tool.id(), [account(1)]).unwrap();
        let call = MerkleAllowlistPredicate::setAllowlistRootCall {
            toolId: tool.id(),
            root: allowlist.root(),
        };
        chain.send(account(0), predicate, &call);
        tool
    });
    let delegation = delegateAllCall {
        to: account(2),
        rights: B256::ZERO,
        enable: true,
    };
    world.chain.send(account(1), DELEGATE_REGISTRY, &delegation);
    let holder = account(1).to_string();
    let allowlist = Allowlist::try_new(world.config.tool.id(), [account(1)]).unwrap();
    let data = hex::encode_prefixed(allowlist.call_data(account(1)));
    let proof = ("x-access-data", data.as_str());
    let agent = Caller::new(2);
    let answer = world
        .call(&agent, &[proof, ("x-delegate-for", &holder)])
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(world.call(&agent, &[proof]).await.status, 403);
    // Without the proof the predicate cannot tell.
    let answer = world.call(&Caller::new(1), &[]).await;
    assert_ne!(answer.status, 200);
    for data in ["0x1", "00", "0xzz", &format!("0x{}", "00".repeat(5000))] {
        let answer = world
            .call(&Caller::new(1), &[("x-access-data", data)])
            .await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_access_data".to_owned())
        );
    }
}

#[tokio::test]
async fn a_delegation_registry_that_fails_is_a_bad_gateway() {
    // L-14
    let world = World::open();
    let holder = account(1).to_string();
    let answer = world
        .call(&Caller::new(2), &[("x-delegate-for", &holder)])
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "delegation_registry_failed".to_owned())
    );
}

#[tokio::test]
async fn a_smart_account_is_asked_only_when_turned_on() {
    // T-48
    let mut world = World::open();
    let owner = Caller::new(1);
    let wallet = world
        .chain
        .deploy_mock_with("ERC1271Wallet", &owner.address().abi_encode());
    let by_wallet = || {
        let authorization = zero_value(wallet, OPERATOR, fresh_nonce(), NOW);
        let digest = authorization.digest(&usdc());
        let signature = owner.signer.sign_hash_sync(&digest).unwrap();
        let signed = SignedAuthorization {
            authorization,
            signature: signature.as_bytes().into(),
        };
        v1_payment(&signed)
    };
    let send = async |world: &World, payment: &Value| {
        let header = x_payment(payment);
        world.send(post(&[("x-payment", &header)])).await
    };
    let refused = send(&world, &by_wallet()).await;
    assert_eq!(
        (refused.status, refused.code()),
        (401, "signer_mismatch".to_owned())
    );
    assert!(world.rpc.requests().is_empty());
    world.config.smart_accounts = true;
    let answer = send(&world, &by_wallet()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let context = world.handler.calls().pop().unwrap().context.unwrap();
    assert_eq!(context.caller, wallet);
    // Neither another signer, nor an account without code, nor a contract that checks nothing.
    let mut forged = by_wallet();
    forged["payload"]["signature"] = json!(hex::encode_prefixed([7; 65]));
    let mut nobody = by_wallet();
    nobody["payload"]["authorization"]["from"] = json!(account(2));
    let mut other = by_wallet();
    other["payload"]["authorization"]["from"] = json!(world.chain.registry);
    for payment in [forged, nobody, other] {
        let answer = send(&world, &payment).await;
        assert_eq!(answer.status, 401, "{answer:?}");
    }
    world.config.access = Some(access("http://127.0.0.1:1"));
    let answer = send(&world, &by_wallet()).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "node_unavailable".to_owned())
    );
    assert_eq!(world.handler.count(), 1);
}

#[tokio::test]
async fn an_identity_credential_is_used_once() {
    // L-21, T-42
    let world = World::open();
    let (gate, caller) = (world.gate(), Caller::new(1));
    let payment = x_payment(&v1_payment(&signed(&caller)));
    let headers = [("x-payment", payment.as_str())];
    assert_eq!(world.send_to(&gate, post(&headers)).await.status, 200);
    let again = world.send_to(&gate, post(&headers)).await;
    assert_eq!(
        (again.status, again.code()),
        (402, "payment_authorization_already_used".to_owned())
    );
    // The challenge lets the caller sign a new one.
    let header = caller.answer(&again.challenge(), NOW);
    let answer = world
        .send_to(&gate, post(&[(header.name, &header.value)]))
        .await;
    assert_eq!((answer.status, world.handler.count()), (200, 2));
    // Without replay protection, a credential can be used until it expires.
    let mut config = world.config.clone();
    config.seen_nonces = None;
    let gate = GateLayer::new(Arc::new(Gate::new(config).unwrap()));
    for _ in 0..2 {
        assert_eq!(world.send_to(&gate, post(&headers)).await.status, 200);
    }
}

#[tokio::test]
async fn a_denied_credential_is_not_used_up() {
    let world = World::start(|chain| chain.register_settable().0);
    let gate = world.gate();
    let payment = x_payment(&v1_payment(&signed(&Caller::new(1))));
    let headers = [("x-payment", payment.as_str())];
    let denied = world.send_to(&gate, post(&headers)).await;
    assert_eq!(denied.status, 403);
    let predicate = denied.json()["predicate"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    world.chain.set_granted(predicate, true);
    assert_eq!(world.send_to(&gate, post(&headers)).await.status, 200);
}

#[tokio::test]
async fn a_bound_credential_is_valid_for_one_tool_only() {
    let world = World::open();
    let bound = |url: &str, tool: u64| {
        let offer = Offer::new(usdc(), U256::ZERO, OPERATOR);
        let offer = offer
            .bind_audience(url, U256::from(tool), OPERATOR)
            .unwrap();
        let mut config = world.config.clone();
        config.offers = Some(Offers::new(vec![offer]).unwrap());
        GateLayer::new(Arc::new(Gate::new(config).unwrap()))
    };
    let (gate, caller) = (bound(URL, 1), Caller::new(1));
    let challenge = world.send_to(&gate, post(&[])).await;
    let accepts = &challenge.json()["accepts"][0];
    let payee = audience_payee(URL, U256::ONE, OPERATOR).unwrap();
    assert_eq!(accepts["payTo"], payee.to_string());
    assert_eq!(
        accepts["extra"]["predicateGate"],
        json!({ "toolId": "1", "operatorAddress": OPERATOR.to_string() })
    );
    let header = caller.answer(&challenge.challenge_v1(), NOW);
    let headers = [(header.name, header.value.as_str())];
    for other in [bound(URL, 2), bound("https://tools.example.com/other", 1)] {
        let answer = world.send_to(&other, post(&headers)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (401, "wrong_payee".to_owned())
        );
    }
    assert_eq!(world.send_to(&gate, post(&headers)).await.status, 200);
}

#[tokio::test]
async fn rate_limits_come_before_signatures_and_nodes() {
    let mut world = World::open();
    let one = RateLimit {
        per_second: NonZeroU32::MIN,
        burst: NonZeroU32::new(2).unwrap(),
    };
    world.config.rate_limiter = Arc::new(RateLimiter::new(Some(one), None));
    let gate = world.gate();
    let from = |address: [u8; 4], payment: &str| {
        let mut request = post(&[("x-payment", payment)]);
        request
            .extensions_mut()
            .insert(ClientAddress(address.into()));
        request
    };
    let caller = Caller::new(1);
    let mut forged = v1_payment(&signed(&caller));
    forged["payload"]["authorization"]["nonce"] = json!(fresh_nonce());
    let forged = x_payment(&forged);
    let [first, second] = [[192, 0, 2, 1], [192, 0, 2, 2]];
    for expected in [401, 401, 429, 429] {
        let answer = world.send_to(&gate, from(first, &forged)).await;
        assert_eq!(answer.status, expected, "{answer:?}");
    }
    let limited = world.send_to(&gate, from(first, &forged)).await;
    assert_eq!(limited.code(), "rate_limited");
    assert!(limited.header("retry-after").is_some());
    // A bare request is free, and other clients are not affected.
    assert_eq!(world.send_to(&gate, post(&[])).await.status, 402);
    let good = x_payment(&v1_payment(&signed(&caller)));
    assert_eq!(world.send_to(&gate, from(second, &good)).await.status, 200);
    // By account: forged credentials do not use up the requests of their victim.
    world.config.rate_limiter = Arc::new(RateLimiter::new(None, Some(one)));
    let gate = world.gate();
    for _ in 0..5 {
        let answer = world.send_to(&gate, post(&[("x-payment", &forged)])).await;
        assert_eq!(answer.status, 401);
    }
    for expected in [200, 200, 429] {
        let good = x_payment(&v1_payment(&signed(&caller)));
        let answer = world.send_to(&gate, post(&[("x-payment", &good)])).await;
        assert_eq!(answer.status, expected);
    }
}

fn schema(text: &'static str) -> Option<Arc<Schema>> {
    let document = Document::parse(text).unwrap();
    Some(Arc::new(Schema::compile(document.root()).unwrap()))
}

const QUERY: &str =
    r#"{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}"#;
const RESULT: &str =
    r#"{"type":"object","properties":{"result":{"type":"string"}},"required":["result"]}"#;

#[tokio::test]
async fn validates_the_input_before_the_handler() {
    // L-24
    let mut world = World::open();
    world.config.schemas.input = schema(QUERY);
    let (gate, caller) = (world.gate(), Caller::new(1));
    let payment = x_payment(&v1_payment(&signed(&caller)));
    let send = async |method: Method, body: &str, payment: &str| {
        let request = request(method, &[("x-payment", payment)], body);
        world.send_to(&gate, request).await
    };
    for (body, code) in [
        ("", "invalid_input_json"),
        ("{", "invalid_input_json"),
        (r#"{"query":1,"query":"a"}"#, "invalid_input_json"),
        ("{}", "invalid_input"),
        (r#"{"query":7}"#, "invalid_input"),
    ] {
        let answer = send(Method::POST, body, &payment).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, code.to_owned()),
            "{body}"
        );
    }
    let answer = send(Method::POST, r#"{"query":7}"#, &payment).await;
    let failure = &answer.json()["failures"][0];
    assert_eq!(failure["instance_location"], "/query");
    let large = format!(r#"{{"query":"{}"}}"#, "a".repeat(1 << 20));
    let answer = send(Method::POST, &large, &payment).await;
    assert_eq!(
        (answer.status, answer.code()),
        (413, "body_too_large".to_owned())
    );
    assert_eq!(world.handler.count(), 0);
    // The credential was not used up by any of these.
    let answer = send(Method::POST, r#"{"query":"a"}"#, &payment).await;
    assert_eq!(answer.status, 200);
    // A request for something else than a call has no input.
    let payment = x_payment(&v1_payment(&signed(&caller)));
    assert_eq!(send(Method::GET, "", &payment).await.status, 200);
}

#[tokio::test]
async fn validates_the_output_after_the_handler() {
    // L-24
    let mut world = World::open();
    world.config.schemas.output = schema(RESULT);
    let caller = Caller::new(1);
    let with = |status: u16, content_type: &'static str, body: &'static str| {
        Handler::new(move || {
            Response::builder()
                .status(status)
                .header("content-type", content_type)
                .body(Full::new(Bytes::from_static(body.as_bytes())))
                .unwrap()
        })
    };
    let json = "application/json";
    for (handler, status, code) in [
        (with(200, json, r#"{"result":"a"}"#), 200, None),
        (
            with(200, json, r#"{"result":1}"#),
            502,
            Some("invalid_output"),
        ),
        (with(200, json, "oops"), 502, Some("invalid_output_json")),
        // Neither a failure of the tool nor a stream is an output that the manifest describes.
        (with(404, json, r#"{"message":"no"}"#), 404, None),
        (with(200, "text/event-stream", "data: x\n\n"), 200, None),
    ] {
        world.handler = handler;
        let answer = world.call(&caller, &[("accept-encoding", "gzip")]).await;
        assert_eq!(answer.status, status, "{answer:?}");
        if let Some(code) = code {
            assert_eq!(answer.code(), code);
            assert!(!answer.body.windows(4).any(|part| part == b"oops"));
        }
        let call = world.handler.calls().pop().unwrap();
        assert!(!call.headers.contains_key("accept-encoding"));
    }
    world.handler = Handler::new(|| {
        Response::builder()
            .header("content-type", "application/json")
            .header("content-encoding", "gzip")
            .body(Full::new(Bytes::from_static(b"\x1f\x8b")))
            .unwrap()
    });
    let answer = world.call(&caller, &[]).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "compressed_output".to_owned())
    );
}

#[tokio::test]
async fn keeps_the_cache_rules_of_a_private_response() {
    let mut world = World::open();
    for (sent, expected) in [
        ("public, max-age=600", "private, no-store"),
        ("private, max-age=60", "private, max-age=60"),
        ("No-Store", "No-Store"),
    ] {
        world.handler = Handler::new(move || {
            let response = Response::builder().header("cache-control", sent);
            response.body(Full::default()).unwrap()
        });
        let answer = world.call(&Caller::new(1), &[]).await;
        assert_eq!(answer.header("cache-control"), Some(expected));
    }
}

#[tokio::test]
async fn counts_decisions_without_naming_callers() {
    let mut world = World::open();
    let metrics = Arc::new(Metrics::default());
    world.config.metrics = metrics.clone();
    let caller = Caller::new(1);
    world.call(&caller, &[]).await;
    world.send(post(&[("x-payment", "%%%")])).await;
    let text = metrics.render();
    let tool = world.config.tool;
    for (code, count) in [
        ("admitted", 1),
        ("payment_required", 1),
        ("invalid_base64", 1),
    ] {
        let line = format!("atr_gate_decisions_total{{tool=\"{tool}\",code=\"{code}\"}} {count}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
    assert!(text.contains("atr_gate_access_requests_total{chain=\"8453\"} 1\n"));
    let address = caller.address().to_string().to_lowercase();
    assert!(!text.to_lowercase().contains(&address));
}

#[tokio::test]
async fn a_configuration_that_admits_everyone_is_refused() {
    let world = World::open();
    let error = |change: fn(&mut GateConfig)| {
        let mut config = world.config.clone();
        change(&mut config);
        Gate::new(config).err()
    };
    assert_eq!(error(|_| {}), None);
    assert_eq!(
        error(|config| config.access = None),
        Some(ConfigError::NothingToCheck)
    );
    assert_eq!(
        error(|config| config.offers = None),
        Some(ConfigError::NoCredential)
    );
    let siwe_only = error(|config| {
        config.schemes.siwe = true;
        config.public_url = None;
    });
    assert_eq!(siwe_only, Some(ConfigError::SiweWithoutPublicUrl));
    let long = error(|config| {
        let offer = Offer::new(usdc(), U256::ZERO, OPERATOR).with_max_timeout(901);
        config.offers = Some(Offers::new(vec![offer]).unwrap());
    });
    assert_eq!(
        long,
        Some(ConfigError::Timeout {
            offered: 901,
            window: 900
        })
    );
    let elsewhere = error(|config| {
        config.tool = ToolRef::try_new(1, Address::ZERO, U256::ONE).unwrap();
    });
    assert_eq!(
        elsewhere,
        Some(ConfigError::AccessChain {
            tool: 1,
            access: CHAIN_ID
        })
    );
}

#[tokio::test]
async fn schemas_come_from_the_manifest() {
    let manifest = json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "Oracle",
        "description": "Prices",
        "endpoint": URL,
        "inputs": serde_json::from_str::<Value>(QUERY).unwrap(),
        "outputs": serde_json::from_str::<Value>(RESULT).unwrap(),
        "creatorAddress": account(0).to_string().to_lowercase(),
    });
    let manifest = Manifest::parse(manifest.to_string(), Policy::consumer()).unwrap();
    let mut world = World::open();
    world.config.schemas = ToolSchemas::from_manifest(&manifest).unwrap();
    assert_eq!(world.call(&Caller::new(1), &[]).await.status, 200);
}
