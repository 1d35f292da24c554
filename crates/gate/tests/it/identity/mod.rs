/// Credentials: forms, rejections, one use.
mod credentials;
/// Agents that act for a holder.
mod delegation;
/// Validation of input and output.
mod schemas;
/// ERC-1271 and ERC-6492.
mod smart_accounts;

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
