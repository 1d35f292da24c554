//! Who is on a list that is known by its Merkle root.

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
    Ended, Predicate, Requirements, Slots,
    predicate::{logs, refuse_negation},
    settings::{Settings, require_creator},
    stored::Stored,
};
use crate::model::{Around, Registry, Reply, calldata::Arguments, thirst};

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

    /// A word of a proof takes two hashes' worth.
    fn gas_needed(&self, _: U256, _: Address, data: &[u8], _: Around<'_>) -> u64 {
        thirst::of_data(data) + 15 * data.len() as u64
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

    /// Roots; a list without accounts has a mark in the place of one.
    fn slots(&self) -> Slots {
        let word = |root: &B256| match root.is_zero() {
            true => keccak256("MerkleAllowlistPredicate: nobody"),
            false => *root,
        };
        let each = self.0.slots();
        each.map(|(slot, root)| (slot, Stored::Word(word(root).into())))
            .collect()
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            MAX_PROOF_LENGTHCall::SELECTOR => U256::from(MAX_PROOF_LENGTH).abi_encode(),
            getAllowlistRootCall::SELECTOR => {
                let found = self.0.find(arguments.number(0)?);
                let root = found.copied().unwrap_or_default();
                root.abi_encode()
            }
            leafOfCall::SELECTOR => {
                Self::leaf(arguments.number(0)?, arguments.address(1)?).abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn gas_to_set(&self, data: &[u8]) -> Option<u64> {
        Arguments::of::<setAllowlistRootCall>(data)?;
        Some(thirst::of_setting(data))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let (id, root) = Arguments::of::<setAllowlistRootCall>(data)
            .and_then(|call| Some((call.number(0)?, call.word(1)?)))
            .ok_or_else(Reply::reverts_silently)?;
        require_creator(registry, id, from)?;
        self.0.set(id, root);
        Ok(logs(
            self.0.predicate,
            &AllowlistRootSet { toolId: id, root },
        ))
    }
}
