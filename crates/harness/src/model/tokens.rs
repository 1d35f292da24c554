//! The tokens and wallets of the mocks: what each answers when a predicate asks.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolInterface, SolValue};
use atr_bindings::ERC165_ID;

use super::predicates::recover;
use crate::{
    ERC1271Wallet::{ERC1271WalletCalls, isValidSignatureCall},
    PlainERC20::{PlainERC20Calls, balanceOfCall},
    PlainERC721::PlainERC721Calls,
    PlainERC1155::{PlainERC1155Calls, balanceOfBatchCall},
    PlainERC7496::{PlainERC7496Calls, ownerOfCall},
    PlainSubscription::{PlainSubscriptionCalls, tokenOfOwnerCall},
};

/// What OpenZeppelin's tokens claim through ERC-165: that itself, the token, and its metadata.
const ERC721_CLAIMS: [[u8; 4]; 3] = [ERC165_ID.0, hex!("80ac58cd"), hex!("5b5e139f")];
const ERC1155_CLAIMS: [[u8; 4]; 3] = [ERC165_ID.0, hex!("d9b67a26"), hex!("0e89341c")];

/// How a token speaks, whatever it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Voice {
    /// It tells what it knows.
    #[default]
    Honest,
    /// It reverts.
    Reverts,
    /// It burns all its gas.
    BurnsGas,
    /// It returns 31 bytes.
    ShortWord,
    /// It returns nothing.
    Silent,
    /// It returns the word 1, and another behind it.
    TwoWords,
    /// It returns the head of an array of one word, without the word.
    ArrayHead,
    /// It returns a megabyte, if it has the gas.
    Megabyte,
    /// It runs into the invalid opcode.
    IsInvalid,
    /// It writes a storage slot, which a static call forbids.
    Writes,
    /// It tells what it knows, with [`DIRT`] in the first word.
    DirtyWord,
    /// It tells what it knows when asked the first thing a predicate asks such a token, and reverts on anything else.
    FirstOnly,
    /// Its code is gone.
    Gone,
}

/// A bit that no address, tier, time or bool has.
pub const DIRT: U256 = U256::from_limbs([0, 0, 1 << 32, 0]);

impl Voice {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Honest,
        Self::Reverts,
        Self::BurnsGas,
        Self::ShortWord,
        Self::Silent,
        Self::TwoWords,
        Self::ArrayHead,
        Self::Megabyte,
        Self::IsInvalid,
        Self::Writes,
        Self::DirtyWord,
        Self::FirstOnly,
        Self::Gone,
    ];

    /// The two words it returns, if that is its way.
    #[must_use]
    pub const fn words(self) -> Option<[u64; 2]> {
        match self {
            Self::TwoWords => Some([1, 1]),
            Self::ArrayHead => Some([32, 1]),
            _ => None,
        }
    }
}

/// What a token knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// ERC-20: balances.
    Balances(BTreeMap<Address, U256>),
    /// ERC-721: owners.
    Owners(BTreeMap<U256, Address>),
    /// ERC-721 with ERC-7496: owners, and the values of traits.
    Traits(BTreeMap<U256, Address>, BTreeMap<(U256, B256), B256>),
    /// ERC-1155: balances of each id.
    Holdings(BTreeMap<(Address, U256), U256>),
    /// Subscriptions: the token of each account, and the end and tier of each token.
    Passes(BTreeMap<Address, U256>, BTreeMap<U256, (u64, u8)>),
    /// ERC-1271: whose signatures it accepts.
    Wallet(Address),
    /// These bytes by heart for a selector, and nothing else.
    Recital(BTreeMap<[u8; 4], Bytes>),
}

/// All tokens and wallets.
#[derive(Clone, Debug, Default)]
pub struct Tokens(BTreeMap<Address, (Voice, Knowledge)>);

impl Tokens {
    /// There is an honest token here now.
    pub fn add(&mut self, token: Address, knowledge: Knowledge) {
        self.0.insert(token, (Voice::Honest, knowledge));
    }

    /// It speaks this way from now on.
    pub fn set_voice(&mut self, token: Address, voice: Voice) {
        self.entry(token).0 = voice;
    }

    /// What it knows.
    #[must_use]
    pub fn knowledge(&self, token: Address) -> Option<&Knowledge> {
        self.0.get(&token).map(|(_, knowledge)| knowledge)
    }

    /// What it knows, to be changed.
    pub fn knowledge_mut(&mut self, token: Address) -> &mut Knowledge {
        &mut self.entry(token).1
    }

    fn entry(&mut self, token: Address) -> &mut (Voice, Knowledge) {
        self.0.get_mut(&token).expect("only tokens are changed")
    }

    /// Whether there is a contract.
    #[must_use]
    pub fn has_code(&self, token: Address) -> bool {
        self.0
            .get(&token)
            .is_some_and(|(voice, _)| *voice != Voice::Gone)
    }

    /// What it uses at most of the gas it is asked with, if it is asked for a word. It answers or refuses with a few
    /// thousand, unless it uses up all it has; so do contracts that are no tokens.
    pub(super) fn appetite(&self, token: Address) -> u64 {
        match self.0.get(&token) {
            Some((Voice::BurnsGas | Voice::Megabyte | Voice::IsInvalid | Voice::Writes, _)) => {
                u64::MAX
            }
            _ => 8_000,
        }
    }

    /// What it returns; none if it fails.
    #[must_use]
    pub fn returned(&self, token: Address, question: &[u8]) -> Option<Bytes> {
        let (voice, knowledge) = self.0.get(&token)?;
        match voice {
            Voice::Honest => knowledge.tell(question).map(Into::into),
            Voice::ShortWord => Some([0xff; 31].into()),
            Voice::Silent => Some(Bytes::new()),
            Voice::TwoWords | Voice::ArrayHead => {
                let words = voice
                    .words()?
                    .map(|word| U256::from(word).to_be_bytes::<32>());
                Some(words.concat().into())
            }
            Voice::DirtyWord => knowledge.tell(question).map(|answer| dirty(answer).into()),
            Voice::FirstOnly => {
                let is_first = question.starts_with(&knowledge.first_question());
                let told = is_first.then(|| knowledge.tell(question));
                told.flatten().map(Into::into)
            }
            // No stipend pays for a megabyte.
            Voice::Reverts
            | Voice::BurnsGas
            | Voice::Megabyte
            | Voice::IsInvalid
            | Voice::Writes
            | Voice::Gone => None,
        }
    }
}

impl Knowledge {
    /// What a predicate asks such a token first.
    #[must_use]
    pub fn first_question(&self) -> [u8; 4] {
        match self {
            Self::Balances(_) | Self::Owners(_) => balanceOfCall::SELECTOR,
            Self::Traits(..) => ownerOfCall::SELECTOR,
            Self::Holdings(_) => balanceOfBatchCall::SELECTOR,
            Self::Passes(..) => tokenOfOwnerCall::SELECTOR,
            Self::Wallet(_) => isValidSignatureCall::SELECTOR,
            Self::Recital(texts) => texts.keys().next().copied().unwrap_or_default(),
        }
    }

    /// The honest answer. What a token has no function for, it refuses.
    fn tell(&self, question: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Balances(balances) => match PlainERC20Calls::abi_decode(question).ok()? {
                PlainERC20Calls::balanceOf(asked) => Some(word_of(balances, &asked.account)),
                _ => None,
            },
            Self::Owners(owners) => match PlainERC721Calls::abi_decode(question).ok()? {
                PlainERC721Calls::balanceOf(asked) => count_of(owners, asked.owner),
                PlainERC721Calls::ownerOf(asked) => {
                    owners.get(&asked.tokenId).map(SolValue::abi_encode)
                }
                PlainERC721Calls::supportsInterface(asked) => {
                    Some(ERC721_CLAIMS.contains(&asked.interfaceId.0).abi_encode())
                }
                _ => None,
            },
            Self::Traits(owners, values) => match PlainERC7496Calls::abi_decode(question).ok()? {
                PlainERC7496Calls::balanceOf(asked) => count_of(owners, asked.owner),
                PlainERC7496Calls::ownerOf(asked) => {
                    owners.get(&asked.tokenId).map(SolValue::abi_encode)
                }
                PlainERC7496Calls::supportsInterface(asked) => {
                    Some(ERC721_CLAIMS.contains(&asked.interfaceId.0).abi_encode())
                }
                PlainERC7496Calls::getTraitValue(asked) => {
                    Some(word_of(values, &(asked.tokenId, asked.traitKey)))
                }
                _ => None,
            },
            Self::Holdings(holdings) => match PlainERC1155Calls::abi_decode(question).ok()? {
                PlainERC1155Calls::balanceOfBatch(asked) => {
                    let asked = asked.accounts.into_iter().zip(asked.ids);
                    let balances = asked.map(|key| holdings.get(&key).copied().unwrap_or_default());
                    Some(balances.collect::<Vec<U256>>().abi_encode())
                }
                PlainERC1155Calls::supportsInterface(asked) => {
                    Some(ERC1155_CLAIMS.contains(&asked.interfaceId.0).abi_encode())
                }
                _ => None,
            },
            Self::Passes(passes, terms) => {
                match PlainSubscriptionCalls::abi_decode(question).ok()? {
                    PlainSubscriptionCalls::tokenOfOwner(asked) => {
                        Some(word_of(passes, &asked.account))
                    }
                    PlainSubscriptionCalls::expiresAt(asked) => {
                        let (end, _) = terms.get(&asked.tokenId).copied().unwrap_or_default();
                        Some(U256::from(end).abi_encode())
                    }
                    PlainSubscriptionCalls::tierOf(asked) => {
                        let (_, tier) = terms.get(&asked.tokenId).copied().unwrap_or_default();
                        Some(U256::from(tier).abi_encode())
                    }
                    PlainSubscriptionCalls::set(_) => None,
                }
            }
            Self::Wallet(owner) => {
                let ERC1271WalletCalls::isValidSignature(asked) =
                    ERC1271WalletCalls::abi_decode(question).ok()?;
                Some(judge(*owner, &asked)?.abi_encode())
            }
            Self::Recital(texts) => {
                let text = texts.get(question.get(..4)?)?;
                Some(text.to_vec())
            }
        }
    }
}

fn dirty(mut answer: Vec<u8>) -> Vec<u8> {
    if let Some(first) = answer.first_chunk_mut::<32>() {
        *first = (U256::from_be_bytes(*first) | DIRT).to_be_bytes();
    }
    answer
}

fn word_of<K: Ord, V: SolValue + Default>(map: &BTreeMap<K, V>, key: &K) -> Vec<u8> {
    map.get(key)
        .map_or_else(|| V::default().abi_encode(), SolValue::abi_encode)
}

/// The zero address owns nothing, and OpenZeppelin's token refuses to count that.
fn count_of(owners: &BTreeMap<U256, Address>, account: Address) -> Option<Vec<u8>> {
    let count = owners.values().filter(|owner| **owner == account).count();
    (!account.is_zero()).then(|| U256::from(count).abi_encode())
}

/// Reads the first 65 bytes and takes high s too, unlike the predicate; fewer bytes make it fail.
fn judge(owner: Address, asked: &isValidSignatureCall) -> Option<B256> {
    let signature: &[u8; 65] = asked.signature.get(..65)?.try_into().ok()?;
    let mut word = B256::repeat_byte(0);
    word[..4].copy_from_slice(match recover(asked.hash, signature) {
        Some(signer) if signer == owner => &[0x16, 0x26, 0xba, 0x7e],
        _ => &[0xff; 4],
    });
    Some(word)
}
