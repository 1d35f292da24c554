//! `MerkleAllowlistPredicate`: grants access to the accounts of a Merkle tree. The call data contains the proof.

use std::fmt;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::MerkleAllowlistPredicate;
use serde::Serialize;

use super::{ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError};
use crate::{
    Call,
    abi::{AbiSlice, Malformed},
    tool_call::ToolCall,
};

/// Access for the accounts of an [`Allowlist`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// Merkle root.
    pub root: B256,
}

impl PredicateModule for Configuration {}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let call = MerkleAllowlistPredicate::setAllowlistRootCall {
            toolId: tool_id,
            root: self.root,
        };
        Call::for_tool(predicate, &call, tool_id)
    }

    fn gas_limit(&self) -> u64 {
        100_000
    }

    fn describe(&self) -> Vec<String> {
        vec![format!(
            "account in the allowlist with Merkle root {}",
            self.root
        )]
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let call = MerkleAllowlistPredicate::getAllowlistRootCall { toolId: tool_id };
        let root = reader.call(call).await?;
        Ok(Self { root })
    }
}

/// The data of the requirement is the configuration.
pub type Requirement = Configuration;

impl Configuration {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        data.expect_words(1)?;
        Ok(Self {
            root: data.bytes32(0)?,
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "be in the allowlist with Merkle root {}; pass the proof as call data",
            self.root
        )
    }
}

/// The accounts with access to one tool, as a Merkle tree. The format is that of OpenZeppelin's `StandardMerkleTree` over
/// `(uint256 toolId, address account)`, so other implementations compute the same root.
#[derive(Clone, Debug)]
pub struct Allowlist {
    tool_id: U256,
    /// A complete binary tree, root first. The children of `i` are `2i + 1` and `2i + 2`; the leaves are at the end in
    /// descending order.
    nodes: Vec<B256>,
}

impl Allowlist {
    /// The tree for a tool; `None` without accounts, because an empty tree has no root. Duplicates are removed.
    pub fn try_new(tool_id: U256, accounts: impl IntoIterator<Item = Address>) -> Option<Self> {
        let leaves = accounts.into_iter().map(|account| leaf(tool_id, account));
        let mut leaves: Vec<_> = leaves.collect();
        leaves.sort_unstable();
        leaves.dedup();
        let nodes = tree(leaves)?;
        Some(Self { tool_id, nodes })
    }

    /// Number of accounts.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// The root that the predicate stores.
    #[must_use]
    pub fn root(&self) -> B256 {
        self.nodes[0]
    }

    /// The Merkle proof of an account; `None` if it is not on the list.
    #[must_use]
    pub fn proof(&self, account: Address) -> Option<Vec<B256>> {
        let leaf = leaf(self.tool_id, account);
        let mut index = self.nodes.iter().rposition(|node| *node == leaf)?;
        let mut proof = Vec::new();
        while index > 0 {
            let sibling = if index % 2 == 0 { index - 1 } else { index + 1 };
            proof.push(self.nodes[sibling]);
            index = (index - 1) / 2;
        }
        Some(proof)
    }

    /// The call data for an account: its encoded proof, or an empty proof if it is not on the list.
    #[must_use]
    pub fn call_data(&self, account: Address) -> Bytes {
        self.proof(account).unwrap_or_default().abi_encode().into()
    }
}

/// Hashed twice, so that an inner node cannot be used as a leaf.
fn leaf(tool_id: U256, account: Address) -> B256 {
    keccak256(keccak256((tool_id, account).abi_encode()))
}

fn tree(sorted: Vec<B256>) -> Option<Vec<B256>> {
    let inner = sorted.len().checked_sub(1)?;
    let mut nodes = vec![B256::ZERO; inner];
    nodes.extend(sorted.into_iter().rev());
    for index in (0..inner).rev() {
        nodes[index] = parent(nodes[2 * index + 1], nodes[2 * index + 2]);
    }
    Some(nodes)
}

/// Hashes the children in ascending order, so a proof needs no positions.
fn parent(left: B256, right: B256) -> B256 {
    let (first, second) = if left <= right {
        (left, right)
    } else {
        (right, left)
    };
    keccak256([first.0, second.0].concat())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{address, b256};
    use proptest::prelude::*;

    use super::*;

    fn verifies(proof: &[B256], leaf: B256, root: B256) -> bool {
        proof
            .iter()
            .fold(leaf, |node, sibling| parent(node, *sibling))
            == root
    }

    #[test]
    fn matches_the_documented_example_of_openzeppelin() {
        // The example in OpenZeppelin's documentation of `StandardMerkleTree`, over (address, uint256).
        let values = [
            (
                address!("0x1111111111111111111111111111111111111111"),
                5_000_000_000_000_000_000_u64,
            ),
            (
                address!("0x2222222222222222222222222222222222222222"),
                2_500_000_000_000_000_000,
            ),
        ];
        let mut leaves = values.map(|(account, amount)| {
            keccak256(keccak256((account, U256::from(amount)).abi_encode()))
        });
        leaves.sort_unstable();
        let root = b256!("0xd4dee0beab2d53f2cc83e567171bd2820e49898130a22622b10ead383e90bd77");
        assert_eq!(tree(leaves.to_vec()).unwrap()[0], root);
    }

    #[test]
    fn an_empty_list_has_no_tree_and_duplicates_are_removed() {
        assert!(Allowlist::try_new(U256::ONE, []).is_none());
        let account = Address::repeat_byte(1);
        let list = Allowlist::try_new(U256::ONE, [account, account]).unwrap();
        assert_eq!((list.size(), list.root()), (1, leaf(U256::ONE, account)));
        assert_eq!(list.proof(account), Some(Vec::new()));
        assert_eq!(list.proof(Address::ZERO), None);
    }

    proptest! {
        #[test]
        fn exactly_the_listed_accounts_have_a_proof(
            accounts in prop::collection::hash_set(any::<[u8; 20]>(), 1..40), id: u64, other: [u8; 20],
        ) {
            let id = U256::from(id);
            let listed: Vec<_> = accounts.iter().map(|account| Address::from(*account)).collect();
            let list = Allowlist::try_new(id, listed.clone()).unwrap();
            prop_assert_eq!(list.size(), listed.len());
            for account in listed {
                let proof = list.proof(account).unwrap();
                prop_assert!(verifies(&proof, leaf(id, account), list.root()));
            }
            prop_assert_eq!(list.proof(other.into()).is_some(), accounts.contains(&other));
        }
    }
}
