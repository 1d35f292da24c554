//! Decodes calls, errors, events and return data of our contracts and mocks, for traces.

use std::fmt::Debug;

use alloy_primitives::Log;
use alloy_sol_types::{SolCall, SolEventInterface, SolInterface};
use atr_bindings::{
    AccessProofPredicate as proof, CompositePredicate as composite,
    ERC20BalancePredicate as balance, ERC721OwnerPredicate as collections,
    ERC1155OwnerPredicate as editions, IAccessPredicate as predicate,
    MerkleAllowlistPredicate as allowlist, SubscriptionPredicate as subscription,
    ToolRegistry as registry, TraitGatedPredicate as traits,
};

use crate::{
    ERC1271Wallet as wallet, PlainERC20 as erc20, PlainERC721 as erc721, PlainERC1155 as erc1155,
    PlainERC7496 as erc7496, PlainSubscription as pass, ScriptedPredicate as scripted,
};

/// Passes calls, errors and events of each contract to a macro, which tries to decode with each of them in turn.
macro_rules! for_each_contract {
    ($first_of:ident) => {
        $first_of! {
            registry ToolRegistryCalls ToolRegistryErrors ToolRegistryEvents,
            composite CompositePredicateCalls CompositePredicateErrors CompositePredicateEvents,
            balance ERC20BalancePredicateCalls ERC20BalancePredicateErrors ERC20BalancePredicateEvents,
            collections ERC721OwnerPredicateCalls ERC721OwnerPredicateErrors ERC721OwnerPredicateEvents,
            editions ERC1155OwnerPredicateCalls ERC1155OwnerPredicateErrors ERC1155OwnerPredicateEvents,
            allowlist MerkleAllowlistPredicateCalls MerkleAllowlistPredicateErrors MerkleAllowlistPredicateEvents,
            subscription SubscriptionPredicateCalls SubscriptionPredicateErrors SubscriptionPredicateEvents,
            traits TraitGatedPredicateCalls TraitGatedPredicateErrors TraitGatedPredicateEvents,
            proof AccessProofPredicateCalls AccessProofPredicateErrors AccessProofPredicateEvents,
            erc20 PlainERC20Calls PlainERC20Errors PlainERC20Events,
            erc721 PlainERC721Calls PlainERC721Errors PlainERC721Events,
            erc1155 PlainERC1155Calls PlainERC1155Errors PlainERC1155Events,
        }
    };
}

/// Decodes calldata.
pub(crate) fn call(data: &[u8]) -> Option<String> {
    macro_rules! first_of {
        ($($contract:ident $calls:ident $errors:ident $events:ident,)*) => {
            None$(.or_else(|| debug($contract::$calls::abi_decode(data))))*
        };
    }
    let found: Option<String> = for_each_contract!(first_of);
    let found = found
        .or_else(|| debug(scripted::ScriptedPredicateCalls::abi_decode(data)))
        .or_else(|| debug(erc7496::PlainERC7496Calls::abi_decode(data)))
        .or_else(|| debug(pass::PlainSubscriptionCalls::abi_decode(data)));
    found.map(|text| simplify(&text))
}

/// Decodes revert data.
pub(crate) fn error(data: &[u8]) -> Option<String> {
    macro_rules! first_of {
        ($($contract:ident $calls:ident $errors:ident $events:ident,)*) => {
            None$(.or_else(|| debug($contract::$errors::abi_decode(data))))*
        };
    }
    let found: Option<String> = for_each_contract!(first_of);
    found.map(|text| simplify(&text))
}

/// Decodes a log.
pub(crate) fn event(log: &Log) -> Option<String> {
    macro_rules! first_of {
        ($($contract:ident $calls:ident $errors:ident $events:ident,)*) => {
            None$(.or_else(|| debug($contract::$events::decode_raw_log(log.topics(), &log.data.data))))*
        };
    }
    let found: Option<String> = for_each_contract!(first_of);
    found.map(|text| simplify(&text))
}

fn debug<T: Debug, E>(decoded: Result<T, E>) -> Option<String> {
    decoded.ok().map(|value| format!("{value:?}"))
}

/// Decodes the return data of `call`.
pub(crate) fn returned(call: &[u8], data: &[u8]) -> Option<String> {
    let selector = call.get(..4)?;
    macro_rules! first_of {
        ($($calls:ty),* $(,)?) => {
            None$(.or_else(|| {
                let decoded = || <$calls>::abi_decode_returns_validate(data).ok();
                let found = if selector == <$calls>::SELECTOR { decoded() } else { None };
                found.map(|found| format!("{found:?}"))
            }))*
        };
    }
    let found: Option<String> = first_of!(
        registry::registerToolCall,
        registry::getToolConfigCall,
        registry::tryHasAccessCall,
        registry::hasAccessCall,
        registry::supportsInterfaceCall,
        registry::toolCountCall,
        registry::nameCall,
        registry::versionCall,
        predicate::getRequirementsCall,
        composite::introspectCall,
        composite::getOpCall,
        composite::getTermsCall,
        composite::getClausesCall,
        composite::termGasCall,
        composite::gasNeededCall,
        balance::getToolERC20ConfigCall,
        collections::getCollectionsCall,
        editions::getCollectionTokensCall,
        editions::getStipendsCall,
        allowlist::getAllowlistRootCall,
        allowlist::leafOfCall,
        subscription::getToolGatingConfigCall,
        subscription::getSubscriptionStatusCall,
        traits::getToolTraitConfigCall,
        proof::digestOfCall,
        proof::domainSeparatorCall,
        erc20::balanceOfCall,
        erc721::ownerOfCall,
        erc1155::balanceOfCall,
        erc1155::balanceOfBatchCall,
        erc7496::getTraitValueCall,
        pass::tokenOfOwnerCall,
        pass::expiresAtCall,
        pass::tierOfCall,
        wallet::isValidSignatureCall,
    );
    // `sol!` wraps several return values in a struct named after the call: `tryHasAccessReturn { … }`.
    found.map(|text| match text.split_once("Return {") {
        Some((name, fields)) if !name.contains(' ') => format!("{{{fields}"),
        _ => text,
    })
}

/// Shortens `registerTool(registerToolCall { … })` to `registerTool { … }`.
fn simplify(debug: &str) -> String {
    let Some((name, inner)) = debug.split_once('(') else {
        return debug.to_owned();
    };
    let inner = inner.strip_suffix(')').unwrap_or(inner);
    let arguments = inner.strip_prefix(name).unwrap_or(inner);
    let arguments = arguments.strip_prefix("Call").unwrap_or(arguments);
    format!("{name}{arguments}")
}
