//! Access proofs with valid and nearly valid signatures.

use std::fmt;

use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_harness::model::{Access, predicates::access_proof_digest, tokens::TokenBehavior};
use proptest::{prelude::*, sample::Index};

use super::{actors::Actors, fixture::Fixture};
use acceptance::{
    property,
    signer::{Signer, high_s},
};

/// A proof that expires in some seconds, and the position of a mutation.
#[derive(Clone, Copy, Debug)]
struct Signed {
    tool: u8,
    seconds_left: i64,
    at: Index,
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            tool, seconds_left, ..
        } = self;
        write!(
            f,
            "  for tool {tool}, expires in {seconds_left} s, mutation of byte {}",
            self.byte()
        )
    }
}

impl Signed {
    fn byte(&self) -> usize {
        self.at.index(65)
    }
}

fn any_signed() -> impl Strategy<Value = Signed> {
    let seconds = prop_oneof![-1..=1_i64, 0..1_000_000_i64];
    (1..=2_u8, seconds, any::<Index>()).prop_map(|(tool, seconds_left, at)| Signed {
        tool,
        seconds_left,
        at,
    })
}

fn encode(deadline: u64, signature: &[u8]) -> Vec<u8> {
    (U256::from(deadline), Bytes::copy_from_slice(signature)).abi_encode_params()
}

#[test]
fn a_proof_is_valid_for_its_signer_tool_predicate_and_chain_until_its_deadline() {
    let actors = Actors::deploy();
    let [ann, bob, _] = &actors.signers;
    property::holds(60, any_signed(), |signed| {
        let mut fixture = Fixture::new(&actors);
        let (id, chain_id) = (U256::from(signed.tool), actors.world.chain_id());
        let predicate = actors.contracts.access_proof;
        let check = (predicate, id, ann.address);
        let deadline = fixture
            .lockstep
            .world
            .time()
            .saturating_add_signed(signed.seconds_left);
        let sign = |signer: &Signer, predicate: Address, id, account, chain_id| {
            signer.sign(access_proof_digest(
                predicate, id, account, deadline, chain_id,
            ))
        };
        let own = sign(ann, predicate, id, ann.address, chain_id);
        // B-13
        let in_time = Access::from(signed.seconds_left >= 0);
        fixture.expect_access(in_time, check, encode(deadline, &own))?;

        let elsewhere = actors.inner;
        let invalid = [
            sign(bob, predicate, id, ann.address, chain_id),
            sign(ann, predicate, id, bob.address, chain_id),
            sign(ann, predicate, id + U256::ONE, ann.address, chain_id),
            sign(ann, predicate, id, ann.address, chain_id + 1),
            sign(ann, elsewhere, id, ann.address, chain_id),
            high_s(own),
        ];
        for signature in invalid {
            fixture.expect_access(Access::Denied, check, encode(deadline, &signature))?;
        }
        fixture.expect_access(Access::Denied, check, encode(deadline + 1, &own))?;
        fixture.lockstep.set_chain_id(chain_id + 1);
        fixture.expect_access(Access::Denied, check, encode(deadline, &own))
    });
}

#[test]
fn a_malformed_signature_or_encoding_is_denied() {
    let actors = Actors::deploy();
    let ann = &actors.signers[0];
    property::holds(60, any_signed(), |signed| {
        let mut fixture = Fixture::new(&actors);
        let id = U256::from(signed.tool);
        let check = (actors.contracts.access_proof, id, ann.address);
        let deadline = fixture.lockstep.world.time() + 1_000_000;
        let (predicate, chain_id) = (actors.contracts.access_proof, actors.world.chain_id());
        let digest = access_proof_digest(predicate, id, ann.address, deadline, chain_id);
        let signature = ann.sign(digest);
        let valid = encode(deadline, &signature);
        fixture.expect_access(Access::Granted, check, valid.clone())?;

        let mut mutated = signature;
        mutated[signed.byte()] ^= 1 << (signed.tool - 1);
        let mut late = valid.clone();
        late[signed.byte() % 24] = 1;
        let mut moved = valid.clone();
        moved[63] = 96;
        // B-14, B-15
        let invalid = [
            encode(deadline, &mutated),
            encode(deadline, &signature[..64]),
            encode(deadline, &[&signature[..], &[0]].concat()),
            late,
            moved,
            valid[..valid.len() - 1 - signed.byte()].to_vec(),
            [&valid[..], &[0; 32]].concat(),
            [&deadline.to_be_bytes()[..], &signature].concat(),
            Vec::new(),
        ];
        for data in invalid {
            fixture.expect_access(Access::Denied, check, data)?;
        }
        // B-12: a signature without the EIP-712 domain.
        let bare = keccak256((id, ann.address, U256::from(deadline)).abi_encode());
        fixture.expect_access(Access::Denied, check, encode(deadline, &ann.sign(bare)))?;
        let marker = keccak256("negatedTerm()")[..4].to_vec();
        fixture.expect_access(Access::Unknown, check, marker)
    });
}

#[test]
fn a_smart_account_validates_signatures_of_its_owner() {
    let actors = Actors::deploy();
    let [ann, bob, _] = &actors.signers;
    property::holds(60, any_signed(), |signed| {
        let mut fixture = Fixture::new(&actors);
        let (id, wallet) = (U256::from(signed.tool), actors.wallet);
        let check = (actors.contracts.access_proof, id, wallet);
        let deadline = fixture
            .lockstep
            .world
            .time()
            .saturating_add_signed(signed.seconds_left);
        let in_time = signed.seconds_left >= 0;
        let (predicate, chain_id) = (actors.contracts.access_proof, actors.world.chain_id());
        let digest =
            |account: Address| access_proof_digest(predicate, id, account, deadline, chain_id);
        let own = encode(deadline, &ann.sign(digest(wallet)));
        fixture.expect_access(Access::from(in_time), check, own.clone())?;
        let not_the_owner = encode(deadline, &bob.sign(digest(wallet)));
        fixture.expect_access(Access::Denied, check, not_the_owner)?;
        let for_another = encode(deadline, &ann.sign(digest(ann.address)));
        fixture.expect_access(Access::Denied, check, for_another)?;
        // The smart account reverts on a short signature. After the deadline it is not called.
        let failed = if in_time {
            Access::Unknown
        } else {
            Access::Denied
        };
        fixture.expect_access(failed, check, encode(deadline, &[0; 64]))?;
        for behavior in TokenBehavior::ALL {
            fixture.set_behavior(wallet, behavior);
            let expected = match behavior {
                TokenBehavior::Honest | TokenBehavior::FirstCallOnly => Access::from(in_time),
                // Not the ERC-1271 magic value.
                TokenBehavior::TwoWords
                | TokenBehavior::TruncatedArray
                | TokenBehavior::DirtyBits
                | TokenBehavior::NoCode => Access::Denied,
                _ => failed,
            };
            fixture.expect_access(expected, check, own.clone())?;
        }
        fixture.set_behavior(wallet, TokenBehavior::NoCode);
        fixture.expect_access(Access::Denied, check, own)
    });
}
