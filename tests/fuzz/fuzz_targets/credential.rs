//! Headers with a credential are decoded or rejected with status 400 or 401. A payment survives encoding and decoding.
#![no_main]

use atr_auth::{
    AcceptedSchemes, Alphabet, Credential, Network, Offer, Offers, Source, Token, Window, encode_base64,
    x402::{Resource, Version},
};
use libfuzzer_sys::fuzz_target;

const NOW: u64 = 1_749_158_100;

fn check(name: &str, value: &[u8]) {
    let accepted = AcceptedSchemes { eip3009: true, siwe: true };
    match Credential::from_headers([(name, value)], accepted) {
        Ok(None) => assert_eq!(name, "Authorization"),
        Ok(Some(Credential::Payment(payment))) => {
            let authorization = payment.authorization();
            let Some(token) = Token::usdc(payment.network()) else {
                return;
            };
            let offers = Offers::new(vec![Offer::new(token, authorization.value, authorization.to)]).expect("one offer");
            // A v2 payment repeats an offer, which is not this one in most inputs.
            let Ok(terms) = payment.check_terms(&offers, Window::MAX, NOW) else {
                return;
            };
            let _ = terms.verify_signature();
            if let Source::X402(version) = payment.source() {
                let request = terms.facilitator_request(version, &Resource::new("https://a.example"));
                let text = request.expect("a known network").payment_payload.to_string();
                let value = encode_base64(text.as_bytes(), Alphabet::Standard);
                let again = Credential::from_headers([(version.payment_header(), value.as_bytes())], accepted);
                let Ok(Some(Credential::Payment(again))) = again else {
                    panic!("the payment for the facilitator cannot be decoded");
                };
                assert_eq!(again.signed(), payment.signed());
            }
        }
        Ok(Some(Credential::Siwe(siwe))) => {
            let _ = siwe.check(&siwe.domain, Window::MAX, NOW);
        }
        Err(error) => assert!(matches!(error.rejection().status(), 400 | 401), "{error}"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let standard = encode_base64(bytes, Alphabet::Standard);
    let url_safe = encode_base64(bytes, Alphabet::UrlSafe);
    for version in [Version::V1, Version::V2] {
        check(version.payment_header(), bytes);
        check(version.payment_header(), standard.as_bytes());
    }
    check("Authorization", bytes);
    check("Authorization", format!("EIP-3009 {url_safe}").as_bytes());
    check("Authorization", format!("SIWE {url_safe}.0x{}", "11".repeat(65)).as_bytes());
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert!(Network::from_v1_name(text).is_none() || Network::from_caip2(text).is_none());
    }
});
