use alloy_primitives::{Address, U256, address};
use atr_auth::{
    Alphabet, Challenge, ChallengeMode, ChallengeResponse, Json, JsonObject, Network, Offer,
    OfferError, Offers, Token, audience_payee, decode_base64, encode_base64,
    x402::{Resource, Version},
};
use serde_json::json;

use crate::support::{CALLER, NONCE, NOW, OPERATOR, challenge, free, paid, resource, usdc};

fn response(offers: &Offers, mode: ChallengeMode) -> ChallengeResponse {
    offers.challenge(
        mode,
        &resource(),
        Some("payment required"),
        &JsonObject::new(),
    )
}

/// The decoded `PAYMENT-REQUIRED` header.
fn v2_header(response: &ChallengeResponse) -> Option<Json> {
    let mut headers = response.headers.iter();
    let header = headers.find(|header| header.name == "PAYMENT-REQUIRED")?;
    let bytes = decode_base64(header.value.as_bytes(), Alphabet::Standard).unwrap();
    Some(serde_json::from_slice(&bytes).unwrap())
}

fn on(chain_id: u64, amount: u64) -> Offer {
    let token = Token::usdc(Network::from_chain_id(chain_id).unwrap()).unwrap();
    Offer::new(token, U256::from(amount), OPERATOR)
}

#[test]
fn a_challenge_has_every_member_that_clients_need() {
    // T-46
    let described = Resource {
        description: Some("prices".to_owned()),
        mime_type: Some("text/plain".to_owned()),
        ..resource()
    };
    for (offers, amount) in [(free(), "0"), (paid(), "10000")] {
        let expected = json!({
            "x402Version": 1,
            "error": "payment required",
            "accepts": [{
                "scheme": "exact",
                "network": "base",
                "maxAmountRequired": amount,
                "resource": "https://tools.example.com/oracle",
                "description": "",
                "mimeType": "application/json",
                "payTo": OPERATOR.to_string(),
                "maxTimeoutSeconds": 300,
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "extra": { "name": "USD Coin", "version": "2" },
            }],
        });
        assert_eq!(response(&offers, ChallengeMode::Both).body, expected);
        let with_text = offers.to_v1(&described, None);
        assert_eq!(with_text.accepts[0].description.as_deref(), Some("prices"));
        assert_eq!(
            with_text.accepts[0].mime_type.as_deref(),
            Some("text/plain")
        );
    }
    // What the guide's server sends: a client reads it all the same.
    let bare = json!({
        "x402Version": 1,
        "error": "Predicate gate: X-PAYMENT header is required",
        "accepts": [{
            "scheme": "exact",
            "network": "base",
            "maxAmountRequired": "0",
            "payTo": OPERATOR,
            "asset": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        }],
    });
    let read = Challenge::decode(None, bare.to_string().as_bytes()).unwrap();
    let requirement = &read.requirements[0];
    assert!(requirement.is_supported() && read.resource.is_none() && read.unusable.is_empty());
    assert_eq!(
        (requirement.amount, requirement.pay_to),
        (U256::ZERO, OPERATOR)
    );
    assert_eq!(requirement.asset, usdc().address());
    assert_eq!(
        requirement.authorization(CALLER, NONCE, NOW).valid_before,
        U256::from(NOW + 300)
    );
}

#[test]
fn the_header_of_version_2_has_caip_2_networks_and_amounts() {
    let offers = Offers::new(vec![on(8453, 10_000), on(1, 20_000)]).unwrap();
    let mut extensions = JsonObject::new();
    extensions.insert("bazaar".to_owned(), json!({ "info": {} }));
    let response = offers.challenge(ChallengeMode::Both, &resource(), None, &extensions);
    let entry = |network: &str, amount: &str, asset: &str| {
        json!({
            "scheme": "exact",
            "network": network,
            "amount": amount,
            "asset": asset,
            "payTo": OPERATOR.to_string(),
            "maxTimeoutSeconds": 300,
            "extra": { "name": "USD Coin", "version": "2" },
        })
    };
    let expected = json!({
        "x402Version": 2,
        "resource": { "url": "https://tools.example.com/oracle" },
        "accepts": [
            entry("eip155:8453", "10000", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
            entry("eip155:1", "20000", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
        ],
        "extensions": { "bazaar": { "info": {} } },
    });
    assert_eq!(v2_header(&response), Some(expected));
}

#[test]
fn the_body_lists_only_networks_that_version_1_knows() {
    let offers = Offers::new(vec![
        on(1, 1),
        on(143, 2),
        on(84532, 3),
        on(10, 4),
        on(137, 5),
    ])
    .unwrap();
    let response = response(&offers, ChallengeMode::Both);
    let networks: Vec<_> = response.body["accepts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["network"].as_str().unwrap())
        .collect();
    assert_eq!(networks, ["base-sepolia", "polygon"]);
    assert_eq!(
        v2_header(&response).unwrap()["accepts"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
}

#[test]
fn without_a_network_of_version_1_the_body_serves_version_2() {
    let offers = Offers::new(vec![on(1, 1)]).unwrap();
    let response = response(&offers, ChallengeMode::Both);
    assert_eq!(Some(&response.body), v2_header(&response).as_ref());
    let read = Challenge::decode(None, response.body.to_string().as_bytes()).unwrap();
    assert_eq!(read.version(), Version::V2);
}

#[test]
fn version_1_has_one_token_per_network() {
    let euro = Token::new(usdc().network(), CALLER, "Euro", "1", 6, "EURC");
    let offers = Offers::new(vec![
        Offer::new(euro, U256::from(9), OPERATOR),
        Offer::new(usdc(), U256::from(7), OPERATOR),
    ])
    .unwrap();
    let v1 = offers.to_v1(&resource(), None);
    assert_eq!(v1.accepts.len(), 1);
    assert_eq!(v1.accepts[0].asset, CALLER);
    assert_eq!(
        offers
            .to_v2(&resource(), None, &JsonObject::new())
            .accepts
            .len(),
        2
    );
}

#[test]
fn the_mode_chooses_headers_and_body() {
    for (mode, names, version) in [
        (
            ChallengeMode::Both,
            vec!["X-Accept-Payment", "PAYMENT-REQUIRED"],
            1,
        ),
        (ChallengeMode::V1, vec!["X-Accept-Payment"], 1),
        (ChallengeMode::V2, vec!["PAYMENT-REQUIRED"], 2),
    ] {
        let response = response(&paid(), mode);
        let found: Vec<_> = response.headers.iter().map(|header| header.name).collect();
        assert_eq!(found, names);
        assert_eq!(response.body["x402Version"], version);
    }
}

#[test]
fn offers_are_all_free_or_all_paid() {
    assert_eq!(Offers::new(vec![]), Err(OfferError::Empty));
    assert_eq!(
        Offers::new(vec![on(8453, 0), on(1, 1)]),
        Err(OfferError::FreeAndPaid)
    );
    assert!(free().is_free() && !paid().is_free());
}

#[test]
fn a_bound_payee_depends_on_url_tool_and_operator() {
    // Computed with `cast keccak` of the packed bytes.
    let bound = |url, tool: u64, operator| audience_payee(url, U256::from(tool), operator).unwrap();
    let url = "https://tools.example.com/oracle?a=b";
    let payee = bound(url, 42, OPERATOR);
    assert_eq!(payee, address!("361d9c0ea6c0c600e0a8e097a3153101f9803659"));
    assert_eq!(
        bound("https://tools.example.com/oracle?a=b#part", 42, OPERATOR),
        payee
    );
    assert_eq!(
        bound("HTTPS://Tools.example.com:443/oracle?a=b", 42, OPERATOR),
        payee
    );
    assert_ne!(
        bound("https://tools.example.com/oracle", 42, OPERATOR),
        payee
    );
    assert_ne!(bound(url, 43, OPERATOR), payee);
    assert_ne!(bound(url, 42, CALLER), payee);
    assert_eq!(
        bound("https://a.example", 1, CALLER),
        bound("https://a.example/", 1, CALLER)
    );
    for url in ["/oracle", "tools.example.com", "", "mailto:a@b.example"] {
        assert!(audience_payee(url, U256::from(1), CALLER).is_err(), "{url}");
    }
}

#[test]
fn only_free_offers_can_be_bound_to_an_audience() {
    let url = "https://tools.example.com/oracle";
    let (tool, zero) = (U256::from(42), U256::ZERO);
    let offer = Offer::new(usdc(), zero, OPERATOR);
    let offer = offer.bind_audience(url, tool, OPERATOR).unwrap();
    assert_eq!(offer.pay_to(), audience_payee(url, tool, OPERATOR).unwrap());
    let offers = Offers::new(vec![offer]).unwrap();
    for mode in [ChallengeMode::V1, ChallengeMode::V2] {
        let read = challenge(&offers, mode);
        let requirement = &read.requirements[0];
        assert_eq!(requirement.audience(), Some((tool, OPERATOR)));
        assert_eq!(
            requirement.extra["predicateGate"],
            json!({ "toolId": "42", "operatorAddress": OPERATOR.to_string() })
        );
        assert_eq!(
            requirement.pay_to,
            audience_payee(url, tool, OPERATOR).unwrap()
        );
    }
    // Nobody could spend the money.
    let paid = Offer::new(usdc(), U256::from(1), OPERATOR);
    assert_eq!(
        paid.bind_audience(url, tool, OPERATOR),
        Err(OfferError::BoundPayment)
    );
    assert!(
        challenge(&free(), ChallengeMode::V1).requirements[0]
            .audience()
            .is_none()
    );
}

#[test]
fn a_client_prefers_the_header_and_reads_both_versions_in_the_body() {
    let response = response(&paid(), ChallengeMode::Both);
    let header = response.headers.last().unwrap().value.clone();
    let body = response.body.to_string();
    let decode = |header: Option<&str>, body: &str| {
        Challenge::decode(header.map(str::as_bytes), body.as_bytes())
    };
    assert_eq!(decode(Some(&header), &body).unwrap().version(), Version::V2);
    assert_eq!(decode(None, &body).unwrap().version(), Version::V1);
    let v2 = v2_header(&response).unwrap().to_string();
    assert_eq!(decode(None, &v2).unwrap().version(), Version::V2);
    for version in [Version::V1, Version::V2] {
        let read = if version == Version::V1 {
            decode(None, &body)
        } else {
            decode(None, &v2)
        };
        let read = read.unwrap();
        assert_eq!(read.error.as_deref(), Some("payment required"));
        assert_eq!(read.resource.unwrap().url, resource().url);
    }
    for (header, body, code) in [
        (Some("%"), body.as_str(), "invalid_base64"),
        (Some(""), &body, "empty"),
        (None, "", "invalid_json"),
        (None, "[]", "invalid_type"),
        (None, "{}", "missing_field"),
        (None, r#"{"accepts":{}}"#, "invalid_type"),
        (
            None,
            r#"{"x402Version":3,"accepts":[]}"#,
            "unsupported_x402_version",
        ),
        (None, r#"{"accepts":[],"accepts":[]}"#, "invalid_json"),
    ] {
        assert_eq!(decode(header, body).unwrap_err().code(), code, "{body}");
    }
}

#[test]
fn entries_that_cannot_be_used_do_not_hide_the_others() {
    let mut body = response(&paid(), ChallengeMode::V1).body;
    let good = body["accepts"][0].clone();
    let change = |pointer: &str, value: Json| {
        let mut entry = good.clone();
        *entry.pointer_mut(pointer).unwrap() = value;
        entry
    };
    body["accepts"] = json!([
        change("/network", json!("solana")),
        change(
            "/payTo",
            json!("7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv")
        ),
        change("/maxAmountRequired", json!(10_000)),
        change("/maxAmountRequired", json!("0x10")),
        json!(null),
        change("/scheme", json!("upto")),
        good,
    ]);
    let read = Challenge::decode(None, body.to_string().as_bytes()).unwrap();
    let fields: Vec<_> = read
        .unusable
        .iter()
        .map(|error| error.field().unwrap())
        .collect();
    assert_eq!(
        fields,
        [
            "/accepts/0/network",
            "/accepts/1/payTo",
            "/accepts/2/maxAmountRequired",
            "/accepts/3/maxAmountRequired",
            "/accepts/4",
        ]
    );
    let supported: Vec<_> = read
        .requirements
        .iter()
        .map(|entry| entry.is_supported())
        .collect();
    assert_eq!(supported, [false, true]);
}

#[test]
fn other_transfer_methods_are_not_supported() {
    for (method, is_supported) in [("eip3009", true), ("permit2", false)] {
        let offer = Offer::new(usdc(), U256::from(1), OPERATOR);
        let offer = offer.with_extra("assetTransferMethod", method);
        let offers = Offers::new(vec![offer]).unwrap();
        let read = challenge(&offers, ChallengeMode::V2);
        assert_eq!(read.requirements[0].is_supported(), is_supported);
    }
}

#[test]
fn an_authorization_is_valid_for_five_minutes_or_what_the_server_wants() {
    // M-07
    for (timeout, validity) in [(60, 60), (300, 300), (86_400, 300)] {
        let offer = Offer::new(usdc(), U256::from(5), OPERATOR).with_max_timeout(timeout);
        let offers = Offers::new(vec![offer]).unwrap();
        for mode in [ChallengeMode::V1, ChallengeMode::V2] {
            let read = challenge(&offers, mode);
            let authorization = read.requirements[0].authorization(CALLER, NONCE, NOW);
            assert_eq!(authorization.valid_after, U256::ZERO);
            assert_eq!(authorization.valid_before, U256::from(NOW + validity));
            assert_eq!((authorization.from, authorization.to), (CALLER, OPERATOR));
            assert_eq!(
                (authorization.value, authorization.nonce),
                (U256::from(5), NONCE)
            );
        }
    }
    let read = challenge(&free(), ChallengeMode::V1);
    let last = read.requirements[0].authorization(CALLER, NONCE, u64::MAX);
    assert_eq!(last.valid_before, U256::from(u64::MAX));
}

#[test]
fn a_payment_of_version_2_repeats_the_challenge_unchanged() {
    let challenge = json!({
        "x402Version": 2,
        "resource": { "url": "https://a.example", "serviceName": "a", "tags": ["x", 1], "other": [1.5] },
        "accepts": [{
            "scheme": "exact",
            "network": "eip155:8453",
            "amount": "10000",
            "asset": usdc().address().to_string(),
            "payTo": OPERATOR.to_string(),
            "maxTimeoutSeconds": 60,
            "extra": { "name": "USDC", "nested": { "a": [1, -2, 3.5, null, true] } },
            "unknown": 18_446_744_073_709_551_615_u64,
        }],
        "extensions": { "a": {} },
    });
    let encoded = encode_base64(challenge.to_string().as_bytes(), Alphabet::Standard);
    let read = Challenge::decode(Some(encoded.as_bytes()), b"").unwrap();
    assert_eq!(read.resource.as_ref().unwrap().tags, ["x"]);
    let requirement = &read.requirements[0];
    let authorization = requirement.authorization(CALLER, NONCE, NOW);
    let unsigned = atr_auth::UnsignedAuthorization::new(authorization, usdc());
    let signature = crate::support::sign(&crate::support::key(1), unsigned.digest());
    let payment = read.payment(requirement, unsigned.sign(signature).unwrap());
    assert_eq!(payment["accepted"], challenge["accepts"][0]);
    assert_eq!(payment["resource"], challenge["resource"]);
    assert_eq!(payment["extensions"], challenge["extensions"]);
    assert_eq!(payment["x402Version"], 2);
}

#[test]
fn the_zero_address_is_read_as_it_is() {
    // A client decides which payees it pays.
    let mut body = response(&free(), ChallengeMode::V1).body;
    body["accepts"][0]["payTo"] = json!(Address::ZERO);
    let read = Challenge::decode(None, body.to_string().as_bytes()).unwrap();
    assert_eq!(read.requirements[0].pay_to, Address::ZERO);
}
