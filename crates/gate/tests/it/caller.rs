use std::sync::atomic::{AtomicU64, Ordering};

use alloy::signers::{SignerSync, local::PrivateKeySigner};
use alloy_primitives::{Address, B256, U256, keccak256};
use atr_auth::{
    Alphabet, Authorization, Challenge, Network, PaymentHeader, Signature, SignedAuthorization,
    Token, UnsignedAuthorization, encode_base64,
};
use atr_loopback::KEYS;
use bytes::Bytes;
use http::{Method, Request, Response};
use serde_json::{Value, json};

use crate::chain::CHAIN_ID;

/// Time of all tests that do not need that of a chain.
pub(crate) const NOW: u64 = 1_900_000_000;

pub(crate) fn usdc() -> Token {
    Token::usdc(Network::from_chain_id(CHAIN_ID).unwrap()).unwrap()
}

/// A client with a key.
pub(crate) struct Caller {
    pub(crate) signer: PrivateKeySigner,
}

impl Caller {
    /// An account of anvil.
    pub(crate) fn new(index: usize) -> Self {
        Self {
            signer: KEYS[index].parse().unwrap(),
        }
    }

    pub(crate) const fn address(&self) -> Address {
        self.signer.address()
    }

    /// What the caller would sign for a challenge: a fresh nonce, five minutes.
    pub(crate) fn authorization(&self, challenge: &Challenge, now: u64) -> Authorization {
        challenge.requirements[0].authorization(self.address(), fresh_nonce(), now)
    }

    pub(crate) fn sign(&self, authorization: Authorization) -> SignedAuthorization {
        let unsigned = UnsignedAuthorization::new(authorization, usdc());
        let signature = self.signer.sign_hash_sync(&unsigned.digest()).unwrap();
        let signature = Signature::from_bytes(&signature.as_bytes()).unwrap();
        unsigned.sign(signature).unwrap()
    }

    /// The payment header that answers a challenge.
    pub(crate) fn answer(&self, challenge: &Challenge, now: u64) -> PaymentHeader {
        let authorization = self.authorization(challenge, now);
        let signed = self.sign(authorization);
        challenge.payment_header(&challenge.requirements[0], signed)
    }
}

/// Different in every call of a process.
pub(crate) fn fresh_nonce() -> B256 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    keccak256(COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes())
}

/// A POST request with a JSON body.
pub(crate) fn post(headers: &[(&str, &str)]) -> Request<http_body_util::Full<Bytes>> {
    request(Method::POST, headers, r#"{"query":"hello"}"#)
}

pub(crate) fn request(
    method: Method,
    headers: &[(&str, &str)],
    body: &str,
) -> Request<http_body_util::Full<Bytes>> {
    let mut request = Request::builder()
        .method(method)
        .uri("/oracle")
        .header("host", "tools.example.com")
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Bytes::copy_from_slice(body.as_bytes());
    request.body(http_body_util::Full::new(body)).unwrap()
}

/// Status, headers and JSON body of a response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) async fn read(response: Response<atr_gate::Body>) -> Self {
        use http_body_util::BodyExt;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Self {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Reads the challenge: the header of x402 v2 if there is one, otherwise the body.
    pub(crate) fn challenge(&self) -> Challenge {
        assert_eq!(self.status, 402, "{self:?}");
        let header = self.headers.get("payment-required");
        Challenge::decode(header.map(|value| value.as_bytes()), &self.body).unwrap()
    }

    /// Reads the challenge as a client that knows only x402 v1.
    pub(crate) fn challenge_v1(&self) -> Challenge {
        Challenge::decode(None, &self.body).unwrap()
    }
}

/// An `X-PAYMENT` header with any content.
pub(crate) fn x_payment(payment: &Value) -> String {
    encode_base64(payment.to_string().as_bytes(), Alphabet::Standard)
}

/// A v1 payment as JSON, to be damaged.
pub(crate) fn v1_payment(signed: &SignedAuthorization) -> Value {
    json!({
        "x402Version": 1,
        "scheme": "exact",
        "network": "base",
        "payload": serde_json::to_value(signed).unwrap(),
    })
}

/// The token of `Authorization: EIP-3009`.
pub(crate) fn eip3009_token(signed: &SignedAuthorization) -> String {
    let payload = serde_json::to_value(signed).unwrap();
    let mut token = payload["authorization"].clone();
    token["signature"] = payload["signature"].clone();
    token["chainId"] = json!(CHAIN_ID);
    encode_base64(token.to_string().as_bytes(), Alphabet::UrlSafe)
}

pub(crate) const fn zero_value(from: Address, to: Address, nonce: B256, now: u64) -> Authorization {
    Authorization {
        from,
        to,
        value: U256::ZERO,
        valid_after: U256::ZERO,
        valid_before: U256::from_limbs([now + 300, 0, 0, 0]),
        nonce,
    }
}
