use alloy_dyn_abi::TypedData;
use alloy_primitives::{Address, B256, U256, address};
use atr_auth::{
    AccessProof, AmountError, Challenge, ChallengeMode, Json, Network, Signature, Token, Tokens,
    UnsignedAuthorization, Window,
};
use serde_json::json;

use crate::support::{
    CALLER, NONCE, NOW, OPERATOR, challenge, free, key, paid, read_payment, sign, usdc,
};

/// The digest that a wallet computes from the JSON of `eth_signTypedData_v4`.
fn wallet_digest(typed_data: Json) -> B256 {
    let typed_data: TypedData = serde_json::from_value(typed_data).unwrap();
    typed_data.eip712_signing_hash().unwrap()
}

#[test]
fn an_external_signer_signs_and_the_header_is_built_from_its_signature() {
    // M-09
    for (mode, name) in [
        (ChallengeMode::V1, "X-PAYMENT"),
        (ChallengeMode::V2, "PAYMENT-SIGNATURE"),
    ] {
        let challenge = challenge(&paid(), mode);
        let requirement = &challenge.requirements[0];
        let authorization = requirement.authorization(CALLER, NONCE, NOW);
        let unsigned = UnsignedAuthorization::new(authorization, usdc());
        let digest = wallet_digest(unsigned.typed_data());
        assert_eq!(digest, unsigned.digest());
        // All the client gets back are 65 bytes, by some signers with a recovery id of 0 or 1.
        let mut bytes = sign(&key(1), digest).to_bytes();
        bytes[64] -= 27;
        let signature = Signature::from_bytes(&bytes).unwrap();
        let header = challenge.payment_header(requirement, unsigned.sign(signature).unwrap());
        assert_eq!(header.name, name);
        let credential = read_payment(header.name, &header.value).unwrap();
        let offers = paid();
        let terms = credential.check(&offers, Window::DEFAULT, NOW).unwrap();
        assert_eq!(terms.caller(), CALLER);
    }
}

#[test]
fn a_signature_of_another_account_is_never_attached() {
    let challenge = challenge(&free(), ChallengeMode::V1);
    let authorization = challenge.requirements[0].authorization(CALLER, NONCE, NOW);
    let unsigned = UnsignedAuthorization::new(authorization, usdc());
    let other = sign(&key(2), unsigned.digest());
    let error = unsigned.sign(other).unwrap_err();
    assert_eq!(error.code(), "signer_mismatch");
    assert_eq!(
        error.to_string(),
        format!("the signature is by {OPERATOR}, expected {CALLER}")
    );
}

#[test]
fn the_domain_comes_from_the_table_whatever_the_server_says() {
    // T-45: each chain has its own name, the challenge sends it, and a client does not read it from the challenge.
    for (chain_id, address, name) in [
        (
            8453,
            "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            "USD Coin",
        ),
        (84532, "0x036cbd53842c5426634e7929541ec2318f3dcf7e", "USDC"),
        (1, "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "USD Coin"),
        (
            137,
            "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
            "USD Coin",
        ),
        (
            42161,
            "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
            "USD Coin",
        ),
        (10, "0x0b2c639c533813f4aa9d7837caf62653d097ff85", "USD Coin"),
        (
            43114,
            "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
            "USD Coin",
        ),
        (143, "0x754704bc059f8c67012fed69bc8a327a5aafb603", "USDC"),
    ] {
        let network = Network::from_chain_id(chain_id).unwrap();
        let tokens = Tokens::default();
        let token = tokens.get(network, address.parse().unwrap()).unwrap();
        assert_eq!((token.name(), token.version()), (name, "2"));
        assert_eq!((token.decimals(), token.symbol()), (6, "USDC"));
        assert_eq!(Some(token), Token::usdc(network).as_ref());
        let offer = atr_auth::Offer::new(token.clone(), U256::ZERO, OPERATOR).to_v2();
        assert_eq!(
            Json::from(offer.extra.unwrap()),
            json!({ "name": name, "version": "2" })
        );
    }
    assert_eq!(Tokens::default().iter().count(), 8);
    let lie = json!({
        "accepts": [{
            "scheme": "exact",
            "network": "base",
            "maxAmountRequired": "0",
            "payTo": OPERATOR.to_string(),
            "asset": usdc().address().to_string(),
            "extra": { "name": "Look-alike", "version": "9" },
        }],
    });
    let challenge = Challenge::decode(None, lie.to_string().as_bytes()).unwrap();
    let requirement = &challenge.requirements[0];
    let tokens = Tokens::default();
    let token = tokens.get(requirement.network, requirement.asset).unwrap();
    let authorization = requirement.authorization(CALLER, NONCE, NOW);
    let unsigned = UnsignedAuthorization::new(authorization, token.clone());
    assert_eq!(unsigned.typed_data()["domain"]["name"], "USD Coin");
    // An asset that is not in the table has no domain to sign in.
    assert_eq!(tokens.get(requirement.network, OPERATOR), None);
    let other = Network::from_chain_id(1).unwrap();
    assert_eq!(tokens.get(other, requirement.asset), None);
}

#[test]
fn configured_tokens_are_added_and_replace() {
    let network = Network::from_chain_id(31337).unwrap();
    let address = address!("00000000000000000000000000000000000000aa");
    let token = |name: &'static str| Token::new(network, address, name, "1", 18, "TST");
    let mut tokens = Tokens::empty();
    assert_eq!(tokens.iter().count(), 0);
    tokens.insert(token("A"));
    tokens.insert(token("B"));
    assert_eq!(tokens.iter().count(), 1);
    assert_eq!(tokens.get(network, address).unwrap().name(), "B");
    tokens.insert(usdc());
    assert_eq!(
        tokens.get(usdc().network(), usdc().address()),
        Some(&usdc())
    );
    assert_ne!(token("A").domain_separator(), token("B").domain_separator());
    assert_eq!(Token::usdc(network), None);
    assert_eq!(network.v1_name(), None);
}

#[test]
fn amounts_are_printed_and_parsed_exactly() {
    let usdc = usdc();
    for (text, amount) in [
        ("0", 0_u64),
        ("0.01", 10_000),
        ("1", 1_000_000),
        ("1.5", 1_500_000),
        ("0.000001", 1),
        ("123456.789012", 123_456_789_012),
    ] {
        assert_eq!(usdc.parse_amount(text), Ok(U256::from(amount)));
        assert_eq!(usdc.format_amount(U256::from(amount)), text);
    }
    assert_eq!(usdc.parse_amount("1.50"), Ok(U256::from(1_500_000)));
    assert_eq!(usdc.parse_amount("0.0"), Ok(U256::ZERO));
    for text in [
        "", ".", "1.", ".5", "01", "00.1", "-1", "+1", "1e3", " 1", "1,5", "1.2.3", "0x1", "١",
    ] {
        assert_eq!(
            usdc.parse_amount(text),
            Err(AmountError::NotANumber),
            "{text}"
        );
    }
    let error = AmountError::TooManyDecimals { decimals: 6 };
    assert_eq!(usdc.parse_amount("0.0000001"), Err(error));
    let max = U256::MAX.to_string();
    let whole = Token::new(usdc.network(), OPERATOR, "T", "1", 0, "T");
    assert_eq!(whole.parse_amount(&max), Ok(U256::MAX));
    assert_eq!(whole.format_amount(U256::MAX), max);
    assert_eq!(usdc.parse_amount(&max), Err(AmountError::OutOfRange));
    assert_eq!(
        whole.parse_amount("0.1"),
        Err(AmountError::TooManyDecimals { decimals: 0 })
    );
}

#[test]
fn wallets_compute_the_digest_of_an_access_proof() {
    let proof = AccessProof {
        chain_id: 8453,
        predicate: Address::repeat_byte(0xbb),
        tool_id: U256::MAX,
        account: CALLER,
        deadline: u64::MAX,
    };
    assert_eq!(wallet_digest(proof.typed_data()), proof.digest());
}
