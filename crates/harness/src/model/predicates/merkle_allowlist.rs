//! Grants access to accounts on a list, proved against its Merkle root.

use alloy_primitives::{Address, B256, LogData, U256, keccak256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    MERKLE_ALLOWLIST_ID,
    MerkleAllowlistPredicate::{
        AllowlistRootSet, MAX_PROOF_LENGTHCall, getAllowlistRootCall, leafOfCall,
        setAllowlistRootCall,
    },
};

use super::{
    ModelResult, Requirements,
    predicate::require_not_negated,
    stipends::Stipends,
    stored::Stored,
    tool_configs::{ToolConfig, ToolConfigs},
};
use crate::model::{CallResult, Context, calldata::Arguments};

const MAX_PROOF_LENGTH: usize = 64;

/// `MerkleAllowlistPredicate`.
pub type MerkleAllowlist = ToolConfigs<Root>;

/// The root of a tool; zero is the empty list.
#[derive(Clone, Copy, Debug)]
pub struct Root(B256);

impl MerkleAllowlist {
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

impl ToolConfig for Root {
    type Input = B256;

    const NAME: &'static str = "MerkleAllowlistPredicate";
    const READS_DATA: bool = true;

    fn decode(data: &[u8]) -> Option<(U256, Self::Input, Option<U256>)> {
        let arguments = Arguments::of::<setAllowlistRootCall>(data)?;
        Some((arguments.number(0)?, arguments.word(1)?, None))
    }

    fn validate(root: Self::Input, _: U256, _: Context<'_>) -> Result<Self, CallResult> {
        Ok(Self(root))
    }

    fn event(&self, id: U256) -> LogData {
        let event = AllowlistRootSet {
            toolId: id,
            root: self.0,
        };
        event.encode_log_data()
    }

    /// Accepts the canonical encoding of a proof only.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        _: Context<'_>,
    ) -> Result<bool, CallResult> {
        require_not_negated(data)?;
        let proof = Vec::<B256>::abi_decode(data).unwrap_or_default();
        if self.0.is_zero() || proof.abi_encode() != data || proof.len() > MAX_PROOF_LENGTH {
            return Ok(false);
        }
        let leaf = MerkleAllowlist::leaf(id, account);
        Ok(proof.into_iter().fold(leaf, MerkleAllowlist::parent) == self.0)
    }

    fn requirements(&self) -> Requirements {
        if self.0.is_zero() {
            return Requirements::always_denied();
        }
        let label = "Be on the allowlist of the tool, and pass a Merkle proof in data";
        Requirements::only(MERKLE_ALLOWLIST_ID, self.0.abi_encode(), label)
    }

    fn stipends(&self) -> Option<Stipends> {
        None
    }

    /// With a proof of the maximum length.
    fn gas_needed(&self) -> u64 {
        4_000 + 150 * MAX_PROOF_LENGTH as u64
    }

    /// The root, or a marker for the empty list.
    fn stored(&self) -> Vec<(u64, Stored)> {
        let word = match self.0.is_zero() {
            true => keccak256("MerkleAllowlistPredicate: empty list"),
            false => self.0,
        };
        vec![(1, Stored::Word(word.into()))]
    }

    fn view(
        configs: &ToolConfigs<Self>,
        selector: [u8; 4],
        arguments: Arguments<'_>,
        _: Context<'_>,
    ) -> Option<ModelResult> {
        let returned = match selector {
            MAX_PROOF_LENGTHCall::SELECTOR => U256::from(MAX_PROOF_LENGTH).abi_encode(),
            getAllowlistRootCall::SELECTOR => {
                let found = configs.get(arguments.number(0)?);
                found.map_or(B256::ZERO, |root| root.0).abi_encode()
            }
            leafOfCall::SELECTOR => {
                let (id, account) = (arguments.number(0)?, arguments.address(1)?);
                MerkleAllowlist::leaf(id, account).abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }
}
