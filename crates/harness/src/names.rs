//! What things are called when a person reads a trace.

use std::{collections::BTreeMap, fmt::Write as _};

use alloy_primitives::{Address, hex};
use alloy_sol_types::SolInterface;
use atr_bindings::{
    CompositePredicate::{CompositePredicateCalls, CompositePredicateErrors},
    ERC20BalancePredicate::{ERC20BalancePredicateCalls, ERC20BalancePredicateErrors},
    ERC721OwnerPredicate::{ERC721OwnerPredicateCalls, ERC721OwnerPredicateErrors},
    ERC1155OwnerPredicate::{ERC1155OwnerPredicateCalls, ERC1155OwnerPredicateErrors},
    MerkleAllowlistPredicate::{MerkleAllowlistPredicateCalls, MerkleAllowlistPredicateErrors},
    SubscriptionPredicate::{SubscriptionPredicateCalls, SubscriptionPredicateErrors},
    ToolRegistry::{ToolRegistryCalls, ToolRegistryErrors},
    TraitGatedPredicate::{TraitGatedPredicateCalls, TraitGatedPredicateErrors},
};

use crate::{
    PlainERC20::PlainERC20Calls, PlainERC721::PlainERC721Calls, PlainERC1155::PlainERC1155Calls,
    PlainERC7496::PlainERC7496Calls, PlainSubscription::PlainSubscriptionCalls,
    ScriptedPredicate::ScriptedPredicateCalls,
};

/// More bytes than this are cut in the middle.
const SHOWN_BYTES: usize = 68;

/// Names of accounts; calls and errors are named by our own ABIs.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<Address, String>);

impl Names {
    pub(crate) fn give(&mut self, account: Address, name: &str) {
        self.0.insert(account, name.to_owned());
    }

    /// The name of an account, or its address.
    #[must_use]
    pub fn of(&self, account: Address) -> String {
        self.0
            .get(&account)
            .cloned()
            .unwrap_or_else(|| account.to_string())
    }

    /// Text with the addresses in it replaced by names.
    #[must_use]
    pub fn within(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, (account, name)| {
                text.replace(&account.to_string(), name)
                    .replace(&hex::encode_prefixed(account), name)
            })
    }

    /// Calldata as the call it is, if it is one of ours.
    #[must_use]
    pub fn call(&self, data: &[u8]) -> String {
        macro_rules! first_of {
            ($($calls:ty),*) => {$(
                if let Ok(call) = <$calls>::abi_decode(data) {
                    return self.within(&plain(&format!("{call:?}")));
                }
            )*};
        }
        first_of!(
            ToolRegistryCalls,
            CompositePredicateCalls,
            ERC20BalancePredicateCalls,
            ERC721OwnerPredicateCalls,
            ERC1155OwnerPredicateCalls,
            MerkleAllowlistPredicateCalls,
            SubscriptionPredicateCalls,
            TraitGatedPredicateCalls,
            ScriptedPredicateCalls,
            PlainERC20Calls,
            PlainERC721Calls,
            PlainERC1155Calls,
            PlainERC7496Calls,
            PlainSubscriptionCalls
        );
        short(data)
    }

    /// Revert data as the error it is, if it is one of ours.
    #[must_use]
    pub fn error(&self, data: &[u8]) -> String {
        macro_rules! first_of {
            ($($errors:ty),*) => {$(
                if let Ok(error) = <$errors>::abi_decode(data) {
                    return self.within(&plain(&format!("{error:?}")));
                }
            )*};
        }
        first_of!(
            ToolRegistryErrors,
            CompositePredicateErrors,
            ERC20BalancePredicateErrors,
            ERC721OwnerPredicateErrors,
            ERC1155OwnerPredicateErrors,
            MerkleAllowlistPredicateErrors,
            SubscriptionPredicateErrors,
            TraitGatedPredicateErrors
        );
        short(data)
    }
}

/// `registerTool(registerToolCall { … })` as `registerTool { … }`.
fn plain(debug: &str) -> String {
    let inner = debug
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    match inner {
        Some(inner) => inner.replacen("Call {", " {", 1),
        None => debug.to_owned(),
    }
}

/// Bytes for reading: in full if they are few.
pub(crate) fn short(data: &[u8]) -> String {
    if data.len() <= SHOWN_BYTES {
        return hex::encode_prefixed(data);
    }
    let mut text = hex::encode_prefixed(&data[..SHOWN_BYTES / 2]);
    let _ = write!(
        text,
        "…{} ({} bytes)",
        hex::encode(&data[data.len() - 16..]),
        data.len()
    );
    text
}
