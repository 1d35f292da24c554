//! A challenge is decoded or rejected, and a gate can decode the payment that answers it. Answers of facilitators never panic.
#![no_main]

use alloy_primitives::{Address, B256, Bytes};
use atr_auth::{
    Alphabet, Challenge, CredentialError, DecodeError, PaymentCredential, SignedAuthorization, encode_base64,
    x402::{
        Receipt,
        facilitator::{SettleResponse, Supported, VerifyResponse},
    },
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let header = encode_base64(bytes, Alphabet::Standard);
    for challenge in [Challenge::decode(None, bytes), Challenge::decode(Some(header.as_bytes()), b"")] {
        let Ok(challenge) = challenge else {
            continue;
        };
        for requirement in &challenge.requirements {
            let _ = requirement.audience();
            if !requirement.is_supported() {
                continue;
            }
            let signed = SignedAuthorization {
                signature: Bytes::from_static(&[7; 65]),
                authorization: requirement.authorization(Address::ZERO, B256::ZERO, 1_749_158_100),
            };
            let payment = challenge.payment_header(requirement, signed.clone());
            match PaymentCredential::decode(challenge.version(), payment.value.as_bytes()) {
                Ok(payment) => assert_eq!(payment.signed(), &signed),
                Err(CredentialError::Malformed { error: DecodeError::TooLarge { .. }, .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    let _ = Receipt::decode(header.as_bytes());
    let _ = VerifyResponse::decode(bytes);
    let _ = SettleResponse::decode(bytes).map(|response| response.settlement() == response.settlement());
    let _ = Supported::decode(bytes);
});
