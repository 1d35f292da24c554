use std::{fs, path::Path};

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::SolStruct;
use atr_auth::{
    AccessProof, Authorization, Json, Network, Offer, Offers, Signature, SignedAuthorization,
    Token, UnsignedAuthorization, Window,
};

use crate::support::{NOW, read_payment};

fn vectors(file: &str) -> Json {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/vectors")
        .join(file);
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn rows(group: &Json) -> &Vec<Json> {
    let rows = group.as_array().unwrap();
    assert!(!rows.is_empty());
    rows
}

fn text(row: &Json, name: &str) -> String {
    row[name].as_str().unwrap().to_owned()
}

fn address(row: &Json, name: &str) -> Address {
    text(row, name).parse().unwrap()
}

fn hash(row: &Json, name: &str) -> B256 {
    text(row, name).parse().unwrap()
}

fn number(row: &Json, name: &str) -> U256 {
    U256::from_str_radix(&text(row, name), 10).unwrap()
}

fn token(domain: &Json) -> Token {
    Token::new(
        Network::from_chain_id(domain["chainId"].as_u64().unwrap()).unwrap(),
        address(domain, "verifyingContract"),
        text(domain, "name"),
        text(domain, "version"),
        6,
        "USDC",
    )
}

fn authorization(message: &Json) -> Authorization {
    Authorization {
        from: address(message, "from"),
        to: address(message, "to"),
        value: number(message, "value"),
        valid_after: number(message, "validAfter"),
        valid_before: number(message, "validBefore"),
        nonce: hash(message, "nonce"),
    }
}

fn signature(row: &Json) -> Bytes {
    text(row, "signature").parse().unwrap()
}

#[test]
fn authorizations_are_typed_data_with_nonce_deadline_and_chain() {
    // J-13
    let group = &vectors("eip3009.json")["eip3009"];
    assert_eq!(hash(group, "typeHash"), keccak256(text(group, "type")));
    for row in rows(&group["vectors"]) {
        let (token, authorization) = (token(&row["domain"]), authorization(&row["message"]));
        assert_eq!(token.domain_separator(), hash(row, "domainSeparator"));
        assert_eq!(authorization.struct_hash(), hash(row, "structHash"));
        let unsigned = UnsignedAuthorization::new(authorization, token);
        assert_eq!(unsigned.digest(), hash(row, "digest"));
        let message = unsigned.message();
        assert_eq!(
            message.eip712_signing_hash(&unsigned.domain()),
            hash(row, "digest")
        );
        let signature = Signature::from_bytes(&signature(row)).unwrap();
        assert_eq!(
            signature.recover(unsigned.digest()),
            Ok(address(row, "signer"))
        );
        assert_eq!(signature.to_string(), text(row, "signature"));
        assert!(unsigned.sign(signature).is_ok());
    }
}

#[test]
fn the_headers_of_the_vectors_are_read_and_checked() {
    for row in rows(&vectors("eip3009.json")["eip3009"]["vectors"]) {
        let payment = read_payment("x-payment", &text(row, "xPaymentHeader")).unwrap();
        assert_eq!(payment.authorization(), &authorization(&row["message"]));
        let offer = Offer::new(
            token(&row["domain"]),
            number(&row["message"], "value"),
            address(&row["message"], "to"),
        );
        let offers = Offers::new(vec![offer]).unwrap();
        let terms = payment.check(&offers, Window::DEFAULT, NOW).unwrap();
        assert_eq!(terms.caller(), address(row, "signer"));
        assert_eq!(terms.digest(), hash(row, "digest"));
    }
}

#[test]
fn the_signer_recovered_from_the_typed_data_must_be_from() {
    // L-09
    let group = &vectors("eip3009.json")["eip3009"];
    let base = &group["vectors"][0];
    for row in rows(&group["negatives"]) {
        let domain = row.get("domain").unwrap_or(&base["domain"]);
        let mut message = base["message"].clone();
        for (name, value) in row["change"].as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        let signed = SignedAuthorization {
            signature: signature(if row.get("signature").is_some() {
                row
            } else {
                base
            }),
            authorization: authorization(&message),
        };
        let token = token(domain);
        let error = signed.verify(&token).unwrap_err();
        if text(row, "id") == "high-s" {
            assert_eq!(error.code(), "malleable_signature");
            continue;
        }
        assert_eq!(error.code(), "signer_mismatch", "{}", row["id"]);
        let signature = Signature::from_bytes(&signed.signature).unwrap();
        let recovered = signature.recover(signed.authorization.digest(&token));
        assert_eq!(recovered, Ok(address(row, "recovers")), "{}", row["id"]);
    }
}

#[test]
fn the_time_window_is_strict_at_both_ends_and_at_most_900_seconds() {
    // L-05, L-06, T-41
    for row in rows(&vectors("eip3009.json")["timeWindow"]["rows"]) {
        let authorization = Authorization {
            from: Address::ZERO,
            to: Address::ZERO,
            value: U256::ZERO,
            valid_after: number(row, "validAfter"),
            valid_before: number(row, "validBefore"),
            nonce: B256::ZERO,
        };
        let now = row["now"].as_u64().unwrap();
        let outcome = Window::DEFAULT.check(&authorization, now);
        let code =
            outcome.map_or_else(|error| error.code().replace('_', "-"), |()| "ok".to_owned());
        assert_eq!(code, text(row, "expect"), "{row}");
    }
    assert_eq!(Window::default().seconds(), 900);
    let seconds = |window: Option<Window>| window.map(Window::seconds);
    assert_eq!(seconds(Window::from_seconds(3_600)), Some(3_600));
    assert_eq!(seconds(Window::from_seconds(3_601)), None);
    assert_eq!(seconds(Window::from_seconds(0)), None);
}

#[test]
fn access_proofs_have_the_digest_and_data_of_the_vectors() {
    let group = &vectors("access_proof.json")["accessProof"];
    for row in rows(&group["vectors"]) {
        let message = &row["message"];
        let proof = AccessProof {
            chain_id: row["domain"]["chainId"].as_u64().unwrap(),
            predicate: address(&row["domain"], "verifyingContract"),
            tool_id: number(message, "toolId"),
            account: address(message, "account"),
            deadline: number(message, "deadline").to(),
        };
        assert_eq!(proof.domain().separator(), hash(row, "domainSeparator"));
        assert_eq!(proof.struct_hash(), hash(row, "structHash"));
        assert_ne!(proof.struct_hash(), hash(&row["wrong"], "packedStructHash"));
        assert_eq!(proof.digest(), hash(row, "digest"));
        let signature = Signature::from_bytes(&signature(row)).unwrap();
        let signed = proof.sign(signature);
        if address(row, "signer") == proof.account {
            let signed = signed.unwrap();
            assert_eq!(signed.data(), text(row, "data").parse::<Bytes>().unwrap());
            assert_eq!(signed.proof(), &proof);
        } else {
            assert_eq!(signed.unwrap_err().code(), "signer_mismatch");
        }
    }
}
