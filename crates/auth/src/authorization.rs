//! EIP-3009 authorizations: typed data, digest, signing by any signer.

use alloy_primitives::{Address, B256, Bytes, U256, b256, keccak256};
use alloy_sol_types::{Eip712Domain, sol};
use serde::Serialize;
use serde_json::json;

use crate::{
    DecodeError, Json, Signature, SignatureError, Token,
    wire::{
        read::{self, Object},
        write,
    },
};

sol! {
    /// The typed data of EIP-3009, for signers that take a Solidity struct.
    #[derive(Debug, PartialEq, Eq)]
    struct TransferWithAuthorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }
}

/// keccak256 of the type of [`TransferWithAuthorization`].
const TYPE_HASH: B256 = b256!("7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267");

/// An authorization to transfer tokens. A value of zero transfers nothing and proves who the caller is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Authorization {
    /// The payer, who signs.
    #[serde(serialize_with = "write::display")]
    pub from: Address,
    /// The payee.
    #[serde(serialize_with = "write::display")]
    pub to: Address,
    /// In base units of the token.
    #[serde(serialize_with = "write::display")]
    pub value: U256,
    /// Unix time in seconds. The authorization is valid after this second.
    #[serde(serialize_with = "write::display")]
    pub valid_after: U256,
    /// Unix time in seconds. The authorization is valid before this second.
    #[serde(serialize_with = "write::display")]
    pub valid_before: U256,
    /// Random. The token accepts each nonce of a payer once.
    #[serde(serialize_with = "write::display")]
    pub nonce: B256,
}

impl Authorization {
    pub(crate) fn read(object: Object<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            from: object.address("from")?,
            to: object.address("to")?,
            value: object.uint256("value")?,
            valid_after: object.uint256("validAfter")?,
            valid_before: object.uint256("validBefore")?,
            nonce: read::bytes32(object.required("nonce")?)?,
        })
    }

    /// `hashStruct` of EIP-712.
    #[must_use]
    pub fn struct_hash(&self) -> B256 {
        let mut words = [0; 7 * 32];
        let members = [
            TYPE_HASH,
            self.from.into_word(),
            self.to.into_word(),
            self.value.into(),
            self.valid_after.into(),
            self.valid_before.into(),
            self.nonce,
        ];
        for (word, member) in words.chunks_exact_mut(32).zip(members) {
            word.copy_from_slice(member.as_slice());
        }
        keccak256(words)
    }

    /// The hash that is signed, in the domain of a token.
    #[must_use]
    pub fn digest(&self, token: &Token) -> B256 {
        digest(token.domain_separator(), self.struct_hash())
    }

    /// Seconds until the authorization expires.
    #[must_use]
    pub fn seconds_left(&self, now: u64) -> u64 {
        self.valid_before
            .saturating_sub(U256::from(now))
            .saturating_to()
    }
}

/// The hash that is signed (EIP-712).
pub(crate) fn digest(domain_separator: B256, struct_hash: B256) -> B256 {
    let mut bytes = [0; 66];
    bytes[..2].copy_from_slice(b"\x19\x01");
    bytes[2..34].copy_from_slice(domain_separator.as_slice());
    bytes[34..].copy_from_slice(struct_hash.as_slice());
    keccak256(bytes)
}

impl From<&Authorization> for TransferWithAuthorization {
    fn from(authorization: &Authorization) -> Self {
        Self {
            from: authorization.from,
            to: authorization.to,
            value: authorization.value,
            validAfter: authorization.valid_after,
            validBefore: authorization.valid_before,
            nonce: authorization.nonce,
        }
    }
}

/// An authorization for a token, ready to be signed: by a digest, by the Solidity struct and its domain, or by the JSON of
/// `eth_signTypedData_v4`. All three lead to the same signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedAuthorization {
    authorization: Authorization,
    token: Token,
}

impl UnsignedAuthorization {
    /// The domain is the token's, whatever a challenge says (T-45).
    #[must_use]
    pub const fn new(authorization: Authorization, token: Token) -> Self {
        Self {
            authorization,
            token,
        }
    }

    /// What is authorized.
    #[must_use]
    pub const fn authorization(&self) -> &Authorization {
        &self.authorization
    }

    /// The token that is transferred.
    #[must_use]
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// The hash to sign.
    #[must_use]
    pub fn digest(&self) -> B256 {
        self.authorization.digest(&self.token)
    }

    /// The struct to sign, in the domain of [`Self::domain`].
    #[must_use]
    pub fn message(&self) -> TransferWithAuthorization {
        (&self.authorization).into()
    }

    /// The EIP-712 domain.
    #[must_use]
    pub fn domain(&self) -> Eip712Domain {
        self.token.domain()
    }

    /// The second parameter of `eth_signTypedData_v4`.
    #[must_use]
    pub fn typed_data(&self) -> Json {
        typed_data(
            &self.token.domain(),
            "TransferWithAuthorization",
            &[
                ("from", "address"),
                ("to", "address"),
                ("value", "uint256"),
                ("validAfter", "uint256"),
                ("validBefore", "uint256"),
                ("nonce", "bytes32"),
            ],
            write::to_json(&self.authorization),
        )
    }

    /// Attaches a signature. Fails if it is not by `from`, so that a header with a wrong signature is never sent.
    pub fn sign(self, signature: Signature) -> Result<SignedAuthorization, SignatureError> {
        let signed = SignedAuthorization {
            authorization: self.authorization,
            signature: Bytes::copy_from_slice(&signature.to_bytes()),
        };
        signed.verify(&self.token)?;
        Ok(signed)
    }
}

/// The JSON of `eth_signTypedData_v4`.
pub(crate) fn typed_data(
    domain: &Eip712Domain,
    primary_type: &str,
    members: &[(&str, &str)],
    message: Json,
) -> Json {
    let fields = |members: &[(&str, &str)]| -> Json {
        let fields = members.iter();
        fields
            .map(|(name, kind)| json!({ "name": name, "type": kind }))
            .collect()
    };
    let domain_type = fields(&[
        ("name", "string"),
        ("version", "string"),
        ("chainId", "uint256"),
        ("verifyingContract", "address"),
    ]);
    let chain_id: u64 = domain.chain_id.unwrap_or_default().saturating_to();
    json!({
        "types": { "EIP712Domain": domain_type, primary_type: fields(members) },
        "primaryType": primary_type,
        "domain": {
            "name": domain.name,
            "version": domain.version,
            "chainId": chain_id,
            "verifyingContract": domain.verifying_contract.unwrap_or_default().to_string(),
        },
        "message": message,
    })
}

/// An authorization with a signature, as in the `payload` of an x402 message. The signature is checked by [`Self::verify`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignedAuthorization {
    /// 65 bytes for an EOA, any length for a smart account (ERC-1271, ERC-6492).
    #[serde(serialize_with = "write::display")]
    pub signature: Bytes,
    /// What is authorized.
    pub authorization: Authorization,
}

impl SignedAuthorization {
    pub(crate) fn read(payload: Object<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            authorization: Authorization::read(payload.object("authorization")?)?,
            signature: read::bytes(payload.required("signature")?)?,
        })
    }

    /// Checks that an EOA signed the authorization, and that the account is `from`.
    pub fn verify(&self, token: &Token) -> Result<(), SignatureError> {
        // Malformed and malleated signatures are rejected before the expensive part.
        let signature = Signature::from_bytes(&self.signature)?;
        let recovered = signature.recover(self.authorization.digest(token))?;
        let expected = self.authorization.from;
        if recovered == expected {
            Ok(())
        } else {
            Err(SignatureError::Signer {
                recovered,
                expected,
            })
        }
    }
}
