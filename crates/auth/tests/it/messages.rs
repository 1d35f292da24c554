use alloy_primitives::{B256, U256};
use atr_auth::{
    Alphabet, ChallengeMode, Credential, Json, JsonObject, Network, PaymentCredential, Source,
    Window, encode_base64,
    x402::{
        Receipt, Version,
        facilitator::{SettleResponse, Settlement, Supported, VerifyResponse},
        mcp,
    },
};
use atr_manifest::Document;
use serde_json::json;

use crate::support::{CALLER, NOW, base, paid, payment, resource};

const HASH: B256 = B256::repeat_byte(9);

#[test]
fn receipts_of_both_versions_are_read_back() {
    for version in [Version::V1, Version::V2] {
        let receipt = Receipt {
            success: true,
            transaction: Some(HASH),
            network: version.network_name(base()).unwrap(),
            payer: Some(CALLER),
            error_reason: None,
        };
        let header = receipt.header(version);
        assert_eq!(header.name, version.receipt_header());
        assert_eq!(
            Receipt::decode(header.value.as_bytes()),
            Ok(receipt.clone())
        );
        let expected = json!({
            "success": true,
            "transaction": HASH.to_string(),
            "network": receipt.network,
            "payer": CALLER.to_string(),
        });
        assert_eq!(serde_json::to_value(&receipt).unwrap(), expected);
    }
    assert_eq!(Version::V1.receipt_header(), "X-PAYMENT-RESPONSE");
    assert_eq!(Version::V2.receipt_header(), "PAYMENT-RESPONSE");
}

#[test]
fn receipts_need_only_the_outcome() {
    let decode = |json: Json| {
        Receipt::decode(encode_base64(json.to_string().as_bytes(), Alphabet::Standard).as_bytes())
    };
    let failed = json!({ "success": false, "transaction": "", "network": 5, "payer": "x", "errorReason": "a" });
    let receipt = decode(failed).unwrap();
    assert_eq!((receipt.transaction, receipt.payer), (None, None));
    assert_eq!(receipt.error_reason.as_deref(), Some("a"));
    assert_eq!(serde_json::to_value(&receipt).unwrap()["transaction"], "");
    assert_eq!(decode(json!({})).unwrap_err().code(), "missing_field");
    assert_eq!(
        decode(json!({ "success": "true" })).unwrap_err().code(),
        "invalid_type"
    );
}

#[test]
fn answers_to_verify_are_read() {
    let decode = |json: Json| VerifyResponse::decode(json.to_string().as_bytes());
    let valid = decode(json!({ "isValid": true, "payer": CALLER })).unwrap();
    assert_eq!((valid.is_valid, valid.payer), (true, Some(CALLER)));
    let invalid = json!({
        "isValid": false,
        "invalidReason": "insufficient_funds",
        "invalidMessage": "balance is 0",
        "payer": null,
    });
    let invalid = decode(invalid).unwrap();
    assert!(!invalid.is_valid);
    assert_eq!(
        invalid.invalid_reason.as_deref(),
        Some("insufficient_funds")
    );
    assert_eq!(invalid.invalid_message.as_deref(), Some("balance is 0"));
    for json in [json!({}), json!({ "isValid": 1 }), json!([]), json!(null)] {
        assert!(decode(json).is_err());
    }
    assert!(VerifyResponse::decode(b"<html>").is_err());
    assert!(VerifyResponse::decode(br#"{"isValid":false,"isValid":true}"#).is_err());
}

#[test]
fn a_settlement_is_settled_pending_failed_or_unknown() {
    let hash = HASH.to_string();
    for (answer, settlement) in [
        (
            json!({ "success": true, "transaction": hash }),
            Settlement::Settled(HASH),
        ),
        (
            json!({ "success": true, "transaction": "" }),
            Settlement::Unknown,
        ),
        (json!({ "success": true }), Settlement::Unknown),
        (
            json!({ "success": false, "errorReason": "settlement_pending", "transaction": hash }),
            Settlement::Pending(HASH),
        ),
        (
            json!({ "success": false, "errorReason": "settlement_pending" }),
            Settlement::Unknown,
        ),
        (
            json!({ "success": false, "errorReason": "insufficient_funds", "transaction": hash }),
            Settlement::Failed("insufficient_funds"),
        ),
        (json!({ "success": false }), Settlement::Failed("unknown")),
    ] {
        let response = SettleResponse::decode(answer.to_string().as_bytes()).unwrap();
        assert_eq!(response.settlement(), settlement, "{answer}");
    }
    let full = json!({
        "success": true,
        "transaction": hash,
        "network": "eip155:8453",
        "payer": CALLER.to_string(),
        "amount": "10000",
    });
    let response = SettleResponse::decode(full.to_string().as_bytes()).unwrap();
    assert_eq!(response.amount, Some(U256::from(10_000)));
    assert_eq!(serde_json::to_value(&response).unwrap(), full);
    for answer in ["{}", "", "null", r#"{"success":"yes"}"#] {
        assert!(SettleResponse::decode(answer.as_bytes()).is_err());
    }
}

#[test]
fn supported_kinds_are_matched_by_version_scheme_and_network() {
    let kind = |version: u64, scheme: &str, network: &str| json!({ "x402Version": version, "scheme": scheme, "network": network });
    let supports = |kind: Json, version, network| {
        let body = json!({ "kinds": [{ "scheme": 1 }, kind], "extensions": [], "signers": {} });
        let supported = Supported::decode(body.to_string().as_bytes()).unwrap();
        assert_eq!(supported.kinds.len(), 1);
        supported.supports(version, network)
    };
    let (v1, v2) = (Version::V1, Version::V2);
    let ethereum = Network::from_chain_id(1).unwrap();
    assert!(supports(kind(1, "exact", "base"), v1, base()));
    assert!(supports(kind(2, "exact", "eip155:8453"), v2, base()));
    assert!(supports(kind(2, "exact", "eip155:*"), v2, ethereum));
    assert!(!supports(kind(1, "exact", "eip155:*"), v1, base()));
    assert!(!supports(kind(2, "exact", "base"), v1, base()));
    assert!(!supports(kind(1, "exact", "base"), v2, base()));
    assert!(!supports(kind(2, "upto", "eip155:8453"), v2, base()));
    assert!(!supports(kind(2, "exact", "eip155:1"), v2, base()));
    assert!(!supports(kind(1, "exact", "ethereum"), v1, ethereum));
    assert!(Supported::decode(b"{}").is_err());
}

#[test]
fn a_payment_and_its_receipt_travel_in_mcp_metadata() {
    let offers = paid();
    let demand = mcp::challenge_result(&offers.to_v2(&resource(), Some("pay"), &JsonObject::new()));
    assert_eq!(demand["isError"], true);
    assert_eq!(demand["structuredContent"]["error"], "pay");
    let document = Document::parse(demand.to_string()).unwrap();
    let challenge = mcp::read_challenge(document.root()).unwrap().unwrap();
    assert_eq!(challenge.requirements.len(), 1);
    for (mode, version) in [
        (ChallengeMode::V1, Version::V1),
        (ChallengeMode::V2, Version::V2),
    ] {
        let meta = json!({ "x402/payment": payment(&offers, mode), "other": 1 });
        let document = Document::parse(meta.to_string()).unwrap();
        let credential = PaymentCredential::from_mcp_meta(document.root())
            .unwrap()
            .unwrap();
        assert_eq!(credential.source(), Source::X402(version));
        assert!(credential.check(&offers, Window::DEFAULT, NOW).is_ok());
    }
    let empty = Document::parse("{}").unwrap();
    assert!(PaymentCredential::from_mcp_meta(empty.root()).is_none());
    let wrong = Document::parse(r#"{"x402/payment":"x"}"#).unwrap();
    let error = PaymentCredential::from_mcp_meta(wrong.root())
        .unwrap()
        .unwrap_err();
    assert_eq!(
        (error.code(), error.field()),
        ("invalid_type", Some("/x402~1payment"))
    );
    let result = json!({ "_meta": { "x402/payment-response": { "success": true, "transaction": HASH.to_string() } } });
    let document = Document::parse(result.to_string()).unwrap();
    let receipt = mcp::read_receipt(document.root()).unwrap().unwrap();
    assert_eq!(receipt.transaction, Some(HASH));
    assert!(mcp::read_receipt(empty.root()).is_none());
}

#[test]
fn challenges_of_older_mcp_servers_are_read() {
    let challenge =
        serde_json::to_value(paid().to_v2(&resource(), None, &JsonObject::new())).unwrap();
    let wrapped = json!({ "x402/error": { "code": 402, "message": "pay", "data": challenge } });
    let text = |json: &Json| json!([{ "type": "text", "text": json.to_string() }]);
    for (result, is_challenge) in [
        (
            json!({ "isError": true, "structuredContent": challenge }),
            true,
        ),
        (
            json!({ "isError": true, "structuredContent": wrapped }),
            true,
        ),
        (
            json!({ "isError": true, "content": text(&challenge) }),
            true,
        ),
        (json!({ "isError": true, "content": text(&wrapped) }), true),
        (
            json!({ "isError": true, "structuredContent": {}, "content": text(&wrapped) }),
            true,
        ),
        (
            json!({ "isError": false, "structuredContent": challenge }),
            false,
        ),
        (json!({ "structuredContent": challenge }), false),
        (
            json!({ "isError": true, "content": [{ "type": "text", "text": "failed" }] }),
            false,
        ),
        (json!({ "isError": true, "content": [] }), false),
        (json!([]), false),
    ] {
        let document = Document::parse(result.to_string()).unwrap();
        let read = mcp::read_challenge(document.root());
        assert_eq!(
            read.is_some_and(|read| read.is_ok()),
            is_challenge,
            "{result}"
        );
    }
}

#[test]
fn an_error_names_the_header() {
    let headers = [("x-payment", b"%".as_slice())];
    let error =
        Credential::from_headers(headers, atr_auth::AcceptedSchemes::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "X-PAYMENT: the value is not valid base64"
    );
}
