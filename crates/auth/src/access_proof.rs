//! Proofs for predicates that authenticate the account (ERC-8257, AccessProof).

use std::borrow::Cow;

use alloy_primitives::{Address, B256, Bytes, U256, b256, keccak256};
use alloy_sol_types::{Eip712Domain, SolValue};
use serde_json::json;

use crate::{Json, Signature, SignatureError, authorization};

/// keccak256 of `AccessProof(uint256 toolId,address account,uint64 deadline)`.
const TYPE_HASH: B256 = b256!("e8f08e8f7306d04c98c930c7b6c46de720239a6eb1d975d517f79832d0120a03");

/// A proof that `account` wants to use a tool, for one predicate on one chain. Valid until the deadline, any number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessProof {
    /// Chain of the predicate.
    pub chain_id: u64,
    /// The predicate, also when the proof is checked off chain (T-52).
    pub predicate: Address,
    /// The id of the tool in its registry.
    pub tool_id: U256,
    /// The account that signs.
    pub account: Address,
    /// Unix time in seconds: the last second the proof is valid.
    pub deadline: u64,
}

impl AccessProof {
    /// The EIP-712 domain.
    #[must_use]
    pub fn domain(&self) -> Eip712Domain {
        Eip712Domain::new(
            Some(Cow::Borrowed("ERC8257-AccessProof")),
            Some(Cow::Borrowed("1")),
            Some(U256::from(self.chain_id)),
            Some(self.predicate),
            None,
        )
    }

    /// `hashStruct` of EIP-712.
    #[must_use]
    pub fn struct_hash(&self) -> B256 {
        keccak256((TYPE_HASH, self.tool_id, self.account, self.deadline).abi_encode())
    }

    /// The hash to sign.
    #[must_use]
    pub fn digest(&self) -> B256 {
        authorization::digest(self.domain().separator(), self.struct_hash())
    }

    /// The second parameter of `eth_signTypedData_v4`.
    #[must_use]
    pub fn typed_data(&self) -> Json {
        authorization::typed_data(
            &self.domain(),
            "AccessProof",
            &[
                ("toolId", "uint256"),
                ("account", "address"),
                ("deadline", "uint64"),
            ],
            json!({
                "toolId": self.tool_id.to_string(),
                "account": self.account.to_string(),
                "deadline": self.deadline.to_string(),
            }),
        )
    }

    /// Attaches a signature. Fails if it is not by `account`.
    pub fn sign(self, signature: Signature) -> Result<SignedAccessProof, SignatureError> {
        let recovered = signature.recover(self.digest())?;
        if recovered != self.account {
            return Err(SignatureError::Signer {
                recovered,
                expected: self.account,
            });
        }
        Ok(SignedAccessProof {
            proof: self,
            signature,
        })
    }
}

/// A signed proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedAccessProof {
    proof: AccessProof,
    signature: Signature,
}

impl SignedAccessProof {
    /// What is proved.
    #[must_use]
    pub const fn proof(&self) -> &AccessProof {
        &self.proof
    }

    /// The `data` of `hasAccess` and `tryHasAccess`: `abi.encode(deadline, signature)`. Public: it is sent to nodes in the clear.
    #[must_use]
    pub fn data(&self) -> Bytes {
        let signature = Bytes::copy_from_slice(&self.signature.to_bytes());
        (self.proof.deadline, signature).abi_encode_params().into()
    }
}
