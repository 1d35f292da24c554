//! Allowlists with valid and nearly valid proofs.

use std::fmt;

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::MerkleAllowlistPredicate::setAllowlistRootCall;
use atr_harness::model::{Access, predicates::MerkleAllowlist};
use proptest::{prelude::*, sample::Index};

use super::{actors::Actors, fixture::Fixture, merkle_tree::MerkleTree};
use acceptance::property;

/// A list of accounts, the index of the checked account, and that of another.
#[derive(Clone, Copy, Debug)]
struct Listed {
    accounts: usize,
    index: usize,
    other: usize,
    bit: u8,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            accounts,
            index,
            other,
            bit,
        } = self;
        write!(
            f,
            "  {accounts} accounts, checked {index}, other {other}, bit {bit}"
        )
    }
}

fn any_listed() -> impl Strategy<Value = Listed> {
    (1..40_usize, any::<(Index, Index)>(), any::<u8>()).prop_map(
        |(accounts, (index, other), bit)| Listed {
            accounts,
            index: index.index(accounts),
            other: other.index(accounts),
            bit,
        },
    )
}

fn account(number: usize) -> Address {
    Address::from_word(keccak256(number.to_be_bytes()))
}

fn tree(id: U256, accounts: usize) -> MerkleTree {
    let leaf = |number| MerkleAllowlist::leaf(id, account(number));
    MerkleTree::new((0..accounts).map(leaf).collect())
}

const TOOL: U256 = U256::ONE;

/// A fixture with a configured root.
fn with_root(actors: &Actors, root: B256) -> Result<Fixture<'_>, String> {
    let mut fixture = Fixture::new(actors);
    let call = setAllowlistRootCall { toolId: TOOL, root };
    fixture.call_as_creator(TOOL, actors.contracts.merkle_allowlist, &call)?;
    Ok(fixture)
}

#[test]
fn listed_accounts_are_granted_access_with_their_own_proof_only() {
    let actors = Actors::deploy();
    property::holds(
        150,
        any_listed(),
        |Listed {
             accounts,
             index,
             other,
             bit,
         }| {
            let tree = tree(TOOL, accounts);
            let mut fixture = with_root(&actors, tree.root())?;
            let check = (actors.contracts.merkle_allowlist, TOOL, account(index));
            let proof = tree.proof(index);
            fixture.expect_access(Access::Granted, check, proof.abi_encode())?;

            let foreign = tree.proof(other);
            let same = Access::from(foreign == proof);
            fixture.expect_access(same, check, foreign.abi_encode())?;
            let unlisted = (check.0, TOOL, account(accounts));
            fixture.expect_access(Access::Denied, unlisted, proof.abi_encode())?;
            for invalid in invalid_proofs(&proof, bit) {
                fixture.expect_access(Access::Denied, check, invalid.abi_encode())?;
            }
            // A proof for another tool.
            let elsewhere = self::tree(U256::from(2), accounts).proof(index);
            let same = Access::from(elsewhere.is_empty());
            fixture.expect_access(same, check, elsewhere.abi_encode())
        },
    );
}

/// A flipped bit, a removed, repeated or extra element, too many elements.
fn invalid_proofs(proof: &[B256], bit: u8) -> Vec<Vec<B256>> {
    let mut all = vec![
        [proof, &[B256::ZERO]].concat(),
        vec![B256::repeat_byte(1); 65],
    ];
    if !proof.is_empty() {
        let mut changed = proof.to_vec();
        let at = usize::from(bit) % proof.len();
        changed[at][usize::from(bit / 8)] ^= 1 << (bit % 8);
        all.push(changed);
        all.push(proof[1..].to_vec());
        all.push([&proof[..1], proof].concat());
    }
    all
}

#[test]
fn no_inner_node_is_accepted_as_a_leaf() {
    let actors = Actors::deploy();
    property::holds(100, any_listed(), |list| {
        expect_no_pair_of_leaves_to_grant(&actors, list)?;
        let Listed {
            accounts, index, ..
        } = list;
        let tree = tree(TOOL, accounts);
        let mut fixture = with_root(&actors, tree.root())?;
        let predicate = actors.contracts.merkle_allowlist;
        for (node, path) in tree.inner_nodes() {
            // An account accepted with the path of a node would have to hash to it.
            for guess in [Address::from_word(node), account(index), account(accounts)] {
                fixture.expect_access(
                    Access::Denied,
                    (predicate, TOOL, guess),
                    path.abi_encode(),
                )?;
            }
        }
        let root = tree.root();
        let guess = Address::from_word(root);
        fixture.expect_access(
            Access::Denied,
            (predicate, TOOL, guess),
            Vec::<B256>::new().abi_encode(),
        )?;
        fixture.expect_access(
            Access::Denied,
            (predicate, TOOL, account(accounts)),
            vec![root].abi_encode(),
        )
    });
}

/// Two malicious leaves can be the preimage of an account's first hash, so that their parent is that hash. Leaves are hashed twice
/// and nodes once, so the parent is not a leaf.
fn expect_no_pair_of_leaves_to_grant(actors: &Actors, list: Listed) -> Result<(), String> {
    let unlisted = account(list.accounts);
    let words = [B256::from(TOOL), unlisted.into_word()];
    let hashed_once = keccak256((TOOL, unlisted).abi_encode());
    assert_eq!(MerkleAllowlist::parent(words[0], words[1]), hashed_once);
    let mut leaves: Vec<B256> = (0..list.accounts)
        .map(|number| MerkleAllowlist::leaf(TOOL, account(number)))
        .collect();
    let at = list.other / 2 * 2;
    leaves.splice(at..at, words);
    let tree = MerkleTree::new(leaves);
    let mut fixture = with_root(actors, tree.root())?;
    let check = (actors.contracts.merkle_allowlist, TOOL, unlisted);
    let above = tree.proof(at)[1..].to_vec();
    fixture.expect_access(Access::Denied, check, above.abi_encode())
}

#[test]
fn only_the_canonical_encoding_of_a_proof_is_accepted() {
    let actors = Actors::deploy();
    property::holds(
        150,
        any_listed(),
        |Listed {
             accounts,
             index,
             bit,
             ..
         }| {
            let tree = tree(TOOL, accounts);
            let mut fixture = with_root(&actors, tree.root())?;
            let check = (actors.contracts.merkle_allowlist, TOOL, account(index));
            let proof = tree.proof(index).abi_encode();
            let word = |number: usize| B256::from(U256::from(number));
            let moved = [word(64), word(0)].concat();
            let other_encodings = [
                [&moved[..], &proof[32..]].concat(),
                [&proof[..], &[0; 32]].concat(),
                [&proof[..], &[0]].concat(),
                proof[..proof.len() - 1 - usize::from(bit) % 32].to_vec(),
                [word(33).as_slice(), &proof[32..], &[0]].concat(),
                // The valid proof with a wrong offset or length.
                [word(0).as_slice(), &proof[32..]].concat(),
                [word(33).as_slice(), &proof[32..]].concat(),
                [word(64).as_slice(), &proof[32..]].concat(),
                [&[0x80], &proof[1..]].concat(),
                [&proof[..32], word(1 << 20).as_slice(), &proof[64..]].concat(),
                [
                    &proof[..32],
                    B256::repeat_byte(0xff).as_slice(),
                    &proof[64..],
                ]
                .concat(),
                Vec::new(),
            ];
            for data in other_encodings {
                fixture.expect_access(Access::Denied, check, data)?;
            }
            let marker = keccak256("negatedTerm()")[..4].to_vec();
            fixture.expect_access(Access::Unknown, check, marker)
        },
    );
}
