//! Grants access to the signer of an EIP-712 proof for the tool, until a deadline.

use std::cell::Cell;

use alloy_primitives::{Address, B256, Bytes, FixedBytes, Signature, U256, uint};
use alloy_sol_types::{Eip712Domain, SolCall, SolStruct, SolValue, eip712_domain, sol};
use atr_bindings::{
    ACCESS_PROOF_ID,
    AccessProofPredicate::{GAS_PER_SIGNATURECall, digestOfCall, domainSeparatorCall},
};

use super::{
    ModelResult, Predicate, Requirements,
    predicate::{no_answer, require_not_negated},
};
use crate::{
    ERC1271Wallet::isValidSignatureCall,
    model::{CallResult, Context, calldata::Arguments},
};

const GAS_PER_SIGNATURE: u64 = 60_000;

/// Half the order of secp256k1.
const MAX_S: U256 = uint!(0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0_U256);

mod message {
    super::sol! {
        struct AccessProof {
            uint256 toolId;
            address account;
            uint64 deadline;
        }
    }
}

/// `AccessProofPredicate` at an address.
#[derive(Clone, Copy, Debug)]
pub struct AccessProof(Address);

impl AccessProof {
    /// Has no configuration.
    #[must_use]
    pub const fn new(address: Address) -> Self {
        Self(address)
    }

    /// The EIP-712 digest of a proof.
    #[must_use]
    pub fn digest(self, id: U256, account: Address, deadline: u64, chain_id: u64) -> B256 {
        let message = message::AccessProof {
            toolId: id,
            account,
            deadline,
        };
        message.eip712_signing_hash(&self.domain(chain_id))
    }

    fn domain(self, chain_id: u64) -> Eip712Domain {
        eip712_domain! {
            name: "ERC8257-AccessProof",
            version: "1",
            chain_id: chain_id,
            verifying_contract: self.0,
        }
    }
}

impl Predicate for AccessProof {
    fn name(&self) -> &'static str {
        "AccessProofPredicate"
    }

    fn reads_data(&self) -> bool {
        true
    }

    /// Tries ECDSA recovery first, then ERC-1271 if the account has code.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        require_not_negated(data)?;
        let Some((deadline, signature)) = read(data) else {
            return Ok(false);
        };
        if context.time() > deadline {
            return Ok(false);
        }
        let digest = self.digest(id, account, deadline, context.chain_id());
        let signer = <[u8; 65]>::try_from(signature)
            .ok()
            .filter(|signature| U256::from_be_slice(&signature[32..64]) <= MAX_S)
            .and_then(|signature| recover(digest, &signature));
        if signer == Some(account) {
            return Ok(true);
        }
        if !context.has_code(account) {
            return Ok(false);
        }
        let call = isValidSignatureCall {
            hash: digest,
            signature: Bytes::copy_from_slice(signature),
        };
        let word = context
            .call_word(account, &call.abi_encode())
            .ok_or_else(|| no_answer(account))?;
        let magic = FixedBytes::<4>::from(isValidSignatureCall::SELECTOR);
        Ok(B256::from(word) == B256::right_padding_from(magic.as_slice()))
    }

    fn requirements(&self, _: U256, context: Context<'_>) -> Result<Requirements, CallResult> {
        let domain = self.domain(context.chain_id()).hash_struct();
        let label = "Sign an AccessProof, and hand it over in data";
        Ok(Requirements::only(
            ACCESS_PROOF_ID,
            domain.abi_encode(),
            label,
        ))
    }

    fn stipends(&self, _: U256) -> Vec<u64> {
        vec![GAS_PER_SIGNATURE]
    }

    fn view(&self, data: &[u8], context: Context<'_>) -> Option<ModelResult> {
        let chain_id = context.chain_id();
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_SIGNATURECall::SELECTOR => U256::from(GAS_PER_SIGNATURE).abi_encode(),
            domainSeparatorCall::SELECTOR => self.domain(chain_id).hash_struct().abi_encode(),
            digestOfCall::SELECTOR => {
                let (id, account) = (arguments.number(0)?, arguments.address(1)?);
                let deadline = arguments.small(2)?;
                self.digest(id, account, deadline, chain_id).abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }
}

/// Decodes `abi.encode(uint64 deadline, bytes signature)`. Accepts no other encoding, except for non-zero padding.
fn read(data: &[u8]) -> Option<(u64, &[u8])> {
    let word = |index: usize| Some(U256::from_be_slice(data.get(32 * index..32 * (index + 1))?));
    let deadline = u64::try_from(word(0)?).ok()?;
    let length = usize::try_from(word(2)?).ok()?;
    let signature = data.get(96..length.checked_add(96)?)?;
    let is_canonical = word(1)? == U256::from(64) && data.len() == 96 + length.next_multiple_of(32);
    is_canonical.then_some((deadline, signature))
}

/// Recovers the signer of a digest like the precompile, with high s too, by another implementation of the curve.
///
/// Caches the last result: a property recovers the same signature several times, and recovery dominates its time.
#[must_use]
pub fn recover(digest: B256, signature: &[u8; 65]) -> Option<Address> {
    type Input = (B256, [u8; 65]);
    thread_local! {
        static LAST: Cell<Option<(Input, Option<Address>)>> = const { Cell::new(None) };
    }
    let input = (digest, *signature);
    if let Some((_, signer)) = LAST.get().filter(|(last, _)| *last == input) {
        return signer;
    }
    let parity = match signature[64] {
        27 => Some(false),
        28 => Some(true),
        _ => None,
    };
    let r = B256::from_slice(&signature[..32]);
    let s = B256::from_slice(&signature[32..64]);
    let signer = parity.and_then(|parity| {
        Signature::from_scalars_and_parity(r, s, parity)
            .recover_address_from_prehash(&digest)
            .ok()
    });
    LAST.set(Some((input, signer)));
    signer
}
