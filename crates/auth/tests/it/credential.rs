use alloy_primitives::{Address, Bytes, U256};
use atr_auth::{
    AcceptedSchemes, Alphabet, ChallengeMode, Credential, CredentialError, Json, MAX_HEADER_BYTES,
    Network, Offer, Offers, Rejection, ReplayKey, Source, Token, Window, encode_base64,
    x402::Version,
};
use serde_json::json;

use crate::support::{
    CALLER, NONCE, NOW, OPERATOR, PRICE, base, free, header, paid, payment, read, read_payment,
    resource, sign_again, usdc,
};

const V1: &str = "X-PAYMENT";
const V2: &str = "PAYMENT-SIGNATURE";

/// Reads and checks a payment.
fn check(name: &str, value: &str, offers: &Offers, now: u64) -> Result<(), CredentialError> {
    let payment = read_payment(name, value)?;
    payment.check(offers, Window::DEFAULT, now).map(drop)
}

/// The code, field and status of a payment that must be rejected.
fn rejection(name: &str, value: &str, offers: &Offers) -> (&'static str, String, u16) {
    let error = check(name, value, offers, NOW).unwrap_err();
    (
        error.code(),
        error.field().unwrap_or_default().to_owned(),
        error.rejection().status(),
    )
}

fn with(mut payment: Json, pointer: &str, value: Json) -> Json {
    *payment.pointer_mut(pointer).unwrap() = value;
    payment
}

fn without(mut payment: Json, pointer: &str) -> Json {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = payment.pointer_mut(parent).unwrap();
    parent.as_object_mut().unwrap().remove(name).unwrap();
    payment
}

#[test]
fn payments_of_both_versions_identify_the_caller() {
    for (mode, name, version) in [
        (ChallengeMode::V1, V1, Version::V1),
        (ChallengeMode::V2, V2, Version::V2),
    ] {
        for offers in [free(), paid()] {
            let value = header(&payment(&offers, mode));
            let credential = read_payment(name, &value).unwrap();
            assert_eq!(credential.source(), Source::X402(version));
            assert_eq!(credential.network(), base());
            let terms = credential.check(&offers, Window::DEFAULT, NOW).unwrap();
            assert_eq!(terms.caller(), CALLER);
            assert_eq!(Some(terms.offer()), offers.iter().next());
            assert_eq!(terms.credential(), &credential);
            let key = ReplayKey {
                chain_id: 8453,
                asset: usdc().address(),
                from: CALLER,
                nonce: NONCE,
            };
            assert_eq!(terms.replay_key(), key);
        }
    }
}

#[test]
fn header_names_are_compared_without_case() {
    let value = header(&payment(&free(), ChallengeMode::V1));
    for name in ["X-PAYMENT", "x-payment", "X-Payment"] {
        assert!(check(name, &value, &free(), NOW).is_ok());
    }
    assert_eq!(read(&[("X-PAYMENTS", &value), ("Cookie", "a=b")]), Ok(None));
}

#[test]
fn each_header_is_decoded_strictly_in_its_own_alphabet() {
    // T-49
    let standard = header(&payment(&free(), ChallengeMode::V1));
    let json = payment(&free(), ChallengeMode::V1);
    let legacy = |alphabet| {
        let token = encode_base64(legacy_token(&json).to_string().as_bytes(), alphabet);
        format!("EIP-3009 {token}")
    };
    let unpadded = standard.trim_end_matches('=');
    assert!(
        standard.len() > unpadded.len() + 1,
        "the test needs two padding characters"
    );
    assert!(read_payment(V1, &standard).is_ok() && read_payment(V1, unpadded).is_ok());
    let last = unpadded.len() - 1;
    for value in [
        format!("{unpadded}="),
        format!("{standard}="),
        format!(" {standard}"),
        format!("{standard}\n"),
        format!("{}\n{}", &unpadded[..40], &unpadded[40..]),
        format!("-_{}", &unpadded[2..]),
        format!("{}é", &unpadded[..40]),
        // Bits after the last byte.
        format!("{}R", &unpadded[..last]),
    ] {
        assert_eq!(
            rejection(V1, &value, &free()),
            ("invalid_base64", String::new(), 401),
            "{value}"
        );
    }
    let url_safe = legacy(Alphabet::UrlSafe);
    assert!(read(&[("Authorization", &url_safe)]).unwrap().is_some());
    // The signature is chosen so that the two alphabets differ.
    let plus = encode_base64(b"\xfb\xff", Alphabet::Standard);
    let minus = encode_base64(b"\xfb\xff", Alphabet::UrlSafe);
    assert_eq!((plus.as_str(), minus.as_str()), ("+/8=", "-_8"));
    let code = |name: &str, value: &str| read(&[(name, value)]).unwrap_err().code();
    assert_eq!(code(V1, &minus), "invalid_base64");
    assert_eq!(code(V1, &plus), "invalid_json");
    assert_eq!(
        code("Authorization", &format!("EIP-3009 {plus}")),
        "invalid_base64"
    );
    assert_eq!(
        code("Authorization", &format!("EIP-3009 {minus}")),
        "invalid_json"
    );
    let long = "A".repeat(MAX_HEADER_BYTES + 1);
    for (name, value) in [
        (V1, long.clone()),
        (V2, long.clone()),
        ("Authorization", format!("SIWE {long}")),
    ] {
        assert_eq!(code(name, &value), "too_large");
    }
}

#[test]
fn repeated_empty_and_contradicting_headers_are_rejected() {
    let offers = free();
    let v1 = header(&payment(&offers, ChallengeMode::V1));
    let v2 = header(&payment(&offers, ChallengeMode::V2));
    for (headers, code) in [
        (
            vec![(V1, v1.as_str()), ("x-payment", &v1)],
            "repeated_header",
        ),
        (vec![(V2, v2.as_str()), (V2, &v2)], "repeated_header"),
        (vec![(V1, v1.as_str()), (V2, &v2)], "both_payment_headers"),
        (vec![(V1, "")], "empty"),
        (vec![(V2, "")], "empty"),
        (vec![(V2, v1.as_str())], "x402_version_mismatch"),
        (vec![(V1, v2.as_str())], "x402_version_mismatch"),
        (vec![("Authorization", "EIP-3009")], "empty"),
        (vec![("Authorization", "SIWE ")], "empty"),
        (
            vec![
                ("Authorization", "SIWE a.0x"),
                ("authorization", "siwe b.0x"),
            ],
            "repeated_header",
        ),
    ] {
        let error = read(&headers).unwrap_err();
        assert_eq!(
            (error.code(), error.rejection()),
            (code, Rejection::Unauthorized)
        );
    }
}

#[test]
fn malformed_payments_are_rejected_with_the_field() {
    let payment = payment(&free(), ChallengeMode::V1);
    let authorization = "/payload/authorization";
    let value = format!("{authorization}/value");
    let from = format!("{authorization}/from");
    let nonce = format!("{authorization}/nonce");
    let number = |text: &str| json!(text);
    for (pointer, found, code) in [
        ("/payload", Json::Null, "invalid_type"),
        ("/payload", json!([]), "invalid_type"),
        (authorization, json!("x"), "invalid_type"),
        (&from, json!(5), "invalid_type"),
        (
            &from,
            json!("0x7e5f4552091a69125d5dfcb7b8c2659029395bd"),
            "invalid_value",
        ),
        (
            &from,
            json!("7e5f4552091a69125d5dfcb7b8c2659029395bdf00"),
            "invalid_value",
        ),
        (
            &from,
            json!("0x0x5f4552091a69125d5dfcb7b8c2659029395bdf"),
            "invalid_value",
        ),
        (
            &from,
            json!("0x7e5f4552091a69125d5dfcb7b8c2659029395bdg"),
            "invalid_value",
        ),
        (&value, json!(0), "invalid_type"),
        (&value, number(""), "invalid_value"),
        (&value, number("00"), "invalid_value"),
        (&value, number("+0"), "invalid_value"),
        (&value, number("-0"), "invalid_value"),
        (&value, number(" 0"), "invalid_value"),
        (&value, number("0x0"), "invalid_value"),
        (&value, number("0.0"), "invalid_value"),
        (&value, number("٠"), "invalid_value"),
        (
            &value,
            number(
                "115792089237316195423570985008687907853269984665640564039457584007913129639936",
            ),
            "invalid_value",
        ),
        (&nonce, json!("0x07"), "invalid_value"),
        ("/payload/signature", json!("0x1"), "invalid_value"),
        ("/payload/signature", json!("0x0x11"), "invalid_value"),
        ("/payload/signature", json!("11"), "invalid_value"),
        ("/x402Version", json!("1"), "invalid_type"),
        ("/network", json!(8453), "invalid_type"),
        ("/scheme", Json::Null, "invalid_type"),
    ] {
        let header = header(&with(payment.clone(), pointer, found));
        assert_eq!(
            rejection(V1, &header, &free()),
            (code, pointer.to_owned(), 401)
        );
    }
    for pointer in [
        "/x402Version",
        "/scheme",
        "/network",
        "/payload",
        "/payload/signature",
        authorization,
        &from,
        &value,
        &nonce,
        "/payload/authorization/to",
        "/payload/authorization/validAfter",
        "/payload/authorization/validBefore",
    ] {
        let header = header(&without(payment.clone(), pointer));
        assert_eq!(
            rejection(V1, &header, &free()),
            ("missing_field", pointer.to_owned(), 401)
        );
    }
}

#[test]
fn json_that_parsers_read_differently_is_rejected() {
    let text = payment(&free(), ChallengeMode::V1).to_string();
    let twice = text.replacen("{", r#"{"scheme":"exact","#, 1);
    for json in [
        &twice,
        "null",
        "[]",
        "7",
        "{",
        "",
        "\u{feff}{}",
        r#"{"\ud800":1}"#,
    ] {
        let value = encode_base64(json.as_bytes(), Alphabet::Standard);
        let (code, _, status) = rejection(V1, &value, &free());
        assert!(
            matches!(code, "invalid_json" | "invalid_type" | "empty"),
            "{json}: {code}"
        );
        assert_eq!(status, 401);
    }
}

#[test]
fn only_unsupported_versions_are_bad_requests() {
    let payment = payment(&free(), ChallengeMode::V1);
    for version in [json!(0), json!(3), json!(-1), json!(1.5)] {
        let header = header(&with(payment.clone(), "/x402Version", version));
        let expected = ("unsupported_x402_version", String::new(), 400);
        assert_eq!(rejection(V1, &header, &free()), expected);
        assert_eq!(rejection(V2, &header, &free()), expected);
    }
}

#[test]
fn unknown_names_of_networks_are_rejected_and_each_version_has_its_own() {
    // T-44
    let v1 = payment(&free(), ChallengeMode::V1);
    for network in ["eip155:8453", "ethereum", "Base", "8453", "", "solana"] {
        let header = header(&with(v1.clone(), "/network", json!(network)));
        let code = rejection(V1, &header, &free());
        assert_eq!(code, ("unknown_network", String::new(), 401), "{network}");
    }
    let v2 = payment(&free(), ChallengeMode::V2);
    for network in [
        "base",
        "eip155:08453",
        "eip155:0",
        "eip155:18446744073709551616",
        "solana:mainnet",
    ] {
        let header = header(&with(v2.clone(), "/accepted/network", json!(network)));
        let code = rejection(V2, &header, &free());
        assert_eq!(code, ("unknown_network", String::new(), 401), "{network}");
    }
    for (payment, name, pointer, network) in [
        (v1, V1, "/network", "polygon"),
        (v2, V2, "/accepted/network", "eip155:137"),
    ] {
        let header = header(&with(payment, pointer, json!(network)));
        assert_eq!(rejection(name, &header, &free()).0, "wrong_network");
    }
    for chain in atr_auth::CHAINS {
        let network = Network::from_chain_id(chain.chain_id).unwrap();
        assert_eq!(Network::from_caip2(&network.caip2()), Some(network));
        if let Some(name) = chain.v1_name {
            assert_eq!(Network::from_v1_name(name), Some(network));
        }
    }
}

#[test]
fn unknown_schemes_are_rejected() {
    for (mode, name, pointer) in [
        (ChallengeMode::V1, V1, "/scheme"),
        (ChallengeMode::V2, V2, "/accepted/scheme"),
    ] {
        let payment = with(payment(&free(), mode), pointer, json!("upto"));
        assert_eq!(
            rejection(name, &header(&payment), &free()).0,
            "unknown_scheme"
        );
    }
}

#[test]
fn accepted_must_equal_an_offer() {
    let payment = payment(&paid(), ChallengeMode::V2);
    assert!(check(V2, &header(&payment), &paid(), NOW).is_ok());
    for (pointer, value) in [
        ("/accepted/amount", json!("1")),
        ("/accepted/payTo", json!(CALLER.to_string())),
        ("/accepted/asset", json!(CALLER.to_string())),
        ("/accepted/maxTimeoutSeconds", json!(301)),
        ("/accepted/extra", json!({})),
        ("/accepted/extra/name", json!("USDC")),
    ] {
        let changed = with(payment.clone(), pointer, value);
        assert_eq!(
            rejection(V2, &header(&changed), &paid()),
            ("not_offered", String::new(), 401)
        );
    }
    let mut more = payment.clone();
    more["accepted"]["outputSchema"] = json!(1);
    assert_eq!(rejection(V2, &header(&more), &paid()).0, "not_offered");
    let less = without(payment.clone(), "/accepted/maxTimeoutSeconds");
    assert_eq!(rejection(V2, &header(&less), &paid()).0, "not_offered");
    let missing = without(payment.clone(), "/accepted/asset");
    let expected = ("missing_field", "/accepted/asset".to_owned(), 401);
    assert_eq!(rejection(V2, &header(&missing), &paid()), expected);
    // Members may be in any order, and addresses in any case.
    let asset = usdc().address().to_string().to_lowercase();
    let lower = with(payment, "/accepted/asset", json!(asset));
    assert!(check(V2, &header(&lower), &paid(), NOW).is_ok());
}

#[test]
fn a_payment_of_version_2_names_its_offer() {
    let other = Token::new(base(), OPERATOR, "Euro", "1", 6, "EURC");
    let offers = Offers::new(vec![
        Offer::new(other, U256::from(7), OPERATOR),
        Offer::new(usdc(), U256::from(PRICE), OPERATOR),
    ])
    .unwrap();
    let payment = read_payment(V2, &header(&payment(&paid(), ChallengeMode::V2))).unwrap();
    let terms = payment.check(&offers, Window::DEFAULT, NOW).unwrap();
    assert_eq!(terms.offer().token(), &usdc());
}

#[test]
fn the_value_of_an_identity_gate_is_exactly_zero() {
    // L-07
    for value in ["1", "10000"] {
        let mut payment = payment(&free(), ChallengeMode::V1);
        payment["payload"]["authorization"]["value"] = json!(value);
        sign_again(&mut payment);
        let expected = ("value_not_zero", String::new(), 401);
        assert_eq!(rejection(V1, &header(&payment), &free()), expected);
    }
}

#[test]
fn another_value_than_the_price_needs_another_payment() {
    for value in ["0", "9999", "10001", &U256::MAX.to_string()] {
        let mut payment = payment(&paid(), ChallengeMode::V2);
        payment["payload"]["authorization"]["value"] = json!(value);
        sign_again(&mut payment);
        let expected = ("wrong_value", String::new(), 402);
        assert_eq!(rejection(V2, &header(&payment), &paid()), expected);
    }
}

#[test]
fn the_payee_is_the_operator() {
    // L-08
    for (offers, mode, name) in [
        (free(), ChallengeMode::V1, V1),
        (paid(), ChallengeMode::V2, V2),
    ] {
        let mut payment = payment(&offers, mode);
        payment["payload"]["authorization"]["to"] = json!(CALLER.to_string());
        sign_again(&mut payment);
        let expected = ("wrong_payee", String::new(), 401);
        assert_eq!(rejection(name, &header(&payment), &offers), expected);
    }
}

#[test]
fn times_are_checked_with_the_time_that_is_passed_in() {
    let value = header(&payment(&free(), ChallengeMode::V1));
    let code = |now| check(V1, &value, &free(), now).map_or_else(|error| error.code(), |()| "ok");
    assert_eq!(code(NOW), "ok");
    assert_eq!(code(NOW + 299), "ok");
    assert_eq!(code(NOW + 300), "expired");
    assert_eq!(code(NOW - 600), "ok");
    assert_eq!(code(NOW - 601), "window_too_long");
    assert_eq!(code(u64::MAX), "expired");
    assert_eq!(code(0), "not_yet_valid");
    let payment = read_payment(V1, &value).unwrap();
    let left = |now| payment.authorization().seconds_left(now);
    assert_eq!((left(NOW), left(NOW + 300), left(u64::MAX)), (300, 0, 0));
}

#[test]
fn signatures_of_other_lengths_and_recovery_ids_are_rejected() {
    let payment = payment(&free(), ChallengeMode::V1);
    let signature: Bytes = payment["payload"]["signature"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let rejected = |bytes: &[u8]| {
        let text = Bytes::copy_from_slice(bytes).to_string();
        let changed = with(payment.clone(), "/payload/signature", json!(text));
        rejection(V1, &header(&changed), &free())
    };
    let v = signature[64];
    for (bytes, code) in [
        (signature[..64].to_vec(), "invalid_signature_length"),
        ([&signature[..], &[0]].concat(), "invalid_signature_length"),
        (vec![], "invalid_signature_length"),
        (
            [&signature[..64], &[2]].concat(),
            "invalid_signature_recovery_id",
        ),
        (
            [&signature[..64], &[29]].concat(),
            "invalid_signature_recovery_id",
        ),
        ([&signature[..64], &[55 - v]].concat(), "signer_mismatch"),
        (vec![0; 65], "invalid_signature"),
        (
            [[0xff; 32].as_slice(), &signature[32..]].concat(),
            "invalid_signature",
        ),
    ] {
        assert_eq!(rejected(&bytes), (code, String::new(), 401));
    }
    let normalized = [&signature[..64], &[v - 27]].concat();
    let text = Bytes::from(normalized).to_string();
    let changed = with(payment.clone(), "/payload/signature", json!(text));
    assert!(check(V1, &header(&changed), &free(), NOW).is_ok());
}

#[test]
fn terms_can_be_checked_without_the_signature_for_smart_accounts() {
    let changed = with(
        payment(&paid(), ChallengeMode::V2),
        "/payload/signature",
        json!("0x1234"),
    );
    let credential = read_payment(V2, &header(&changed)).unwrap();
    let offers = paid();
    let terms = credential
        .check_terms(&offers, Window::DEFAULT, NOW)
        .unwrap();
    assert_eq!(
        terms.verify_signature().unwrap_err().code(),
        "invalid_signature_length"
    );
    assert_eq!(terms.digest(), credential.authorization().digest(&usdc()));
    assert_eq!(
        credential.signed().signature,
        Bytes::from_static(&[0x12, 0x34])
    );
}

#[test]
fn the_members_are_kept_as_the_caller_wrote_them() {
    let mut payment = payment(&free(), ChallengeMode::V1);
    let authorization = &mut payment["payload"]["authorization"];
    authorization["from"] = json!(CALLER.to_string().to_lowercase());
    authorization["nonce"] = json!(format!("0x{}", "AB".repeat(32)));
    sign_again(&mut payment);
    let signature = payment["payload"]["signature"].as_str().unwrap();
    let upper = format!("0x{}", signature[2..].to_uppercase());
    payment["payload"]["signature"] = json!(upper);
    let credential = read_payment(V1, &header(&payment)).unwrap();
    assert!(credential.check(&free(), Window::DEFAULT, NOW).is_ok());
    let fields = credential.fields();
    let authorization = &payment["payload"]["authorization"];
    assert_eq!(fields.signature, upper);
    for (found, name) in [
        (&fields.from, "from"),
        (&fields.to, "to"),
        (&fields.value, "value"),
        (&fields.valid_after, "validAfter"),
        (&fields.valid_before, "validBefore"),
        (&fields.nonce, "nonce"),
    ] {
        assert_eq!(authorization[name], json!(found));
    }
}

/// The token of `Authorization: EIP-3009` with the authorization of an x402 payment.
fn legacy_token(payment: &Json) -> Json {
    let mut token = payment["payload"]["authorization"].clone();
    token["signature"] = payment["payload"]["signature"].clone();
    token["chainId"] = json!(8453);
    token
}

#[test]
fn older_schemes_are_accepted_when_they_are_turned_on() {
    let token = legacy_token(&payment(&free(), ChallengeMode::V1));
    let encoded = encode_base64(token.to_string().as_bytes(), Alphabet::UrlSafe);
    let value = format!("EIP-3009 {encoded}");
    let accepted = |eip3009| AcceptedSchemes {
        eip3009,
        siwe: false,
    };
    let headers = || [("authorization", value.as_bytes())];
    assert_eq!(
        Credential::from_headers(headers(), accepted(false)),
        Ok(None)
    );
    let Ok(Some(Credential::Payment(payment))) =
        Credential::from_headers(headers(), accepted(true))
    else {
        panic!("no payment");
    };
    assert_eq!(payment.source(), Source::Eip3009);
    let offers = free();
    let terms = payment.check(&offers, Window::DEFAULT, NOW).unwrap();
    assert_eq!(terms.caller(), CALLER);
    // Other schemes are for the server behind the gate.
    for other in ["Bearer abc", "EIP-30090 abc", "", "EIP"] {
        assert_eq!(read(&[("Authorization", other)]), Ok(None));
    }
}

#[test]
fn a_payment_header_has_precedence_over_authorization() {
    let value = header(&payment(&free(), ChallengeMode::V1));
    let headers = [("Authorization", "EIP-3009 junk"), (V1, value.as_str())];
    assert!(matches!(read(&headers), Ok(Some(Credential::Payment(_)))));
    let token = legacy_token(&payment(&free(), ChallengeMode::V1));
    let encoded = encode_base64(token.to_string().as_bytes(), Alphabet::UrlSafe);
    let eip3009 = format!("eip-3009 {encoded}");
    let headers = [("Authorization", "SIWE junk"), ("Authorization", &eip3009)];
    assert!(matches!(read(&headers), Ok(Some(Credential::Payment(_)))));
}

#[test]
fn malformed_tokens_of_older_schemes_are_rejected_with_the_field() {
    let token = legacy_token(&payment(&free(), ChallengeMode::V1));
    for (pointer, value, code) in [
        ("/chainId", json!("8453"), "invalid_type"),
        ("/chainId", json!(0), "invalid_value"),
        ("/chainId", json!(8453.5), "invalid_value"),
        ("/from", Json::Null, "invalid_type"),
        ("/value", json!("x"), "invalid_value"),
    ] {
        let changed = with(token.clone(), pointer, value).to_string();
        let encoded = encode_base64(changed.as_bytes(), Alphabet::UrlSafe);
        let error = read(&[("Authorization", &format!("EIP-3009 {encoded}"))]).unwrap_err();
        assert_eq!((error.code(), error.field()), (code, Some(pointer)));
        assert_eq!(error.rejection().status(), 401);
    }
    let changed = with(token, "/chainId", json!(137)).to_string();
    let encoded = encode_base64(changed.as_bytes(), Alphabet::UrlSafe);
    let found = rejection("Authorization", &format!("EIP-3009 {encoded}"), &free());
    assert_eq!(found, ("wrong_network", String::new(), 401));
}

#[test]
fn a_facilitator_gets_checksummed_addresses_in_its_own_version() {
    let offers = paid();
    for (mode, name) in [(ChallengeMode::V1, V1), (ChallengeMode::V2, V2)] {
        let mut json = payment(&offers, mode);
        let from = CALLER.to_string().to_lowercase();
        json["payload"]["authorization"]["from"] = json!(from);
        if mode == ChallengeMode::V2 {
            json["extensions"] = json!({ "bazaar": { "info": 1 } });
        }
        let credential = read_payment(name, &header(&json)).unwrap();
        let terms = credential.check(&offers, Window::DEFAULT, NOW).unwrap();
        let v1 = terms.facilitator_request(Version::V1, &resource()).unwrap();
        assert_eq!(v1.x402_version, 1);
        assert_eq!(v1.payment_payload["network"], "base");
        assert_eq!(v1.payment_requirements["maxAmountRequired"], "10000");
        assert_eq!(v1.payment_requirements["resource"], resource().url);
        let v2 = terms.facilitator_request(Version::V2, &resource()).unwrap();
        assert_eq!(v2.x402_version, 2);
        assert_eq!(v2.payment_payload["accepted"], v2.payment_requirements);
        assert_eq!(v2.payment_requirements["network"], "eip155:8453");
        assert_eq!(v2.payment_payload["resource"]["url"], resource().url);
        assert_eq!(v2.payment_payload.get("extensions"), json.get("extensions"));
        for request in [&v1, &v2] {
            let authorization = &request.payment_payload["payload"]["authorization"];
            assert_eq!(authorization["from"], CALLER.to_string());
            assert_eq!(authorization["to"], OPERATOR.to_string());
            assert_eq!(authorization["value"], "10000");
        }
        let body = serde_json::to_value(&v2).unwrap();
        let mut members: Vec<_> = body.as_object().unwrap().keys().collect();
        members.sort();
        assert_eq!(
            members,
            ["paymentPayload", "paymentRequirements", "x402Version"]
        );
    }
}

#[test]
fn a_network_without_a_name_has_no_request_of_version_1() {
    let token = Token::usdc(Network::from_chain_id(1).unwrap()).unwrap();
    let offers = Offers::new(vec![Offer::new(token, U256::ZERO, Address::ZERO)]).unwrap();
    assert_eq!(offers.networks(Version::V1).count(), 0);
    assert_eq!(offers.networks(Version::V2).count(), 1);
}
