//! Grants access to the signer of an EIP-712 proof for the tool, until a deadline.

use std::cell::Cell;

use alloy_primitives::{Address, B256, Bytes, FixedBytes, Signature, U256, uint};
use alloy_sol_types::{Eip712Domain, SolCall, SolStruct, SolValue, eip712_domain, sol};
use atr_bindings::{
    ACCESS_PROOF_ID,
    AccessProofPredicate::{
        digestOfCall, domainSeparatorCall, gasNeededCall, getStipendsCall, setStipendCall,
    },
};

use super::{
    ModelResult, Predicate, Requirements, Slots,
    predicate::{call_failed, require_not_negated},
    stipends::{Stipends, gas_required, valid_stipend},
    stored::{Stored, packed_config},
    tool_configs::{ToolConfigs, require_creator, stipend_set, stipends_view},
};
use crate::{
    ERC1271Wallet::isValidSignatureCall,
    model::{CallResult, Context, Registry, calldata::Arguments},
};

const FIRST: u64 = 60_000;
const RETRY: u64 = 120_000;
const OVERHEAD: u64 = 12_000;

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

/// `AccessProofPredicate`: the chosen stipend of each tool; zero is the default.
#[derive(Clone, Debug)]
pub struct AccessProof(ToolConfigs<u64>);

impl AccessProof {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
    }

    fn stipends(&self, id: U256) -> Stipends {
        let chosen = self.0.get(id).copied().unwrap_or_default();
        Stipends::new(chosen, FIRST, RETRY)
    }
}

/// The EIP-712 digest of a proof.
#[must_use]
pub fn access_proof_digest(
    predicate: Address,
    id: U256,
    account: Address,
    deadline: u64,
    chain_id: u64,
) -> B256 {
    let message = message::AccessProof {
        toolId: id,
        account,
        deadline,
    };
    message.eip712_signing_hash(&domain(predicate, chain_id))
}

fn domain(predicate: Address, chain_id: u64) -> Eip712Domain {
    eip712_domain! {
        name: "ERC8257-AccessProof",
        version: "1",
        chain_id: chain_id,
        verifying_contract: predicate,
    }
}

impl Predicate for AccessProof {
    fn name(&self) -> &'static str {
        "AccessProofPredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
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
        let chain_id = context.chain_id();
        let digest = access_proof_digest(self.0.predicate, id, account, deadline, chain_id);
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
        let word = self
            .stipends(id)
            .call_word_or_error(account, &call.abi_encode(), context)
            .map_err(|_| call_failed(account))?;
        let magic = FixedBytes::<4>::from(isValidSignatureCall::SELECTOR);
        Ok(B256::from(word) == B256::right_padding_from(magic.as_slice()))
    }

    fn requirements(&self, _: U256, context: Context<'_>) -> Result<Requirements, CallResult> {
        let domain = domain(self.0.predicate, context.chain_id()).hash_struct();
        let label = "Sign an AccessProof, and pass it in data";
        Ok(Requirements::only(
            ACCESS_PROOF_ID,
            domain.abi_encode(),
            label,
        ))
    }

    fn slots(&self) -> Slots {
        let stored = |stipend: &u64| Stored::Word(packed_config(Address::ZERO, [0, 0], *stipend));
        self.0.slots(|stipend| vec![(0, stored(stipend))])
    }

    fn view(&self, data: &[u8], context: Context<'_>) -> Option<ModelResult> {
        let (predicate, chain_id) = (self.0.predicate, context.chain_id());
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            getStipendsCall::SELECTOR => stipends_view(self.stipends(arguments.number(0)?)),
            gasNeededCall::SELECTOR => {
                let first = self.stipends(arguments.number(0)?).first;
                U256::from(gas_required(first) + OVERHEAD).abi_encode()
            }
            domainSeparatorCall::SELECTOR => domain(predicate, chain_id).hash_struct().abi_encode(),
            digestOfCall::SELECTOR => {
                let (id, account) = (arguments.number(0)?, arguments.address(1)?);
                let deadline = arguments.small(2)?;
                access_proof_digest(predicate, id, account, deadline, chain_id).abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        _: Context<'_>,
    ) -> ModelResult {
        let (id, stipend) = Arguments::of::<setStipendCall>(data)
            .and_then(|call| Some((call.number(0)?, call.number(1)?)))
            .ok_or_else(CallResult::reverts_without_data)?;
        require_creator(registry, id, from)?;
        let chosen = valid_stipend(stipend, 1)?;
        Ok(self.0.set(id, chosen, vec![stipend_set(id, stipend)]))
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
