use alloy_primitives::{Address, B256, U256, uint};
use atr_auth::{
    AcceptedSchemes, Alphabet, Authorization, Challenge, ChallengeMode, Credential, Json,
    JsonObject, Offer, Offers, Signature, SignatureError, UnsignedAuthorization, Window,
    decode_base64, encode_base64,
    x402::{
        Receipt,
        facilitator::{SettleResponse, Supported, VerifyResponse},
    },
};
use proptest::prelude::*;

use crate::support::{
    NOW, OPERATOR, account, challenge, header, key, paid, payment, read_payment, sign, usdc,
};

const ORDER: U256 = uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);

prop_compose! {
    fn offers()(amount: [u8; 32], is_free: bool, payee: [u8; 20], timeout in 1_u64..=900) -> Offers {
        let amount = if is_free { U256::ZERO } else { U256::from_be_bytes(amount) };
        let offer = Offer::new(usdc(), amount, Address::new(payee)).with_max_timeout(timeout);
        Offers::new(vec![offer]).unwrap()
    }
}

fn mode() -> impl Strategy<Value = ChallengeMode> {
    prop_oneof![
        Just(ChallengeMode::V1),
        Just(ChallengeMode::V2),
        Just(ChallengeMode::Both)
    ]
}

/// The malleable counterpart of a signature with the other `s` and the other recovery id.
fn malleate(signature: Signature) -> [u8; 65] {
    let mut bytes = signature.to_bytes();
    let s = U256::from_be_slice(&bytes[32..64]);
    bytes[32..64].copy_from_slice(&(ORDER - s).to_be_bytes::<32>());
    bytes[64] = 55 - bytes[64];
    bytes
}

/// Everything that reads text from outside. None of it may panic.
fn read_all(bytes: &[u8]) {
    let accepted = AcceptedSchemes {
        eip3009: true,
        siwe: true,
    };
    let encode = |alphabet| encode_base64(bytes, alphabet);
    let standard = encode(Alphabet::Standard);
    let eip3009 = format!("EIP-3009 {}", encode(Alphabet::UrlSafe));
    let siwe = format!("SIWE {}.0x{}", encode(Alphabet::UrlSafe), "11".repeat(65));
    for (name, value) in [
        ("X-PAYMENT", bytes),
        ("PAYMENT-SIGNATURE", bytes),
        ("Authorization", bytes),
        ("X-PAYMENT", standard.as_bytes()),
        ("PAYMENT-SIGNATURE", standard.as_bytes()),
        ("Authorization", eip3009.as_bytes()),
        ("Authorization", siwe.as_bytes()),
    ] {
        match Credential::from_headers([(name, value)], accepted) {
            Err(error) => assert!(matches!(error.rejection().status(), 400 | 401)),
            Ok(None) => {}
            Ok(Some(Credential::Payment(payment))) => {
                let _ = payment.check(&paid(), Window::MAX, NOW);
            }
            Ok(Some(Credential::Siwe(siwe))) => {
                let _ = siwe.check("a.example", Window::MAX, NOW);
            }
        }
    }
    let _ = Challenge::decode(None, bytes);
    let _ = Challenge::decode(Some(standard.as_bytes()), b"");
    let _ = Receipt::decode(standard.as_bytes());
    let _ = VerifyResponse::decode(bytes);
    let _ = SettleResponse::decode(bytes);
    let _ = Supported::decode(bytes);
}

proptest! {
    #[test]
    fn what_a_client_signs_the_gate_accepts(offers in offers(), mode in mode(), number in 1_u8.., nonce: [u8; 32], delay in 0_u64..) {
        let key = key(number);
        let caller = account(&key);
        let challenge = challenge(&offers, mode);
        let requirement = &challenge.requirements[0];
        let authorization = requirement.authorization(caller, B256::new(nonce), NOW);
        let unsigned = UnsignedAuthorization::new(authorization, usdc());
        let signature = sign(&key, unsigned.digest());
        let header = challenge.payment_header(requirement, unsigned.sign(signature).unwrap());
        let credential = read_payment(header.name, &header.value).unwrap();
        prop_assert_eq!(credential.authorization(), &authorization);
        let validity = requirement.max_timeout_seconds.unwrap().min(300);
        let now = NOW + delay % validity;
        let terms = credential.check(&offers, Window::DEFAULT, now).unwrap();
        prop_assert_eq!(terms.caller(), caller);
        let late = credential.check(&offers, Window::DEFAULT, NOW + validity);
        prop_assert_eq!(late.unwrap_err().code(), "expired");
    }

    #[test]
    fn recovery_agrees_with_k256_and_malleated_signatures_are_rejected(number in 1_u8.., digest: [u8; 32]) {
        let (key, digest) = (key(number), B256::new(digest));
        let signature = sign(&key, digest);
        prop_assert_eq!(signature.recover(digest), Ok(account(&key)));
        prop_assert_eq!(Signature::from_bytes(&signature.to_bytes()), Ok(signature));
        prop_assert_eq!(Signature::from_bytes(&malleate(signature)), Err(SignatureError::HighS));
    }

    #[test]
    fn a_changed_authorization_or_signature_is_never_by_the_caller(member in 0_usize..7, bit in 0_usize..256) {
        let payment = payment(&paid(), ChallengeMode::V1);
        let credential = read_payment("X-PAYMENT", &header(&payment)).unwrap();
        let mut signed = credential.signed().clone();
        let Authorization { from, to, value, valid_after, valid_before, nonce } = &mut signed.authorization;
        let flip = |bytes: &mut [u8]| bytes[bit / 8 % bytes.len()] ^= 1 << (bit % 8);
        match member {
            0 => flip(from.as_mut_slice()),
            1 => flip(to.as_mut_slice()),
            2 => *value ^= U256::from(1) << bit,
            3 => *valid_after ^= U256::from(1) << bit,
            4 => *valid_before ^= U256::from(1) << bit,
            5 => flip(nonce.as_mut_slice()),
            _ => {
                let mut bytes = signed.signature.to_vec();
                flip(&mut bytes[..64]);
                signed.signature = bytes.into();
            }
        }
        prop_assert!(signed.verify(&usdc()).is_err());
    }

    #[test]
    fn base64_is_read_back_and_has_one_text(bytes: Vec<u8>, is_standard: bool) {
        let alphabet = if is_standard { Alphabet::Standard } else { Alphabet::UrlSafe };
        let text = encode_base64(&bytes, alphabet);
        if bytes.is_empty() {
            prop_assert!(decode_base64(text.as_bytes(), alphabet).is_err());
        } else {
            prop_assert_eq!(decode_base64(text.as_bytes(), alphabet), Ok(bytes));
        }
    }

    #[test]
    fn what_decodes_encodes_to_the_same_text(text in "[A-Za-z0-9+/=_-]{1,24}") {
        for alphabet in [Alphabet::Standard, Alphabet::UrlSafe] {
            if let Ok(bytes) = decode_base64(text.as_bytes(), alphabet) {
                let again = encode_base64(&bytes, alphabet);
                prop_assert_eq!(again.trim_end_matches('='), text.trim_end_matches('='));
            }
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes: Vec<u8>) {
        read_all(&bytes);
    }

    #[test]
    fn changed_messages_never_panic(mode in mode(), at: usize, byte: u8, insert: bool, cut: usize) {
        let messages = [
            payment(&paid(), mode).to_string(),
            paid().challenge(mode, &crate::support::resource(), None, &JsonObject::new()).body.to_string(),
        ];
        for message in messages {
            let mut bytes = message.into_bytes();
            let at = at % bytes.len();
            if insert { bytes.insert(at, byte) } else { bytes[at] = byte }
            read_all(&bytes);
            bytes.truncate(cut % bytes.len());
            read_all(&bytes);
        }
    }

    #[test]
    fn replaced_members_never_panic(index: usize, value in json()) {
        let mut payment = payment(&paid(), ChallengeMode::V2);
        let mut pointers = Vec::new();
        collect(&payment, String::new(), &mut pointers);
        let pointer = &pointers[index % pointers.len()];
        *payment.pointer_mut(pointer).unwrap() = value;
        read_all(payment.to_string().as_bytes());
    }

    #[test]
    fn amounts_are_read_back(amount: [u8; 32], decimals: u8) {
        let token = atr_auth::Token::new(usdc().network(), OPERATOR, "T", "1", decimals, "T");
        let amount = U256::from_be_bytes(amount);
        prop_assert_eq!(token.parse_amount(&token.format_amount(amount)), Ok(amount));
    }
}

fn json() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        ".{0,40}".prop_map(Json::from),
        "0x[0-9a-fA-F]{0,140}".prop_map(Json::from),
        "[0-9]{0,80}".prop_map(Json::from),
        Just(Json::Array(vec![])),
        Just(Json::Object(JsonObject::new())),
    ]
}

/// The pointers of all values.
fn collect(value: &Json, pointer: String, pointers: &mut Vec<String>) {
    for (name, member) in value.as_object().into_iter().flatten() {
        collect(member, format!("{pointer}/{name}"), pointers);
    }
    pointers.push(pointer);
}
