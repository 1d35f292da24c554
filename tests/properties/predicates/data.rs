//! The `data` argument of access checks: valid or nearly valid.

use acceptance::{
    mutation::{Mutation, any_mutation},
    signer::high_s,
};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_harness::model::predicates::{MerkleAllowlist, access_proof_digest};
use proptest::prelude::*;

use super::{fixture::Fixture, merkle_tree::MerkleTree, step::pick};

/// A description of `data` that stays valid when steps are removed from a scenario.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Empty,
    /// Valid for the predicate.
    Valid(u8),
    Junk(Vec<u8>),
    /// The marker of a negated term.
    Negated,
    /// The id of an ERC-7496 token.
    TokenId(u8),
    /// The Merkle proof of an account on the tool's allowlist.
    MerkleProof {
        account: u8,
    },
    /// An access proof.
    Signed {
        signer: u8,
        seconds_left: i8,
        fault: SignatureFault,
    },
    /// An entry for each term.
    PerTerm(Vec<Self>),
    /// The mutated bytes of other data.
    Mutated(Box<Self>, Mutation),
}

/// A fault of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureFault {
    None,
    HighS,
    OtherTool,
    OtherAccount,
    OtherChain,
    OtherPredicate,
    /// v as 0 or 1.
    SmallV,
}

impl Data {
    /// Replaces `Valid` by valid data for the predicate.
    pub(crate) fn resolve_for(&self, predicate: Address, fixture: &Fixture<'_>) -> Self {
        let at = &fixture.actors.contracts;
        match *self {
            Self::Valid(number) if predicate == at.trait_gated => Self::TokenId(number),
            Self::Valid(number) if predicate == at.merkle_allowlist => {
                Self::MerkleProof { account: number }
            }
            Self::Valid(number) if predicate == at.access_proof => Self::Signed {
                signer: number,
                seconds_left: (number % 4).cast_signed(),
                fault: SignatureFault::None,
            },
            _ => self.clone(),
        }
    }

    /// The bytes for an access check of an account.
    pub(crate) fn bytes(&self, fixture: &Fixture<'_>, id: U256, account: Address) -> Bytes {
        match self {
            Self::Empty | Self::Valid(_) => Bytes::new(),
            Self::Junk(bytes) => bytes.clone().into(),
            Self::Negated => keccak256("negatedTerm()")[..4].to_vec().into(),
            Self::TokenId(number) => {
                // Most often a token of the account.
                let own = fixture.trait_token_of(account).filter(|_| number % 4 != 0);
                let id = own.unwrap_or(U256::from(number / 4 % 5));
                id.abi_encode().into()
            }
            Self::MerkleProof { account: member } => {
                let accounts = fixture.actors.accounts();
                // Most often the checked account.
                let member = match member % 4 {
                    0 => pick(*member / 4, &accounts),
                    _ => account,
                };
                merkle_proof(fixture, id, member).into()
            }
            Self::Signed {
                signer,
                seconds_left,
                fault,
            } => access_proof(fixture, (id, account), *signer, *seconds_left, *fault).into(),
            Self::PerTerm(entries) => {
                let entries = entries
                    .iter()
                    .map(|entry| entry.bytes(fixture, id, account));
                per_term(entries.collect()).into()
            }
            Self::Mutated(inner, mutation) => {
                let mut bytes = inner.bytes(fixture, id, account).to_vec();
                mutation.apply(&mut bytes);
                bytes.into()
            }
        }
    }
}

/// `perTerm(bytes[])` encoded as a call.
pub(crate) fn per_term(entries: Vec<Bytes>) -> Vec<u8> {
    [&keccak256("perTerm(bytes[])")[..4], &entries.abi_encode()].concat()
}

fn merkle_proof(fixture: &Fixture<'_>, id: U256, member: Address) -> Vec<u8> {
    let list = fixture.allowlists.get(&id).cloned().unwrap_or_default();
    let Some(index) = list.iter().position(|account| *account == member) else {
        return vec![keccak256("invalid")].abi_encode();
    };
    let leaves = list
        .iter()
        .map(|account| MerkleAllowlist::leaf(id, *account));
    MerkleTree::new(leaves.collect()).proof(index).abi_encode()
}

fn access_proof(
    fixture: &Fixture<'_>,
    (id, account): (U256, Address),
    signer: u8,
    seconds_left: i8,
    fault: SignatureFault,
) -> Vec<u8> {
    let [ann, ..] = &fixture.actors.signers;
    // The account itself or its owner; sometimes another signer.
    let own = fixture
        .actors
        .signers
        .iter()
        .find(|other| other.address == account);
    let signer = match signer % 4 {
        0 => &fixture.actors.signers[usize::from(signer / 4) % 3],
        _ => own.unwrap_or(ann),
    };
    let (mut predicate, mut tool, mut signed_for) =
        (fixture.actors.contracts.access_proof, id, account);
    let mut chain_id = fixture.lockstep.world.chain_id();
    match fault {
        SignatureFault::OtherTool => tool += U256::from(1),
        SignatureFault::OtherAccount => signed_for = fixture.actors.eoa,
        SignatureFault::OtherChain => chain_id += 1,
        SignatureFault::OtherPredicate => predicate = fixture.actors.inner,
        SignatureFault::None | SignatureFault::HighS | SignatureFault::SmallV => {}
    }
    let deadline = fixture
        .lockstep
        .world
        .time()
        .saturating_add_signed(seconds_left.into());
    let digest = access_proof_digest(predicate, tool, signed_for, deadline, chain_id);
    let mut signature = signer.sign(digest);
    match fault {
        SignatureFault::HighS => signature = high_s(signature),
        SignatureFault::SmallV => signature[64] -= 27,
        _ => {}
    }
    (U256::from(deadline), Bytes::copy_from_slice(&signature)).abi_encode_params()
}

/// Any data, most often valid.
pub(crate) fn any_data() -> impl Strategy<Value = Data> {
    let fault = prop_oneof![
        4 => Just(SignatureFault::None),
        1 => prop::sample::select(vec![
            SignatureFault::HighS,
            SignatureFault::OtherTool,
            SignatureFault::OtherAccount,
            SignatureFault::OtherChain,
            SignatureFault::OtherPredicate,
            SignatureFault::SmallV,
        ]),
    ];
    let single = prop_oneof![
        2 => Just(Data::Empty),
        12 => any::<u8>().prop_map(Data::Valid),
        1 => prop::collection::vec(any::<u8>(), 0..100).prop_map(Data::Junk),
        1 => Just(Data::Negated),
        2 => any::<u8>().prop_map(Data::TokenId),
        2 => any::<u8>().prop_map(|account| Data::MerkleProof { account }),
        3 => (any::<u8>(), -2..6_i8, fault).prop_map(|(signer, seconds_left, fault)| Data::Signed {
            signer,
            seconds_left,
            fault,
        }),
    ]
    .boxed();
    let listed = prop_oneof![
        6 => single.clone(),
        1 => prop::collection::vec(single, 0..4).prop_map(Data::PerTerm),
    ];
    (listed, prop::option::weighted(0.15, any_mutation())).prop_map(|(data, mutation)| {
        match mutation {
            Some(mutation) => Data::Mutated(Box::new(data), mutation),
            None => data,
        }
    })
}
