//! Grants access to accounts on a list, proved against its Merkle root.

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    MERKLE_ALLOWLIST_ID,
    MerkleAllowlistPredicate::{
        AllowlistRootSet, MAX_PROOF_LENGTHCall, getAllowlistRootCall, leafOfCall,
        setAllowlistRootCall,
    },
};

use super::{
    ModelResult, Predicate, Requirements, Slots,
    predicate::{decode, emits, require_not_negated},
    stored::Stored,
    tool_configs::{ToolConfigs, require_creator},
};
use crate::model::{CallResult, Context, Registry, calldata::Arguments};

const MAX_PROOF_LENGTH: usize = 64;

/// `MerkleAllowlistPredicate`: a root per tool; zero is the empty list.
#[derive(Clone, Debug)]
pub struct MerkleAllowlist(ToolConfigs<B256>);

impl MerkleAllowlist {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
    }

    /// The leaf of an account, hashed twice so that no inner node is a valid leaf.
    #[must_use]
    pub fn leaf(id: U256, account: Address) -> B256 {
        keccak256(keccak256((id, account).abi_encode()))
    }

    /// The parent of two nodes: the hash of both in ascending order.
    #[must_use]
    pub fn parent(a: B256, b: B256) -> B256 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        keccak256([low, high].concat())
    }
}

impl Predicate for MerkleAllowlist {
    fn name(&self) -> &'static str {
        "MerkleAllowlistPredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    fn reads_data(&self) -> bool {
        true
    }

    /// Accepts the canonical encoding of a proof only.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        _: Context<'_>,
    ) -> Result<bool, CallResult> {
        let root = *self.0.require(id)?;
        require_not_negated(data)?;
        let proof = Vec::<B256>::abi_decode(data).unwrap_or_default();
        if root.is_zero() || proof.abi_encode() != data || proof.len() > MAX_PROOF_LENGTH {
            return Ok(false);
        }
        let top = proof
            .into_iter()
            .fold(Self::leaf(id, account), Self::parent);
        Ok(top == root)
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        let root = *self.0.require(id)?;
        if root.is_zero() {
            return Ok(Requirements::always_denied());
        }
        let label = "Be on the tool's allowlist, and prove it in data";
        Ok(Requirements::only(
            MERKLE_ALLOWLIST_ID,
            root.abi_encode(),
            label,
        ))
    }

    /// The roots; a marker for the empty list.
    fn slots(&self) -> Slots {
        let word = |root: &B256| match root.is_zero() {
            true => keccak256("MerkleAllowlistPredicate: nobody"),
            false => *root,
        };
        self.0.slots(|root| Stored::Word(word(root).into()))
    }

    fn view(&self, data: &[u8], _: Context<'_>) -> Option<ModelResult> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            MAX_PROOF_LENGTHCall::SELECTOR => U256::from(MAX_PROOF_LENGTH).abi_encode(),
            getAllowlistRootCall::SELECTOR => {
                let found = self.0.get(arguments.number(0)?);
                let root = found.copied().unwrap_or_default();
                root.abi_encode()
            }
            leafOfCall::SELECTOR => {
                Self::leaf(arguments.number(0)?, arguments.address(1)?).abi_encode()
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
        let (id, root) =
            decode::<setAllowlistRootCall, _>(data, |call| Some((call.number(0)?, call.word(1)?)))?;
        require_creator(registry, id, from)?;
        self.0.insert(id, root);
        Ok(emits(
            self.0.predicate,
            &AllowlistRootSet { toolId: id, root },
        ))
    }
}
