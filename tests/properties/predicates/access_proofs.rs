//! Access proofs: real signatures, and everything that is nearly one.

use std::fmt;

use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_harness::model::{Answer, predicates::AccessProof, tokens::Voice};
use proptest::{prelude::*, sample::Index};

use super::{cast::Cast, signer::high_s, stage::Stage};
use crate::property;

/// A proof that ends so many seconds from now, and where it is damaged.
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
            "  for tool {tool}, ends in {seconds_left} s, damaged in byte {}",
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
fn a_proof_holds_for_its_signer_tool_predicate_and_chain_until_its_deadline() {
    let cast = Cast::gather();
    let [ann, bob, _] = &cast.signers;
    property::holds(60, any_signed(), |signed| {
        let mut stage = Stage::open(&cast);
        let (id, chain_id) = (U256::from(signed.tool), cast.world.chain_id());
        let predicate = AccessProof::new(cast.contracts.access_proof);
        let asked = (cast.contracts.access_proof, id, ann.address);
        let deadline = stage
            .twin
            .world
            .time()
            .saturating_add_signed(signed.seconds_left);
        let sign =
            |signer: &super::signer::Signer, predicate: AccessProof, id, account, chain_id| {
                signer.sign(predicate.digest(id, account, deadline, chain_id))
            };
        let own = sign(ann, predicate, id, ann.address, chain_id);
        // B-13
        let in_time = Answer::from(signed.seconds_left >= 0);
        stage.expect(in_time, asked, encode(deadline, &own))?;

        let elsewhere = AccessProof::new(cast.inner);
        let others = [
            sign(bob, predicate, id, ann.address, chain_id),
            sign(ann, predicate, id, bob.address, chain_id),
            sign(ann, predicate, id + U256::ONE, ann.address, chain_id),
            sign(ann, predicate, id, ann.address, chain_id + 1),
            sign(ann, elsewhere, id, ann.address, chain_id),
            high_s(own),
        ];
        for other in others {
            stage.expect(Answer::No, asked, encode(deadline, &other))?;
        }
        stage.expect(Answer::No, asked, encode(deadline + 1, &own))?;
        stage.twin.set_chain_id(chain_id + 1);
        stage.expect(Answer::No, asked, encode(deadline, &own))
    });
}

#[test]
fn a_damaged_signature_or_encoding_is_a_no() {
    let cast = Cast::gather();
    let ann = &cast.signers[0];
    property::holds(60, any_signed(), |signed| {
        let mut stage = Stage::open(&cast);
        let id = U256::from(signed.tool);
        let asked = (cast.contracts.access_proof, id, ann.address);
        let deadline = stage.twin.world.time() + 1_000_000;
        let predicate = AccessProof::new(cast.contracts.access_proof);
        let digest = predicate.digest(id, ann.address, deadline, cast.world.chain_id());
        let whole = ann.sign(digest);
        let good = encode(deadline, &whole);
        stage.expect(Answer::Yes, asked, good.clone())?;

        let mut damaged = whole;
        damaged[signed.byte()] ^= 1 << (signed.tool - 1);
        let mut late = good.clone();
        late[signed.byte() % 24] = 1;
        let mut moved = good.clone();
        moved[63] = 96;
        // B-14, B-15
        let spoilt = [
            encode(deadline, &damaged),
            encode(deadline, &whole[..64]),
            encode(deadline, &[&whole[..], &[0]].concat()),
            late,
            moved,
            good[..good.len() - 1 - signed.byte()].to_vec(),
            [&good[..], &[0; 32]].concat(),
            [&deadline.to_be_bytes()[..], &whole].concat(),
            Vec::new(),
        ];
        for data in spoilt {
            stage.expect(Answer::No, asked, data)?;
        }
        // B-12: what is signed without a domain is not signed for this.
        let bare = keccak256((id, ann.address, U256::from(deadline)).abi_encode());
        stage.expect(Answer::No, asked, encode(deadline, &ann.sign(bare)))?;
        let marker = keccak256("negatedTerm()")[..4].to_vec();
        stage.expect(Answer::Unknown, asked, marker)
    });
}

#[test]
fn a_wallet_answers_for_its_owner() {
    let cast = Cast::gather();
    let [ann, bob, _] = &cast.signers;
    property::holds(60, any_signed(), |signed| {
        let mut stage = Stage::open(&cast);
        let (id, wallet) = (U256::from(signed.tool), cast.wallet);
        let asked = (cast.contracts.access_proof, id, wallet);
        let deadline = stage
            .twin
            .world
            .time()
            .saturating_add_signed(signed.seconds_left);
        let in_time = signed.seconds_left >= 0;
        let predicate = AccessProof::new(cast.contracts.access_proof);
        let digest =
            |account: Address| predicate.digest(id, account, deadline, cast.world.chain_id());
        let own = encode(deadline, &ann.sign(digest(wallet)));
        stage.expect(Answer::from(in_time), asked, own.clone())?;
        let not_the_owner = encode(deadline, &bob.sign(digest(wallet)));
        stage.expect(Answer::No, asked, not_the_owner)?;
        let not_for_it = encode(deadline, &ann.sign(digest(ann.address)));
        stage.expect(Answer::No, asked, not_for_it)?;
        // The wallet stumbles over what is too short, so there is no answer; past the deadline it is not asked.
        let silent = if in_time { Answer::Unknown } else { Answer::No };
        stage.expect(silent, asked, encode(deadline, &[0; 64]))?;
        for voice in Voice::ALL {
            stage.set_voice(wallet, voice);
            let expected = match voice {
                Voice::Honest | Voice::FirstOnly => Answer::from(in_time),
                // Not the word it must be.
                Voice::TwoWords | Voice::ArrayHead | Voice::DirtyWord | Voice::Gone => Answer::No,
                _ => silent,
            };
            stage.expect(expected, asked, own.clone())?;
        }
        stage.set_voice(wallet, Voice::Gone);
        stage.expect(Answer::No, asked, own)
    });
}
