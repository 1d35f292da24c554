use super::*;

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
async fn random_credentials_get_4xx() {
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
