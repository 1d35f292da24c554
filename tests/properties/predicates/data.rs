//! What is handed over in `data`: the right thing, or something like it.

use acceptance::damage::{Damage, any_damage};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_harness::model::predicates::{AccessProof, MerkleAllowlist};
use proptest::prelude::*;

use super::{merkle_tree::MerkleTree, signer::high_s, stage::Stage, step::pick};

/// Call data, told in a way that survives when steps before it are taken away.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Nothing,
    /// What the predicate that is asked wants.
    Fitting(u8),
    Junk(Vec<u8>),
    /// The marker of a negated term.
    Negated,
    /// Names a relic.
    Relic(u8),
    /// The proof that an account is on the tool's list.
    OnTheList {
        account: u8,
    },
    /// A signature of an account for itself.
    Signed {
        signer: u8,
        seconds_left: i8,
        slip: Slip,
    },
    /// An entry for each term.
    PerTerm(Vec<Self>),
    /// The bytes of another, damaged.
    Damaged(Box<Self>, Damage),
}

/// What a signer can get wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slip {
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
    /// What this predicate wants, if that was meant.
    pub(crate) fn fitted_to(&self, predicate: Address, stage: &Stage<'_>) -> Self {
        let at = &stage.cast.contracts;
        match *self {
            Self::Fitting(number) if predicate == at.trait_gated => Self::Relic(number),
            Self::Fitting(number) if predicate == at.merkle_allowlist => {
                Self::OnTheList { account: number }
            }
            Self::Fitting(number) if predicate == at.access_proof => Self::Signed {
                signer: number,
                seconds_left: (number % 4).cast_signed(),
                slip: Slip::None,
            },
            _ => self.clone(),
        }
    }

    /// The bytes, for an account that asks about a tool.
    pub(crate) fn bytes(&self, stage: &Stage<'_>, id: U256, account: Address) -> Bytes {
        match self {
            Self::Nothing | Self::Fitting(_) => Bytes::new(),
            Self::Junk(bytes) => bytes.clone().into(),
            Self::Negated => keccak256("negatedTerm()")[..4].to_vec().into(),
            Self::Relic(number) => {
                // Mostly one that the account has.
                let own = stage.relic_of(account).filter(|_| number % 4 != 0);
                let relic = own.unwrap_or(U256::from(number / 4 % 5));
                relic.abi_encode().into()
            }
            Self::OnTheList { account: member } => {
                let accounts = stage.cast.accounts();
                // Mostly the one who asks.
                let member = match member % 4 {
                    0 => pick(*member / 4, &accounts),
                    _ => account,
                };
                proof(stage, id, member).into()
            }
            Self::Signed {
                signer,
                seconds_left,
                slip,
            } => signed(stage, (id, account), *signer, *seconds_left, *slip).into(),
            Self::PerTerm(entries) => {
                let entries = entries.iter().map(|entry| entry.bytes(stage, id, account));
                per_term(entries.collect()).into()
            }
            Self::Damaged(inner, damage) => {
                let mut bytes = inner.bytes(stage, id, account).to_vec();
                damage.apply(&mut bytes);
                bytes.into()
            }
        }
    }
}

/// `perTerm(bytes[])` encoded as a call.
pub(crate) fn per_term(entries: Vec<Bytes>) -> Vec<u8> {
    [&keccak256("perTerm(bytes[])")[..4], &entries.abi_encode()].concat()
}

fn proof(stage: &Stage<'_>, id: U256, member: Address) -> Vec<u8> {
    let list = stage.lists.get(&id).cloned().unwrap_or_default();
    let Some(index) = list.iter().position(|account| *account == member) else {
        return vec![keccak256("a guess")].abi_encode();
    };
    let leaves = list
        .iter()
        .map(|account| MerkleAllowlist::leaf(id, *account));
    MerkleTree::over(leaves.collect()).proof(index).abi_encode()
}

fn signed(
    stage: &Stage<'_>,
    (id, account): (U256, Address),
    signer: u8,
    seconds_left: i8,
    slip: Slip,
) -> Vec<u8> {
    let [ann, ..] = &stage.cast.signers;
    // The account itself, or whoever owns it; sometimes anyone.
    let own = stage
        .cast
        .signers
        .iter()
        .find(|other| other.address == account);
    let signer = match signer % 4 {
        0 => &stage.cast.signers[usize::from(signer / 4) % 3],
        _ => own.unwrap_or(ann),
    };
    let (mut predicate, mut tool, mut signed_for) =
        (stage.cast.contracts.access_proof, id, account);
    let mut chain_id = stage.twin.world.chain_id();
    match slip {
        Slip::OtherTool => tool += U256::from(1),
        Slip::OtherAccount => signed_for = stage.cast.nowhere,
        Slip::OtherChain => chain_id += 1,
        Slip::OtherPredicate => predicate = stage.cast.inner,
        Slip::None | Slip::HighS | Slip::SmallV => {}
    }
    let deadline = stage
        .twin
        .world
        .time()
        .saturating_add_signed(seconds_left.into());
    let digest = AccessProof::new(predicate).digest(tool, signed_for, deadline, chain_id);
    let mut signature = signer.sign(digest);
    match slip {
        Slip::HighS => signature = high_s(signature),
        Slip::SmallV => signature[64] -= 27,
        _ => {}
    }
    (U256::from(deadline), Bytes::copy_from_slice(&signature)).abi_encode_params()
}

/// Any data, the right thing more often than not.
pub(crate) fn any_data() -> impl Strategy<Value = Data> {
    let slip = prop_oneof![
        4 => Just(Slip::None),
        1 => prop::sample::select(vec![
            Slip::HighS,
            Slip::OtherTool,
            Slip::OtherAccount,
            Slip::OtherChain,
            Slip::OtherPredicate,
            Slip::SmallV,
        ]),
    ];
    let single = prop_oneof![
        2 => Just(Data::Nothing),
        12 => any::<u8>().prop_map(Data::Fitting),
        1 => prop::collection::vec(any::<u8>(), 0..100).prop_map(Data::Junk),
        1 => Just(Data::Negated),
        2 => any::<u8>().prop_map(Data::Relic),
        2 => any::<u8>().prop_map(|account| Data::OnTheList { account }),
        3 => (any::<u8>(), -2..6_i8, slip).prop_map(|(signer, seconds_left, slip)| Data::Signed {
            signer,
            seconds_left,
            slip,
        }),
    ]
    .boxed();
    let listed = prop_oneof![
        6 => single.clone(),
        1 => prop::collection::vec(single, 0..4).prop_map(Data::PerTerm),
    ];
    (listed, prop::option::weighted(0.15, any_damage())).prop_map(|(data, damage)| match damage {
        Some(damage) => Data::Damaged(Box::new(data), damage),
        None => data,
    })
}
