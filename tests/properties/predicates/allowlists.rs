//! Allowlists: real trees, and everything that is nearly a proof.

use std::fmt;

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::MerkleAllowlistPredicate::setAllowlistRootCall;
use atr_harness::model::{Answer, predicates::MerkleAllowlist};
use proptest::{prelude::*, sample::Index};

use super::{cast::Cast, merkle_tree::MerkleTree, stage::Stage};
use crate::property;

/// A list of so many accounts, and one of them.
#[derive(Clone, Copy, Debug)]
struct Listed {
    accounts: usize,
    who: usize,
    other: usize,
    bit: u8,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            accounts,
            who,
            other,
            bit,
        } = self;
        write!(
            f,
            "  {accounts} accounts, number {who} asks, beside {other}, bit {bit}"
        )
    }
}

fn any_listed() -> impl Strategy<Value = Listed> {
    (1..40_usize, any::<(Index, Index)>(), any::<u8>()).prop_map(|(accounts, (who, other), bit)| {
        Listed {
            accounts,
            who: who.index(accounts),
            other: other.index(accounts),
            bit,
        }
    })
}

fn account(number: usize) -> Address {
    Address::from_word(keccak256(number.to_be_bytes()))
}

fn tree(id: U256, accounts: usize) -> MerkleTree {
    let leaf = |number| MerkleAllowlist::leaf(id, account(number));
    MerkleTree::over((0..accounts).map(leaf).collect())
}

const TOOL: U256 = U256::ONE;

/// A stage on which the list is known.
fn stage_with(cast: &Cast, root: B256) -> Result<Stage<'_>, String> {
    let mut stage = Stage::open(cast);
    let call = setAllowlistRootCall { toolId: TOOL, root };
    stage.set_up(TOOL, cast.contracts.merkle_allowlist, &call)?;
    Ok(stage)
}

#[test]
fn who_is_on_the_list_gets_in_with_the_own_proof_and_no_other() {
    let cast = Cast::gather();
    property::holds(
        150,
        any_listed(),
        |Listed {
             accounts,
             who,
             other,
             bit,
         }| {
            let tree = tree(TOOL, accounts);
            let mut stage = stage_with(&cast, tree.root())?;
            let asked = (cast.contracts.merkle_allowlist, TOOL, account(who));
            let proof = tree.proof(who);
            stage.expect(Answer::Yes, asked, proof.abi_encode())?;

            let foreign = tree.proof(other);
            let same = Answer::from(foreign == proof);
            stage.expect(same, asked, foreign.abi_encode())?;
            let stranger = (asked.0, TOOL, account(accounts));
            stage.expect(Answer::No, stranger, proof.abi_encode())?;
            for spoilt in spoilt_proofs(&proof, bit) {
                stage.expect(Answer::No, asked, spoilt.abi_encode())?;
            }
            // The list of another tool is another list.
            let elsewhere = self::tree(U256::from(2), accounts).proof(who);
            let same = Answer::from(elsewhere.is_empty());
            stage.expect(same, asked, elsewhere.abi_encode())
        },
    );
}

/// A bit changed, an element dropped, doubled, or too many.
fn spoilt_proofs(proof: &[B256], bit: u8) -> Vec<Vec<B256>> {
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
fn no_inner_node_of_the_tree_passes_for_an_account() {
    let cast = Cast::gather();
    property::holds(100, any_listed(), |list| {
        expect_no_pair_of_leaves_to_let_in(&cast, list)?;
        let Listed { accounts, who, .. } = list;
        let tree = tree(TOOL, accounts);
        let mut stage = stage_with(&cast, tree.root())?;
        let predicate = cast.contracts.merkle_allowlist;
        for (node, path) in tree.inner_nodes() {
            // Whoever is accepted by the path of a node would have to hash to it.
            for guess in [Address::from_word(node), account(who), account(accounts)] {
                stage.expect(Answer::No, (predicate, TOOL, guess), path.abi_encode())?;
            }
        }
        let root = tree.root();
        let nobody = Address::from_word(root);
        stage.expect(
            Answer::No,
            (predicate, TOOL, nobody),
            Vec::<B256>::new().abi_encode(),
        )?;
        stage.expect(
            Answer::No,
            (predicate, TOOL, account(accounts)),
            vec![root].abi_encode(),
        )
    });
}

/// A publisher who takes leaves from others, unseen, may get two words that together are what an account is hashed from: the
/// node above them is that hash. Leaves are hashed twice, and no node is.
fn expect_no_pair_of_leaves_to_let_in(cast: &Cast, list: Listed) -> Result<(), String> {
    let stranger = account(list.accounts);
    let words = [B256::from(TOOL), stranger.into_word()];
    let hashed_once = keccak256((TOOL, stranger).abi_encode());
    assert_eq!(MerkleAllowlist::parent(words[0], words[1]), hashed_once);
    let mut leaves: Vec<B256> = (0..list.accounts)
        .map(|number| MerkleAllowlist::leaf(TOOL, account(number)))
        .collect();
    let at = list.other / 2 * 2;
    leaves.splice(at..at, words);
    let tree = MerkleTree::over(leaves);
    let mut stage = stage_with(cast, tree.root())?;
    let asked = (cast.contracts.merkle_allowlist, TOOL, stranger);
    let above = tree.proof(at)[1..].to_vec();
    stage.expect(Answer::No, asked, above.abi_encode())
}

#[test]
fn a_proof_has_one_encoding() {
    let cast = Cast::gather();
    property::holds(
        150,
        any_listed(),
        |Listed {
             accounts, who, bit, ..
         }| {
            let tree = tree(TOOL, accounts);
            let mut stage = stage_with(&cast, tree.root())?;
            let asked = (cast.contracts.merkle_allowlist, TOOL, account(who));
            let proof = tree.proof(who).abi_encode();
            let word = |number: usize| B256::from(U256::from(number));
            let moved = [word(64), word(0)].concat();
            let other_encodings = [
                [&moved[..], &proof[32..]].concat(),
                [&proof[..], &[0; 32]].concat(),
                [&proof[..], &[0]].concat(),
                proof[..proof.len() - 1 - usize::from(bit) % 32].to_vec(),
                [word(33).as_slice(), &proof[32..], &[0]].concat(),
                // Read where it always stands, each of these would be the proof.
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
                stage.expect(Answer::No, asked, data)?;
            }
            let marker = keccak256("negatedTerm()")[..4].to_vec();
            stage.expect(Answer::Unknown, asked, marker)
        },
    );
}
