use alloy_primitives::{Address, B256, U256, address, hex};
use atr_auth::{
    AcceptedSchemes, Alphabet, Authorization, Challenge, ChallengeMode, Credential,
    CredentialError, Json, JsonObject, Network, Offer, Offers, PaymentCredential, Signature, Token,
    UnsignedAuthorization, encode_base64, x402::Resource,
};
use k256::ecdsa::SigningKey;

/// The account of private key 1.
pub(crate) const CALLER: Address = address!("7e5f4552091a69125d5dfcb7b8c2659029395bdf");
/// The account of private key 2.
pub(crate) const OPERATOR: Address = address!("2b5ad5c4795c026514f8317c7a215e218dccd6cf");
pub(crate) const NOW: u64 = 1_749_158_100;
pub(crate) const PRICE: u64 = 10_000;
pub(crate) const NONCE: B256 = B256::repeat_byte(7);

pub(crate) fn key(number: u8) -> SigningKey {
    let mut key = [0; 32];
    key[31] = number;
    SigningKey::from_slice(&key).unwrap()
}

pub(crate) fn account(key: &SigningKey) -> Address {
    let point = key.verifying_key().to_encoded_point(false);
    Address::from_raw_public_key(&point.as_bytes()[1..])
}

/// Signs with k256, so that libsecp256k1 is compared with a second implementation.
pub(crate) fn sign(key: &SigningKey, digest: B256) -> Signature {
    let (signature, id) = key.sign_prehash_recoverable(digest.as_slice()).unwrap();
    let mut bytes = signature.to_bytes().to_vec();
    bytes.push(27 + id.to_byte());
    Signature::from_bytes(&bytes).unwrap()
}

pub(crate) fn base() -> Network {
    Network::from_v1_name("base").unwrap()
}

pub(crate) fn usdc() -> Token {
    Token::usdc(base()).unwrap()
}

pub(crate) fn resource() -> Resource {
    Resource::new("https://tools.example.com/oracle")
}

pub(crate) fn free() -> Offers {
    Offers::new(vec![Offer::new(usdc(), U256::ZERO, OPERATOR)]).unwrap()
}

pub(crate) fn paid() -> Offers {
    Offers::new(vec![Offer::new(usdc(), U256::from(PRICE), OPERATOR)]).unwrap()
}

/// What a client reads when a gate makes these offers to clients of one version.
pub(crate) fn challenge(offers: &Offers, mode: ChallengeMode) -> Challenge {
    let response = offers.challenge(mode, &resource(), None, &JsonObject::new());
    let header = response
        .headers
        .iter()
        .find(|header| header.name == "PAYMENT-REQUIRED");
    Challenge::decode(
        header.map(|header| header.value.as_bytes()),
        response.body.to_string().as_bytes(),
    )
    .unwrap()
}

/// The payment with which the caller answers the challenge, as JSON.
pub(crate) fn payment(offers: &Offers, mode: ChallengeMode) -> Json {
    let challenge = challenge(offers, mode);
    let requirement = &challenge.requirements[0];
    let authorization = requirement.authorization(CALLER, NONCE, NOW);
    let unsigned = UnsignedAuthorization::new(authorization, usdc());
    let signature = sign(&key(1), unsigned.digest());
    challenge.payment(requirement, unsigned.sign(signature).unwrap())
}

/// Signs the authorization of a payment again, after a change.
pub(crate) fn sign_again(payment: &mut Json) {
    let payload = &mut payment["payload"];
    let text = |name: &str| {
        let member = payload["authorization"][name].as_str();
        member.unwrap().to_owned()
    };
    let number = |name| U256::from_str_radix(&text(name), 10).unwrap();
    let authorization = Authorization {
        from: text("from").parse().unwrap(),
        to: text("to").parse().unwrap(),
        value: number("value"),
        valid_after: number("validAfter"),
        valid_before: number("validBefore"),
        nonce: text("nonce").parse().unwrap(),
    };
    let signature = sign(&key(1), authorization.digest(&usdc()));
    payload["signature"] = hex::encode_prefixed(signature.to_bytes()).into();
}

pub(crate) fn header(payment: &Json) -> String {
    encode_base64(payment.to_string().as_bytes(), Alphabet::Standard)
}

/// Reads the credential of a request with these headers, and with all schemes accepted.
pub(crate) fn read(headers: &[(&str, &str)]) -> Result<Option<Credential>, CredentialError> {
    let accepted = AcceptedSchemes {
        eip3009: true,
        siwe: true,
    };
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, value.as_bytes()));
    Credential::from_headers(headers, accepted)
}

/// Reads a payment, which must be there.
pub(crate) fn read_payment(name: &str, value: &str) -> Result<PaymentCredential, CredentialError> {
    match read(&[(name, value)])?.unwrap() {
        Credential::Payment(payment) => Ok(payment),
        Credential::Siwe(_) => panic!("not a payment"),
    }
}
