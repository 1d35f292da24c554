//! A list of accounts, its Merkle root and the proofs for it: what the allowlist predicate takes.

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::SolValue;

/// Accounts that are let in to one tool. The tree is that of OpenZeppelin's `StandardMerkleTree` over `(uint256 toolId, address
/// account)`, so that others make the same root of the same list.
#[derive(Clone, Debug)]
pub struct Allowlist {
    tool_id: U256,
    /// A complete binary tree, root first, the children of `i` at `2i + 1` and `2i + 2`. Leaves are at the end, in
    /// descending order.
    nodes: Vec<B256>,
}

impl Allowlist {
    /// The list for a tool; none if nobody is on it, because an empty list has no root. Who is on it twice is on it once.
    pub fn try_new(tool_id: U256, accounts: impl IntoIterator<Item = Address>) -> Option<Self> {
        let leaves = accounts.into_iter().map(|account| leaf(tool_id, account));
        let mut leaves: Vec<_> = leaves.collect();
        leaves.sort_unstable();
        leaves.dedup();
        let nodes = tree(leaves)?;
        Some(Self { tool_id, nodes })
    }

    /// How many accounts are on it.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// What the predicate knows of it.
    #[must_use]
    pub fn root(&self) -> B256 {
        self.nodes[0]
    }

    /// The proof that an account is on it; none if it is not.
    #[must_use]
    pub fn proof(&self, account: Address) -> Option<Vec<B256>> {
        let leaf = leaf(self.tool_id, account);
        let mut at = self.nodes.iter().rposition(|node| *node == leaf)?;
        let mut proof = Vec::new();
        while at > 0 {
            let sibling = if at % 2 == 0 { at - 1 } else { at + 1 };
            proof.push(self.nodes[sibling]);
            at = (at - 1) / 2;
        }
        Some(proof)
    }

    /// The call's data for an account: its proof, or one that proves nothing if it is not on the list.
    #[must_use]
    pub fn call_data(&self, account: Address) -> Bytes {
        self.proof(account).unwrap_or_default().abi_encode().into()
    }
}

/// Hashed twice, so that no node of a tree can be taken for a leaf.
fn leaf(tool_id: U256, account: Address) -> B256 {
    keccak256(keccak256((tool_id, account).abi_encode()))
}

fn tree(sorted: Vec<B256>) -> Option<Vec<B256>> {
    let inner = sorted.len().checked_sub(1)?;
    let mut nodes = vec![B256::ZERO; inner];
    nodes.extend(sorted.into_iter().rev());
    for at in (0..inner).rev() {
        nodes[at] = parent(nodes[2 * at + 1], nodes[2 * at + 2]);
    }
    Some(nodes)
}

/// The children in ascending order: a proof need not say which is which.
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
    fn the_tree_is_the_one_others_make() {
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
    fn nobody_has_no_root_and_twice_is_once() {
        assert!(Allowlist::try_new(U256::ONE, []).is_none());
        let one = Address::repeat_byte(1);
        let list = Allowlist::try_new(U256::ONE, [one, one]).unwrap();
        assert_eq!((list.size(), list.root()), (1, leaf(U256::ONE, one)));
        assert_eq!(list.proof(one), Some(Vec::new()));
        assert_eq!(list.proof(Address::ZERO), None);
    }

    proptest! {
        #[test]
        fn everyone_on_the_list_and_nobody_else_has_a_proof(
            accounts in prop::collection::hash_set(any::<[u8; 20]>(), 1..40), id: u64, other: [u8; 20],
        ) {
            let id = U256::from(id);
            let everyone: Vec<_> = accounts.iter().map(|account| Address::from(*account)).collect();
            let list = Allowlist::try_new(id, everyone.clone()).unwrap();
            prop_assert_eq!(list.size(), everyone.len());
            for account in everyone {
                let proof = list.proof(account).unwrap();
                prop_assert!(verifies(&proof, leaf(id, account), list.root()));
            }
            prop_assert_eq!(list.proof(other.into()).is_some(), accounts.contains(&other));
        }
    }
}
