//! Who is on a list that is known by its Merkle root.

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::{SolInterface, SolValue};
use atr_bindings::{
    MERKLE_ALLOWLIST_ID,
    MerkleAllowlistPredicate::{AllowlistRootSet, MerkleAllowlistPredicateCalls as Calls},
};

use super::{
    Ended, Predicate, Requirements,
    predicate::{logs, refuse_negation},
    settings::{Settings, require_creator},
};
use crate::model::{Around, Registry, Reply};

const MAX_PROOF_LENGTH: usize = 64;

/// `MerkleAllowlistPredicate`. Keeps roots; zero is a list without accounts.
#[derive(Clone, Debug)]
pub struct MerkleAllowlist(Settings<B256>);

impl MerkleAllowlist {
    /// Not set up for any tool.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(Settings::new(address, registry))
    }

    /// The leaf of an account in a tool's list: hashed twice, so that no inner node can pass for one.
    #[must_use]
    pub fn leaf(id: U256, account: Address) -> B256 {
        keccak256(keccak256((id, account).abi_encode()))
    }

    /// The node above two others: the hash of both in ascending order.
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

    /// Takes the one encoding of a proof and no other.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        _: Around<'_>,
    ) -> Result<bool, Reply> {
        let root = *self.0.require(id)?;
        refuse_negation(data)?;
        let proof = Vec::<B256>::abi_decode(data).unwrap_or_default();
        if root.is_zero() || proof.abi_encode() != data || proof.len() > MAX_PROOF_LENGTH {
            return Ok(false);
        }
        let top = proof
            .into_iter()
            .fold(Self::leaf(id, account), Self::parent);
        Ok(top == root)
    }

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let root = *self.0.require(id)?;
        if root.is_zero() {
            return Ok(Requirements::nobody());
        }
        let label = "Be on the tool's allowlist, and prove it in data";
        Ok(Requirements::only(
            MERKLE_ALLOWLIST_ID,
            root.abi_encode(),
            label,
        ))
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let returned = match Calls::abi_decode_validate(data).ok()? {
            Calls::MAX_PROOF_LENGTH(_) => U256::from(MAX_PROOF_LENGTH).abi_encode(),
            Calls::getAllowlistRoot(asked) => {
                let root = self.0.find(asked.toolId).copied().unwrap_or_default();
                root.abi_encode()
            }
            Calls::leafOf(asked) => Self::leaf(asked.toolId, asked.account).abi_encode(),
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let Ok(Calls::setAllowlistRoot(call)) = Calls::abi_decode_validate(data) else {
            return Err(Reply::reverts_silently());
        };
        require_creator(registry, call.toolId, from)?;
        self.0.set(call.toolId, call.root);
        Ok(logs(
            self.0.predicate,
            &AllowlistRootSet {
                toolId: call.toolId,
                root: call.root,
            },
        ))
    }
}
