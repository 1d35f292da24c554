use alloy_primitives::{Address, U256, hex};
use alloy_sol_types::{SolCall, sol};
use atr_auth::{ChallengeMode, Network, Token};
use atr_client::{
    Arguments, CallResult, Difference, Error, IdentityPolicy, PolicyViolation, SpendPolicy,
    Warning, warnings,
};
use atr_loopback::Response;
use atr_manifest::Execution;
use atr_schema::Outcome;
use atr_verify::{Freshness, INTERACTIVE_SECONDS, Surface, Verifier};
use serde_json::json;

use crate::fixture::{
    Fixture, PRICE, account, caller, challenge, credential, now, operator, paying, sign, usdc,
};

const ARGUMENTS: &str = r#"{"query":"eth"}"#;

fn answer() -> Response {
    Response::new(200, r#"{"price":"1"}"#)
}

/// Proves the identity to the operator of the fixture, which is not the creator of the tool.
fn identity() -> SpendPolicy {
    SpendPolicy {
        allowed_recipients: vec![operator()],
        ..SpendPolicy::default()
    }
}

#[tokio::test]
async fn an_open_tool_is_called_without_a_credential() {
    // M-01
    let fixture = Fixture::new().await;
    fixture.on_call(|_| answer());
    let call = fixture.call(ARGUMENTS).await;
    let CallResult::ToolResponse(reply) = call.send().await.unwrap() else {
        panic!("the tool demands nothing");
    };
    assert_eq!((reply.status, reply.output), (200, Some(Outcome::Valid)));
    let calls = fixture.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(credential(&calls[0]), None);
    assert_eq!(calls[0].body, ARGUMENTS.as_bytes());
    // J-05, J-07: the suggested value is shown and not sent.
    let prefills = call.prefills();
    assert_eq!(prefills.len(), 1);
    assert_eq!(prefills[0].name, "to");
}

#[tokio::test]
async fn proves_its_identity_in_every_version_of_x402() {
    // M-01, M-07
    for mode in [ChallengeMode::V1, ChallengeMode::V2, ChallengeMode::Both] {
        let fixture = Fixture::new().await;
        fixture.on_call(move |request| match credential(request) {
            Some(_) => answer(),
            None => challenge(mode, usdc(), 0, operator()),
        });
        let mut call = fixture.call(ARGUMENTS).await;
        let demand = fixture.demand(&call).await;
        assert!(demand.is_free());
        assert_eq!(
            (demand.payee(), demand.differences()),
            (operator(), &[][..])
        );
        let signed = sign(&demand, 1, now());
        assert_eq!(signed.authorization.to, operator());
        assert_eq!(signed.authorization.value, U256::ZERO);
        assert_eq!(signed.authorization.valid_after, U256::ZERO);
        let reply = call.identify(&demand, signed, &identity()).await;
        assert!(matches!(reply.unwrap(), CallResult::ToolResponse(answer) if answer.is_success()));
        assert_eq!(fixture.calls().len(), 2);
        // A proof of identity moves no money, so it is not in the ledger.
        assert_eq!(fixture.ledger.entries().unwrap(), []);
    }
}

#[tokio::test]
async fn signs_no_payment_without_permission() {
    // M-03, M-04, M-05
    let fixture = Fixture::new().await;
    fixture.on_call(|_| challenge(ChallengeMode::Both, usdc(), PRICE, operator()));
    let mut call = fixture.call(ARGUMENTS).await;
    let demand = fixture.demand(&call).await;
    assert_eq!(demand.price(), "0.01 USDC");
    let below = SpendPolicy {
        max_amount: U256::from(PRICE - 1),
        ..SpendPolicy::default()
    };
    let other_recipient = SpendPolicy {
        allowed_recipients: vec![caller().address()],
        ..paying()
    };
    for policy in [SpendPolicy::default(), below, other_recipient] {
        let signed = sign(&demand, 1, now());
        let paid = call.pay(&demand, signed, &policy, &fixture.ledger, false, now());
        assert!(matches!(paid.await, Err(Error::Policy(_))));
    }
    assert_eq!(fixture.calls().len(), 1);
    assert_eq!(fixture.ledger.entries().unwrap(), []);
}

#[tokio::test]
async fn a_server_that_always_demands_gets_one_signature() {
    // M-08
    let fixture = Fixture::new().await;
    fixture.on_call(|_| challenge(ChallengeMode::Both, usdc(), PRICE, operator()));
    let mut call = fixture.call(ARGUMENTS).await;
    let demand = fixture.demand(&call).await;
    let policy = paying();
    let pay = |nonce| sign(&demand, nonce, now());
    let paid = call.pay(&demand, pay(1), &policy, &fixture.ledger, false, now());
    let error = paid.await.unwrap_err();
    assert!(
        matches!(&error, Error::Rejected { reason, .. } if reason == "payment required"),
        "{error}"
    );
    let again = call.pay(&demand, pay(2), &policy, &fixture.ledger, false, now());
    assert!(matches!(again.await, Err(Error::Rejected { .. })));
    assert_eq!(fixture.calls().len(), 2);
    assert_eq!(fixture.ledger.entries().unwrap().len(), 1);
}

#[tokio::test]
async fn reports_every_difference_from_the_manifest() {
    // J-10
    let fixture = Fixture::new().await;
    let other = Address::repeat_byte(9);
    fixture.on_call(move |_| challenge(ChallengeMode::V2, usdc(), PRICE + 1, other));
    let call = fixture.call(ARGUMENTS).await;
    let demand = fixture.demand(&call).await;
    let manifest = U256::from(PRICE);
    let recipient = format!("eip155:8453:{:#x}", operator());
    assert_eq!(
        demand.differences(),
        [
            Difference::Amount { manifest },
            Difference::Recipient {
                manifest: recipient
            }
        ]
    );
    let sepolia = Token::usdc(Network::from_chain_id(84532).unwrap()).unwrap();
    fixture.on_call(move |_| challenge(ChallengeMode::V2, sepolia.clone(), PRICE, operator()));
    let differences = fixture.demand(&call).await;
    assert!(
        differences
            .differences()
            .iter()
            .any(|difference| matches!(difference, Difference::Asset { .. }))
    );
}

#[tokio::test]
async fn rejects_a_token_that_is_not_in_the_table() {
    // M-06: a look-alike with the domain of USDC.
    let fixture = Fixture::new().await;
    let network = Network::from_chain_id(8453).unwrap();
    let look_alike = Token::new(network, Address::repeat_byte(7), "USD Coin", "2", 6, "USDC");
    fixture.on_call(move |_| challenge(ChallengeMode::Both, look_alike.clone(), 0, operator()));
    let call = fixture.call(ARGUMENTS).await;
    let error = call.send().await.unwrap_err();
    let Error::NoUsableRequirement { offered } = error else {
        panic!("{error}");
    };
    assert!(offered[0].contains("0x0707"), "{offered:?}");
}

#[tokio::test]
async fn verifies_the_tool_again_before_a_payment() {
    // J-09
    let fixture = Fixture::new().await;
    fixture.on_call(|_| challenge(ChallengeMode::Both, usdc(), PRICE, operator()));
    let call = fixture.call(ARGUMENTS).await;
    assert_eq!(fixture.fetches(), 1);
    call.verify_again(now()).await.unwrap();
    assert_eq!(fixture.fetches(), 2);
    fixture.server.put("/.well-known/ai-tool/oracle.json", "{}");
    let error = call.verify_again(now()).await.unwrap_err();
    assert!(matches!(error, Error::NotVerified(_)), "{error}");
}

#[tokio::test]
async fn calls_neither_an_unverified_tool_nor_with_invalid_arguments() {
    // H-05
    let fixture = Fixture::new().await;
    fixture.on_call(|_| answer());
    let invalid = Arguments::parse(r#"{"query":1}"#).unwrap();
    let tool = fixture.client.verify(fixture.tool, now()).await.unwrap();
    let error = fixture.client.call(tool, invalid).unwrap_err();
    assert!(error.to_string().contains("/query"), "{error}");
    fixture.server.remove("/.well-known/ai-tool/oracle.json");
    let error = fixture.client.verify(fixture.tool, now()).await;
    assert!(matches!(error, Err(Error::NotVerified(_))));
    assert_eq!(fixture.calls().len(), 0);
}

#[tokio::test]
async fn never_sends_a_credential_to_another_url() {
    let fixture = Fixture::new().await;
    let origin = fixture.server.origin();
    fixture.on_call(move |request| match credential(request) {
        Some(_) => Response::new(307, "").with_header("location", &format!("{origin}/elsewhere")),
        None => challenge(ChallengeMode::Both, usdc(), 0, operator()),
    });
    let mut call = fixture.call(ARGUMENTS).await;
    let demand = fixture.demand(&call).await;
    let signed = sign(&demand, 1, now());
    let reply = call.identify(&demand, signed, &identity()).await;
    assert!(matches!(reply, Err(Error::Fetch(_))));
    let requests = fixture.server.requests();
    assert!(
        requests
            .iter()
            .all(|request| request.path() != "/elsewhere")
    );
}

#[tokio::test]
async fn an_output_that_does_not_follow_the_schema_is_reported() {
    let fixture = Fixture::new().await;
    fixture.on_call(|_| Response::new(200, "{}"));
    let call = fixture.call(ARGUMENTS).await;
    let CallResult::ToolResponse(reply) = call.send().await.unwrap() else {
        panic!("the tool demands nothing");
    };
    assert!(matches!(reply.output, Some(Outcome::Invalid(_))));
}

#[tokio::test]
async fn a_delegated_call_names_the_holder_in_every_request() {
    let fixture = Fixture::new().await;
    fixture.on_call(|request| match credential(request) {
        Some(_) => answer(),
        None => challenge(ChallengeMode::Both, usdc(), 0, operator()),
    });
    let holder = Address::repeat_byte(0xab);
    let mut call = fixture.call(ARGUMENTS).await.delegate_for(Some(holder));
    let demand = fixture.demand(&call).await;
    let signed = sign(&demand, 1, now());
    call.identify(&demand, signed, &identity()).await.unwrap();
    for request in fixture.calls() {
        assert_eq!(request.header("x-delegate-for"), Some(&*holder.to_string()));
    }
}

#[tokio::test]
async fn a_policy_for_an_operator_accepts_the_payee_bound_to_this_tool_only() {
    // M-05
    let fixture = Fixture::new().await;
    let endpoint = format!("{}/oracle", fixture.server.origin());
    let bound = move |id: u64, endpoint: &str, amount: u64| {
        let offer = atr_auth::Offer::new(usdc(), U256::ZERO, operator());
        let offer = offer.bind_audience(endpoint, U256::from(id), operator());
        let offers = atr_auth::Offers::new(vec![offer.unwrap()]).unwrap();
        let resource = atr_auth::x402::Resource::new(endpoint);
        let none = atr_auth::JsonObject::new();
        let mut challenge = offers.challenge(ChallengeMode::V1, &resource, None, &none);
        challenge.body["accepts"][0]["maxAmountRequired"] = json!(amount.to_string());
        Response::new(402, challenge.body.to_string())
    };
    let policy = SpendPolicy {
        allowed_recipients: vec![operator()],
        ..paying()
    };
    let call = fixture.call(ARGUMENTS).await;
    let own = endpoint.clone();
    fixture.on_call(move |_| bound(1, &own, 0));
    assert_eq!(fixture.demand(&call).await.check(&policy), Ok(()));
    let strict = SpendPolicy {
        identity: IdentityPolicy::Bound,
        ..policy.clone()
    };
    assert_eq!(fixture.demand(&call).await.check(&strict), Ok(()));
    // The challenge of another tool or URL: a proof of identity would be valid there.
    let other_url = "https://victim.example.com/oracle";
    for (id, url) in [(2, endpoint.as_str()), (1, other_url)] {
        let response = bound(id, url, 0).body;
        fixture.on_call(move |_| Response::new(402, response.clone()));
        let error = call.send().await.unwrap_err();
        assert!(matches!(error, Error::ForeignAudience { .. }), "{error}");
    }
    // A payment, which nobody could ever receive.
    fixture.on_call(move |_| bound(1, &endpoint, PRICE));
    assert!(matches!(
        fixture.demand(&call).await.check(&policy),
        Err(PolicyViolation::Recipient { .. })
    ));
}

#[tokio::test]
async fn proves_an_identity_only_to_the_creator_or_a_payee_that_the_user_names() {
    // M-05: a tool that relays the challenge of another one gets no signature.
    let fixture = Fixture::new().await;
    let (creator, other) = (account(0), Address::repeat_byte(7));
    let call = fixture.call(ARGUMENTS).await;
    let default = SpendPolicy::default();
    fixture.on_call(move |_| challenge(ChallengeMode::Both, usdc(), 0, creator));
    assert_eq!(fixture.demand(&call).await.check(&default), Ok(()));
    // A recipient of the manifest's prices is the publisher's choice: it can be the operator of another gate.
    fixture.on_call(move |_| challenge(ChallengeMode::Both, usdc(), 0, operator()));
    let listed = PolicyViolation::UnnamedPayee { payee: operator() };
    assert_eq!(fixture.demand(&call).await.check(&default), Err(listed));
    fixture.on_call(move |_| challenge(ChallengeMode::Both, usdc(), 0, other));
    let demand = fixture.demand(&call).await;
    let unnamed = PolicyViolation::UnnamedPayee { payee: other };
    assert_eq!(demand.check(&default), Err(unnamed));
    let named = SpendPolicy {
        allowed_recipients: vec![other],
        ..SpendPolicy::default()
    };
    let asked = SpendPolicy {
        identity: IdentityPolicy::Any,
        ..SpendPolicy::default()
    };
    for policy in [&named, &asked] {
        assert_eq!(demand.check(policy), Ok(()));
    }
    let strict = SpendPolicy {
        identity: IdentityPolicy::Bound,
        ..named
    };
    let not_bound = PolicyViolation::NotBound { payee: other };
    assert_eq!(demand.check(&strict), Err(not_bound));
    let mut call = call;
    let signed = sign(&demand, 1, now());
    let refused = call.identify(&demand, signed, &default).await;
    assert!(matches!(refused, Err(Error::Policy(_))));
    assert!(
        fixture
            .calls()
            .iter()
            .all(|call| credential(call).is_none())
    );
}

#[tokio::test]
async fn data_for_the_predicate_is_sent_with_every_request() {
    let fixture = Fixture::new().await;
    fixture.on_call(|_| answer());
    let call = fixture.call(ARGUMENTS).await;
    let call = call.access_data(vec![0xab, 0x01].into());
    call.send().await.unwrap();
    assert_eq!(fixture.calls()[0].header("x-access-data"), Some("0xab01"));
}

#[tokio::test]
async fn prefers_the_chain_of_the_tool() {
    let fixture = Fixture::new().await;
    let sepolia = Token::usdc(Network::from_chain_id(84532).unwrap()).unwrap();
    fixture.on_call(move |_| {
        let offer = |token| atr_auth::Offer::new(token, U256::from(PRICE), operator());
        let offers = vec![offer(sepolia.clone()), offer(usdc())];
        let offers = atr_auth::Offers::new(offers).unwrap();
        let resource = atr_auth::x402::Resource::new("https://tools.example.com/oracle");
        let none = atr_auth::JsonObject::new();
        let challenge = offers.challenge(ChallengeMode::V1, &resource, None, &none);
        Response::new(402, challenge.body.to_string())
    });
    let call = fixture.call(ARGUMENTS).await;
    let demand = fixture.demand(&call).await;
    assert_eq!(demand.network().chain_id(), 8453);
    assert_eq!(demand.differences(), []);
}

#[tokio::test]
async fn a_payment_authorizes_one_transfer_of_the_price_and_nothing_else() {
    // J-12
    sol! {
        function allowance(address owner, address spender) external view returns (uint256);
    }
    let fixture = Fixture::new().await;
    fixture.place_token();
    fixture.on_call(|request| match credential(request) {
        Some(_) => answer(),
        None => challenge(ChallengeMode::Both, usdc(), PRICE, operator()),
    });
    let mut call = fixture.call(ARGUMENTS).await;
    let demand = fixture.demand(&call).await;
    let now = now();
    let signed = sign(&demand, 1, now);
    let authorization = signed.authorization;
    assert_eq!(
        (authorization.to, authorization.value),
        (operator(), U256::from(PRICE))
    );
    let lifetime = authorization.valid_before - U256::from(now);
    assert!(lifetime <= U256::from(600), "{lifetime} s");
    let policy = paying();
    let paid = call.pay(&demand, signed, &policy, &fixture.ledger, false, now);
    assert!(matches!(paid.await.unwrap(), CallResult::ToolResponse(answer) if answer.is_success()));
    // The payer has sent no transaction, and approved nobody.
    let payer = caller().address();
    assert_eq!(fixture.anvil.nonce(&payer.to_string()), 0);
    let call = allowanceCall {
        owner: payer,
        spender: operator(),
    };
    let data = hex::encode_prefixed(call.abi_encode());
    let call = json!([{ "to": usdc().address(), "data": data }, "latest"]);
    let allowance = fixture.anvil.request("eth_call", call);
    assert_eq!(
        allowance.as_str().unwrap().parse::<U256>().unwrap(),
        U256::ZERO
    );
}

#[tokio::test]
async fn every_payment_is_signed_on_a_fresh_verification() {
    // H-11: whatever the clock says, nothing is reused.
    let fixture = Fixture::new().await;
    fixture.on_call(|_| challenge(ChallengeMode::Both, usdc(), PRICE, operator()));
    let now = now();
    let call = fixture.call(ARGUMENTS).await;
    assert_eq!(fixture.fetches(), 1);
    for fetches in 2..4 {
        call.verify_again(now).await.unwrap();
        assert_eq!(fixture.fetches(), fetches);
    }
    assert!(!call.tool().is_fresh(now));
    let interactive = Freshness::default().window(None);
    assert!(interactive.is_fresh(now, now + INTERACTIVE_SECONDS - 1));
    assert!(!interactive.is_fresh(now, now + 300));
}

#[tokio::test]
async fn a_tool_that_was_verified_for_display_is_verified_again_before_a_call() {
    // H-13: `Client::call` takes a `FreshTool`, which only `Client::verify` returns.
    let fixture = Fixture::new().await;
    let week = Freshness::new(7 * 86_400, Surface::Informational);
    let (registry, http) = (fixture.registry.clone(), fixture.http.clone());
    let display = Verifier::try_new(registry, http, week).unwrap();
    let now = now();
    let shown = display.verify(fixture.tool, None, now).await.unwrap();
    let shown = shown.into_verified().unwrap();
    assert!(shown.is_fresh(now));
    fixture.server.put("/.well-known/ai-tool/oracle.json", "{}");
    let called = fixture.client.verify(shown.tool(), now).await;
    assert!(matches!(called, Err(Error::NotVerified(_))));
    assert_eq!(fixture.fetches(), 2);
}

#[tokio::test]
async fn warns_about_prices_and_claims_that_nothing_here_checks() {
    // J-14, J-16, E-37
    let report = "/attestation";
    for (execution, tier, expected) in [
        ("tee", "hardware-attested", Some(Execution::Tee)),
        ("e2ee", "hardware-attested", Some(Execution::E2ee)),
        ("standard", "self-attested", None),
    ] {
        let fixture = Fixture::with_manifest(|manifest| {
            let endpoint = manifest["endpoint"].as_str().unwrap();
            let endpoint = endpoint.replace("/oracle", report);
            manifest["verifiability"] = json!({
                "tier": tier,
                "execution": execution,
                "attestation": { "type": "tdx", "endpoint": endpoint },
            });
            let mut unknown = manifest["pricing"][0].clone();
            unknown["protocol"] = json!("acme-credits");
            manifest["pricing"].as_array_mut().unwrap().push(unknown);
        })
        .await;
        fixture.on_call(|_| answer());
        let call = fixture.call(ARGUMENTS).await;
        let protocol = "acme-credits".to_owned();
        let mut all = vec![Warning::UnknownProtocol { protocol }];
        all.extend(expected.map(|execution| Warning::NotAttested { execution }));
        assert_eq!(warnings(call.tool().manifest()), all);
        assert!(matches!(
            call.send().await.unwrap(),
            CallResult::ToolResponse(_)
        ));
        let requests = fixture.server.requests();
        assert!(requests.iter().all(|request| request.path() != report));
    }
}
