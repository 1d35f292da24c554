//! Decodes calls, errors, events and return data of our contracts and mocks, for traces.

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

/// Decodes calldata.
pub(crate) fn call(data: &[u8]) -> Option<String> {
    macro_rules! first_of {
        ($($calls:ty),* $(,)?) => {
            None$(.or_else(|| <$calls>::abi_decode(data).ok().map(|call| format!("{call:?}"))))*
        };
    }
    let found: Option<String> = first_of!(
        registry::ToolRegistryCalls,
        composite::CompositePredicateCalls,
        balance::ERC20BalancePredicateCalls,
        collections::ERC721OwnerPredicateCalls,
        editions::ERC1155OwnerPredicateCalls,
        allowlist::MerkleAllowlistPredicateCalls,
        subscription::SubscriptionPredicateCalls,
        traits::TraitGatedPredicateCalls,
        proof::AccessProofPredicateCalls,
        scripted::ScriptedPredicateCalls,
        erc20::PlainERC20Calls,
        erc721::PlainERC721Calls,
        erc1155::PlainERC1155Calls,
        erc7496::PlainERC7496Calls,
        pass::PlainSubscriptionCalls,
    );
    found.map(|text| simplify(&text))
}

/// Decodes revert data.
pub(crate) fn error(data: &[u8]) -> Option<String> {
    macro_rules! first_of {
        ($($errors:ty),* $(,)?) => {
            None$(.or_else(|| <$errors>::abi_decode(data).ok().map(|error| format!("{error:?}"))))*
        };
    }
    let found: Option<String> = first_of!(
        registry::ToolRegistryErrors,
        composite::CompositePredicateErrors,
        balance::ERC20BalancePredicateErrors,
        collections::ERC721OwnerPredicateErrors,
        editions::ERC1155OwnerPredicateErrors,
        allowlist::MerkleAllowlistPredicateErrors,
        subscription::SubscriptionPredicateErrors,
        traits::TraitGatedPredicateErrors,
        proof::AccessProofPredicateErrors,
    );
    found.map(|text| simplify(&text))
}

/// Decodes a log.
pub(crate) fn event(log: &Log) -> Option<String> {
    macro_rules! first_of {
        ($($events:ty),* $(,)?) => {
            None$(.or_else(|| {
                let event = <$events>::decode_raw_log(log.topics(), &log.data.data).ok();
                event.map(|event| format!("{event:?}"))
            }))*
        };
    }
    let found: Option<String> = first_of!(
        registry::ToolRegistryEvents,
        composite::CompositePredicateEvents,
        balance::ERC20BalancePredicateEvents,
        collections::ERC721OwnerPredicateEvents,
        editions::ERC1155OwnerPredicateEvents,
        allowlist::MerkleAllowlistPredicateEvents,
        subscription::SubscriptionPredicateEvents,
        traits::TraitGatedPredicateEvents,
        proof::AccessProofPredicateEvents,
        erc20::PlainERC20Events,
        erc721::PlainERC721Events,
        erc1155::PlainERC1155Events,
    );
    found.map(|text| simplify(&text))
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
