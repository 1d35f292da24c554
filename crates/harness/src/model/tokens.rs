//! Models of the mock tokens and smart accounts.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolInterface, SolValue};
use atr_bindings::ERC165_ID;

use super::predicates::{Failure, recover};
use crate::{
    ERC1271Wallet::{ERC1271WalletCalls, isValidSignatureCall},
    PlainERC20::{PlainERC20Calls, balanceOfCall},
    PlainERC721::PlainERC721Calls,
    PlainERC1155::{PlainERC1155Calls, balanceOfBatchCall},
    PlainERC7496::{PlainERC7496Calls, ownerOfCall},
    PlainSubscription::{PlainSubscriptionCalls, tokenOfOwnerCall},
};

/// The interfaces of OpenZeppelin's tokens: ERC-165, the token, its metadata.
const ERC721_INTERFACES: [[u8; 4]; 3] = [ERC165_ID.0, hex!("80ac58cd"), hex!("5b5e139f")];
const ERC1155_INTERFACES: [[u8; 4]; 3] = [ERC165_ID.0, hex!("d9b67a26"), hex!("0e89341c")];

/// The behavior of a token, independent of its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenBehavior {
    /// Responds correctly.
    #[default]
    Honest,
    /// Reverts.
    Reverts,
    /// Burns all gas.
    BurnsGas,
    /// Returns 31 bytes.
    ShortReturn,
    /// Returns no data.
    EmptyReturn,
    /// Returns the word 1 twice.
    TwoWords,
    /// Returns offset and length of an array of one word, without the word.
    TruncatedArray,
    /// Returns a megabyte, if it has the gas.
    ReturnBomb,
    /// Executes the invalid opcode.
    InvalidOpcode,
    /// Writes storage, which a static call forbids.
    WritesStorage,
    /// Responds correctly, but sets [`DIRTY_BIT`] in the first word.
    DirtyBits,
    /// Responds correctly to the first call that a predicate makes to such a token, and reverts on all others.
    FirstCallOnly,
    /// Responds correctly with at least this much gas, and reverts without data with less.
    NeedsGas(u32),
    /// Has no code.
    NoCode,
}

/// A bit that is zero in every valid address, tier, time and bool.
pub const DIRTY_BIT: U256 = U256::from_limbs([0, 0, 1 << 32, 0]);

impl TokenBehavior {
    /// All behaviors that do not depend on gas.
    pub const ALL: [Self; 13] = [
        Self::Honest,
        Self::Reverts,
        Self::BurnsGas,
        Self::ShortReturn,
        Self::EmptyReturn,
        Self::TwoWords,
        Self::TruncatedArray,
        Self::ReturnBomb,
        Self::InvalidOpcode,
        Self::WritesStorage,
        Self::DirtyBits,
        Self::FirstCallOnly,
        Self::NoCode,
    ];

    /// The two words that `TwoWords` and `TruncatedArray` return.
    #[must_use]
    pub const fn words(self) -> Option<[u64; 2]> {
        match self {
            Self::TwoWords => Some([1, 1]),
            Self::TruncatedArray => Some([32, 1]),
            _ => None,
        }
    }
}

/// The state of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenState {
    /// ERC-20: balances.
    Balances(BTreeMap<Address, U256>),
    /// ERC-721: owners.
    Owners(BTreeMap<U256, Address>),
    /// ERC-721 with ERC-7496: owners and trait values.
    Traits(BTreeMap<U256, Address>, BTreeMap<(U256, B256), B256>),
    /// ERC-1155: balances by account and id.
    Erc1155Balances(BTreeMap<(Address, U256), U256>),
    /// The token of each account, and the expiration and tier of each token.
    Subscriptions(BTreeMap<Address, U256>, BTreeMap<U256, (u64, u8)>),
    /// ERC-1271: the owner whose signatures it accepts.
    Wallet(Address),
    /// Fixed return data by selector.
    FixedReturns(BTreeMap<[u8; 4], Bytes>),
}

/// All tokens and smart accounts.
#[derive(Clone, Debug, Default)]
pub struct Tokens(BTreeMap<Address, (TokenBehavior, TokenState)>);

impl Tokens {
    /// Adds an honest token.
    pub fn add(&mut self, token: Address, state: TokenState) {
        self.0.insert(token, (TokenBehavior::Honest, state));
    }

    /// Changes the behavior of a token.
    pub fn set_behavior(&mut self, token: Address, behavior: TokenBehavior) {
        self.entry(token).0 = behavior;
    }

    /// The state of a token.
    #[must_use]
    pub fn state(&self, token: Address) -> Option<&TokenState> {
        self.0.get(&token).map(|(_, state)| state)
    }

    /// The state of a token, mutable.
    pub fn state_mut(&mut self, token: Address) -> &mut TokenState {
        &mut self.entry(token).1
    }

    fn entry(&mut self, token: Address) -> &mut (TokenBehavior, TokenState) {
        self.0.get_mut(&token).expect("the account is a token")
    }

    /// Whether the token has code.
    #[must_use]
    pub fn has_code(&self, token: Address) -> bool {
        self.0
            .get(&token)
            .is_some_and(|(behavior, _)| *behavior != TokenBehavior::NoCode)
    }

    /// The return data of a call with this much gas.
    ///
    /// # Errors
    ///
    /// When the call fails, with any gas or because the token needs more.
    pub fn returned(&self, token: Address, gas: u64, calldata: &[u8]) -> Result<Bytes, Failure> {
        let (behavior, state) = self.0.get(&token).ok_or(Failure::SILENT)?;
        let reverted = Failure { has_error: true };
        match behavior {
            TokenBehavior::Honest => state.respond(calldata).map(Into::into),
            TokenBehavior::NeedsGas(needed) if gas >= u64::from(*needed) => {
                state.respond(calldata).map(Into::into)
            }
            TokenBehavior::ShortReturn => Ok([0xff; 31].into()),
            TokenBehavior::EmptyReturn => Ok(Bytes::new()),
            TokenBehavior::TwoWords | TokenBehavior::TruncatedArray => {
                let words = behavior.words().unwrap_or_default();
                let words = words.map(|word| U256::from(word).to_be_bytes::<32>());
                Ok(words.concat().into())
            }
            TokenBehavior::DirtyBits => state.respond(calldata).map(|data| dirty(data).into()),
            TokenBehavior::FirstCallOnly if calldata.starts_with(&state.first_selector()) => {
                state.respond(calldata).map(Into::into)
            }
            TokenBehavior::FirstCallOnly | TokenBehavior::Reverts => Err(reverted),
            // No stipend pays for a megabyte.
            TokenBehavior::NeedsGas(_)
            | TokenBehavior::BurnsGas
            | TokenBehavior::ReturnBomb
            | TokenBehavior::InvalidOpcode
            | TokenBehavior::WritesStorage
            | TokenBehavior::NoCode => Err(Failure::SILENT),
        }
    }

    /// The gas that a call with this stipend uses at most, and whether it may run out of it.
    #[must_use]
    pub fn cost(&self, token: Address, stipend: u64, calldata: &[u8]) -> (u64, bool) {
        let behavior = self.0.get(&token).map(|(behavior, _)| *behavior);
        match behavior.unwrap_or(TokenBehavior::NoCode) {
            TokenBehavior::NeedsGas(needed) if stipend < u64::from(needed) => (FAILING_CALL, false),
            // Balances of several ids, or a signature.
            behavior @ (TokenBehavior::Honest
            | TokenBehavior::DirtyBits
            | TokenBehavior::FirstCallOnly
            | TokenBehavior::NeedsGas(_)) => {
                let words = calldata.len() as u64 / 64;
                let proxy = match behavior {
                    TokenBehavior::Honest => 0,
                    _ => PROXY,
                };
                let cost = proxy + HONEST_CALL + 2_800 * words;
                (cost.min(stipend), stipend < cost)
            }
            TokenBehavior::BurnsGas
            | TokenBehavior::ReturnBomb
            | TokenBehavior::InvalidOpcode
            | TokenBehavior::WritesStorage => (stipend, false),
            _ => (FAILING_CALL, false),
        }
    }
}

/// An upper bound of the gas of a call with one storage read.
const HONEST_CALL: u64 = 2_900;

/// The same of a call through a proxy.
const PROXY: u64 = 4_500;

/// An upper bound of the gas of a call that fails or returns fixed bytes, and of choosing another stipend.
const FAILING_CALL: u64 = 1_500;

impl TokenState {
    /// The selector of the first call that a predicate makes to such a token.
    #[must_use]
    pub fn first_selector(&self) -> [u8; 4] {
        match self {
            Self::Balances(_) | Self::Owners(_) => balanceOfCall::SELECTOR,
            Self::Traits(..) => ownerOfCall::SELECTOR,
            Self::Erc1155Balances(_) => balanceOfBatchCall::SELECTOR,
            Self::Subscriptions(..) => tokenOfOwnerCall::SELECTOR,
            Self::Wallet(_) => isValidSignatureCall::SELECTOR,
            Self::FixedReturns(data) => data.keys().next().copied().unwrap_or_default(),
        }
    }

    /// The correct return data. OpenZeppelin's tokens revert with an error for a token that does not exist and for the zero address.
    fn respond(&self, calldata: &[u8]) -> Result<Vec<u8>, Failure> {
        let has_error = match self {
            Self::Owners(_) | Self::Traits(..) => {
                PlainERC721Calls::abi_decode(calldata).is_ok_and(|call| {
                    matches!(
                        call,
                        PlainERC721Calls::balanceOf(_) | PlainERC721Calls::ownerOf(_)
                    )
                })
            }
            _ => false,
        };
        self.honest(calldata).ok_or(Failure { has_error })
    }

    /// The return data; none if the call fails.
    fn honest(&self, calldata: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Balances(balances) => match PlainERC20Calls::abi_decode(calldata).ok()? {
                PlainERC20Calls::balanceOf(call) => Some(word_of(balances, &call.account)),
                _ => None,
            },
            Self::Owners(owners) => match PlainERC721Calls::abi_decode(calldata).ok()? {
                PlainERC721Calls::balanceOf(call) => count_of(owners, call.owner),
                PlainERC721Calls::ownerOf(call) => {
                    owners.get(&call.tokenId).map(SolValue::abi_encode)
                }
                PlainERC721Calls::supportsInterface(call) => {
                    Some(ERC721_INTERFACES.contains(&call.interfaceId.0).abi_encode())
                }
                _ => None,
            },
            Self::Traits(owners, values) => match PlainERC7496Calls::abi_decode(calldata).ok()? {
                PlainERC7496Calls::balanceOf(call) => count_of(owners, call.owner),
                PlainERC7496Calls::ownerOf(call) => {
                    owners.get(&call.tokenId).map(SolValue::abi_encode)
                }
                PlainERC7496Calls::supportsInterface(call) => {
                    Some(ERC721_INTERFACES.contains(&call.interfaceId.0).abi_encode())
                }
                PlainERC7496Calls::getTraitValue(call) => {
                    Some(word_of(values, &(call.tokenId, call.traitKey)))
                }
                _ => None,
            },
            Self::Erc1155Balances(holdings) => {
                match PlainERC1155Calls::abi_decode(calldata).ok()? {
                    PlainERC1155Calls::balanceOfBatch(call) => {
                        let keys = call.accounts.into_iter().zip(call.ids);
                        let balances =
                            keys.map(|key| holdings.get(&key).copied().unwrap_or_default());
                        Some(balances.collect::<Vec<U256>>().abi_encode())
                    }
                    PlainERC1155Calls::supportsInterface(call) => Some(
                        ERC1155_INTERFACES
                            .contains(&call.interfaceId.0)
                            .abi_encode(),
                    ),
                    _ => None,
                }
            }
            Self::Subscriptions(passes, terms) => {
                match PlainSubscriptionCalls::abi_decode(calldata).ok()? {
                    PlainSubscriptionCalls::tokenOfOwner(call) => {
                        Some(word_of(passes, &call.account))
                    }
                    PlainSubscriptionCalls::expiresAt(call) => {
                        let (end, _) = terms.get(&call.tokenId).copied().unwrap_or_default();
                        Some(U256::from(end).abi_encode())
                    }
                    PlainSubscriptionCalls::tierOf(call) => {
                        let (_, tier) = terms.get(&call.tokenId).copied().unwrap_or_default();
                        Some(U256::from(tier).abi_encode())
                    }
                    PlainSubscriptionCalls::set(_) => None,
                }
            }
            Self::Wallet(owner) => {
                let ERC1271WalletCalls::isValidSignature(call) =
                    ERC1271WalletCalls::abi_decode(calldata).ok()?;
                Some(check_signature(*owner, &call)?.abi_encode())
            }
            Self::FixedReturns(data) => {
                let found = data.get(calldata.get(..4)?)?;
                Some(found.to_vec())
            }
        }
    }
}

fn dirty(mut data: Vec<u8>) -> Vec<u8> {
    if let Some(first) = data.first_chunk_mut::<32>() {
        *first = (U256::from_be_bytes(*first) | DIRTY_BIT).to_be_bytes();
    }
    data
}

fn word_of<K: Ord, V: SolValue + Default>(map: &BTreeMap<K, V>, key: &K) -> Vec<u8> {
    map.get(key)
        .map_or_else(|| V::default().abi_encode(), SolValue::abi_encode)
}

/// OpenZeppelin's `balanceOf` reverts for the zero address.
fn count_of(owners: &BTreeMap<U256, Address>, account: Address) -> Option<Vec<u8>> {
    let count = owners.values().filter(|owner| **owner == account).count();
    (!account.is_zero()).then(|| U256::from(count).abi_encode())
}

/// Reads the first 65 bytes and accepts high s, unlike the predicate. Fails on fewer bytes.
fn check_signature(owner: Address, call: &isValidSignatureCall) -> Option<B256> {
    let signature: &[u8; 65] = call.signature.get(..65)?.try_into().ok()?;
    let mut word = B256::repeat_byte(0);
    word[..4].copy_from_slice(match recover(call.hash, signature) {
        Some(signer) if signer == owner => &[0x16, 0x26, 0xba, 0x7e],
        _ => &[0xff; 4],
    });
    Some(word)
}
